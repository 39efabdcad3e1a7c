/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler's mailer on SMTP, as the configuration says. */
#ifndef CULPRIT_MAIN_SMTP_MAILER_H
#define CULPRIT_MAIN_SMTP_MAILER_H

#include "base/cleanup.h"
#include "main/config.h"
#include "sched/mailer.h"

/* Reads the password file, which nobody but its owner may read (DENIED). The configuration outlives
 * the mailer. */
int smtp_mailer_new(const struct config *config, struct mailer **ret, struct culprit_error *error);
void smtp_mailer_free(struct mailer *mailer);
DEFINE_CLEANUP(struct mailer *, smtp_mailer_free);

#endif
