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
#ifndef CULPRIT_WORKLOADS_WAKEUP_BENCH_H
#define CULPRIT_WORKLOADS_WAKEUP_BENCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/futex.h"
#include "core/histogram.h"
#include "core/random.h"

enum {
    CACHE_LINE = 64,
    PENDING_REQUESTS = 1024, /* of one worker; a power of two */
};

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

/* Starts all threads of a prepared bench, conducts them through warm-up and measured time, and
 * joins them. bench->error is set when a thread could not be made. */
void wakeup_bench_run(struct bench *bench);

#endif
