/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial/choose.h"

#include <string.h>

#include "base/path.h"
#include "trial/overlay.h"

/* The shortest plan there is: describe the guest and power off. */
static const char probe_plan[] = "culprit-plan 1\nseed 0\nschedstats on\nend\n";

int engine_probe(struct hypervisor *hypervisor, const struct engine_choice *choice,
                 struct host_capabilities *capabilities, struct cancel *cancel,
                 struct culprit_error *error)
{
    _cleanup_free_ char *overlay = path_join(choice->directory, "probe.cpio");
    _cleanup_free_ char *initrd = path_join(choice->directory, "probe.initrd");
    const struct kvm_probe probe = {
        .kernel = choice->kernel,
        .initrd = initrd,
        .topology = choice->pair,
        .directory = choice->directory,
        .cache_directory = choice->cache_directory,
    };
    int r;

    if (!overlay || !initrd)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot probe KVM: no memory");
    r = overlay_write(overlay, probe_plan, strlen(probe_plan), error);
    if (r == 0)
        r = overlay_append(choice->guest_image, overlay, initrd, error);
    if (r < 0)
        return culprit_error_prefix(error, "cannot probe KVM");
    return kvm_probe(hypervisor, &probe, cancel, capabilities, error);
}

int engine_choose(struct hypervisor *hypervisor, const struct engine_choice *choice,
                  enum engine asked, const struct topology *topology,
                  struct host_capabilities *capabilities, struct cancel *cancel, enum engine *ret,
                  char ret_reason[ENGINE_REASON_SIZE], struct culprit_error *error)
{
    if (engine_needs_probe(asked, topology, capabilities)) {
        int r = engine_probe(hypervisor, choice, capabilities, cancel, error);
        if (r < 0)
            return r;
    }
    return engine_resolve(asked, topology, capabilities, ret, ret_reason, error);
}
