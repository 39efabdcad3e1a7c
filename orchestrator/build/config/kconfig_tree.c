/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build/config/kconfig_tree.h"

#include <errno.h>
#include <fts.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { KCONFIG_MAXIMUM = 4 << 20 };

static void fts_close_cleanup(FTS **tree)
{
    if (*tree)
        fts_close(*tree);
}

static void regfree_cleanup(regex_t *pattern)
{
    regfree(pattern);
}

/* Files that cannot be read count as not defining it: this only words a message. */
static bool defines(const char *path, const regex_t *pattern)
{
    _cleanup_free_ char *text = NULL;

    return file_read(path, KCONFIG_MAXIMUM, &text, NULL, NULL) == 0 &&
           regexec(pattern, text, 0, NULL, 0) == 0;
}

static int search(FTS *tree, const regex_t *pattern, bool *ret_known, struct culprit_error *error)
{
    FTSENT *entry;

    *ret_known = false;
    while (!*ret_known && (errno = 0, entry = fts_read(tree))) {
        bool file = entry->fts_info == FTS_F || entry->fts_info == FTS_NSOK;

        if (file && strncmp(entry->fts_name, "Kconfig", 7) == 0)
            *ret_known = defines(entry->fts_path, pattern);
    }
    if (!*ret_known && errno)
        return culprit_fail_errno(error, errno, "cannot search the Kconfig files");
    return 0;
}

int kconfig_tree_knows(const char *source, const char *name, bool *ret_known,
                       struct culprit_error *error)
{
    _cleanup_free_ char *root = strdup(source);
    _cleanup_free_ char *expression = text_format(
        "^[[:space:]]*(menu)?config[[:space:]]+%s[[:space:]]*$", name);
    char *roots[] = {root, NULL};
    CULPRIT_CLEANUP(fts_close) FTS *tree = NULL;
    CULPRIT_CLEANUP(regfree) regex_t pattern;

    if (!root || !expression ||
        regcomp(&pattern, expression, REG_EXTENDED | REG_NEWLINE | REG_NOSUB) != 0) {
        memset(&pattern, 0, sizeof pattern);
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to search the Kconfig files");
    }
    tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
    if (!tree)
        return culprit_fail_errno(error, errno, "cannot read %s", source);
    return search(tree, &pattern, ret_known, error);
}
