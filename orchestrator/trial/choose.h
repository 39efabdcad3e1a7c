/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which engine a trial gets on this host; boots one small guest under KVM when nobody has yet. */
#ifndef CULPRIT_TRIAL_CHOOSE_H
#define CULPRIT_TRIAL_CHOOSE_H

#include "guest/hypervisor.h"
#include "guest/probe.h"

struct engine_choice {
    const char *kernel;          /* any bzImage that boots: for the probe */
    const char *guest_image;     /* initramfs with the agent */
    const struct topology *pair; /* the smallest topology */
    const char *directory;       /* for the probe's files; must exist */
    const char *cache_directory; /* where the probe's answer is kept */
};

/*
 * Boots a guest under KVM if the answer for `asked` on this host hangs on it, then resolves.
 * `capabilities` were read by host_capabilities_read(), and learn what the probe found.
 * Errors: those of kvm_probe() and of engine_resolve().
 */
int engine_choose(struct hypervisor *hypervisor, const struct engine_choice *choice,
                  enum engine asked, const struct topology *topology,
                  struct host_capabilities *capabilities, struct cancel *cancel, enum engine *ret,
                  char ret_reason[ENGINE_REASON_SIZE], struct culprit_error *error);

/* The probe alone, whatever is in the cache. */
int engine_probe(struct hypervisor *hypervisor, const struct engine_choice *choice,
                 struct host_capabilities *capabilities, struct cancel *cancel,
                 struct culprit_error *error);

#endif
