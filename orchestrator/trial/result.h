/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside trial_run(): what names a trial, and the digest of what came out of it. */
#ifndef CULPRIT_TRIAL_RESULT_H
#define CULPRIT_TRIAL_RESULT_H

#include "trial/records.h"

struct trial_identity {
    const struct trial_spec *spec;
    const char *plan;
    const char *cmdline;
    const struct guest_run *run;
};

/* Fills result->identity; kernel and image digests are in the result already. NO_MEMORY. */
int result_identify(struct trial_result *result, const struct trial_identity *identity,
                    struct culprit_error *error);

/* Fills result->digest: the identity, then the bytes of the records, hello to end. */
void result_digest(struct trial_result *result, const struct trial_identity *identity,
                   const char *records, size_t length);

#endif
