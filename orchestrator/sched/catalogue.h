/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job may name: repositories, topologies, configuration fragments, guest images. Read once
 * when the daemon starts; immutable afterwards, so every thread may read it. */
#ifndef CULPRIT_SCHED_CATALOGUE_H
#define CULPRIT_SCHED_CATALOGUE_H

#include "base/cleanup.h"
#include "base/error.h"
#include "base/strv.h"
#include "job/job.h"
#include "topology/topology.h"

struct catalogue;

struct catalogue_directories {
    const char *topologies; /* of NAME.yaml; a faulty file is an error */
    const char *fragments;  /* of NAME.config */
    const char *images;     /* of NAME.cpio */
};

int catalogue_new(const struct catalogue_directories *directories, struct catalogue **ret,
                  struct culprit_error *error);
void catalogue_free(struct catalogue *catalogue);
DEFINE_CLEANUP(struct catalogue *, catalogue_free);

/* While it is being made only. `location` is a path or a URL. CONFLICT: the name is there. */
int catalogue_add_repository(struct catalogue *catalogue, const char *name, const char *location,
                             struct culprit_error *error);

/* What a document is checked against; lent. */
const struct job_environment *catalogue_environment(const struct catalogue *catalogue);

/* NULL when there is none of that name; lent. */
const struct topology *catalogue_topology(const struct catalogue *catalogue, const char *name);
const char *catalogue_repository(const struct catalogue *catalogue, const char *name);

/* Paths, whether they exist or not; the caller's; NULL without memory. */
char *catalogue_fragment(const struct catalogue *catalogue, const char *name);
char *catalogue_image(const struct catalogue *catalogue, const char *name);

#endif
