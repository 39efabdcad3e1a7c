/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Can a commit change the kernel image, given what the builds of both ends of its range read?
 * Pure: paths in, an answer out. In doubt a commit can; docs/pruning.md argues each rule, and says
 * how a wrong answer would be found out before a verdict.
 */
#ifndef CULPRIT_RELEVANCE_RELEVANCE_H
#define CULPRIT_RELEVANCE_RELEVANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "relevance/inputs.h"
#include "relevance/string_set.h"

/* In order of how much was looked at to tell: a commit has the last of its paths' answers, except
 * that one path that matters makes the commit matter. */
enum relevance {
    RELEVANCE_MATTERS = 0,   /* it can change the image, or nobody knows that it cannot */
    RELEVANCE_EMPTY,         /* changes no file */
    RELEVANCE_DOCUMENTATION, /* files that no build reads: documentation, MAINTAINERS */
    RELEVANCE_TOOLS,         /* programs beside the kernel, and tests */
    RELEVANCE_ARCHITECTURE,  /* another architecture */
    RELEVANCE_NOT_COMPILED,  /* sources and headers that neither build read */
    RELEVANCE_COUNT,
};

/* Stable words: "matters", "empty", "documentation", "tools", "architecture", "not_compiled". */
const char *relevance_name(enum relevance relevance);
bool relevance_from_name(const char *name, enum relevance *ret);

/* What is known of a range. */
struct relevance_range {
    struct inputs *inputs;         /* of both ends together; borrowed */
    struct string_set directories; /* whose build rules a commit of the range changes */
};

void relevance_range_clear(struct relevance_range *range);

static inline void relevance_range_clear_cleanup(struct relevance_range *range)
{
    relevance_range_clear(range);
}

/* First, for every path that a commit of the range changes: where build rules change, a file that
 * neither end compiles may have been compiled in between. NO_MEMORY. */
int relevance_note_rules(struct relevance_range *range, const char *path,
                         struct culprit_error *error);

/*
 * One changed path. `added`: the commit's parent has no such file. NOT_COMPILED rests on the
 * inputs of `bad`, which know a file by its name there: where bad's tree has no file of that name
 * any more, the caller must take the path as one that matters, for its content may live on under
 * another name.
 */
enum relevance relevance_of_path(const struct relevance_range *range, const char *path, bool added);

/* What two changes are together; begin with EMPTY. */
enum relevance relevance_join(enum relevance left, enum relevance right);

#endif
