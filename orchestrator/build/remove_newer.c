/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build/remove_newer.h"

#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static void fts_close_cleanup(FTS **tree)
{
    if (*tree)
        fts_close(*tree);
}

static bool is_newer(const struct stat *status, const struct timespec *time)
{
    if (status->st_mtim.tv_sec != time->tv_sec)
        return status->st_mtim.tv_sec > time->tv_sec;
    return status->st_mtim.tv_nsec >= time->tv_nsec;
}

static int visit(const FTSENT *entry, const struct timespec *time, struct culprit_error *error)
{
    switch (entry->fts_info) {
    case FTS_D:
    case FTS_DP:
        return 0;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return culprit_fail_errno(error, entry->fts_errno, "cannot read %s", entry->fts_path);
    default:
        if (is_newer(entry->fts_statp, time) && unlink(entry->fts_accpath) < 0)
            return culprit_fail_errno(error, errno, "cannot remove %s", entry->fts_path);
        return 0;
    }
}

int remove_newer(const char *directory, const struct timespec *time, struct culprit_error *error)
{
    _cleanup_free_ char *root = strdup(directory);
    char *roots[] = {root, NULL};
    CULPRIT_CLEANUP(fts_close) FTS *tree = NULL;
    FTSENT *entry;

    if (!root)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to clean up %s", directory);
    if (access(directory, F_OK) < 0 && errno == ENOENT)
        return 0;
    tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (!tree)
        return culprit_fail_errno(error, errno, "cannot clean up %s", directory);
    while ((errno = 0, entry = fts_read(tree))) {
        int r = visit(entry, time, error);

        if (r < 0)
            return r;
    }
    return errno ? culprit_fail_errno(error, errno, "cannot clean up %s", directory) : 0;
}
