/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/worker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { THREADS_MAXIMUM = 256, NAME_SIZE = 16 };

struct work {
    worker_run run;
    worker_done done;
    void *argument;
    bool ran;
    struct work *next;
};

struct work_list {
    struct work *first;
    struct work *last;
};

/* `lock` guards both lists, `waiting`, `running` and `stopping`; `pending` is the loop thread's. */
struct worker_pool {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct work_list queue;
    struct work_list ended;
    size_t waiting; /* in `queue` */
    size_t running;
    bool stopping;

    size_t queue_maximum;
    size_t pending;
    struct cancel *cancel;
    sd_event *event;
    sd_event_source *source;
    int ended_fd; /* an eventfd, readable while `ended` may hold work */
    pthread_t threads[THREADS_MAXIMUM];
    unsigned thread_count;
    char name[NAME_SIZE];
};

static void list_push(struct work_list *list, struct work *work)
{
    work->next = NULL;
    if (list->last)
        list->last->next = work;
    else
        list->first = work;
    list->last = work;
}

static struct work *list_pop(struct work_list *list)
{
    struct work *work = list->first;

    if (work) {
        list->first = work->next;
        if (!list->first)
            list->last = NULL;
    }
    return work;
}

/* The next work, or NULL when the pool ends. */
static struct work *wait_for_work(struct worker_pool *pool)
{
    struct work *work = NULL;

    pthread_mutex_lock(&pool->lock);
    while (!pool->stopping && !pool->queue.first)
        pthread_cond_wait(&pool->wake, &pool->lock);
    if (!pool->stopping) {
        work = list_pop(&pool->queue);
        pool->waiting--;
        pool->running++;
    }
    pthread_mutex_unlock(&pool->lock);
    return work;
}

static void hand_back(struct worker_pool *pool, struct work *work)
{
    static const uint64_t one = 1;
    ssize_t written;

    pthread_mutex_lock(&pool->lock);
    list_push(&pool->ended, work);
    pool->running--;
    pthread_mutex_unlock(&pool->lock);
    /* Fails only when the counter is at its end, and then the loop is awake anyway. */
    written = write(pool->ended_fd, &one, sizeof one);
    (void)written;
}

static void *thread_main(void *context)
{
    struct worker_pool *pool = context;
    struct work *work;

    pthread_setname_np(pthread_self(), pool->name);
    while ((work = wait_for_work(pool))) {
        work->run(work->argument, pool->cancel);
        work->ran = true;
        hand_back(pool, work);
    }
    return NULL;
}

static void finish(struct worker_pool *pool, struct work *work)
{
    struct work ended = *work;

    free(work);
    pool->pending--;
    if (ended.done)
        ended.done(ended.argument, ended.ran);
}

static void deliver_ended(struct worker_pool *pool)
{
    struct work_list ended;
    struct work *work;

    pthread_mutex_lock(&pool->lock);
    ended = pool->ended;
    pool->ended = (struct work_list){0};
    pthread_mutex_unlock(&pool->lock);
    while ((work = list_pop(&ended)))
        finish(pool, work);
}

static int on_ended(sd_event_source *source, int fd, uint32_t events, void *context)
{
    uint64_t count;
    ssize_t got = read(fd, &count, sizeof count);

    (void)source;
    (void)events;
    (void)got; /* only empties the counter; the list is what counts */
    deliver_ended(context);
    return 0;
}

/* Signals belong to the loop's thread: pool threads are created with all of them blocked. */
static int start_threads(struct worker_pool *pool, unsigned threads, struct culprit_error *error)
{
    sigset_t all, before;
    int errnum = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->thread_count < threads && errnum == 0) {
        errnum = pthread_create(&pool->threads[pool->thread_count], NULL, thread_main, pool);
        if (errnum == 0)
            pool->thread_count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (errnum)
        return culprit_fail_errno(error, errnum, "cannot start a worker thread for %s", pool->name);
    return 0;
}

static int attach(struct worker_pool *pool, sd_event *event, struct culprit_error *error)
{
    int r;

    pool->ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (pool->ended_fd < 0)
        return culprit_fail_errno(error, errno, "cannot create an eventfd");
    pool->event = sd_event_ref(event);
    r = sd_event_add_io(event, &pool->source, pool->ended_fd, EPOLLIN, on_ended, pool);
    if (r < 0)
        return culprit_fail_errno(error, -r, "cannot watch the workers of %s", pool->name);
    return cancel_new(&pool->cancel, error);
}

int worker_pool_new(sd_event *event, const char *name, unsigned threads, size_t queue_maximum,
                    struct worker_pool **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(worker_pool_free) struct worker_pool *pool = NULL;
    int r;

    if (threads < 1 || threads > THREADS_MAXIMUM)
        return culprit_fail(error, CULPRIT_INVALID, "%u worker threads: 1 to %d are allowed",
                            threads, THREADS_MAXIMUM);
    pool = calloc(1, sizeof *pool);
    if (!pool)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for workers");
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pool->ended_fd = -1;
    pool->queue_maximum = queue_maximum;
    snprintf(pool->name, sizeof pool->name, "%s", name);
    r = attach(pool, event, error);
    if (r == 0)
        r = start_threads(pool, threads, error);
    if (r < 0)
        return r;
    *ret = take(pool);
    return 0;
}

static void stop_threads(struct worker_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    /* Only now, so that no thread that it wakes begins what waits. */
    cancel_request(pool->cancel);
    for (unsigned i = 0; i < pool->thread_count; i++)
        pthread_join(pool->threads[i], NULL);
}

void worker_pool_free(struct worker_pool *pool)
{
    struct work *work;

    if (!pool)
        return;
    stop_threads(pool);
    deliver_ended(pool);
    while ((work = list_pop(&pool->queue)))
        finish(pool, work);
    sd_event_source_disable_unref(pool->source);
    sd_event_unref(pool->event);
    if (pool->ended_fd >= 0)
        close(pool->ended_fd);
    cancel_free(pool->cancel);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/* Queues it, unless the pool ends or the queue is full. */
static int enqueue(struct worker_pool *pool, struct work *work, struct culprit_error *error)
{
    bool stopping, full;

    pthread_mutex_lock(&pool->lock);
    stopping = pool->stopping;
    full = pool->waiting + pool->running >= pool->queue_maximum + pool->thread_count;
    if (!stopping && !full) {
        list_push(&pool->queue, work);
        pool->waiting++;
        pthread_cond_signal(&pool->wake);
    }
    pthread_mutex_unlock(&pool->lock);
    if (stopping)
        return culprit_fail(error, CULPRIT_CANCELLED, "the workers of %s are stopping", pool->name);
    if (full)
        return culprit_fail(error, CULPRIT_LIMIT,
                            "the workers of %s have %zu more tasks waiting already", pool->name,
                            pool->queue_maximum);
    pool->pending++;
    return 0;
}

int worker_submit(struct worker_pool *pool, worker_run run, worker_done done, void *argument,
                  struct culprit_error *error)
{
    _cleanup_free_ struct work *work = malloc(sizeof *work);
    int r;

    if (!work)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a task");
    *work = (struct work){.run = run, .done = done, .argument = argument};
    r = enqueue(pool, work, error);
    if (r == 0)
        work = NULL; /* a pool thread's from here on */
    return r;
}

size_t worker_pending(const struct worker_pool *pool)
{
    return pool->pending;
}
