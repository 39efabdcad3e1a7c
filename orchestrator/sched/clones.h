/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The repositories of the catalogue, for workers that open and fetch them side by side. What two of
 * them must not do at once (make one mirror, update one mirror) waits for its turn, and only for
 * that of the same repository. Thread-safe.
 */
#ifndef CULPRIT_SCHED_CLONES_H
#define CULPRIT_SCHED_CLONES_H

#include "sched/catalogue.h"
#include "source/repository.h"

struct clones;

/* Both are borrowed and outlive it. */
int clones_new(const struct catalogue *catalogue, const char *cache_directory, struct clones **ret,
               struct culprit_error *error);
/* Nobody may be in clones_open(). */
void clones_free(struct clones *clones);
DEFINE_CLEANUP(struct clones *, clones_free);

/* A repository object of the caller's own; `fetch`: brought up to date first. NOT_FOUND when the
 * catalogue has none of that name; CANCELLED, also while it waits for its turn; else the errors of
 * repository_open() and repository_fetch(). */
int clones_open(struct clones *clones, const char *name, bool fetch, struct cancel *cancel,
                struct repository **ret, struct culprit_error *error);

#endif
