/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "base/worker.h"
#include "scratch.h"

struct fixture {
    sd_event *event;
    struct worker_pool *pool;
    pthread_t loop_thread;
    struct cancel *gate;         /* work that waits, waits for this */
    struct cancel *both_started; /* requested once two wait */
    atomic_uint started;
    unsigned done;
    unsigned not_run;
    unsigned done_elsewhere; /* completions on a wrong thread */
    atomic_bool signals_blocked;
};

struct task {
    struct fixture *fixture;
    unsigned long result;
};

static void wait_for(const struct cancel *first, const struct cancel *second)
{
    struct pollfd fds[] = {
        {.fd = cancel_fd(first), .events = POLLIN},
        {.fd = cancel_fd(second), .events = POLLIN},
    };

    poll(fds, 2, -1);
}

static void compute(void *argument, struct cancel *cancel)
{
    struct task *task = argument;

    (void)cancel;
    for (unsigned i = 1; i <= 1000; i++)
        task->result += i;
}

static void wait_at_the_gate(void *argument, struct cancel *cancel)
{
    struct task *task = argument;
    sigset_t blocked;

    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    atomic_store(&task->fixture->signals_blocked, sigismember(&blocked, SIGTERM) == 1);
    if (atomic_fetch_add(&task->fixture->started, 1) == 1)
        cancel_request(task->fixture->both_started);
    wait_for(task->fixture->gate, cancel);
    task->result = cancel_requested(cancel) ? 1 : 2;
}

static void count_done(void *argument, bool ran)
{
    struct fixture *fixture = ((struct task *)argument)->fixture;

    fixture->done++;
    fixture->not_run += !ran;
    fixture->done_elsewhere += !pthread_equal(pthread_self(), fixture->loop_thread);
}

static void run_loop_until(struct fixture *fixture, unsigned done)
{
    while (fixture->done < done)
        assert_true(sd_event_run(fixture->event, 10000000) > 0);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    *state = fixture;
    if (!fixture || sd_event_new(&fixture->event) < 0 || cancel_new(&fixture->gate, NULL) < 0 ||
        cancel_new(&fixture->both_started, NULL) < 0)
        return -1;
    fixture->loop_thread = pthread_self();
    return worker_pool_new(fixture->event, "test", 2, 3, &fixture->pool, NULL);
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    worker_pool_free(fixture->pool);
    cancel_free(fixture->gate);
    cancel_free(fixture->both_started);
    sd_event_unref(fixture->event);
    free(fixture);
    return 0;
}

static void work_runs_and_completes_on_the_loop(void **state)
{
    struct fixture *fixture = *state;
    struct culprit_error error = {0};
    enum { TASKS = 200 };
    struct task tasks[TASKS];

    for (unsigned i = 0; i < TASKS; i++) {
        tasks[i] = (struct task){.fixture = fixture};
        while (worker_pending(fixture->pool) >= 5)
            assert_true(sd_event_run(fixture->event, 10000000) > 0);
        assert_success(worker_submit(fixture->pool, compute, count_done, &tasks[i], &error));
    }
    run_loop_until(fixture, TASKS);
    for (unsigned i = 0; i < TASKS; i++)
        assert_int_equal(tasks[i].result, 500500);
    assert_int_equal(fixture->done_elsewhere, 0);
    assert_int_equal(fixture->not_run, 0);
    assert_int_equal(worker_pending(fixture->pool), 0);
}

/* Two threads and three places in the queue: five are accepted, whoever is how far. */
static void the_queue_is_bounded(void **state)
{
    struct fixture *fixture = *state;
    struct culprit_error error = {0};
    struct task tasks[6];

    for (unsigned i = 0; i < 6; i++)
        tasks[i] = (struct task){.fixture = fixture};
    for (unsigned i = 0; i < 5; i++)
        assert_success(
            worker_submit(fixture->pool, wait_at_the_gate, count_done, &tasks[i], &error));
    assert_failure(worker_submit(fixture->pool, wait_at_the_gate, count_done, &tasks[5], &error),
                   CULPRIT_LIMIT);
    assert_contains(error.message, "test");
    assert_int_equal(worker_pending(fixture->pool), 5);
    cancel_request(fixture->gate);
    run_loop_until(fixture, 5);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(tasks[i].result, 2);
    assert_true(fixture->signals_blocked);
    assert_success(worker_submit(fixture->pool, compute, count_done, &tasks[5], &error));
    run_loop_until(fixture, 6);
}

static void freeing_cancels_and_delivers_all(void **state)
{
    struct fixture *fixture = *state;
    struct culprit_error error = {0};
    struct task tasks[5];
    unsigned cancelled = 0;

    for (unsigned i = 0; i < 5; i++) {
        tasks[i] = (struct task){.fixture = fixture};
        assert_success(
            worker_submit(fixture->pool, wait_at_the_gate, count_done, &tasks[i], &error));
    }
    wait_for(fixture->both_started, NULL);
    worker_pool_free(take(fixture->pool));
    for (unsigned i = 0; i < 5; i++)
        cancelled += tasks[i].result == 1;
    assert_int_equal(fixture->done, 5);
    assert_int_equal(cancelled, 2);
    assert_int_equal(fixture->not_run, 3);
    assert_int_equal(fixture->done_elsewhere, 0);
}

static void chain(void *argument, bool ran)
{
    struct task *task = argument;

    count_done(argument, ran);
    if (task->fixture->done < 50)
        assert_int_equal(worker_submit(task->fixture->pool, compute, chain, task, NULL), 0);
}

static void a_completion_may_submit(void **state)
{
    struct fixture *fixture = *state;
    struct task task = {.fixture = fixture};
    struct culprit_error error = {0};

    assert_success(worker_submit(fixture->pool, compute, chain, &task, &error));
    run_loop_until(fixture, 50);
    assert_int_equal(task.result, 50 * 500500);
}

static void thread_counts_are_checked(void **state)
{
    struct fixture *fixture = *state;
    struct worker_pool *pool = NULL;
    struct culprit_error error = {0};

    assert_failure(worker_pool_new(fixture->event, "x", 0, 1, &pool, &error), CULPRIT_INVALID);
    assert_failure(worker_pool_new(fixture->event, "x", 257, 1, &pool, &error), CULPRIT_INVALID);
    assert_null(pool);
    worker_pool_free(NULL);
}

#define pool_test(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        pool_test(work_runs_and_completes_on_the_loop), pool_test(the_queue_is_bounded),
        pool_test(freeing_cancels_and_delivers_all),    pool_test(a_completion_may_submit),
        pool_test(thread_counts_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
