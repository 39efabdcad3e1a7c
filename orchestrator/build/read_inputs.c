/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build/read_inputs.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum {
    CMD_FILE_MAXIMUM = 16 << 20, /* bytes; the largest of a distribution's kernel have 2 MiB */
    CMD_FILES_MAXIMUM = 500000,
    AUTO_CONF_MAXIMUM = 4 << 20,
};

/* Where a path ends in a command line or in a list of prerequisites. */
static const char delimiters[] = " \t\n\r\"'`;:()|<>&$,=\\#";

/* "-I/culprit/source/include", "-I /culprit/source/include" */
static bool is_search_directory(const char *text, size_t at)
{
    if (at > 0 && text[at - 1] == ' ')
        at--;
    return at >= 2 && text[at - 2] == '-' && text[at - 1] == 'I';
}

int inputs_of_cmd(const char *text, size_t length, const char *source, struct inputs *inputs,
                  struct culprit_error *error)
{
    size_t root = strlen(source);
    const char *end = text + length, *found;
    int r = 0;

    for (const char *at = text; r == 0 && (found = memmem(at, (size_t)(end - at), source, root));
         at = found + root) {
        const char *path = found + root;
        size_t size;

        if (path == end || *path != '/' || is_search_directory(text, (size_t)(found - text)))
            continue;
        size = strcspn(path, delimiters);
        if (size > (size_t)(end - path))
            size = (size_t)(end - path);
        r = inputs_add(inputs, path, size, error);
    }
    return r;
}

int inputs_of_kconfig(const char *text, struct inputs *inputs, struct culprit_error *error)
{
    static const char list[] = "deps_config := \\\n", tree[] = "$(srctree)/";
    const char *line = strstr(text, list);
    int r = 0;

    if (!line)
        return culprit_fail(error, CULPRIT_INVALID,
                            "include/config/auto.conf.cmd does not list the Kconfig files");
    for (line += strlen(list); r == 0 && *line == '\t'; line += *line == '\n') {
        const char *path = line + 1;

        if (strncmp(path, tree, strlen(tree)) == 0)
            path += strlen(tree);
        r = inputs_add(inputs, path, strcspn(path, " \\\n"), error);
        line = path + strcspn(path, "\n");
    }
    return r;
}

static void fts_close_cleanup(FTS **tree)
{
    if (*tree)
        fts_close(*tree);
}

/* ".core.o.cmd", ".fixdep.o.d" */
static bool lists_inputs(const FTSENT *entry)
{
    const char *name = entry->fts_name;
    size_t length = entry->fts_namelen;

    return entry->fts_info == FTS_F && name[0] == '.' &&
           ((length > 4 && strcmp(name + length - 4, ".cmd") == 0) ||
            (length > 2 && strcmp(name + length - 2, ".d") == 0));
}

static int read_cmd(const char *path, const char *source, struct inputs *inputs,
                    struct culprit_error *error)
{
    _cleanup_free_ char *text = NULL;
    size_t length = 0;
    int r = file_read(path, CMD_FILE_MAXIMUM, &text, &length, error);

    return r < 0 ? r : inputs_of_cmd(text, length, source, inputs, error);
}

static int read_cmds(FTS *tree, const char *source, struct inputs *inputs,
                     struct culprit_error *error)
{
    FTSENT *entry;
    unsigned count = 0;

    while ((errno = 0, entry = fts_read(tree))) {
        int r = 0;

        if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS)
            return culprit_fail_errno(error, entry->fts_errno, "cannot read %s", entry->fts_path);
        if (!lists_inputs(entry))
            continue;
        if (++count > CMD_FILES_MAXIMUM)
            return culprit_fail(error, CULPRIT_LIMIT, "a build left more than %d .cmd files",
                                CMD_FILES_MAXIMUM);
        r = read_cmd(entry->fts_path, source, inputs, error);
        if (r < 0)
            return r;
    }
    return errno ? culprit_fail_errno(error, errno, "cannot search a build directory") : 0;
}

static int read_below(const char *build, const char *source, struct inputs *inputs,
                      struct culprit_error *error)
{
    _cleanup_free_ char *root = strdup(build);
    char *roots[] = {root, NULL};
    CULPRIT_CLEANUP(fts_close) FTS *tree = NULL;

    if (!root)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to search a build directory");
    /* Of links, only the one named `source` is of the build system's making: none is followed. */
    tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (!tree)
        return culprit_fail_errno(error, errno, "cannot read %s", build);
    return read_cmds(tree, source, inputs, error);
}

static int read_kconfig(const char *build, struct inputs *inputs, struct culprit_error *error)
{
    _cleanup_free_ char *list_path = path_join(build, "include/config/auto.conf.cmd");
    _cleanup_free_ char *values_path = path_join(build, "include/config/auto.conf");
    _cleanup_free_ char *list = NULL;
    _cleanup_free_ char *values = NULL;
    int r;

    if (!list_path || !values_path)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to read a configuration");
    r = file_read(list_path, AUTO_CONF_MAXIMUM, &list, NULL, error);
    if (r == 0)
        r = file_read(values_path, AUTO_CONF_MAXIMUM, &values, NULL, error);
    if (r == 0)
        r = inputs_of_kconfig(list, inputs, error);
    if (r == 0 && strstr(values, "\nCONFIG_IKHEADERS=y\n"))
        return culprit_fail(error, CULPRIT_UNSUPPORTED,
                            "the kernel carries all headers of its tree (CONFIG_IKHEADERS)");
    return r;
}

/* Every kernel is made of these. Where one is missing, kbuild has come to leave something else. */
static int check_known(const struct inputs *inputs, struct culprit_error *error)
{
    static const char *const known[] = {"Kconfig", "init/main.c", "include/linux/kconfig.h",
                                        "scripts/kconfig/conf.c"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!inputs_has(inputs, known[i]))
            return culprit_fail(error, CULPRIT_INVALID,
                                "what the build left does not say that it read %s", known[i]);
    return 0;
}

int read_inputs(const char *build, const char *source, const char *architecture,
                struct inputs **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(inputs_free) struct inputs *inputs = NULL;
    int r = inputs_new(architecture, &inputs, error);

    if (r == 0)
        r = read_kconfig(build, inputs, error);
    if (r == 0)
        r = read_below(build, source, inputs, error);
    if (r == 0)
        r = check_known(inputs, error);
    if (r < 0)
        return r;
    *ret = take(inputs);
    return 0;
}
