/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One step of a bisection after the other, on histories drawn by hand. Include after cmocka.h. */
#ifndef CULPRIT_TEST_PLAN_STEPS_H
#define CULPRIT_TEST_PLAN_STEPS_H

#include "world.h"

/* A chain of `commits` without noise, with the culprit where the test wants it; 0: none. */
void chain(struct world *world, unsigned commits, unsigned culprit);

void set_parents(struct world *world, unsigned commit, unsigned first, unsigned second);

/*        1---3
 *       /     \          4 merges; it is 3's change that is bad, or the merge itself.
 *   0--+       4---5
 *       \     /
 *        2---'
 */
void diamond(struct world *world, unsigned culprit);

/* Fails the test when the planner does. */
void plan(const struct world *world, struct bisect_step *step);

/* Does all that is wanted, in order, until a verdict or until something is wanted of which `stop`
 * says so (NULL: never). */
void advance(struct world *world, struct bisect_step *step,
             bool (*stop)(const struct bisect_want *));

bool is_verification(const struct bisect_want *want);
/* A trial of the search, of neither end of nine commits. */
bool is_trial_inside(const struct bisect_want *want);

/* `word` stands in the reason. */
void expect_verdict(const struct bisect_step *step, enum bisect_verdict_kind verdict,
                    const char *word);

void add_trial(struct world *world, unsigned commit, enum trial_purpose purpose, unsigned index,
               enum outcome outcome, double value);

#endif
