/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line of development: the tree as it stands at its tip, edited file by file, then committed.
 * Two lines can share a repository and be merged. Object ids depend on the arguments alone.
 */
#ifndef CULPRIT_REPLICA_SNAPSHOT_H
#define CULPRIT_REPLICA_SNAPSHOT_H

#include <stdint.h>

#include <git2.h>

#include "base/error.h"
#include "base/strv.h"

struct snapshot {
    git_repository *git; /* borrowed */
    git_oid tip;         /* commit */
    git_oid tree;        /* with the edits since */
};

struct snapshot_person {
    const char *name, *mail;
};

struct snapshot_commit {
    const struct snapshot_person *author, *committer;
    int64_t author_time, commit_time; /* seconds since 1970 */
    const char *message;
};

/* A line that begins at an existing commit. */
int snapshot_begin(git_repository *git, const git_oid *commit, struct snapshot *ret,
                   struct culprit_error *error);

/* The content of a file, NUL-terminated, the caller's. NOT_FOUND names it. */
int snapshot_read(const struct snapshot *snapshot, const char *path, char **ret,
                  struct culprit_error *error);
int snapshot_write(struct snapshot *snapshot, const char *path, const char *text,
                   struct culprit_error *error);

/* Names of the files (not directories) directly below a directory, that end in `suffix`; none
 * when there is no such directory. In git's order. */
int snapshot_list(const struct snapshot *snapshot, const char *directory, const char *suffix,
                  struct strv *ret, struct culprit_error *error);

/* Commits the tree as it stands. INTERNAL when nothing was edited. */
int snapshot_commit(struct snapshot *snapshot, const struct snapshot_commit *commit,
                    struct culprit_error *error);

/* Merges `other` into the line (three-way, by content) and commits. FAILED on a conflict. */
int snapshot_merge(struct snapshot *snapshot, const struct snapshot *other,
                   const struct snapshot_commit *commit, struct culprit_error *error);

/* libgit2's last error after the formatted text; returns a negative code. */
int snapshot_fail(struct culprit_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
