/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>

#include "base/gate.h"
#include "scratch.h"

enum { THREADS = 8, TURNS = 500 };

struct shared {
    struct gate *gate;
    struct cancel *cancel;
    unsigned inside, most, turns; /* guarded by the gate */
    int status;
};

static void shared_open(struct shared *shared)
{
    struct culprit_error error = {0};

    *shared = (struct shared){0};
    assert_success(gate_new(&shared->gate, &error));
    assert_success(cancel_new(&shared->cancel, &error));
}

static void shared_close(struct shared *shared)
{
    gate_free(shared->gate);
    cancel_free(shared->cancel);
}

static void *take_turns(void *context)
{
    struct shared *shared = context;

    for (unsigned i = 0; i < TURNS; i++) {
        if (gate_enter(shared->gate, NULL, NULL) < 0)
            return NULL;
        shared->inside++;
        if (shared->inside > shared->most)
            shared->most = shared->inside;
        shared->turns++;
        shared->inside--;
        gate_leave(shared->gate);
    }
    return NULL;
}

static void one_is_inside_at_a_time(void **state)
{
    pthread_t threads[THREADS];
    struct shared shared;

    (void)state;
    shared_open(&shared);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_turns, &shared), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(shared.most, 1);
    assert_int_equal(shared.turns, THREADS * TURNS);
    shared_close(&shared);
}

static void *enter(void *context)
{
    struct shared *shared = context;

    shared->status = gate_enter(shared->gate, shared->cancel, NULL);
    return NULL;
}

/* And the one inside is not disturbed by it. */
static void a_cancellation_ends_the_waiting(void **state)
{
    struct culprit_error error = {0};
    struct shared shared;
    pthread_t thread;

    (void)state;
    shared_open(&shared);
    assert_success(gate_enter(shared.gate, NULL, &error));
    assert_int_equal(pthread_create(&thread, NULL, enter, &shared), 0);
    cancel_request(shared.cancel);
    pthread_join(thread, NULL);
    assert_int_equal(shared.status, -CULPRIT_CANCELLED);
    gate_leave(shared.gate);
    assert_failure(gate_enter(shared.gate, shared.cancel, &error), CULPRIT_CANCELLED);
    assert_success(gate_enter(shared.gate, NULL, &error));
    gate_leave(shared.gate);
    shared_close(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_is_inside_at_a_time),
        cmocka_unit_test(a_cancellation_ends_the_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
