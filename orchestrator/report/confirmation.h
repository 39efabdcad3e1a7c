/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a verdict was held against, in a sentence. */
#ifndef CULPRIT_REPORT_CONFIRMATION_H
#define CULPRIT_REPORT_CONFIRMATION_H

#include "report/report.h"

/* "at icount shift 5 instead of 4: medians 15.1 and 9.9 over 5 and 5 trials, p = 0.004"… One line,
 * without a full stop. */
void confirmation_write(struct buffer *out, const struct report *report,
                        const struct report_confirmation *confirmation);

#endif
