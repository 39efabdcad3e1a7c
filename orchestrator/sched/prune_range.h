/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which commits of a range cannot change the image: relevance/ asked about every path that they
 * change in a repository. Blocking. */
#ifndef CULPRIT_SCHED_PRUNE_RANGE_H
#define CULPRIT_SCHED_PRUNE_RANGE_H

#include "relevance/relevance.h"
#include "sched/work.h"

/* ret_relevance[request->count]: MATTERS for 0, for a commit with a parent outside the range (its
 * image is not that of the range's 0), and for one that changes too many paths. */
int prune_range(struct repository *repository, const struct work_prune *request, bool first_parent,
                struct cancel *cancel, enum relevance *ret_relevance, struct culprit_error *error);

#endif
