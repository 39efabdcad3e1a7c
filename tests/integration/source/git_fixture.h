/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small repositories for tests, made by git itself. Failures fail the test. */
#ifndef CULPRIT_TESTS_GIT_FIXTURE_H
#define CULPRIT_TESTS_GIT_FIXTURE_H

#include "source/repository.h"

enum { FIXTURE_FILES_MAXIMUM = 16, FIXTURE_PARENTS_MAXIMUM = 3 };

struct fixture_file {
    const char *path;
    const char *content; /* NULL: the file is deleted */
    const char *mode;    /* NULL: "100644" */
};

struct fixture_commit {
    const char *name;                             /* gets a tag of that name */
    const char *parents[FIXTURE_PARENTS_MAXIMUM]; /* names */
    int64_t time;                                 /* 0: a second after the last one */
    struct fixture_file files[FIXTURE_FILES_MAXIMUM];
};

/* Makes a bare repository. A commit without files gets one of its own name. */
void fixture_repository(const char *directory, const struct fixture_commit *commits, size_t count);

/* Runs a shell command line with git's own settings fixed; its output is the caller's. */
char *fixture_shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct repository *fixture_open(const char *location, const char *cache);

/* The id that a name stands for. */
void fixture_id(struct repository *repository, const char *name, char ret_id[COMMIT_ID_SIZE]);

#endif
