/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which engine a job gets. */
#include <string.h>

#include "guest/probe.h"

/* Whether the topology's CPUs, caches and nodes are to be had on this host; if not, why. */
static bool host_fits(const struct topology *topology, const struct host_layout *layout,
                      struct culprit_error *why)
{
    _cleanup_free_ unsigned *pins = NULL;
    _cleanup_free_ char *rest = NULL;

    return host_pin(topology, layout, &pins, &rest, why) == 0;
}

bool engine_needs_probe(enum engine asked, const struct topology *topology,
                        const struct host_capabilities *capabilities)
{
    struct culprit_error why = {0};

    return (asked == ENGINE_AUTO || asked == ENGINE_REALTIME) &&
           capabilities->kvm == KVM_UNPROBED && host_fits(topology, capabilities->layout, &why);
}

static int give(enum engine engine, enum engine *ret, char reason[ENGINE_REASON_SIZE],
                const char *format, ...) __attribute__((format(printf, 4, 5)));

static int give(enum engine engine, enum engine *ret, char reason[ENGINE_REASON_SIZE],
                const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, ENGINE_REASON_SIZE, format, arguments);
    va_end(arguments);
    *ret = engine;
    return 0;
}

static int resolve_realtime(enum engine asked, const struct topology *topology,
                            const struct host_capabilities *capabilities, enum engine *ret,
                            char reason[ENGINE_REASON_SIZE], struct culprit_error *error)
{
    struct culprit_error why = {0};
    bool fits = host_fits(topology, capabilities->layout, &why);
    bool kvm = capabilities->kvm == KVM_WORKS;
    const char *lack = fits ? capabilities->kvm_reason : why.message;

    if (fits && kvm)
        return give(ENGINE_REALTIME, ret, reason, "%s, and the host has the CPUs of topology %s",
                    capabilities->kvm_reason, topology->name);
    if (engine_needs_probe(asked, topology, capabilities))
        return culprit_fail(error, CULPRIT_CONFLICT, "KVM must be probed first: %s", lack);
    if (asked == ENGINE_REALTIME)
        return culprit_fail(error, CULPRIT_UNSUPPORTED,
                            "the realtime engine cannot be had on this host: %s", lack);
    return give(ENGINE_DETERMINISTIC, ret, reason, "not realtime, for %s", lack);
}

int engine_resolve(enum engine asked, const struct topology *topology,
                   const struct host_capabilities *capabilities, enum engine *ret,
                   char ret_reason[ENGINE_REASON_SIZE], struct culprit_error *error)
{
    switch (asked) {
    case ENGINE_DETERMINISTIC:
        return give(asked, ret, ret_reason, "it was asked for");
    case ENGINE_FUNCTIONAL:
        return give(asked, ret, ret_reason, "it was asked for; it gives no verdicts");
    case ENGINE_AUTO:
    case ENGINE_REALTIME:
        return resolve_realtime(asked, topology, capabilities, ret, ret_reason, error);
    default:
        return culprit_fail(error, CULPRIT_INVALID, "there is no such engine");
    }
}
