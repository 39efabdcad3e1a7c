/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The port to whatever runs guests. The real one is libvirt (libvirt_hypervisor_open()); tests use
 * a scripted one that passes the same contract tests. run() blocks: call it from a worker.
 * Thread-safe: several guests may run at once through one hypervisor.
 */
#ifndef CULPRIT_GUEST_HYPERVISOR_H
#define CULPRIT_GUEST_HYPERVISOR_H

#include <stdint.h>

#include "base/cancel.h"
#include "base/outcome.h"
#include "topology/topology.h"

struct guest_definition {
    const char *kernel;  /* path of a bzImage */
    const char *initrd;  /* path of the initramfs with the plan appended */
    const char *cmdline; /* the whole of it: see guest_cmdline() */
    const struct topology *topology;
    enum engine engine; /* never ENGINE_AUTO here */
    bool unpinned;      /* realtime on whatever CPUs the host has: for boot checks only */
    unsigned shift;
    uint64_t memory;          /* bytes */
    uint64_t seed;            /* -seed, UUID */
    const char *console_path; /* regular files, created by the hypervisor */
    const char *records_path;
    uint64_t console_maximum; /* bytes; passing one ends the guest */
    uint64_t records_maximum;
    uint64_t deadline_ns; /* host time for the whole run */
    const char *label;    /* short text for the domain's name and metadata: "job 12 trial 3" */
};

enum guest_end {
    GUEST_POWERED_OFF,   /* the guest's own doing; `reason` says so if it was a reboot */
    GUEST_PANICKED,      /* pvpanic, a panic on the console, or a reset without a word */
    GUEST_LOCKED_UP,     /* lockup or hung-task pattern on the console */
    GUEST_DEADLINE,      /* destroyed when its time was over */
    GUEST_CONSOLE_LIMIT, /* destroyed: console file too long */
    GUEST_RECORDS_LIMIT, /* destroyed: record file too long */
    GUEST_CANCELLED,
    GUEST_VANISHED, /* QEMU died or was killed by somebody else */
};

struct guest_run {
    enum guest_end end;
    char reason[512];           /* the console line or libvirt's words behind `end`; "" if plain */
    uint64_t wall_ns;           /* host time from creation to end */
    char qemu_version[64];      /* "10.0.2" */
    char definition_digest[65]; /* of the definition without paths and names */
    unsigned warnings;          /* WARNING and stall lines on the console */
    char warning[512];          /* the first of them; "" if there is none */
};

/* "powered_off", "panicked", … as in JSON and in reports. */
const char *guest_end_name(enum guest_end end);

struct hypervisor;

struct hypervisor_ops {
    /* 0 once the guest existed, with how it ended; an error if it could not be started. */
    int (*run)(struct hypervisor *hypervisor, const struct guest_definition *definition,
               struct cancel *cancel, struct guest_run *ret, struct culprit_error *error);
    /* Destroys what an earlier process of the same owner left behind; gives how many. */
    int (*clean_leftovers)(struct hypervisor *hypervisor, unsigned *ret_count,
                           struct culprit_error *error);
    void (*free)(struct hypervisor *hypervisor);
};

struct hypervisor {
    const struct hypervisor_ops *ops;
};

static inline int hypervisor_run(struct hypervisor *hypervisor,
                                 const struct guest_definition *definition, struct cancel *cancel,
                                 struct guest_run *ret, struct culprit_error *error)
{
    return hypervisor->ops->run(hypervisor, definition, cancel, ret, error);
}

static inline int hypervisor_clean_leftovers(struct hypervisor *hypervisor, unsigned *ret_count,
                                             struct culprit_error *error)
{
    return hypervisor->ops->clean_leftovers(hypervisor, ret_count, error);
}

static inline void hypervisor_free(struct hypervisor *hypervisor)
{
    if (hypervisor)
        hypervisor->ops->free(hypervisor);
}
DEFINE_CLEANUP(struct hypervisor *, hypervisor_free);

#endif
