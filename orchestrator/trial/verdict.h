/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what happened to an outcome and a sentence: how the guest ended (guest_run), what it
 * reported, and whether it is the guest that was asked for. Pure.
 *
 * Which outcome is whose fault:
 *  - boot_failed: the kernel did not bring the guest up as asked: it panicked, locked up, flooded
 *    the console or went down before the agent's hello; or its layout, memory or command line is
 *    not the one asked for. No retry mends that, and it says nothing of the metric.
 *  - kernel_crashed: panic or lockup after the hello.
 *  - workload_failed: the agent said so, the agent died, or the guest went down without a panic
 *    and without its end record; or it reports a metric that its workload does not give.
 *  - timed_out: the deadline passed; the sentence says how far the guest had come.
 *  - infra_failed: a garbled result port, QEMU gone, or a kernel whose build id is not the one
 *    asked for: it says nothing of the kernel under test, and may be tried again.
 */
#ifndef CULPRIT_TRIAL_VERDICT_H
#define CULPRIT_TRIAL_VERDICT_H

#include "guest/hypervisor.h"
#include "trial/records.h"

struct verdict {
    enum outcome outcome;
    char message[512];
    bool by_workload; /* WORKLOAD_FAILED: the agent says so of one of the plan */
};

void verdict_reach(const struct trial_spec *spec, const char *cmdline, const struct guest_run *run,
                   const struct guest_report *report, const struct topology_comparison *comparison,
                   struct verdict *ret);

#endif
