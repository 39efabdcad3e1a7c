/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ways to bisect a simulated history: culprit's planner, and what others do. */
#ifndef CULPRIT_BENCH_METHODS_H
#define CULPRIT_BENCH_METHODS_H

#include "history.h"

/* What one bisection came to. */
struct outcome_of_method {
    unsigned samples, builds; /* with the endpoints', without a verification */
    unsigned verification;    /* trials of the verification */
    double seconds;           /* likewise without it */
    bool exact;               /* the culprit was named */
    bool in_set;              /* it is named, or in the set that is left */
    bool inconclusive;        /* nothing was named */
};

enum method { METHOD_CULPRIT, METHOD_MAJORITY, METHOD_PINPOINT, METHOD_COUNT };
const char *method_name(enum method method);

int method_run(enum method method, const struct history *history, struct outcome_of_method *ret,
               struct culprit_error *error);

/* The planner itself, each trial a boot of its own. */
int run_planner(const struct history *history, struct outcome_of_method *ret,
                struct culprit_error *error);

/* `git bisect run` with a script that takes five samples of one boot and goes by what three of them
 * say, the threshold being known to lie half-way. */
int run_majority(const struct history *history, struct outcome_of_method *ret,
                 struct culprit_error *error);

/*
 * Pinpoint's rule: commits that were measured are compared with their measured neighbours by a
 * two-sided Mann–Whitney test at 0.01. Ten samples at first; while two neighbours do not differ,
 * ten more of each, until there are as many as show the (known) effect 99 times in 100: then they
 * are the same. Between neighbours that differ, the middle is measured. It sees the range as a
 * line.
 */
int run_pinpoint(const struct history *history, struct outcome_of_method *ret,
                 struct culprit_error *error);

#endif
