/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Message threads and their workers, in the pattern of schbench. A worker thinks (computes for a
 * time by the clock), puts itself into its message thread's queue, wakes that and waits. The
 * message thread takes the whole queue, stamps the time once, wakes all that were in it, waits
 * for the next worker, and computes and sleeps before it answers; so workers are woken in batches,
 * and that is what the balancer has to spread. The latency is the time from the stamp to
 * the worker's first look at the clock: with a full machine it shows a load balancer that leaves
 * CPUs idle while woken workers queue behind thinking ones.
 *
 * With `requests_per_second` the message threads send requests at a fixed rate instead, and the
 * latency is the time from a request's dispatch to its end, less the thinking.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "core/futex.h"
#include "core/random.h"
#include "core/relax.h"
#include "run/system.h"
#include "workloads/schemas.h"
#include "workloads/workloads.h"

enum {
    CACHE_LINE = 64,
    PENDING_REQUESTS = 1024,      /* of one worker; a power of two */
    THREAD_STACK_SIZE = 64 * 1024 /* locked into memory, for each thread */
};

static const int64_t limit_margin_ns = 60000000000;

struct worker {
    _Alignas(CACHE_LINE) struct event wakeup;
    struct worker *next;  /* in the message thread's queue */
    int64_t stamp;        /* when the batch was woken */
    uint64_t loops;       /* rounds of thinking while counting */
    unsigned char *bytes; /* the message thread's side of a transfer, and the worker's */
    struct messenger *messenger;
    pthread_t thread;
    /* Requests: the message thread puts in at the head, the worker takes out at the tail. */
    int64_t *pending;
    atomic_uint head, tail;
};

struct messenger {
    _Alignas(CACHE_LINE) struct event wakeup;
    _Atomic(struct worker *) queue;
    struct bench *bench;
    struct worker *workers;
    struct random random;
    uint64_t requests, dropped;
    pthread_t thread;
    struct histogram latencies;
};

struct bench {
    unsigned messengers_wanted, workers_wanted;
    int64_t runtime, warmup, zero_interval, think, message_think, sleep; /* ns */
    size_t transfer;
    uint64_t requests_per_second;
    uint64_t seed;
    int64_t start; /* by system_now() */
    atomic_bool counting, stopping;
    atomic_int error; /* errno of a thread that could not be made */
    struct messenger *messengers;
};

/* By the clock, as a computation that has to be done by a time would be: two workers on one CPU
 * finish together. */
static void spin(const struct bench *bench, int64_t duration)
{
    int64_t end = system_now() + duration;

    while (system_now() < end && !atomic_load_explicit(&bench->stopping, memory_order_relaxed))
        relax();
}

static void sleep_until(int64_t when)
{
    struct timespec time = {(time_t)(when / 1000000000), (long)(when % 1000000000)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
        ;
}

static void count(struct worker *worker, int64_t latency)
{
    const struct bench *bench = worker->messenger->bench;

    if (!atomic_load_explicit(&bench->counting, memory_order_relaxed))
        return;
    worker->loops++;
    if (latency > 0)
        histogram_add(&worker->messenger->latencies, (uint64_t)latency);
}

/* --- Workers that ask for their wakeup ------------------------------------------------------- */

static void enqueue(struct worker *worker)
{
    struct messenger *messenger = worker->messenger;

    worker->next = atomic_load(&messenger->queue);
    while (!atomic_compare_exchange_weak(&messenger->queue, &worker->next, worker))
        ;
}

static void *run_worker(void *argument)
{
    struct worker *worker = argument;
    struct bench *bench = worker->messenger->bench;

    for (;;) {
        spin(bench, bench->think);
        event_clear(&worker->wakeup);
        /* After the clearing: who sets `stopping` posts afterwards, so none sleeps through it. */
        if (atomic_load(&bench->stopping))
            return NULL;
        enqueue(worker);
        event_post(&worker->messenger->wakeup);
        event_wait(&worker->wakeup);
        count(worker, system_now() - worker->stamp);
        if (bench->transfer)
            memcpy(worker->bytes + bench->transfer, worker->bytes, bench->transfer);
    }
}

static void wake_all(struct messenger *messenger)
{
    const struct bench *bench = messenger->bench;
    struct worker *first = atomic_exchange(&messenger->queue, NULL);

    for (struct worker *worker = first; worker && bench->transfer; worker = worker->next)
        memset(worker->bytes, (int)random_next(&messenger->random) & 0xff, bench->transfer);
    int64_t stamp = system_now();
    for (struct worker *worker = first, *next; worker; worker = next) {
        next = worker->next; /* once woken it queues itself again */
        worker->stamp = stamp;
        event_post(&worker->wakeup);
    }
}

static void answer_workers(struct messenger *messenger)
{
    struct bench *bench = messenger->bench;

    for (;;) {
        event_clear(&messenger->wakeup);
        wake_all(messenger);
        if (atomic_load(&bench->stopping))
            return;
        event_wait(&messenger->wakeup);
        spin(bench, bench->message_think);
        if (bench->sleep) {
            uint64_t jitter = random_below(&messenger->random, (uint64_t)bench->sleep / 4 + 1);
            sleep_until(system_now() + bench->sleep + (int64_t)jitter);
        }
    }
}

/* --- Requests at a fixed rate ----------------------------------------------------------------- */

static void *serve_requests(void *argument)
{
    struct worker *worker = argument;
    struct bench *bench = worker->messenger->bench;
    unsigned tail = 0;

    for (;;) {
        event_clear(&worker->wakeup);
        if (atomic_load(&bench->stopping))
            return NULL;
        while (tail != atomic_load(&worker->head)) {
            int64_t dispatched = worker->pending[tail % PENDING_REQUESTS];
            atomic_store(&worker->tail, ++tail);
            spin(bench, bench->think);
            count(worker, system_now() - dispatched - bench->think);
        }
        event_wait(&worker->wakeup);
    }
}

static bool give_request(struct worker *worker)
{
    unsigned head = atomic_load(&worker->head);

    if (head - atomic_load(&worker->tail) == PENDING_REQUESTS)
        return false;
    worker->pending[head % PENDING_REQUESTS] = system_now();
    atomic_store(&worker->head, head + 1);
    event_post(&worker->wakeup);
    return true;
}

/* To the workers in turn; one whose list is full is passed over. */
static void dispatch(struct messenger *messenger, unsigned *turn)
{
    unsigned workers = messenger->bench->workers_wanted;
    bool given = false;

    for (unsigned tries = 0; tries < workers && !given; tries++)
        given = give_request(&messenger->workers[(*turn)++ % workers]);
    if (atomic_load(&messenger->bench->counting)) {
        messenger->requests += given;
        messenger->dropped += !given;
    }
}

static void send_requests(struct messenger *messenger)
{
    struct bench *bench = messenger->bench;
    int64_t start = system_now(), end = bench->start + bench->runtime;
    /* In double: good to the nanosecond for 100 days. */
    double interval = 1e9 * bench->messengers_wanted / (double)bench->requests_per_second;
    unsigned turn = 0;

    for (uint64_t sent = 0; !atomic_load(&bench->stopping); sent++) {
        int64_t due = start + (int64_t)((double)sent * interval);
        if (due >= end)
            break;
        sleep_until(due);
        dispatch(messenger, &turn);
    }
    event_wait(&messenger->wakeup); /* posted when `stopping` is set: workers are told after it */
}

/* --- Threads ---------------------------------------------------------------------------------- */

static int start_thread(pthread_t *thread, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;

    int error = pthread_attr_init(&attributes);
    if (error)
        return error;
    error = pthread_attr_setstacksize(&attributes, THREAD_STACK_SIZE);
    if (!error)
        error = pthread_create(thread, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    return error;
}

/* Makes its workers, serves them, and joins them. */
static void *run_messenger(void *argument)
{
    struct messenger *messenger = argument;
    struct bench *bench = messenger->bench;
    bool requests = bench->requests_per_second > 0;
    unsigned started = 0;
    int error = 0;

    for (; started < bench->workers_wanted && !error; started += !error)
        error = start_thread(&messenger->workers[started].thread,
                             requests ? serve_requests : run_worker, &messenger->workers[started]);
    if (error) {
        atomic_store(&bench->error, error);
        atomic_store(&bench->stopping, true);
    } else if (requests) {
        send_requests(messenger);
    } else {
        answer_workers(messenger);
    }
    for (unsigned i = 0; i < started; i++)
        event_post(&messenger->workers[i].wakeup);
    for (unsigned i = 0; i < started; i++)
        pthread_join(messenger->workers[i].thread, NULL);
    return NULL;
}

static void forget_latencies(struct bench *bench)
{
    for (unsigned i = 0; i < bench->messengers_wanted; i++)
        histogram_clear(&bench->messengers[i].latencies);
}

/* Warm-up, counting, zeroing and the end, each at its time. */
static void conduct(struct bench *bench)
{
    int64_t end = bench->start + bench->runtime, now = bench->start + bench->warmup;

    sleep_until(now);
    atomic_store(&bench->counting, true);
    while (bench->zero_interval > 0 && now + bench->zero_interval < end) {
        now += bench->zero_interval;
        sleep_until(now);
        forget_latencies(bench);
    }
    sleep_until(end);
    atomic_store(&bench->counting, false);
    atomic_store(&bench->stopping, true);
}

static void run_threads(struct bench *bench)
{
    unsigned started = 0;
    int error = 0;

    bench->start = system_now();
    for (; started < bench->messengers_wanted && !error; started += !error)
        error = start_thread(&bench->messengers[started].thread, run_messenger,
                             &bench->messengers[started]);
    if (error) {
        atomic_store(&bench->error, error);
        atomic_store(&bench->stopping, true);
    } else {
        conduct(bench);
    }
    for (unsigned i = 0; i < started; i++)
        event_post(&bench->messengers[i].wakeup);
    for (unsigned i = 0; i < started; i++)
        pthread_join(bench->messengers[i].thread, NULL);
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Zeroed, and on cache lines of its own. Freed with the process. */
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
    strcpy(context->result->histogram_name, "wakeup.latency");
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
    static struct bench bench;

    read_options(context, &bench);
    /* Not allowed for an ordinary user; then page faults are a part of the measurement. */
    if (mlockall(MCL_CURRENT | MCL_FUTURE) < 0)
        workload_log(context, "wakeup: memory could not be locked");
    if (!prepare(&bench)) {
        workload_fail(context, "no memory for %u times %u workers", bench.messengers_wanted,
                      bench.workers_wanted);
        return;
    }
    run_threads(&bench);
    if (atomic_load(&bench.error))
        workload_fail(context, "cannot start %u times %u workers: %s", bench.messengers_wanted,
                      bench.workers_wanted, strerror(atomic_load(&bench.error)));
    else
        report(context, &bench);
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
