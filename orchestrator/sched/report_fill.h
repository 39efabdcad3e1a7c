/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job's report from its dossier: what the store holds, put where report/ expects it. */
#ifndef CULPRIT_SCHED_REPORT_FILL_H
#define CULPRIT_SCHED_REPORT_FILL_H

#include "report/report.h"
#include "sched/dossier.h"

struct filled_report; /* a report and what it lends from */

/* The dossier must live as long. `host`: this service's name for itself; lent. */
int report_fill(const struct dossier *dossier, const char *host, struct filled_report **ret,
                struct culprit_error *error);
void filled_report_free(struct filled_report *filled);
DEFINE_CLEANUP(struct filled_report *, filled_report_free);

const struct report *filled_report(const struct filled_report *filled);

#endif
