/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does a guest of this topology look as it should? Boots it once and compares. */
#ifndef CULPRIT_TRIAL_CHECK_H
#define CULPRIT_TRIAL_CHECK_H

#include "trial/trial.h"

struct topology_check {
    const struct topology *topology;
    const char *kernel;      /* bzImage */
    const char *guest_image; /* initramfs */
    enum engine engine;      /* resolved */
    const char *directory;   /* must exist; as in struct trial_spec */
};

/* 0 when the guest came far enough to be compared: *ret holds the comparison and says with its
 * outcome whether it is what was asked for. Else the error that kept it from it. */
int topology_check_run(struct hypervisor *hypervisor, const struct topology_check *check,
                       struct cancel *cancel, struct trial_result **ret,
                       struct culprit_error *error);

#endif
