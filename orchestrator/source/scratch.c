/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/scratch.h"

#include <git2/sys/mempack.h>
#include <git2/sys/odb_backend.h>

enum { SCRATCH_PRIORITY = 1000 }; /* above libgit2's own backends: writes go to the first */

int scratch_ensure(struct repository *repository, struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_odb_free) git_odb *odb = NULL;
    git_odb_backend *backend = NULL;
    int status;

    if (repository->scratch)
        return 0;
    status = git_repository_odb(&odb, repository->git);
    if (status == 0)
        status = git_mempack_new(&backend);
    if (status == 0) {
        status = git_odb_add_backend(odb, backend, SCRATCH_PRIORITY);
        if (status < 0)
            backend->free(backend);
    }
    if (status < 0)
        return git_fail(error, status, "cannot prepare repository %s for changed trees",
                        repository->name);
    repository->scratch = backend;
    return 0;
}

void scratch_forget(struct repository *repository)
{
    if (repository->scratch)
        git_mempack_reset(repository->scratch);
}
