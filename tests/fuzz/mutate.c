/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a fuzz target over every file of a corpus and over seeded mutations of each: the same
 * inputs on every run and host. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/random.h"

enum { MUTATIONS = 1500, INPUT_MAXIMUM = 1 << 16, CHANGES_MAXIMUM = 8 };

/* Pieces that parsers stumble over. */
static const char *const pieces[] = {
    "\n",
    ": ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    "&a ",
    "*a",
    "\"",
    "'",
    "|\n ",
    ">\n ",
    "!!x",
    "\t",
    "0",
    "-1",
    "1e9",
    "99999999999999999999",
    "%",
    "\xff",
    "\xe2",
    "~",
    "\\u0000",
    "\\x07",
    "null",
    "#",
    "---\n",
    "<<",
    ",\"t\":",
};

static size_t overwrite(struct random *random, char *input, size_t length)
{
    if (length > 0)
        input[random_below(random, length)] = (char)random_below(random, 256);
    return length;
}

static size_t cut(struct random *random, char *input, size_t length)
{
    size_t from, count;

    if (length == 0)
        return 0;
    from = random_below(random, length);
    count = 1 + random_below(random, length - from < 16 ? length - from : 16);
    memmove(input + from, input + from + count, length - from - count);
    return length - count;
}

static size_t insert(struct random *random, char *input, size_t length, const char *bytes,
                     size_t count)
{
    size_t at = random_below(random, length + 1);

    if (length + count > INPUT_MAXIMUM)
        return length;
    memmove(input + at + count, input + at, length - at);
    memcpy(input + at, bytes, count);
    return length + count;
}

static size_t repeat(struct random *random, char *input, size_t length)
{
    char copy[64];
    size_t from, count;

    if (length == 0)
        return 0;
    from = random_below(random, length);
    count = 1 + random_below(random, sizeof copy);
    if (count > length - from)
        count = length - from;
    memcpy(copy, input + from, count);
    return insert(random, input, length, copy, count);
}

static size_t change(struct random *random, char *input, size_t length)
{
    const char *piece = pieces[random_below(random, sizeof pieces / sizeof *pieces)];

    switch (random_below(random, 4)) {
    case 0:
        return overwrite(random, input, length);
    case 1:
        return cut(random, input, length);
    case 2:
        return repeat(random, input, length);
    default:
        return insert(random, input, length, piece, strlen(piece));
    }
}

static void run(struct random *random, const char *text, size_t length)
{
    static char input[INPUT_MAXIMUM];

    LLVMFuzzerTestOneInput((const uint8_t *)text, length);
    for (int i = 0; i < MUTATIONS; i++) {
        size_t size = length;
        uint64_t changes = 1 + random_below(random, CHANGES_MAXIMUM);

        memcpy(input, text, length);
        while (changes-- > 0)
            size = change(random, input, size);
        LLVMFuzzerTestOneInput((const uint8_t *)input, size);
    }
}

int main(int argc, char **argv)
{
    struct random random;
    struct dirent **entries = NULL;
    int count = argc == 2 ? scandir(argv[1], &entries, NULL, alphasort) : -1;
    unsigned files = 0;

    random_seed(&random, 1);
    for (int i = 0; i < count; i++) {
        _cleanup_free_ struct dirent *entry = entries[i];
        _cleanup_free_ char *path = path_join(argv[1], entry->d_name);
        _cleanup_free_ char *text = NULL;
        size_t length = 0;

        if (!path || entry->d_name[0] == '.')
            continue;
        if (file_read(path, INPUT_MAXIMUM, &text, &length, NULL) < 0) {
            fprintf(stderr, "cannot read %s\n", path);
            return 1;
        }
        run(&random, text, length);
        files++;
    }
    free(entries);
    if (files == 0) {
        fprintf(stderr, "usage: %s CORPUS, a folder of at least one file\n", argv[0]);
        return 1;
    }
    printf("%u files, %u inputs\n", files, files * (MUTATIONS + 1));
    return 0;
}
