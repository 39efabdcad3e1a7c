/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The facts of a bisection, put in order: which commits share a kernel image, what each image was
 * measured at, what is broken, what was spent. Commits with equal images are one thing to a guest,
 * so their trials are pooled. Values are turned so that greater is worse.
 *
 * Nothing here depends on the order in which facts came. Trials that came after a verdict, to
 * confirm it, are no part of this.
 */
#ifndef CULPRIT_PLAN_EVIDENCE_H
#define CULPRIT_PLAN_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "plan/bisect.h"

struct evidence_values {
    const double *values; /* ordered by trial index, then commit */
    size_t count;
};

struct evidence;

int evidence_new(const struct bisect_problem *problem, const struct bisect_facts *facts,
                 struct evidence **ret, struct culprit_error *error);
void evidence_free(struct evidence *evidence);
DEFINE_CLEANUP(struct evidence *, evidence_free);

/* Equal numbers: equal images. A commit that was not built is alone in its class. The number is
 * that of the lowest commit of the class. */
unsigned evidence_class(const struct evidence *evidence, unsigned commit);

/* Another commit has the same image. */
bool evidence_shared(const struct evidence *evidence, unsigned commit);

bool evidence_built(const struct evidence *evidence, unsigned commit);
/* Does not build, or its trials fail: at least two did, and no fewer than went well. */
bool evidence_broken(const struct evidence *evidence, unsigned commit);
/* Has trials of its own that went well (not only its class). */
bool evidence_measured(const struct evidence *evidence, unsigned commit);

struct evidence_values evidence_search(const struct evidence *evidence, unsigned commit);
struct evidence_values evidence_verify(const struct evidence *evidence, unsigned commit);

/* Fresh builds and trials that count against the budget. */
unsigned evidence_builds_spent(const struct evidence *evidence);
unsigned evidence_trials_spent(const struct evidence *evidence);

/* A commit one of whose trials the infrastructure failed three times without a result. */
bool evidence_infra_failed(const struct evidence *evidence, unsigned *ret_commit);

/* Adds `count` trials of a commit's class to a step's wants, at the next free indices of whichever
 * member has been measured most (the commit itself in doubt); stops when the wants are full. */
void evidence_want_trials(const struct evidence *evidence, unsigned commit,
                          enum trial_purpose purpose, size_t count, struct bisect_step *step);

#endif
