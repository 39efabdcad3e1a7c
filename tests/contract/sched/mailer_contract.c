/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mailer_contract.h"

#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "scratch.h"

#define SECOND UINT64_C(1000000000)

static const struct mailer_bench *bench;

static int deliver(struct mailer *mailer, struct cancel *cancel, struct culprit_error *error)
{
    _cleanup_strv_ struct strv recipients = {0};

    strv_append(&recipients, "list@example.org");
    strv_append(&recipients, "Ada <ada@example.org>");
    assert_false(recipients.failed);
    return mailer->ops->deliver(mailer, &recipients, "Subject: x\n\nregression found\n", cancel,
                                error);
}

static void a_message_arrives_for_everyone(void **state)
{
    CULPRIT_CLEANUP(cancel_free) struct cancel *cancel = NULL;
    struct culprit_error error = {0};

    (void)state;
    assert_success(cancel_new(&cancel, &error));
    assert_success(deliver(bench->open(ANSWER_TAKEN), cancel, &error));
    assert_int_equal(error.code, CULPRIT_OK);
    assert_string_equal(error.message, "");
    assert_int_equal(bench->arrived_for(), 2);
    bench->close();
}

/* The scheduler tries again after the one and gives up after the other. */
static void later_and_never_are_told_apart(void **state)
{
    static const struct {
        enum mailer_answer answer;
        enum culprit_code code;
        const char *words;
    } cases[] = {
        {ANSWER_LATER, CULPRIT_UNAVAILABLE, "come back later"},
        {ANSWER_REFUSED, CULPRIT_FAILED, "no such user"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CULPRIT_CLEANUP(cancel_free) struct cancel *cancel = NULL;
        struct culprit_error error = {0};

        assert_success(cancel_new(&cancel, &error));
        assert_failure(deliver(bench->open(cases[i].answer), cancel, &error), cases[i].code);
        assert_int_equal(error.code, cases[i].code);
        assert_contains(error.message, cases[i].words);
        bench->close();
    }
}

static void *request(void *context)
{
    cancel_request(context);
    return NULL;
}

/* Before it begins, and while it waits. */
static void a_cancellation_does_not_wait_for_an_answer(void **state)
{
    (void)state;
    for (int early = 0; early < 2; early++) {
        CULPRIT_CLEANUP(cancel_free) struct cancel *cancel = NULL;
        struct culprit_error error = {0};
        pthread_t thread;

        assert_success(cancel_new(&cancel, &error));
        struct mailer *mailer = bench->open(ANSWER_NONE);
        uint64_t start = clock_monotonic(&clock_system);
        assert_int_equal(pthread_create(&thread, NULL, request, cancel), 0);
        if (early)
            pthread_join(thread, NULL);
        assert_failure(deliver(mailer, cancel, &error), CULPRIT_CANCELLED);
        if (!early)
            pthread_join(thread, NULL);
        assert_in_range(clock_monotonic(&clock_system) - start, 0, 10 * SECOND);
        bench->close();
    }
}

int mailer_contract(const char *name, const struct mailer_bench *of)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_arrives_for_everyone),
        cmocka_unit_test(later_and_never_are_told_apart),
        cmocka_unit_test(a_cancellation_does_not_wait_for_an_answer),
    };

    bench = of;
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}
