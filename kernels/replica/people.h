/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Invented people at reserved addresses, who write, review and apply the commits of a history. */
#ifndef CULPRIT_REPLICA_PEOPLE_H
#define CULPRIT_REPLICA_PEOPLE_H

#include "base/random.h"
#include "catalogue.h"

const struct snapshot_person *people_draw_author(struct random *random);
/* Who applies patches to a part of the kernel; always the same person for the same path. */
const struct snapshot_person *people_maintainer(const char *path);

/* The message of a kernel commit: subject, body, sign-offs of both, now and then a review. Caller
 * frees; NULL: no memory. `fixes` (may be NULL) goes into a Fixes: tag. */
char *people_message(const char *subject, const char *body, const char *fixes,
                     const struct snapshot_person *author, const struct snapshot_person *committer,
                     struct random *random);

#endif
