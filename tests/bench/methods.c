/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "methods.h"

static const struct {
    const char *name;
    int (*run)(const struct history *history, struct outcome_of_method *ret,
               struct culprit_error *error);
} methods[METHOD_COUNT] = {
    [METHOD_CULPRIT] = {"culprit", run_planner},
    [METHOD_MAJORITY] = {"majority-of-5", run_majority},
    [METHOD_PINPOINT] = {"pinpoint", run_pinpoint},
};

const char *method_name(enum method method)
{
    return methods[method].name;
}

int method_run(enum method method, const struct history *history, struct outcome_of_method *ret,
               struct culprit_error *error)
{
    return methods[method].run(history, ret, error);
}
