/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this host can do, engine by engine, and which engine a job gets. /dev/kvm that opens says
 * little: KVM counts as usable only after a guest really booted on it as far as the agent's first
 * record. That answer is kept per host, host kernel and QEMU version.
 */
#ifndef CULPRIT_GUEST_PROBE_H
#define CULPRIT_GUEST_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "guest/host.h"
#include "guest/hypervisor.h"

enum kvm_state {
    KVM_ABSENT,   /* no usable /dev/kvm */
    KVM_UNPROBED, /* it opens; nobody has booted a guest on it yet */
    KVM_WORKS,
    KVM_BROKEN, /* a guest did not boot on it */
};

struct host_capabilities {
    char qemu_version[64]; /* "" when there is none */
    enum kvm_state kvm;
    char kvm_reason[512]; /* a sentence for every state */
    struct host_layout *layout;
};

/* Cheap: opens /dev/kvm, reads sysfs and the cached answer in `cache_directory`; boots nothing. */
int host_capabilities_read(const char *qemu_version, const char *cache_directory,
                           struct host_capabilities *ret, struct culprit_error *error);
void host_capabilities_clear(struct host_capabilities *capabilities);

/* True when engine_resolve() cannot answer before kvm_probe() was run. */
bool engine_needs_probe(enum engine asked, const struct topology *topology,
                        const struct host_capabilities *capabilities);

struct kvm_probe {
    const char *kernel;
    const char *initrd;              /* image with a plan: the agent must come as far as `hello` */
    const struct topology *topology; /* small: "pair" */
    const char *directory;           /* for its console and records; must exist */
    const char *cache_directory;     /* created when missing */
    uint64_t deadline_ns;            /* host time; 0: 30 s */
};

/* Boots one guest under KVM and puts the answer into `capabilities` and the cache. 0 whatever the
 * answer is; an error when there could be none (cancelled, libvirt gone): nothing is cached then.
 */
int kvm_probe(struct hypervisor *hypervisor, const struct kvm_probe *probe, struct cancel *cancel,
              struct host_capabilities *capabilities, struct culprit_error *error);

enum { ENGINE_REASON_SIZE = 768 };

/*
 * Pure. The engine for a job that asks for `asked`, and why in one sentence. UNSUPPORTED when it
 * asks for realtime and this host cannot do that; CONFLICT when a probe is needed first.
 */
int engine_resolve(enum engine asked, const struct topology *topology,
                   const struct host_capabilities *capabilities, enum engine *ret,
                   char ret_reason[ENGINE_REASON_SIZE], struct culprit_error *error);

#endif
