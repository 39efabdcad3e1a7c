/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every mailer keeps (sched/mailer.h). */
#ifndef CULPRIT_TESTS_MAILER_CONTRACT_H
#define CULPRIT_TESTS_MAILER_CONTRACT_H

#include "sched/mailer.h"

/* How the far side behaves. */
enum mailer_answer { ANSWER_TAKEN, ANSWER_LATER, ANSWER_REFUSED, ANSWER_NONE };

struct mailer_bench {
    /* A mailer whose far side behaves so; failures fail the test. */
    struct mailer *(*open)(enum mailer_answer answer);
    /* How many recipients the message had that has arrived. */
    unsigned (*arrived_for)(void);
    /* Of the mailer that open() made last. */
    void (*close)(void);
};

/* Gives the number of failed checks. */
int mailer_contract(const char *name, const struct mailer_bench *bench);

#endif
