/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking jobs in. */
#include <string.h>

#include "stand.h"

static struct culprit_error error;

static void a_key_makes_submitting_repeatable(void **state)
{
    static const struct scripted_script one = {.good_level = 50};
    static const char document[] =
        "{version: 1, name: x, kind: run, source: {repository: history, commit: v1},"
        " guest: {topology: pair}, workloads: [{exec: {command: \"true\"}}]}";
    static const char other[] =
        "{version: 1, name: y, kind: run, source: {repository: history, commit: v1},"
        " guest: {topology: pair}, workloads: [{exec: {command: \"true\"}}]}";
    struct stand stand = {.directory = *state, .script = &one};
    int64_t first = 0, second = 0;
    bool created = false;

    stand_up(&stand);
    assert_success(service_submit(stand.service, document, strlen(document), "key-1", &first,
                                  &created, &error));
    assert_true(created);
    assert_success(service_submit(stand.service, document, strlen(document), "key-1", &second,
                                  &created, &error));
    assert_false(created);
    assert_int_equal(first, second);
    assert_failure(
        service_submit(stand.service, other, strlen(other), "key-1", &second, &created, &error),
        CULPRIT_CONFLICT);
    stand_down(&stand);
}

static void faulty_documents_name_their_place(void **state)
{
    static const struct scripted_script one = {.good_level = 50};
    struct stand stand = {.directory = *state, .script = &one};
    static const struct {
        const char *document;
        const char *part;
        unsigned line;
    } cases[] = {
        {"version: 1\nname: x\nkind: bisect\nsource: {repository: linux, good: a, bad: b}\n"
         "guest: {topology: pair}\nworkloads: [{exec: {command: x}}]\n"
         "metric: {name: exec.duration, min_effect: 5%}\n",
         "linux", 4},
        {"version: 1\nname: x\nkind: run\nsource: {repository: history, commit: a}\n"
         "guest: {topology: pear}\nworkloads: [{exec: {command: x}}]\n",
         "pair", 5},
        {"version: 1\nname: x\nkind: bisect\nsource: {repository: history, good: a, bad: a}\n"
         "guest: {topology: pair}\nworkloads: [{exec: {command: x}}]\n"
         "metric: {name: exec.duration, min_effect: 5%}\n",
         "good", 4},
    };
    int64_t id = 0;
    bool created = false;

    stand_up(&stand);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_failure(service_submit(stand.service, cases[i].document, strlen(cases[i].document),
                                      NULL, &id, &created, &error),
                       CULPRIT_INVALID);
        assert_contains(error.message, cases[i].part);
        if (error.line != cases[i].line)
            fail_msg("case %zu is placed in line %u: %s", i, error.line, error.message);
    }
    stand_down(&stand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_key_makes_submitting_repeatable),
        scratch_test(faulty_documents_name_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
