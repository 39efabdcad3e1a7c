/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole bisections through the scheduler, and what a restart does to them. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "stand.h"

static struct culprit_error error;

/* 16 commits, a culprit in the middle of broken neighbours. */
static const struct scripted_script history = {
    .commits = 17,
    .culprit = 11,
    .good_level = 100,
    .bad_level = 180,
    .noise = 4,
    .unbuildable = {[5] = true},
    .unbootable = {[8] = true},
    .same_image = {[3] = true, [13] = true},
};

static void expect_culprit(struct stand *stand, int64_t job)
{
    char id[COMMIT_ID_SIZE];

    scripted_commit_id(stand->script->culprit, id);
    stand_expect(stand, job, "state", "done");
    stand_expect(stand, job, "verdict", "culprit");
    stand_expect(stand, job, "result.culprit.id", id);
    stand_expect(stand, job, "progress.phase", "finished");
}

static void finds_the_culprit(void **state)
{
    struct stand stand = {.directory = *state, .script = &history};

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "");
    stand_finish(&stand, job);
    expect_culprit(&stand, job);

    struct scripted_counts counts = scripted_work_counts(stand.work);
    assert_int_equal(counts.resolves, 1);
    assert_int_equal(counts.describes, 1);
    assert_int_equal(counts.repeated_seeds, 0);
    assert_in_range(counts.trials_at_once, 1, 2);
    assert_int_equal(counts.builds_at_once, 1);
    assert_in_range(counts.builds, 2, 12);
    stand_down(&stand);
    free(stand.mail.last);
}

static void tells_all_of_it(void **state)
{
    struct stand stand = {.directory = *state, .script = &history};
    static const struct {
        enum report_form form;
        const char *part;
    } forms[] = {
        {REPORT_FORM_TEXT, "change number 11"},        {REPORT_FORM_JSON, "\"culprit\""},
        {REPORT_FORM_BISECT_LOG, "git bisect start"},  {REPORT_FORM_MAIL, "Message-ID:"},
        {REPORT_FORM_TEXT, "culprit submit --wait -"},
    };

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "");
    stand_finish(&stand, job);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        _cleanup_buffer_ struct buffer text = BUFFER_INIT(1024 * 1024);
        assert_success(service_report(stand.service, job, forms[i].form, &text, &error));
        assert_contains(text.data, forms[i].part);
    }
    stand_down(&stand);
    free(stand.mail.last);
}

/* A verdict must not hang on when the daemon was stopped. */
static void restarts_at_every_step(void **state)
{
    struct stand stand = {.directory = *state, .script = &history};

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "");
    unsigned restarts = stand_finish_restarting(&stand, job);
    expect_culprit(&stand, job);
    assert_true(restarts > 20);
    stand_down(&stand);
    free(stand.mail.last);
}

/* In a child: goes on with the job and says each fact on the pipe. */
static void play_daemon(const char *directory, int facts)
{
    struct stand stand = {.directory = directory, .script = &history, .without_mailer = true};

    stand_up(&stand);
    for (int64_t job = 1; !stand_step(&stand, job, 1);) {
        if (write(facts, "f", 1) != 1)
            abort();
    }
    if (write(facts, "d", 1) != 1)
        abort();
    pause();
}

/* True when the job was over. */
static bool run_and_kill(const char *directory, unsigned after)
{
    int pipe_ends[2], ended;
    char fact = 'f';

    assert_int_equal(pipe(pipe_ends), 0);
    pid_t child = fork();
    if (child == 0) {
        close(pipe_ends[0]);
        play_daemon(directory, pipe_ends[1]);
        _exit(0);
    }
    close(pipe_ends[1]);
    for (unsigned i = 0; i < after && fact != 'd'; i++) {
        if (read(pipe_ends[0], &fact, 1) != 1)
            fail_msg("the child died by itself");
    }
    kill(child, SIGKILL);
    waitpid(child, &ended, 0);
    close(pipe_ends[0]);
    return fact == 'd';
}

/* kill -9 at places that wander through the job: nothing is lost, nothing is there twice. */
static void survives_being_killed(void **state)
{
    struct stand stand = {.directory = *state, .script = &history, .without_mailer = true};
    _cleanup_free_ char *work = path_join(*state, "work");
    unsigned kills = 0;

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "");
    assert_int_equal(job, 1);
    stand_down(&stand);
    while (!run_and_kill(*state, 1 + kills % 4))
        assert_true(++kills < 300);
    assert_true(kills > 5);

    stand_up(&stand);
    expect_culprit(&stand, job);
    if (rmdir(work) < 0)
        fail_msg("directories of killed work are left in %s", work);
    stand_down(&stand);
}

static void says_that_there_is_no_regression(void **state)
{
    static const struct scripted_script flat = {
        .commits = 9, .good_level = 100, .bad_level = 100, .noise = 3};
    struct stand stand = {.directory = *state, .script = &flat};

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "");
    stand_finish(&stand, job);
    stand_expect(&stand, job, "state", "done");
    stand_expect(&stand, job, "verdict", "no_regression");
    stand_down(&stand);
    free(stand.mail.last);
}

/* The second job of the same history compiles nothing. */
static void builds_once_for_all_jobs(void **state)
{
    struct stand stand = {.directory = *state, .script = &history};

    stand_up(&stand);
    int64_t first = stand_submit_bisect(&stand, "");
    stand_finish(&stand, first);
    unsigned builds = scripted_work_counts(stand.work).builds;
    int64_t second = 0;
    assert_success(service_rerun(stand.service, first, &second, &error));
    assert_int_not_equal(first, second);
    stand_finish(&stand, second);
    expect_culprit(&stand, second);
    assert_int_equal(scripted_work_counts(stand.work).builds, builds);
    stand_down(&stand);
    free(stand.mail.last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(finds_the_culprit),
        scratch_test(tells_all_of_it),
        scratch_test(restarts_at_every_step),
        scratch_test(survives_being_killed),
        scratch_test(says_that_there_is_no_regression),
        scratch_test(builds_once_for_all_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
