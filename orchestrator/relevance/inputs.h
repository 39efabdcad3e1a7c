/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source files that one kernel build read, by their paths in the tree: what compilers,
 * linkers, generators and Kconfig opened. As text it lies beside the build:
 *
 *     culprit-inputs 1 x86
 *     Kconfig
 *     arch/x86/Kconfig
 *     …
 *
 * one path a line, in byte order. The list says nothing of files that builds read without leaving a
 * trace (Makefiles, scripts): relevance.h knows those by their names. Pure.
 */
#ifndef CULPRIT_RELEVANCE_INPUTS_H
#define CULPRIT_RELEVANCE_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/error.h"

enum {
    INPUTS_MAXIMUM = 200000,   /* files; a kernel with everything in it reads some 60,000 */
    INPUT_PATH_MAXIMUM = 1024, /* bytes of one path */
    INPUTS_TEXT_MAXIMUM = 32 << 20,
};

struct inputs;

/* architecture: the directory below arch/ that is built, "x86". */
int inputs_new(const char *architecture, struct inputs **ret, struct culprit_error *error);
void inputs_free(struct inputs *inputs);
DEFINE_CLEANUP(struct inputs *, inputs_free);

/* Adds a path as a tool wrote it: "." and ".." and double slashes are resolved. One that leads out
 * of the tree, or to the tree itself, is passed over. LIMIT. */
int inputs_add(struct inputs *inputs, const char *path, size_t length, struct culprit_error *error);

/* INVALID when the text is none, of another version, or cut short; LIMIT. */
int inputs_parse(const char *text, size_t length, struct inputs **ret, struct culprit_error *error);
/* Fails as buffers do; NO_MEMORY. */
int inputs_write(const struct inputs *inputs, struct buffer *text, struct culprit_error *error);

/* Adds all of `from`. CONFLICT when it is of another architecture. */
int inputs_merge(struct inputs *inputs, const struct inputs *from, struct culprit_error *error);

const char *inputs_architecture(const struct inputs *inputs); /* lent */
size_t inputs_count(const struct inputs *inputs);

bool inputs_has(const struct inputs *inputs, const char *path);
/* Whether any input has the path's last component. */
bool inputs_has_name(const struct inputs *inputs, const char *path);
/* Whether an input in the path's own directory has its name up to the first dot: make may take
 * foo.S for foo.c, or foo.c_shipped. */
bool inputs_has_stem(const struct inputs *inputs, const char *path);

#endif
