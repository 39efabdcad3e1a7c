/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole bisections whose culprit is confirmed, or not, before it is the verdict. */
#include <stdio.h>
#include <string.h>

#include "stand.h"

static struct culprit_error error;

enum { CULPRIT = 6 };

#define HISTORY .commits = 9, .culprit = CULPRIT, .good_level = 100, .bad_level = 180, .noise = 4

struct course_of_things {
    const char *what;
    struct scripted_script script;
    const char *job; /* added to the document */
    const char *verdict, *kinds[2], *outcomes[2];
    bool more_changes;
    unsigned aligned, reverted; /* builds */
    const char *says;           /* in the text report */
};

static const struct course_of_things courses[] = {
    {"all holds",
     {HISTORY},
     "",
     "culprit",
     {"shift", "reverted"},
     {"held", "held"},
     .reverted = 1,
     .says = "at icount shift 0 instead of 1: medians 1"},
    {"it is taken back well",
     {HISTORY},
     "",
     "culprit",
     {"shift", "reverted"},
     {"held", "held"},
     .reverted = 1,
     .says = "bad against bad with the culprit taken back: medians 1"},
    {"gone at the second shift",
     {HISTORY, .gone_at_second_shift = true},
     "",
     "inconclusive",
     {"shift"},
     {"vanished"},
     .says = "belongs to the speed of the virtual CPU"},
    {"gone with aligned functions",
     {HISTORY, .engine = ENGINE_REALTIME, .gone_when_aligned = true},
     "",
     "inconclusive",
     {"aligned"},
     {"vanished"},
     .aligned = 2,
     .says = "belongs to the layout of the code"},
    {"there with aligned functions",
     {HISTORY, .engine = ENGINE_REALTIME},
     "",
     "culprit",
     {"aligned", "reverted"},
     {"held", "held"},
     .aligned = 2,
     .reverted = 1,
     .says = "with every function aligned to 64 bytes: medians 1"},
    {"no clean revert",
     {HISTORY, .revert_conflicts = true},
     "",
     "culprit",
     {"shift", "reverted"},
     {"held", "impossible"},
     .reverted = 1,
     .says = "later changes are in the way"},
    {"a revert without effect",
     {HISTORY, .revert_is_idle = true},
     "",
     "culprit",
     {"shift", "reverted"},
     {"held", "vanished"},
     .more_changes = true,
     .reverted = 1,
     .says = "does not make it better"},
    {"not asked for",
     {HISTORY},
     "confirm: {alignment: false, revert: false}\n",
     "culprit",
     {NULL},
     {NULL},
     .says = "the commit behind this"},
    {"only the revert",
     {HISTORY},
     "confirm: {alignment: false}\n",
     "culprit",
     {"reverted"},
     {"held"},
     .reverted = 1,
     .says = "taken back"},
    {"a budget for the one",
     {HISTORY},
     "budget: {trials: 44}\n",
     "culprit",
     {"shift", "reverted"},
     {"held", "no_budget"},
     .says = "too few builds or trials"},
};

static unsigned count_variant(struct stand *stand, int64_t job, const char *variant)
{
    json_t *builds = NULL, *build;
    unsigned count = 0;
    size_t i;

    assert_success(service_builds(stand->service, job, &builds, &error));
    json_array_foreach (builds, i, build) {
        const char *word = json_string_value(json_object_get(build, "variant"));
        count += word && strcmp(word, variant) == 0;
    }
    json_decref(builds);
    return count;
}

static void check_confirmations(struct stand *stand, int64_t job,
                                const struct course_of_things *expected)
{
    json_t *root = stand_job(stand, job);
    const json_t *result = json_object_get(root, "result");
    const json_t *list = json_object_get(result, "confirmations");
    _cleanup_free_ char *dump = json_dumps(list, JSON_INDENT(1));

    for (size_t i = 0; i < 2; i++) {
        const json_t *it = json_array_get(list, i);
        const char *kind = json_string_value(json_object_get(it, "kind"));
        const char *outcome = json_string_value(json_object_get(it, "outcome"));
        const char *wanted = expected->kinds[i];
        if (!wanted != !kind ||
            (wanted && (strcmp(kind, wanted) != 0 || strcmp(outcome, expected->outcomes[i]) != 0)))
            fail_msg("%s: the confirmations are %s", expected->what, dump);
    }
    if (json_is_true(json_object_get(result, "more_changes")) != expected->more_changes)
        fail_msg("%s: more changes, or none", expected->what);
    json_decref(root);
}

static void check_report(struct stand *stand, int64_t job, const struct course_of_things *expected)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(1024 * 1024), flat = BUFFER_INIT(1024 * 1024);

    assert_success(service_report(stand->service, job, REPORT_FORM_TEXT, &text, &error));
    for (const char *at = text.data; *at; at++) { /* as it was before lines were broken */
        bool space = *at == ' ' || *at == '\n';
        if (!space || (flat.length > 0 && flat.data[flat.length - 1] != ' '))
            buffer_append(&flat, space ? " " : at, 1);
    }
    if (!strstr(flat.data, expected->says))
        fail_msg("%s: no \"%s\" in %s", expected->what, expected->says, text.data);
}

static void check_end(struct stand *stand, int64_t job, const struct course_of_things *expected)
{
    char id[COMMIT_ID_SIZE];

    scripted_commit_id(CULPRIT, id);
    stand_expect(stand, job, "state", "done");
    stand_expect(stand, job, "verdict", expected->verdict);
    if (strcmp(expected->verdict, "culprit") == 0)
        stand_expect(stand, job, "result.culprit.id", id);
    check_confirmations(stand, job, expected);
    check_report(stand, job, expected);
    if (count_variant(stand, job, "aligned") != expected->aligned ||
        count_variant(stand, job, "reverted") != expected->reverted)
        fail_msg("%s: %u builds were aligned and %u reverted", expected->what,
                 count_variant(stand, job, "aligned"), count_variant(stand, job, "reverted"));
    assert_int_equal(scripted_work_counts(stand->work).repeated_seeds, 0);
}

static void verdicts_are_confirmed(void **state)
{
    for (size_t i = 0; i < sizeof courses / sizeof courses[0]; i++) {
        _cleanup_free_ char *directory = text_format("%s/%zu", (char *)*state, i);
        struct stand stand = {.directory = directory, .script = &courses[i].script};

        stand_up(&stand);
        int64_t job = stand_submit_bisect(&stand, courses[i].job);
        stand_finish(&stand, job);
        check_end(&stand, job, &courses[i]);
        stand_down(&stand);
        free(stand.mail.last);
    }
}

/* Killed and taken up again at every fact, it ends where it would have. */
static void confirmations_survive_restarts(void **state)
{
    for (size_t i = 0; i < sizeof courses / sizeof courses[0]; i += 2) {
        _cleanup_free_ char *directory = text_format("%s/%zu", (char *)*state, i);
        struct stand stand = {.directory = directory, .script = &courses[i].script};

        stand_up(&stand);
        int64_t job = stand_submit_bisect(&stand, courses[i].job);
        assert_true(stand_finish_restarting(&stand, job) > 20);
        check_end(&stand, job, &courses[i]);
        stand_down(&stand);
        free(stand.mail.last);
    }
}

/* A second shift that is not the first, seeds of its own, and a phase that says what goes on. */
static void says_what_it_does(void **state)
{
    struct stand stand = {.directory = *state, .script = &courses[0].script};
    json_t *events = NULL, *event;
    bool final, confirming = false, estimated = false;
    size_t i;

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "");
    stand_finish(&stand, job);
    assert_success(service_events(stand.service, job, 0, 0, &events, &final, &error));
    json_array_foreach (events, i, event) {
        const json_t *data = json_object_get(event, "data");
        const char *phase = json_string_value(json_object_get(data, "phase"));
        const json_t *left = json_object_get(data, "seconds_left");
        if (phase && strcmp(phase, "confirming") == 0) {
            confirming = true;
            estimated = estimated || json_integer_value(left) > 0;
        }
    }
    json_decref(events);
    assert_true(confirming);
    assert_true(estimated);
    stand_down(&stand);
    free(stand.mail.last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(verdicts_are_confirmed),
        scratch_test(confirmations_survive_restarts),
        scratch_test(says_what_it_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
