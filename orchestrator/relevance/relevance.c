/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "relevance/relevance.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[RELEVANCE_COUNT] = {
    [RELEVANCE_MATTERS] = "matters",
    [RELEVANCE_EMPTY] = "empty",
    [RELEVANCE_DOCUMENTATION] = "documentation",
    [RELEVANCE_TOOLS] = "tools",
    [RELEVANCE_ARCHITECTURE] = "architecture",
    [RELEVANCE_NOT_COMPILED] = "not_compiled",
};

const char *relevance_name(enum relevance relevance)
{
    return names[relevance];
}

bool relevance_from_name(const char *name, enum relevance *ret)
{
    for (int i = 0; i < RELEVANCE_COUNT; i++) {
        if (strcmp(names[i], name) == 0) {
            *ret = (enum relevance)i;
            return true;
        }
    }
    return false;
}

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool ends(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);

    return length > tail && strcmp(text + length - tail, suffix) == 0;
}

static bool is_one_of(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

static bool begins_with_one_of(const char *text, const char *const *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (begins(text, prefixes[i]))
            return true;
    return false;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* What make and Kconfig read to know what to build, by the names that kbuild gives such files. */
static bool is_rule(const char *path)
{
    static const char *const prefixes[] = {"Makefile", "Kbuild", "Kconfig"};
    const char *name = name_of(path);

    return begins_with_one_of(name, prefixes, COUNT(prefixes)) || ends(name, ".mk") ||
           strcmp(name, "Platform") == 0;
}

/* Read by people, editors and git. */
static bool is_documentation(const char *path)
{
    static const char *const at_the_top[] = {
        "COPYING",  "CREDITS",       "MAINTAINERS",    ".clang-format", ".cocciconfig",
        ".mailmap", ".editorconfig", ".gitattributes", ".rustfmt.toml", ".get_maintainer.ignore",
    };
    const char *name = name_of(path);

    if (name == path && is_one_of(name, at_the_top, COUNT(at_the_top)))
        return true;
    if (strcmp(name, ".gitignore") == 0 || strcmp(name, "README") == 0)
        return true;
    if (begins(path, "LICENSES/"))
        return true;
    /* The top directory's own rules are the kernel's; those below are of the manual. */
    return begins(path, "Documentation/") &&
           (strchr(path + strlen("Documentation/"), '/') || !is_rule(path));
}

/* Below a directory of the architecture that is built. */
static bool is_of_architecture(const struct inputs *inputs, const char *path, const char *below)
{
    const char *architecture = inputs_architecture(inputs);
    size_t parent = strlen("arch/"), length = strlen(architecture);

    return begins(path, "arch/") && begins(path + parent, architecture) &&
           path[parent + length] == '/' && begins(path + parent + length + 1, below);
}

/* Programs and scripts that make runs, and what they read: they leave no list of it. */
static bool is_machinery(const struct inputs *inputs, const char *path)
{
    static const char *const prefixes[] = {
        "scripts/",       "usr/",           "certs/",
        "tools/build/",   "tools/lib/",     "tools/include/",
        "tools/scripts/", "tools/objtool/", "tools/bpf/resolve_btfids/",
    };

    return begins_with_one_of(path, prefixes, COUNT(prefixes)) ||
           is_of_architecture(inputs, path, "tools/");
}

/* Below arch/ or tools/arch/, in the directory of an architecture that is not built. */
static bool is_elsewhere(const struct inputs *inputs, const char *path, const char *parent)
{
    const char *architecture = inputs_architecture(inputs), *below = path + strlen(parent);
    size_t length = strlen(architecture);

    return begins(path, parent) && strchr(below, '/') &&
           !(strncmp(below, architecture, length) == 0 && below[length] == '/');
}

static bool is_tool(const struct inputs *inputs, const char *path)
{
    return begins(path, "tools/") &&
           (!begins(path, "tools/arch/") || is_elsewhere(inputs, path, "tools/arch/"));
}

/* Files of these kinds reach an image through a compiler, which lists what it reads. */
static bool is_compiled_kind(const char *path)
{
    return ends(path, ".c") || ends(path, ".h") || ends(path, ".S");
}

/* A new header may come before the one that an #include found so far, be what a generated wrapper
 * stood in for, or answer __has_include; a new source may be what make prefers to its neighbour. */
static bool may_come_between(const struct inputs *inputs, const char *path)
{
    if (begins(path, "include/") || is_of_architecture(inputs, path, "include/"))
        return true;
    if (ends(path, ".h") && inputs_has_name(inputs, path))
        return true;
    return inputs_has_stem(inputs, path);
}

static size_t directory_length(const char *path)
{
    return (size_t)(name_of(path) - path);
}

void relevance_range_clear(struct relevance_range *range)
{
    string_set_clear(&range->directories);
    *range = (struct relevance_range){0};
}

/* The answer for files that need no look at how they are compiled; NOT_COMPILED: it needs one. */
static enum relevance by_place(const struct inputs *inputs, const char *path)
{
    if (inputs_has(inputs, path))
        return RELEVANCE_MATTERS;
    if (is_documentation(path))
        return RELEVANCE_DOCUMENTATION;
    if (is_machinery(inputs, path))
        return RELEVANCE_MATTERS;
    if (is_elsewhere(inputs, path, "arch/"))
        return RELEVANCE_ARCHITECTURE;
    return is_tool(inputs, path) ? RELEVANCE_TOOLS : RELEVANCE_NOT_COMPILED;
}

int relevance_note_rules(struct relevance_range *range, const char *path,
                         struct culprit_error *error)
{
    enum relevance place = by_place(range->inputs, path);

    if (!is_rule(path) || (place != RELEVANCE_MATTERS && place != RELEVANCE_NOT_COMPILED))
        return 0;
    if (!string_set_add(&range->directories, path, directory_length(path)))
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the directories of a range");
    return 0;
}

enum relevance relevance_of_path(const struct relevance_range *range, const char *path, bool added)
{
    enum relevance place = by_place(range->inputs, path);

    if (place != RELEVANCE_NOT_COMPILED)
        return place;
    if (is_rule(path) || !is_compiled_kind(path))
        return RELEVANCE_MATTERS;
    if (string_set_has(&range->directories, path, directory_length(path)))
        return RELEVANCE_MATTERS;
    if (added && may_come_between(range->inputs, path))
        return RELEVANCE_MATTERS;
    return RELEVANCE_NOT_COMPILED;
}

enum relevance relevance_join(enum relevance left, enum relevance right)
{
    if (left == RELEVANCE_MATTERS || right == RELEVANCE_MATTERS)
        return RELEVANCE_MATTERS;
    return left > right ? left : right;
}
