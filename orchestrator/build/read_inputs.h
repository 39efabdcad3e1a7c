/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a finished build read of its source tree, from what kbuild left beside the objects: a .cmd
 * file for each target, with the command line and, where a compiler ran, the headers that it opened
 * (fixdep keeps them); .d files that nothing took up; and the list of Kconfig files.
 */
#ifndef CULPRIT_BUILD_READ_INPUTS_H
#define CULPRIT_BUILD_READ_INPUTS_H

#include "base/error.h"
#include "relevance/inputs.h"

/* Adds each path below `source` ("/culprit/source") that the text of a .cmd or .d file names,
 * whether in a command or in a list. A directory that is searched for headers is none. */
int inputs_of_cmd(const char *text, size_t length, const char *source, struct inputs *inputs,
                  struct culprit_error *error);

/* Adds what include/config/auto.conf.cmd lists. INVALID when it has no such list. */
int inputs_of_kconfig(const char *text, struct inputs *inputs, struct culprit_error *error);

/*
 * Reads the build directory of a finished kernel build that saw its tree as `source`, by O= and by
 * an absolute path. INVALID when what is there is not what such a build leaves: a list with holes
 * would be worse than none. UNSUPPORTED when the image is made of files that no list names
 * (CONFIG_IKHEADERS). Blocking.
 */
int read_inputs(const char *build, const char *source, const char *architecture,
                struct inputs **ret, struct culprit_error *error);

#endif
