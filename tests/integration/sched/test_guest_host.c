/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A place for guests that is away, comes back, or does not say a word. */
#include <semaphore.h>
#include <string.h>

#include "sched/guest_host.h"
#include "scratch.h"
#include "scripted_hypervisor.h"

/* What open() finds, and what came of it. */
struct place {
    unsigned failures; /* the first so many attempts fail */
    enum culprit_code code;
    bool silent; /* an attempt waits for `speak` */
    sem_t speak, freed;

    unsigned attempts; /* read while none is under way */
    unsigned answers;
    struct culprit_error last; /* answer; code OK: guests can be had */
    sd_event *event;
};

static bool no_guests(void *context, const struct guest_definition *definition,
                      struct scripted_guest *ret)
{
    (void)context;
    (void)definition;
    (void)ret;
    return false;
}

static int open_place(void *context, struct hypervisor **ret,
                      struct host_capabilities *ret_capabilities, struct culprit_error *error)
{
    struct place *place = context;

    if (place->silent)
        sem_wait(&place->speak);
    if (place->attempts++ < place->failures)
        return culprit_fail(error, place->code, "nobody listens on the socket");
    snprintf(ret_capabilities->qemu_version, sizeof ret_capabilities->qemu_version, "10.0.2");
    return scripted_hypervisor_new_computed(no_guests, NULL, ret, error);
}

static void free_place(void *context)
{
    sem_post(&((struct place *)context)->freed);
}

static void on_answered(void *owner, const struct culprit_error *why)
{
    struct place *place = owner;

    place->answers++;
    place->last = why ? *why : (struct culprit_error){0};
}

static struct guest_host_options options_of(struct place *place)
{
    return (struct guest_host_options){
        .event = place->event,
        .open = open_place,
        .free_context = free_place,
        .context = place,
        .answered = on_answered,
        .owner = place,
        .pause_ns = 1000000,
    };
}

static void place_open(struct place *place)
{
    sem_init(&place->speak, 0, 0);
    sem_init(&place->freed, 0, 0);
    assert_int_equal(sd_event_new(&place->event), 0);
}

static void place_close(struct place *place, struct guest_host *host)
{
    guest_host_free(host);
    sem_wait(&place->freed);
    sd_event_unref(place->event);
    sem_destroy(&place->speak);
    sem_destroy(&place->freed);
}

static void run_until_answers(struct place *place, unsigned answers)
{
    while (place->answers < answers) {
        if (sd_event_run(place->event, 60000000) <= 0)
            fail_msg("%u answers in a minute, not %u", place->answers, answers);
    }
}

static int get(struct guest_host *host, struct culprit_error *error)
{
    struct hypervisor *hypervisor = NULL;
    struct host_capabilities *capabilities = NULL;
    int status = guest_host_get(host, &hypervisor, &capabilities, error);

    if (status == 0) {
        assert_non_null(hypervisor);
        assert_string_equal(capabilities->qemu_version, "10.0.2");
    }
    return status;
}

static void what_is_there_is_had_at_once(void **state)
{
    struct place place = {0};
    struct guest_host *host = NULL;
    struct culprit_error error = {0};

    (void)state;
    place_open(&place);
    const struct guest_host_options options = options_of(&place);
    assert_success(guest_host_new(&options, &host, &error));
    assert_success(get(host, &error));
    run_until_answers(&place, 1);
    assert_int_equal(place.last.code, CULPRIT_OK);
    place_close(&place, host);
    assert_int_equal(place.attempts, 1);
}

static void what_is_away_is_tried_again(void **state)
{
    struct place place = {.failures = 4, .code = CULPRIT_UNAVAILABLE};
    struct guest_host *host = NULL;
    struct culprit_error error = {0};

    (void)state;
    place_open(&place);
    const struct guest_host_options options = options_of(&place);
    assert_success(guest_host_new(&options, &host, &error));
    assert_failure(get(host, &error), CULPRIT_UNAVAILABLE);
    assert_contains(error.message, "nobody listens");
    run_until_answers(&place, 4);
    assert_contains(place.last.message, "nobody listens");
    run_until_answers(&place, 5);
    assert_int_equal(place.last.code, CULPRIT_OK);
    assert_success(get(host, &error));
    place_close(&place, host);
    assert_int_equal(place.attempts, 5);
}

/* A job waits for what may come, and ends for what this host will never do. */
static void only_what_cannot_be_is_refused(void **state)
{
    static const struct {
        enum culprit_code code, seen;
    } cases[] = {
        {CULPRIT_UNAVAILABLE, CULPRIT_UNAVAILABLE}, {CULPRIT_CONFLICT, CULPRIT_UNAVAILABLE},
        {CULPRIT_DENIED, CULPRIT_UNAVAILABLE},      {CULPRIT_FAILED, CULPRIT_UNAVAILABLE},
        {CULPRIT_UNSUPPORTED, CULPRIT_UNSUPPORTED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct place place = {.failures = 1, .code = cases[i].code};
        struct guest_host *host = NULL;
        struct culprit_error error = {0};

        place_open(&place);
        const struct guest_host_options options = options_of(&place);
        assert_success(guest_host_new(&options, &host, &error));
        assert_failure(get(host, &error), cases[i].seen);
        run_until_answers(&place, 2);
        assert_success(get(host, &error));
        place_close(&place, host);
    }
}

static void faulty_options_are_no_reason_to_wait(void **state)
{
    struct place place = {.failures = 1, .code = CULPRIT_INVALID};
    struct guest_host *host = NULL;
    struct culprit_error error = {0};

    (void)state;
    place_open(&place);
    const struct guest_host_options options = options_of(&place);
    assert_failure(guest_host_new(&options, &host, &error), CULPRIT_INVALID);
    place_close(&place, host);
}

static void silence_holds_neither_start_nor_end(void **state)
{
    struct place place = {.silent = true};
    struct guest_host *host = NULL;
    struct culprit_error error = {0};

    (void)state;
    place_open(&place);
    struct guest_host_options options = options_of(&place);
    options.patience_ns = 1000000;
    assert_success(guest_host_new(&options, &host, &error));
    assert_failure(get(host, &error), CULPRIT_UNAVAILABLE);
    guest_host_free(host);
    assert_int_equal(sem_trywait(&place.freed), -1); /* the attempt still has it */
    sem_post(&place.speak);
    place_close(&place, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_there_is_had_at_once),
        cmocka_unit_test(what_is_away_is_tried_again),
        cmocka_unit_test(only_what_cannot_be_is_refused),
        cmocka_unit_test(faulty_options_are_no_reason_to_wait),
        cmocka_unit_test(silence_holds_neither_start_nor_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
