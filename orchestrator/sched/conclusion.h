/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a job's verdict says and rests on, as one JSON object in the store ("result" of a job; see
 * sched/service.h). Written once, so that a report reads the same when a later version plans
 * otherwise.
 */
#ifndef CULPRIT_SCHED_CONCLUSION_H
#define CULPRIT_SCHED_CONCLUSION_H

#include <jansson.h>

#include "sched/decide.h"

/* What the repository says of the culprit; NULLs where it could not be asked. */
struct conclusion_commit {
    const char *message;
    const char *diffstat;
};

/* NULL without memory. */
json_t *conclusion_json(const struct dossier *dossier, const struct decision *decision,
                        const struct conclusion_commit *commit);

/* A planner's sentences with commits in the place of their numbers. NULL without memory. */
char *conclusion_reason(const struct dossier *dossier, const char *reason);

/* The step back from its JSON, as far as reports need it; INTERNAL when it is none. */
int conclusion_step(const struct dossier *dossier, const json_t *result, struct bisect_step *ret,
                    struct culprit_error *error);

/* Likewise what confirmed the verdict, or did not, with words on what was not possible (lent from
 * the JSON). */
struct conclusion_confirmation {
    struct confirmation confirmation;
    const char *message;
};
size_t conclusion_confirmations(const struct dossier *dossier, const json_t *result,
                                struct conclusion_confirmation ret[CONFIRMATIONS_MAXIMUM]);

/*
 * One line for a shell that repeats the verdict: the job's document, cut down to what is left of
 * it (a bisection to parent and culprit, refs to commit ids), given to `culprit submit`. A job with
 * patches or a whole .config would not fit a line: it is repeated by its number on this server.
 * NULL without memory; the caller's.
 */
char *conclusion_repeat(const struct dossier *dossier, const struct bisect_step *step);

#endif
