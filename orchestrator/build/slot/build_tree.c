/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build/slot/build_tree.h"

#include <errno.h>
#include <fts.h>
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

static int visit_entry(const FTSENT *entry, size_t root_length, build_file_visitor visit,
                       void *context, struct culprit_error *error)
{
    struct build_file file = {
        .full_path = entry->fts_path,
        .path = entry->fts_path + root_length + 1,
        .name = entry->fts_name,
    };

    switch (entry->fts_info) {
    case FTS_D:
    case FTS_DP:
        return 0;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return culprit_fail_errno(error, entry->fts_errno, "cannot read %s", entry->fts_path);
    default:
        file.modified = entry->fts_statp->st_mtim;
        return visit(context, &file, error);
    }
}

int build_tree_walk(const char *directory, build_file_visitor visit, void *context,
                    struct culprit_error *error)
{
    _cleanup_free_ char *root = strdup(directory);
    char *roots[] = {root, NULL};
    CULPRIT_CLEANUP(fts_close) FTS *tree = NULL;
    FTSENT *entry;

    if (!root)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to go over %s", directory);
    if (access(directory, F_OK) < 0 && errno == ENOENT)
        return 0;
    tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (!tree)
        return culprit_fail_errno(error, errno, "cannot go over %s", directory);
    while ((errno = 0, entry = fts_read(tree))) {
        int r = visit_entry(entry, strlen(root), visit, context, error);

        if (r < 0)
            return r;
    }
    return errno ? culprit_fail_errno(error, errno, "cannot go over %s", directory) : 0;
}
