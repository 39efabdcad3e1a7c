/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was run: workloads with all their options, the guest as it saw itself, the kernel. */
#ifndef CULPRIT_REPORT_SETUP_H
#define CULPRIT_REPORT_SETUP_H

#include "report/report.h"

/* As fields of the text report. */
void setup_write(struct buffer *out, const struct report *report);

#endif
