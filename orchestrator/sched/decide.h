/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job's facts call for: more work, a verdict, or giving up. Pure. */
#ifndef CULPRIT_SCHED_DECIDE_H
#define CULPRIT_SCHED_DECIDE_H

#include "plan/confirm.h"
#include "sched/dossier.h"

enum {
    ATTEMPTS_MAXIMUM = 3, /* of one build, or of one trial index, when the host is to blame */
};

enum decision_kind {
    DECISION_WORK,    /* step.wants */
    DECISION_VERDICT, /* the job is done: step says with what */
    DECISION_FAILURE, /* the job cannot be carried out: `message` says why */
};

struct decision {
    enum decision_kind kind;
    const char *verdict; /* "culprit", …, "measured"; VERDICT only */
    struct bisect_step step;
    struct confirmations confirmations; /* of a culprit, or of one that did not stand */
    char message[1024];
};

/* now_ns: since 1970; the job's time budget counts from its start. */
int decide(const struct dossier *dossier, uint64_t now_ns, struct decision *ret,
           struct culprit_error *error);
void decision_clear(struct decision *decision);
DEFINE_CLEAR(struct decision, decision_clear);

/* When the time budget ends, since 1970; 0: it has none. */
uint64_t dossier_deadline(const struct dossier *dossier);

#endif
