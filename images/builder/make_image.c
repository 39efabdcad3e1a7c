/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make-image NAME MANIFEST IMAGE DESCRIPTION: makes a guest image and says what is in it.
 */
#include <stdio.h>

#include "builder/archive.h"
#include "builder/contents.h"
#include "builder/manifest.h"

static int make_image(char **words, struct culprit_error *error)
{
    CULPRIT_CLEANUP(manifest_free) struct manifest *manifest = NULL;

    int result = manifest_read(words[2], &manifest, error);
    if (result == 0)
        result = archive_write_image(manifest, words[3], error);
    if (result == 0)
        result = contents_write(words[1], manifest, words[3], words[4], error);
    return result;
}

int main(int argc, char **argv)
{
    struct culprit_error error;

    if (argc != 5) {
        fputs("usage: make-image NAME MANIFEST IMAGE DESCRIPTION\n", stderr);
        return 2;
    }
    if (make_image(argv, &error) < 0) {
        fprintf(stderr, "make-image: %s\n", error.message);
        return culprit_code_exit_status(error.code);
    }
    return 0;
}
