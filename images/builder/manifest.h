/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a guest image is made of, read from a text, one item a line; words are parted by blanks:
 *
 *     component NAME VERSION…             only for the description
 *     directory PATH MODE
 *     device PATH MODE MAJOR MINOR        a character device
 *     file PATH MODE SOURCE               SOURCE: a file of the host
 *     text PATH MODE WORDS…               a file of one line
 *     links DIRECTORY TARGET NAME…        symbolic links; one to itself is left out
 *
 * Lines that are empty or begin with `#` say nothing. Paths are absolute, in the guest, and each
 * is there once. Items keep their order: a directory stands before what lies in it.
 */
#ifndef CULPRIT_IMAGES_MANIFEST_H
#define CULPRIT_IMAGES_MANIFEST_H

#include <stddef.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/error.h"

enum entry_kind { ENTRY_DIRECTORY, ENTRY_DEVICE, ENTRY_FILE, ENTRY_TEXT, ENTRY_LINK };

struct entry {
    enum entry_kind kind;
    char *path;
    mode_t mode;
    unsigned major, minor; /* device */
    char *value;           /* file: source; text: the line; link: target */
};

struct component {
    char *name, *version;
};

struct manifest {
    struct entry *entries;
    size_t entry_count;
    struct component *components;
    size_t component_count;
};

/* Errors carry the line. */
int manifest_read(const char *path, struct manifest **ret, struct culprit_error *error);

void manifest_free(struct manifest *manifest);
DEFINE_CLEANUP(struct manifest *, manifest_free);

#endif
