/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does the culprit explain the whole difference between good and bad? Then its parents lie where
 * good does, and it lies where bad does, but for less than what counts. Otherwise something else
 * changed, too, and the culprit is only a part of the answer.
 *
 * The trials of the proof show a remainder of the culprit's own size only where they are many. So
 * where they leave it in doubt, they are doubled, and doubled again.
 */
#ifndef CULPRIT_PLAN_WHOLE_H
#define CULPRIT_PLAN_WHOLE_H

#include "plan/planner.h"

enum whole {
    WHOLE_WAITS,     /* trials are wanted */
    WHOLE_EXPLAINED, /* as far as these trials show, or the budget permits */
    WHOLE_MORE,      /* there is at least one more change */
};

/* The culprit was verified: step->checks hold it against its parents. */
int whole_explained(struct planner *planner, enum whole *ret, struct culprit_error *error);

#endif
