/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contract on the mailer that the scheduler is tested with. */
#include "mailer_contract.h"
#include "scratch.h"
#include "scripted_mailer.h"

static struct scripted_mailer scripted;

static struct mailer *open_scripted(enum mailer_answer answer)
{
    scripted = (struct scripted_mailer){
        .unavailable = answer == ANSWER_LATER,
        .refused = answer == ANSWER_REFUSED,
        .silent = answer == ANSWER_NONE,
    };
    scripted_mailer_init(&scripted);
    return &scripted.mailer;
}

static unsigned arrived_for(void)
{
    return scripted.delivered == 1 ? (unsigned)scripted.recipients : 0;
}

static void close_scripted(void)
{
    free(scripted.last);
}

int main(void)
{
    static const struct mailer_bench bench = {open_scripted, arrived_for, close_scripted};

    return mailer_contract("mailer contract: scripted", &bench);
}
