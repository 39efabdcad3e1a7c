/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/clones.h"

#include <pthread.h>
#include <string.h>

#include "base/gate.h"

/* Two gates, so that a build of a commit that is there does not wait for a fetch of others: the
 * object store of a repository only grows, and may be read meanwhile. */
struct clone {
    struct clone *next;
    char *name;
    struct gate *making, *fetching;
};

struct clones {
    const struct catalogue *catalogue;
    const char *cache_directory;
    pthread_mutex_t lock; /* over the list; clones stay where they are until the end */
    struct clone *first;
};

static void clone_free(struct clone *clone)
{
    if (!clone)
        return;
    gate_free(clone->making);
    gate_free(clone->fetching);
    free(clone->name);
    free(clone);
}
DEFINE_CLEANUP(struct clone *, clone_free);

int clones_new(const struct catalogue *catalogue, const char *cache_directory, struct clones **ret,
               struct culprit_error *error)
{
    struct clones *clones = calloc(1, sizeof *clones);

    if (!clones)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot set up repositories: out of memory");
    clones->catalogue = catalogue;
    clones->cache_directory = cache_directory;
    pthread_mutex_init(&clones->lock, NULL);
    *ret = clones;
    return 0;
}

void clones_free(struct clones *clones)
{
    if (!clones)
        return;
    for (struct clone *clone = clones->first, *next; clone; clone = next) {
        next = clone->next;
        clone_free(clone);
    }
    pthread_mutex_destroy(&clones->lock);
    free(clones);
}

static int clone_new(const char *name, struct clone **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(clone_free) struct clone *clone = calloc(1, sizeof *clone);

    if (clone)
        clone->name = strdup(name);
    if (!clone || !clone->name)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot open %s: out of memory", name);
    int status = gate_new(&clone->making, error);
    if (status == 0)
        status = gate_new(&clone->fetching, error);
    if (status < 0)
        return status;
    *ret = take(clone);
    return 0;
}

static int find(struct clones *clones, const char *name, struct clone **ret,
                struct culprit_error *error)
{
    int status = 0;

    pthread_mutex_lock(&clones->lock);
    struct clone *clone = clones->first;
    while (clone && strcmp(clone->name, name) != 0)
        clone = clone->next;
    if (!clone) {
        status = clone_new(name, &clone, error);
        if (status == 0) {
            clone->next = clones->first;
            clones->first = clone;
        }
    }
    pthread_mutex_unlock(&clones->lock);
    *ret = clone;
    return status;
}

static int open_in_turn(struct clones *clones, struct clone *clone, const char *location,
                        struct cancel *cancel, struct repository **ret, struct culprit_error *error)
{
    int status = gate_enter(clone->making, cancel, error);

    if (status < 0)
        return status;
    status = repository_open(clone->name, location, clones->cache_directory, cancel, ret, error);
    gate_leave(clone->making);
    return status;
}

static int fetch_in_turn(struct clone *clone, struct repository *repository, struct cancel *cancel,
                         struct culprit_error *error)
{
    int status = gate_enter(clone->fetching, cancel, error);

    if (status < 0)
        return status;
    status = repository_fetch(repository, cancel, error);
    gate_leave(clone->fetching);
    return status;
}

int clones_open(struct clones *clones, const char *name, bool fetch, struct cancel *cancel,
                struct repository **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    const char *location = catalogue_repository(clones->catalogue, name);
    struct clone *clone = NULL;

    if (!location)
        return culprit_fail(error, CULPRIT_NOT_FOUND,
                            "the repository '%s' is no longer in the configuration", name);
    int status = find(clones, name, &clone, error);
    if (status == 0)
        status = open_in_turn(clones, clone, location, cancel, &repository, error);
    if (status == 0 && fetch)
        status = fetch_in_turn(clone, repository, cancel, error);
    if (status < 0)
        return status;
    *ret = take(repository);
    return 0;
}
