/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial/deadline.h"

#define SECOND UINT64_C(1000000000)

/* Host seconds that a guest second may take. */
enum {
    REALTIME_SLOWDOWN = 3,
    /* All CPUs together run 10^9 / 2^shift instructions in a guest second, and an emulated
     * instruction takes some 10 ns of an idle host's core: 10 s at shift 0. Six times that for a
     * host whose cores are shared with other guests and with kernel builds. */
    DETERMINISTIC_SLOWDOWN = 60,
    DETERMINISTIC_SLOWDOWN_LEAST = 15, /* slices get short at large shifts */
    FUNCTIONAL_SLOWDOWN = 10,
};

static uint64_t slowdown(const struct trial_spec *spec)
{
    uint64_t deterministic = DETERMINISTIC_SLOWDOWN >> (spec->shift < 16 ? spec->shift : 16);

    switch (spec->engine) {
    case ENGINE_DETERMINISTIC:
        return deterministic > DETERMINISTIC_SLOWDOWN_LEAST ? deterministic
                                                            : DETERMINISTIC_SLOWDOWN_LEAST;
    case ENGINE_FUNCTIONAL:
        return FUNCTIONAL_SLOWDOWN;
    default:
        return REALTIME_SLOWDOWN;
    }
}

/* The topology's allowance is for its own shift: another one may make the boot much slower. */
static uint64_t boot_time(const struct trial_spec *spec)
{
    const struct topology *topology = spec->topology;

    if (spec->engine == ENGINE_REALTIME)
        return 120 * SECOND;
    if (spec->engine == ENGINE_DETERMINISTIC && spec->shift != topology->shift)
        return 4 * topology->boot_deadline_ns;
    return topology->boot_deadline_ns;
}

uint64_t trial_deadline(const struct trial_spec *spec)
{
    const uint64_t most = 24 * 3600 * SECOND;
    uint64_t factor = slowdown(spec);
    uint64_t deadline = boot_time(spec);

    for (size_t i = 0; i < spec->workload_count; i++) {
        uint64_t runtime = workload_request_runtime(&spec->workloads[i]);

        if (runtime == 0)
            runtime = 600 * SECOND / factor; /* not known: ten minutes of the host's */
        if (runtime >= most / factor || deadline >= most)
            return most;
        deadline += runtime * factor + 60 * SECOND;
    }
    return deadline < most ? deadline : most;
}
