/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bisections in which some commits are known, rightly or wrongly, not to change the image. */
#include <stdio.h>
#include <string.h>

#include "stand.h"

static struct culprit_error error;

enum { COMMITS = 33 };

#define CANNOT_MATTER(commit_) [commit_] = RELEVANCE_NOT_COMPILED

/* Every fourth commit matters; 20, the culprit, among them. */
static const struct scripted_script history = {
    .commits = COMMITS,
    .culprit = 20,
    .good_level = 100,
    .bad_level = 180,
    .noise = 4,
    .same_image = {[1] = 1,  [2] = 1,  [3] = 1,  [5] = 1,  [6] = 1,  [7] = 1,  [9] = 1,  [10] = 1,
                   [11] = 1, [13] = 1, [14] = 1, [15] = 1, [17] = 1, [18] = 1, [19] = 1, [21] = 1,
                   [22] = 1, [23] = 1, [25] = 1, [26] = 1, [27] = 1, [29] = 1, [30] = 1, [31] = 1},
    .relevance = {[1] = RELEVANCE_DOCUMENTATION,
                  [2] = RELEVANCE_ARCHITECTURE,
                  CANNOT_MATTER(3),
                  CANNOT_MATTER(5),
                  CANNOT_MATTER(6),
                  CANNOT_MATTER(7),
                  CANNOT_MATTER(9),
                  CANNOT_MATTER(10),
                  CANNOT_MATTER(11),
                  CANNOT_MATTER(13),
                  CANNOT_MATTER(14),
                  CANNOT_MATTER(15),
                  CANNOT_MATTER(17),
                  CANNOT_MATTER(18),
                  CANNOT_MATTER(19),
                  CANNOT_MATTER(21),
                  CANNOT_MATTER(22),
                  CANNOT_MATTER(23),
                  CANNOT_MATTER(25),
                  CANNOT_MATTER(26),
                  CANNOT_MATTER(27),
                  CANNOT_MATTER(29),
                  CANNOT_MATTER(30),
                  CANNOT_MATTER(31)},
};

static void expect_culprit(struct stand *stand, int64_t job)
{
    char id[COMMIT_ID_SIZE];

    scripted_commit_id(stand->script->culprit, id);
    stand_expect(stand, job, "state", "done");
    stand_expect(stand, job, "verdict", "culprit");
    stand_expect(stand, job, "result.culprit.id", id);
}

static bool was_built(struct stand *stand, int64_t job, unsigned number)
{
    char id[COMMIT_ID_SIZE];
    json_t *builds = NULL, *build;
    size_t i;
    bool found = false;

    scripted_commit_id(number, id);
    assert_success(service_builds(stand->service, job, &builds, &error));
    json_array_foreach (builds, i, build)
        found = found || strcmp(json_string_value(json_object_get(build, "commit")), id) == 0;
    json_decref(builds);
    return found;
}

/* Of the commits between the ends; and the culprit's parent, which the proof is built for. */
static void expect_only_what_matters_built(struct stand *stand, int64_t job)
{
    for (unsigned c = 1; c + 1 < COMMITS; c++)
        if (history.relevance[c] != RELEVANCE_MATTERS && c != history.culprit - 1 &&
            was_built(stand, job, c))
            fail_msg("commit %u was built", c);
}

static void expect_in_report(struct stand *stand, int64_t job, const char *part)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(1024 * 1024);

    assert_success(service_report(stand->service, job, REPORT_FORM_TEXT, &text, &error));
    for (char *at = text.data; *at; at++) /* as if it were one line */
        *at = *at == '\n' ? ' ' : *at;
    for (char *at; (at = strstr(text.data, "   "));)
        memmove(at, at + 2, strlen(at + 2) + 1);
    assert_contains(text.data, part);
}

static void commits_that_cannot_matter_are_not_built(void **state)
{
    struct stand stand = {.directory = *state, .script = &history};

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "");
    stand_finish(&stand, job);
    expect_culprit(&stand, job);
    assert_int_equal(scripted_work_counts(stand.work).prunes, 1);
    expect_only_what_matters_built(&stand, job);
    /* The culprit's true parent is, so that the verdict rests on no inference. */
    assert_true(was_built(&stand, job, history.culprit - 1));
    assert_true(was_built(&stand, job, history.culprit));
    /* Both ends, three to tell eight apart, the parent, bad without the culprit. */
    assert_in_range(scripted_work_counts(stand.work).builds, 4, 7);
    expect_in_report(&stand, job,
                     "24 of 32 commits cannot change the image under this configuration "
                     "(1 documentation, 1 other");
    stand_down(&stand);
    free(stand.mail.last);
}

static void a_restart_changes_nothing(void **state)
{
    struct stand stand = {.directory = *state, .script = &history};

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "");
    stand_finish_restarting(&stand, job);
    expect_culprit(&stand, job);
    expect_only_what_matters_built(&stand, job);
    stand_down(&stand);
    free(stand.mail.last);
}

/* Wherever the culprit is, and although it is said not to matter: the images say otherwise, and the
 * verdict is right. */
static void a_wrong_inference_does_not_stand(void **state)
{
    static const unsigned culprits[] = {1, 2, 7, 9, 15, 16};

    for (size_t i = 0; i < sizeof culprits / sizeof culprits[0]; i++) {
        unsigned culprit = culprits[i];
        _cleanup_free_ char *directory = text_format("%s/%u", (char *)*state, culprit);
        struct scripted_script script = {
            .commits = 17, .culprit = culprit, .good_level = 100, .bad_level = 180, .noise = 4};
        struct stand stand = {.directory = directory, .script = &script};

        for (unsigned c = 1; c < 17; c++)
            script.relevance[c] = c % 3 == 1 || c == culprit ? RELEVANCE_NOT_COMPILED
                                                             : RELEVANCE_MATTERS;
        for (unsigned c = 1; c < 17; c++)
            script.same_image[c] = c % 3 == 1 && c != culprit;
        stand_up(&stand);
        int64_t job = stand_submit_bisect(&stand, "");
        stand_finish(&stand, job);
        expect_culprit(&stand, job);
        expect_in_report(&stand, job, "contradicts that, so that all were considered");
        stand_down(&stand);
        free(stand.mail.last);
    }
}

/* All of it is said to be without effect, but the ends differ. */
static void no_commit_left_is_a_contradiction(void **state)
{
    struct scripted_script script = {
        .commits = 9, .culprit = 5, .good_level = 100, .bad_level = 180, .noise = 4};
    struct stand stand = {.directory = *state, .script = &script};

    for (unsigned c = 1; c < 9; c++)
        script.relevance[c] = RELEVANCE_DOCUMENTATION;
    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "");
    stand_finish(&stand, job);
    expect_culprit(&stand, job);
    stand_down(&stand);
    free(stand.mail.last);
}

static void without_a_list_all_commits_matter(void **state)
{
    struct scripted_script script = history;
    struct stand stand = {.directory = *state, .script = &script};

    script.lists_no_inputs = true;
    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "");
    stand_finish(&stand, job);
    expect_culprit(&stand, job);
    assert_int_equal(scripted_work_counts(stand.work).prunes, 0);
    expect_in_report(&stand, job, "the build of good left no list of the files that it read");
    stand_down(&stand);
    free(stand.mail.last);
}

/* With no build left for the culprit's parent, the verdict says what it rests on. */
static void a_budget_ends_before_the_proof(void **state)
{
    struct stand stand = {.directory = *state, .script = &history};
    unsigned needed;

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "confirm: {revert: false}\n");
    stand_finish(&stand, job);
    needed = scripted_work_counts(stand.work).builds;
    stand_down(&stand);
    free(stand.mail.last);

    _cleanup_free_ char *directory = text_format("%s/again", (char *)*state);
    _cleanup_free_ char *budget = text_format("confirm: {revert: false}\nbudget: {builds: %u}\n",
                                              needed - 1);
    struct stand again = {.directory = directory, .script = &history};
    stand_up(&again);
    job = stand_submit_bisect(&again, budget);
    stand_finish(&again, job);
    expect_culprit(&again, job);
    assert_int_equal(scripted_work_counts(again.work).builds, needed - 1);
    expect_in_report(&again, job, "is known from the files that it changes alone");
    stand_down(&again);
    free(again.mail.last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(commits_that_cannot_matter_are_not_built),
        scratch_test(a_restart_changes_nothing),
        scratch_test(a_wrong_inference_does_not_stand),
        scratch_test(no_commit_left_is_a_contradiction),
        scratch_test(without_a_list_all_commits_matter),
        scratch_test(a_budget_ends_before_the_proof),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
