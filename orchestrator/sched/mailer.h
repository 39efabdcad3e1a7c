/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The port to whatever takes mail: SMTP in the daemon, a scripted one in tests. deliver() blocks
 * and is called from a worker, one message at a time. */
#ifndef CULPRIT_SCHED_MAILER_H
#define CULPRIT_SCHED_MAILER_H

#include "base/cancel.h"
#include "base/error.h"
#include "base/strv.h"

struct mailer;

struct mailer_ops {
    /* FAILED, DENIED, INVALID, UNSUPPORTED: refused, and would be so again. CANCELLED: at once when
     * `cancel` is requested. Any other code: worth another attempt later. */
    int (*deliver)(struct mailer *mailer, const struct strv *recipients, const char *message,
                   struct cancel *cancel, struct culprit_error *error);
};

struct mailer {
    const struct mailer_ops *ops;
};

#endif
