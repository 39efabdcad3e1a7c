/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A git repository that candidate kernels come from, by libgit2. Opened once by name; a URL is
 * mirrored below `cache_directory` first. Blocking; one thread at a time per object.
 *
 * Clones owned by somebody else are opened (the path stands in the administrator's configuration:
 * that is the consent git's safe.directory asks for). In partial and shallow clones an object that
 * is missing gives UNSUPPORTED with the command that would bring it.
 */
#ifndef CULPRIT_SOURCE_REPOSITORY_H
#define CULPRIT_SOURCE_REPOSITORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/strv.h"

enum { COMMIT_ID_SIZE = 41 };

struct repository;

int repository_open(const char *name, const char *location, const char *cache_directory,
                    struct cancel *cancel, struct repository **ret, struct culprit_error *error);
void repository_free(struct repository *repository);
DEFINE_CLEANUP(struct repository *, repository_free);

/* Brings a mirrored URL up to date; does nothing for a path. */
int repository_fetch(struct repository *repository, struct cancel *cancel,
                     struct culprit_error *error);

/* A branch, tag, abbreviated or full commit id -> full id. NOT_FOUND names the repository. */
int repository_resolve(struct repository *repository, const char *ref, char ret_id[COMMIT_ID_SIZE],
                       struct culprit_error *error);

struct commit_info {
    char id[COMMIT_ID_SIZE];
    char *subject;
    char *author;         /* "Name <address>" */
    uint64_t author_time; /* seconds since 1970 */
    unsigned *parents;    /* numbers in the range; see plan/bisect.h */
    unsigned parent_count;
};

/* The candidates between good and bad, numbered as plan/bisect.h wants them. */
struct commit_range {
    struct commit_info *commits;
    unsigned count;
    bool good_is_merge_base; /* commits[0] is the merge base of the two, not the good asked for */
    char good_asked[COMMIT_ID_SIZE];
};

/* INVALID when good and bad are one commit, or good is a descendant of bad, or they share no
 * history; LIMIT over 100,000 commits. first_parent: only first parents are followed. */
int repository_range(struct repository *repository, const char *good_id, const char *bad_id,
                     bool first_parent, struct commit_range *ret, struct culprit_error *error);
void commit_range_clear(struct commit_range *range);

/* One commit by its full id, without its parents; subject and author are the caller's. */
int repository_commit(struct repository *repository, const char *commit_id, struct commit_info *ret,
                      struct culprit_error *error);

struct checkout {
    const char *commit_id;
    const char *reverts_id; /* a commit whose change against its first parent is taken back, before
                               the patches; NULL: none */
    const struct strv *patches; /* texts: unified diffs, mails or mboxes; NULL: none */
};

/* Makes `directory` hold exactly the commit's tree, without the reverted change and with the
 * patches applied; all that is made in memory. Files that already agree are not touched, so that an
 * incremental build sees only what changed; whatever the commit lacks is removed. What lies there
 * is remembered in `directory`.state beside it; where that is missing, torn or out of date, files
 * are compared by content. One process at a time per directory.
 * FAILED, naming the file, when the change does not revert cleanly (a root commit never does) and
 * when a patch does not apply; then with patch number and hunk. */
int repository_checkout(struct repository *repository, const struct checkout *what,
                        const char *directory, struct cancel *cancel, struct culprit_error *error);

/* The commit's message, and the statistics of its diff against its first parent ("" for a root),
 * each cut at `maximum` bytes. The caller frees both. */
int repository_show(struct repository *repository, const char *commit_id, size_t maximum,
                    char **ret_message, char **ret_diffstat, struct culprit_error *error);

#endif
