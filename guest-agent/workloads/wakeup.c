/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "workloads/schemas.h"
#include "workloads/wakeup_bench.h"
#include "workloads/workloads.h"

static const int64_t limit_margin_ns = 60000000000;

/* --- Memory ----------------------------------------------------------------------------------- */

/* Zeroed, and on cache lines of its own. */
static void *allocate(size_t number, size_t size)
{
    size_t whole = number * size; /* the schema's maxima keep it far from an overflow */
    void *memory = NULL;

    whole = (whole + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    if (posix_memalign(&memory, CACHE_LINE, whole) != 0)
        return NULL;
    return memset(memory, 0, whole);
}

static bool prepare_worker(struct bench *bench, struct messenger *messenger, struct worker *worker)
{
    worker->messenger = messenger;
    if (bench->transfer && !(worker->bytes = allocate(2, bench->transfer)))
        return false;
    return bench->requests_per_second == 0 ||
           (worker->pending = allocate(PENDING_REQUESTS, sizeof(*worker->pending))) != NULL;
}

static bool prepare(struct bench *bench)
{
    bench->messengers = allocate(bench->messengers_wanted, sizeof(*bench->messengers));
    for (unsigned i = 0; bench->messengers && i < bench->messengers_wanted; i++) {
        struct messenger *messenger = &bench->messengers[i];
        messenger->bench = bench;
        messenger->random = random_stream(bench->seed, i);
        messenger->workers = allocate(bench->workers_wanted, sizeof(*messenger->workers));
        if (!messenger->workers)
            return false;
        for (unsigned w = 0; w < bench->workers_wanted; w++)
            if (!prepare_worker(bench, messenger, &messenger->workers[w]))
                return false;
    }
    return bench->messengers != NULL;
}

static void release(struct bench *bench)
{
    for (unsigned i = 0; bench->messengers && i < bench->messengers_wanted; i++) {
        struct worker *workers = bench->messengers[i].workers;
        for (unsigned w = 0; workers && w < bench->workers_wanted; w++) {
            free(workers[w].bytes);
            free(workers[w].pending);
        }
        free(workers);
    }
    free(bench->messengers);
}

static void read_options(const struct workload_context *context, struct bench *bench)
{
    bench->messengers_wanted = (unsigned)workload_number(context, WAKEUP_MESSAGE_THREADS);
    bench->workers_wanted = (unsigned)workload_number(context, WAKEUP_WORKERS);
    bench->runtime = (int64_t)workload_number(context, WAKEUP_RUNTIME);
    bench->warmup = (int64_t)workload_number(context, WAKEUP_WARMUP);
    bench->zero_interval = (int64_t)workload_number(context, WAKEUP_ZERO_INTERVAL);
    bench->think = (int64_t)workload_number(context, WAKEUP_THINK);
    bench->message_think = (int64_t)workload_number(context, WAKEUP_MESSAGE_THINK);
    bench->sleep = (int64_t)workload_number(context, WAKEUP_SLEEP);
    bench->transfer = workload_number(context, WAKEUP_TRANSFER);
    bench->requests_per_second = workload_number(context, WAKEUP_REQUESTS_PER_SECOND);
    bench->seed = context->seed;
    if (bench->warmup > bench->runtime / 2)
        bench->warmup = bench->runtime / 2;
}

/* --- Results ---------------------------------------------------------------------------------- */

static void report_latencies(struct workload_context *context, const struct histogram *latencies)
{
    static const struct {
        const char *name;
        unsigned per_mille;
    } quantiles[] = {
        {"wakeup.latency.min", 0},     {"wakeup.latency.p50", 500},   {"wakeup.latency.p75", 750},
        {"wakeup.latency.p90", 900},   {"wakeup.latency.p95", 950},   {"wakeup.latency.p99", 990},
        {"wakeup.latency.p99.5", 995}, {"wakeup.latency.p99.9", 999}, {"wakeup.latency.max", 1000},
    };

    for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
        workload_sample(context, quantiles[i].name,
                        (double)histogram_quantile(latencies, quantiles[i].per_mille) / 1000);
}

static void report(struct workload_context *context, const struct bench *bench)
{
    struct histogram *latencies = &context->result->histogram;
    uint64_t loops = 0, requests = 0, dropped = 0;

    for (unsigned i = 0; i < bench->messengers_wanted; i++) {
        const struct messenger *messenger = &bench->messengers[i];
        histogram_merge(latencies, &messenger->latencies);
        requests += messenger->requests;
        dropped += messenger->dropped;
        for (unsigned w = 0; w < bench->workers_wanted; w++)
            loops += messenger->workers[w].loops;
    }
    uint64_t total = histogram_total(latencies);
    if (total == 0) {
        workload_fail(context, "no wakeup fell into the measured time: runtime, less the warm-up, "
                               "must be longer than think and sleep together");
        return;
    }
    snprintf(context->result->histogram_name, sizeof(context->result->histogram_name),
             "wakeup.latency");
    report_latencies(context, latencies);
    workload_sample(context, "wakeup.latency.samples", (double)total);
    workload_sample(context, "wakeup.loops", (double)loops);
    if (bench->requests_per_second) {
        workload_sample(context, "wakeup.requests", (double)requests);
        workload_sample(context, "wakeup.requests_dropped", (double)dropped);
    }
}

static void wakeup_run(struct workload_context *context)
{
    struct bench bench = {0};

    read_options(context, &bench);
    /* Not allowed for an ordinary user; then page faults are a part of the measurement. */
    if (mlockall(MCL_CURRENT | MCL_FUTURE) < 0)
        workload_log(context, "wakeup: memory could not be locked");
    bool prepared = prepare(&bench);
    if (prepared)
        wakeup_bench_run(&bench);
    if (!prepared)
        workload_fail(context, "no memory for %u times %u workers", bench.messengers_wanted,
                      bench.workers_wanted);
    else if (atomic_load(&bench.error))
        workload_fail(context, "cannot start %u times %u workers: %s", bench.messengers_wanted,
                      bench.workers_wanted, strerror(atomic_load(&bench.error)));
    else
        report(context, &bench);
    release(&bench);
}

static int64_t wakeup_limit(const struct workload_context *context)
{
    return (int64_t)workload_number(context, WAKEUP_RUNTIME) + limit_margin_ns;
}

const struct workload wakeup_workload = {
    .schema = &wakeup_schema,
    .limit = wakeup_limit,
    .run = wakeup_run,
};
