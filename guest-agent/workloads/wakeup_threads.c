/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/wakeup_bench.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "core/relax.h"
#include "run/system.h"

enum { THREAD_STACK_SIZE = 64 * 1024 }; /* locked into memory, for each thread */

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

void wakeup_bench_run(struct bench *bench)
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
