/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a sample file. Its form is told by its first byte that is not blank: '[' or '{' is JSON (an
 * array of numbers, an array of {"trial": …, "value": …}, or an object with such an array as
 * "samples"), anything else is text, with one number or "trial number" a line and '#' comments.
 * A byte order mark before it is passed over. What the file holds is checked to the last byte;
 * docs/cli.md is the reference.
 */
#ifndef CULPRIT_CLI_SAMPLES_FILE_H
#define CULPRIT_CLI_SAMPLES_FILE_H

#include "base/cancel.h"
#include "cli/commands/samples_set.h"

enum { SAMPLES_FILE_MAXIMUM = 64 * 1024 * 1024 }; /* bytes */

/* "-" is the standard input. Errors name the file and the line or the sample. `cancel` as in
 * cli/input.h. */
int samples_file_read(const char *path, enum samples_aggregate aggregate,
                      const struct cancel *cancel, struct samples_set *ret,
                      struct culprit_error *error);

/* The two forms; for samples_file_read(). `length` is that of the text, which a NUL ends. */
int samples_text_read(const char *name, char *text, size_t length, struct samples_builder *builder,
                      struct culprit_error *error);
int samples_json_read(const char *name, const char *text, size_t length,
                      struct samples_builder *builder, struct culprit_error *error);

#endif
