/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripted_mailer.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

static int wait_for_cancel(struct scripted_mailer *self, struct cancel *cancel,
                           struct culprit_error *error)
{
    struct pollfd wait = {.fd = cancel_fd(cancel), .events = POLLIN};

    poll(&wait, 1, -1);
    self->cancelled++;
    return culprit_fail(error, CULPRIT_CANCELLED, "the delivery was cancelled");
}

static int deliver(struct mailer *mailer, const struct strv *recipients, const char *message,
                   struct cancel *cancel, struct culprit_error *error)
{
    struct scripted_mailer *self = (struct scripted_mailer *)mailer;

    self->attempts++;
    if (self->silent)
        return wait_for_cancel(self, cancel, error);
    if (self->unavailable) {
        self->unavailable--;
        return culprit_fail(error, CULPRIT_UNAVAILABLE, "451 come back later");
    }
    if (self->refused) {
        self->refused--;
        return culprit_fail(error, CULPRIT_FAILED, "550 no such user here");
    }
    self->delivered++;
    self->recipients = recipients->count;
    free(self->last);
    self->last = strdup(message);
    return 0;
}

void scripted_mailer_init(struct scripted_mailer *mailer)
{
    static const struct mailer_ops ops = {.deliver = deliver};

    mailer->mailer.ops = &ops;
}
