/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports by mail: delivered at least once, refused ones given up, none lost. */
#include <string.h>

#include "stand.h"
#include "store/outbox.h"

static struct culprit_error error;

static const struct scripted_script one = {.good_level = 50, .noise = 1};

static int64_t waiting_job;

static enum mail_state state_of(struct stand *stand, int64_t job, unsigned *ret_attempts)
{
    CULPRIT_CLEANUP(stored_mails_clear) struct stored_mails mails = {0};

    assert_success(store_mail_of_job(stand->store, job, &mails, &error));
    assert_int_equal(mails.count, 1);
    *ret_attempts = mails.items[0].attempts;
    return mails.items[0].state;
}

static bool is_settled(struct stand *stand)
{
    unsigned attempts;
    return state_of(stand, waiting_job, &attempts) != MAIL_WAITING;
}

static bool was_tried(struct stand *stand)
{
    unsigned attempts;
    state_of(stand, waiting_job, &attempts);
    return attempts > 0;
}

static void mail_is_delivered(void **state)
{
    struct stand stand = {.directory = *state, .script = &one};

    stand_up(&stand);
    waiting_job = stand_submit_run(&stand, "");
    stand_finish(&stand, waiting_job);
    stand_until(&stand, is_settled);
    stand_down(&stand);
    assert_int_equal(stand.mail.delivered, 1);
    assert_int_equal(stand.mail.recipients, 2);
    assert_contains(stand.mail.last, "Message-ID:");
    assert_contains(stand.mail.last, "test-job");
    free(stand.mail.last);
}

static void a_server_that_is_away_is_tried_again(void **state)
{
    struct stand stand = {.directory = *state, .script = &one, .mail = {.unavailable = 3}};
    unsigned attempts = 0;

    stand_up(&stand);
    waiting_job = stand_submit_run(&stand, "");
    stand_finish(&stand, waiting_job);
    stand_until(&stand, is_settled);
    assert_int_equal(state_of(&stand, waiting_job, &attempts), MAIL_DELIVERED);
    assert_int_equal(attempts, 4);
    stand_down(&stand);
    assert_int_equal(stand.mail.delivered, 1);
    free(stand.mail.last);
}

static void a_refusal_is_final(void **state)
{
    struct stand stand = {.directory = *state, .script = &one, .mail = {.refused = 1}};
    unsigned attempts = 0;
    json_t *events = NULL;
    bool final = false, told = false;

    stand_up(&stand);
    waiting_job = stand_submit_run(&stand, "");
    stand_finish(&stand, waiting_job);
    stand_until(&stand, is_settled);
    assert_int_equal(state_of(&stand, waiting_job, &attempts), MAIL_REFUSED);
    assert_success(service_events(stand.service, waiting_job, 0, 0, &events, &final, &error));
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *data = json_object_get(json_array_get(events, i), "data");
        const char *message = json_string_value(json_object_get(data, "message"));
        told = told || (message && strstr(message, "550 no such user"));
    }
    assert_true(told);
    assert_true(final);
    json_decref(events);
    stand_down(&stand);
    assert_int_equal(stand.mail.attempts, 1);
}

/* The server was away, the daemon went down, and comes up when the server is back. */
static void the_outbox_outlives_the_daemon(void **state)
{
    struct stand stand = {.directory = *state, .script = &one, .mail = {.unavailable = 1000000}};

    stand_up(&stand);
    waiting_job = stand_submit_run(&stand, "");
    stand_finish(&stand, waiting_job);
    stand_until(&stand, was_tried);
    stand_down(&stand);
    assert_int_equal(stand.mail.delivered, 0);

    stand.mail.unavailable = 0;
    stand_up(&stand);
    stand_until(&stand, is_settled);
    stand_down(&stand);
    assert_int_equal(stand.mail.delivered, 1);
    free(stand.mail.last);
}

static bool is_being_delivered(struct stand *stand)
{
    return stand->mail.attempts > 0;
}

/* The daemon's end does not wait for the server, and the message stays. */
static void a_silent_server_holds_nobody(void **state)
{
    struct stand stand = {.directory = *state, .script = &one, .mail = {.silent = true}};
    unsigned attempts = 0;

    stand_up(&stand);
    waiting_job = stand_submit_run(&stand, "");
    stand_finish(&stand, waiting_job);
    stand_until(&stand, is_being_delivered);
    stand_down(&stand);
    assert_int_equal(stand.mail.cancelled, 1);

    stand.mail.silent = false;
    stand_up(&stand);
    stand_until(&stand, is_settled);
    assert_int_equal(state_of(&stand, waiting_job, &attempts), MAIL_DELIVERED);
    assert_int_equal(attempts, 1);
    stand_down(&stand);
    free(stand.mail.last);
}

static void without_a_mailer_nothing_waits(void **state)
{
    struct stand stand = {.directory = *state, .script = &one, .without_mailer = true};
    CULPRIT_CLEANUP(stored_mails_clear) struct stored_mails mails = {0};

    stand_up(&stand);
    int64_t job = stand_submit_run(&stand, "");
    stand_finish(&stand, job);
    assert_success(store_mail_of_job(stand.store, job, &mails, &error));
    assert_int_equal(mails.count, 0);
    stand_down(&stand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(mail_is_delivered),
        scratch_test(a_server_that_is_away_is_tried_again),
        scratch_test(a_refusal_is_final),
        scratch_test(the_outbox_outlives_the_daemon),
        scratch_test(a_silent_server_holds_nobody),
        scratch_test(without_a_mailer_nothing_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
