/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/schemas.h"

#define HOUR_NS UINT64_C(3600000000000)

static const struct option_schema options[] = {
    [WAKEUP_MESSAGE_THREADS] = {"message_threads", OPTION_COUNT, "2", 1, 256,
                                "message threads, each with workers of its own", NULL},
    [WAKEUP_WORKERS] = {"workers", OPTION_COUNT, "16", 1, 4096,
                        "workers of each message thread; half the CPUs with two message threads "
                        "fill the machine exactly",
                        NULL},
    [WAKEUP_RUNTIME] = {"runtime", OPTION_DURATION, "30s", 1000000, 24 * HOUR_NS,
                        "time from the start of the threads to their end, warm-up included", NULL},
    [WAKEUP_WARMUP] = {"warmup", OPTION_DURATION, "5s", 0, 24 * HOUR_NS,
                       "time at the start whose latencies are not counted; never more than half "
                       "of the runtime",
                       NULL},
    [WAKEUP_ZERO_INTERVAL] = {"zero_interval", OPTION_DURATION, "0", 0, 24 * HOUR_NS,
                              "forget all latencies each time this long has passed, so that the "
                              "result is that of the last interval; 0: never",
                              NULL},
    [WAKEUP_THINK] = {"think", OPTION_DURATION, "30ms", 0, HOUR_NS,
                      "time by the clock that a worker computes between two waits", NULL},
    [WAKEUP_MESSAGE_THINK] = {"message_think", OPTION_DURATION, "30ms", 0, HOUR_NS,
                              "time by the clock that a message thread computes after it was "
                              "woken; workers that queue meanwhile are woken as one batch",
                              NULL},
    [WAKEUP_SLEEP] =
        {"sleep", OPTION_DURATION, "30ms", 0, HOUR_NS,
         "time that a message thread then sleeps before it answers its workers, with up "
         "to a quarter added at random",
         NULL},
    [WAKEUP_TRANSFER] = {"transfer", OPTION_SIZE, "0", 0, 1048576,
                         "bytes that a message thread writes to each worker with a wakeup, and "
                         "the worker reads and writes back",
                         NULL},
    [WAKEUP_REQUESTS_PER_SECOND] = {"requests_per_second", OPTION_COUNT, "0", 0, 1000000,
                                    "send requests at this total rate whether or not workers "
                                    "are free, and measure how long each waited; 0: workers ask "
                                    "for their wakeup themselves",
                                    NULL},
};

_Static_assert(sizeof(options) / sizeof(options[0]) == WAKEUP_OPTION_COUNT,
               "enum wakeup_option names each option");

#define LATENCY(suffix, text)                                            \
    {                                                                    \
        "wakeup.latency." suffix, "us", BETTER_LOWER, SEEN_BY_BOTH, text \
    }

static const struct metric_schema metrics[] = {
    LATENCY("min", "shortest time from a wakeup to the worker's running"),
    LATENCY("p50", "median time from a wakeup to the worker's running"),
    LATENCY("p75", "three quarters of the wakeups took no longer"),
    LATENCY("p90", "90 % of the wakeups took no longer"),
    LATENCY("p95", "95 % of the wakeups took no longer"),
    LATENCY("p99", "99 % of the wakeups took no longer"),
    LATENCY("p99.5", "99.5 % of the wakeups took no longer"),
    LATENCY("p99.9", "99.9 % of the wakeups took no longer"),
    LATENCY("max", "longest time from a wakeup to the worker's running"),
    {"wakeup.latency.samples", "count", BETTER_NEITHER, SEEN_BY_BOTH,
     "wakeups counted in the percentiles"},
    {"wakeup.loops", "count", BETTER_HIGHER, SEEN_BY_REALTIME,
     "rounds of thinking that all workers finished in the measured time"},
    {"wakeup.requests", "count", BETTER_HIGHER, SEEN_BY_REALTIME,
     "requests sent in the measured time; only with requests_per_second"},
    {"wakeup.requests_dropped", "count", BETTER_LOWER, SEEN_BY_BOTH,
     "requests that found 1024 others before them at every worker; only with requests_per_second"},
};

const struct workload_schema wakeup_schema = {
    .name = "wakeup",
    .summary = "message threads wake workers that think: how long does a woken worker wait to run?",
    .options = options,
    .option_count = WAKEUP_OPTION_COUNT,
    .metrics = metrics,
    .metric_count = sizeof(metrics) / sizeof(metrics[0]),
    .open_metrics = false,
};
