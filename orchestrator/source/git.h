/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of this folder share: the repository object, libgit2 set up once for the process,
 * its errors turned into ours, and scope-bound release of its objects. Internal to source/.
 */
#ifndef CULPRIT_SOURCE_GIT_H
#define CULPRIT_SOURCE_GIT_H

#include <git2.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "source/repository.h"

struct repository {
    git_repository *git;
    char *name;               /* as in the configuration */
    char *location;           /* path or URL, as in the configuration */
    char *path;               /* of the git directory */
    bool mirrored;            /* location is a URL; path is its mirror */
    bool partial;             /* objects may be missing on purpose (a promisor remote) */
    bool shallow;             /* history is cut */
    git_odb_backend *scratch; /* takes the objects that patches make; owned by git; NULL at first */
};

/* Initialises libgit2, once; sets the options that hold for the whole process. */
int git_setup(struct culprit_error *error);

/* Turns libgit2's last error (of `status`, negative) into a culprit_error whose message is the
 * format's text, ": " and libgit2's; the code follows the status. Returns -code. */
int git_fail(struct culprit_error *error, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* For an object that should be there: where it is missing because the clone is partial or shallow,
 * UNSUPPORTED with the command that brings it; else as git_fail(). */
int git_fail_object(struct culprit_error *error, const struct repository *repository, int status,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Full hexadecimal id -> commit. NOT_FOUND names the repository. */
int git_find_commit(struct repository *repository, const char *id, git_commit **ret,
                    struct culprit_error *error);

/* What the commit changes against one of its parents, as `options` want it compared. libgit2's
 * status, which is also what a callback of the options gave to stop it. */
int git_diff_with_parent(struct repository *repository, git_commit *commit, unsigned parent,
                         const git_diff_options *options, git_diff **ret);

void git_id_text(const git_oid *id, char ret[COMMIT_ID_SIZE]);

/* Makes a URL fit for messages: user and password are left out. Caller frees; NULL: no memory. */
char *git_url_without_secrets(const char *url);

/* "https://…", "ssh://…", "file://…", "host:path": not a path. */
bool git_location_is_url(const char *location);

DEFINE_CLEANUP(git_repository *, git_repository_free);
DEFINE_CLEANUP(git_object *, git_object_free);
DEFINE_CLEANUP(git_commit *, git_commit_free);
DEFINE_CLEANUP(git_tree *, git_tree_free);
DEFINE_CLEANUP(git_tree_entry *, git_tree_entry_free);
DEFINE_CLEANUP(git_remote *, git_remote_free);
DEFINE_CLEANUP(git_config *, git_config_free);
DEFINE_CLEANUP(git_odb *, git_odb_free);
DEFINE_CLEANUP(git_odb_object *, git_odb_object_free);
DEFINE_CLEANUP(git_index *, git_index_free);
DEFINE_CLEANUP(git_diff *, git_diff_free);
DEFINE_CLEANUP(git_diff_stats *, git_diff_stats_free);

static inline void git_buf_dispose_cleanup(git_buf *buffer)
{
    git_buf_dispose(buffer);
}

#endif
