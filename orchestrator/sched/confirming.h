/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job asks to have its verdict confirmed by, in the planner's terms. Pure. */
#ifndef CULPRIT_SCHED_CONFIRMING_H
#define CULPRIT_SCHED_CONFIRMING_H

#include "plan/confirm.h"
#include "sched/dossier.h"

/* A problem and facts that outlive *ret; late: the job's time is over. */
void confirming_problem(const struct dossier *dossier, const struct bisect_problem *problem,
                        const struct bisect_facts *facts, bool late, struct confirm_problem *ret);

/* Takes what confirmations took from the budget of a planner that goes back to work after all. */
void confirming_charge(const struct confirm_problem *given, struct bisect_problem *problem);

/* Why a kernel of an impossible confirmation could not be had, or run; lent, "" when nothing says.
 */
const char *confirming_trouble(const struct dossier *dossier,
                               const struct confirmation *confirmation);

#endif
