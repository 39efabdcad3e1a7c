/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What facts in a store call for, how far a job is by them, and the line that repeats it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sched/conclusion.h"
#include "sched/decide.h"
#include "sched/progress.h"
#include "scratch.h"

static struct culprit_error error;

#define SECOND 1000000000ull

/* A job in a store of its own. */
struct record {
    struct store *store;
    int64_t job;
    unsigned trials;
};

static void record_open(struct record *record, const char *directory, const char *document)
{
    const struct store_options options = {.directory = directory, .clock = &clock_system};
    CULPRIT_CLEANUP(job_free) struct job *job = NULL;
    _cleanup_free_ char *text = strdup(document);
    char kind[16];

    assert_success(store_open(&options, &record->store, &error));
    assert_success(job_decode(document, strlen(document), NULL, &job, &error));
    snprintf(kind, sizeof kind, "%s", job_kind_name(job->kind));
    const struct stored_job draft = {
        .name = job->name, .kind = kind, .document = text, .normalised = text};
    assert_success(store_job_add(record->store, &draft, &record->job, &error));
    assert_success(store_job_set_state(record->store, record->job, JOB_RUNNING, "", &error));
    assert_success(
        store_job_set_engine(record->store, record->job, ENGINE_DETERMINISTIC, 1, 2, &error));
}

static void add_commits(struct record *record, unsigned count)
{
    struct stored_commit items[8] = {0};
    unsigned parents[8];
    char subject[] = "it's a change", author[] = "A <a@example.org>";
    const struct stored_commits commits = {.items = items, .count = count};

    for (unsigned i = 0; i < count; i++) {
        parents[i] = i - 1;
        items[i] = (struct stored_commit){.number = i,
                                          .subject = subject,
                                          .author = author,
                                          .parents = &parents[i],
                                          .parent_count = i ? 1 : 0};
        snprintf(items[i].id, sizeof items[i].id, "%040u", i + 1);
    }
    assert_success(store_commits_put(record->store, record->job, &commits, &error));
}

static void add_build(struct record *record, unsigned commit, unsigned attempt,
                      enum outcome outcome, uint64_t seconds)
{
    char message[] = "fair.c:1: error";
    struct stored_build build = {
        .outcome = outcome, .message = message, .wall_ns = seconds * SECOND};
    int64_t id = 0;

    snprintf(build.recipe, sizeof build.recipe, "%u", commit);
    snprintf(build.image, sizeof build.image, "image-%u", commit);
    assert_success(store_build_add(record->store, &build, &id, &error));
    assert_success(
        store_build_use(record->store, record->job, commit, "", attempt, id, true, &error));
}

static void add_trial(struct record *record, unsigned index, unsigned attempt, enum outcome outcome,
                      uint64_t seconds)
{
    char purpose[] = "search", message[] = "because", name[] = "exec.duration", unit[] = "s",
         better[] = "lower";
    const struct stored_sample sample = {.name = name, .unit = unit, .better = better, .value = 1};
    const struct stored_trial trial = {.purpose = purpose,
                                       .index = index,
                                       .attempt = attempt,
                                       .build = 1,
                                       .outcome = outcome,
                                       .message = message,
                                       .wall_ns = seconds * SECOND};

    assert_success(store_trial_add(record->store, record->job, &trial, &sample,
                                   outcome == OUTCOME_OK, &record->trials, &error));
}

static const char run[] =
    "{version: 1, name: r, kind: run, source: {repository: h, commit: v1},"
    " guest: {topology: pair}, workloads: [{exec: {command: \"echo 'a b'\"}}],"
    " metric: {name: exec.duration}, trials: 4, budget: {time: 1h}}";

/* A run by its facts: each line adds one more. */
static void runs_are_decided(void **state)
{
    static const struct {
        const char
            *facts; /* b ok build, B broken, I infra; t ok trial, T infra (same index), x boot */
        enum decision_kind kind;
        size_t wants;
        const char *part; /* of message or reason */
    } cases[] = {
        {"", DECISION_WORK, 1, ""},
        {"I", DECISION_WORK, 1, ""},
        {"III", DECISION_FAILURE, 0, "3 attempts"},
        {"IIb", DECISION_WORK, 4, ""},
        {"B", DECISION_FAILURE, 0, "fair.c:1"},
        {"b", DECISION_WORK, 4, ""},
        {"bt", DECISION_WORK, 3, ""},
        {"bT", DECISION_WORK, 4, ""},
        {"bTTT", DECISION_FAILURE, 0, "three times"},
        {"bTTtttt", DECISION_VERDICT, 0, "4 of 4"},
        {"bx", DECISION_WORK, 3, ""},
        {"bxx", DECISION_FAILURE, 0, "does not boot"},
        {"bxttt", DECISION_VERDICT, 0, "3 of 4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        _cleanup_free_ char *directory = text_format("%s/%zu", (char *)*state, i);
        CULPRIT_CLEANUP(dossier_clear) struct dossier dossier = {0};
        CULPRIT_CLEANUP(decision_clear) struct decision decision = {0};
        struct record record = {0};
        unsigned builds = 0, index = 0, attempt = 0;

        record_open(&record, directory, run);
        add_commits(&record, 1);
        for (const char *fact = cases[i].facts; *fact; fact++) {
            if (strchr("bBI", *fact))
                add_build(&record, 0, builds++,
                          *fact == 'b'   ? OUTCOME_OK
                          : *fact == 'B' ? OUTCOME_BUILD_FAILED
                                         : OUTCOME_INFRA_FAILED,
                          60);
            else if (*fact == 'T')
                add_trial(&record, index, attempt++, OUTCOME_INFRA_FAILED, 5);
            else {
                add_trial(&record, index++, attempt,
                          *fact == 't' ? OUTCOME_OK : OUTCOME_BOOT_FAILED, 5);
                attempt = 0;
            }
        }
        assert_success(dossier_load(record.store, record.job, &dossier, &error));
        assert_success(decide(&dossier, dossier.record.started_ns + SECOND, &decision, &error));
        const char *text = decision.kind == DECISION_FAILURE ? decision.message
                                                             : decision.step.reason;
        if (decision.kind != cases[i].kind || decision.step.want_count != cases[i].wants ||
            !strstr(text, cases[i].part))
            fail_msg("facts \"%s\": decision %d with %zu wants: %s", cases[i].facts, decision.kind,
                     decision.step.want_count, text);
        store_close(record.store);
    }
}

static void time_ends_a_run(void **state)
{
    CULPRIT_CLEANUP(dossier_clear) struct dossier dossier = {0};
    CULPRIT_CLEANUP(decision_clear) struct decision decision = {0};
    struct record record = {0};

    record_open(&record, *state, run);
    add_commits(&record, 1);
    add_build(&record, 0, 0, OUTCOME_OK, 60);
    add_trial(&record, 0, 0, OUTCOME_OK, 5);
    assert_success(dossier_load(record.store, record.job, &dossier, &error));
    assert_int_equal(dossier_deadline(&dossier), dossier.record.started_ns + 3600 * SECOND);
    assert_success(decide(&dossier, dossier_deadline(&dossier), &decision, &error));
    assert_int_equal(decision.kind, DECISION_VERDICT);
    assert_contains(decision.step.reason, "time budget");
    store_close(record.store);
}

/* Two side by side; what runs has a part of its time behind it. */
static void the_time_left_is_estimated(void **state)
{
    CULPRIT_CLEANUP(dossier_clear) struct dossier dossier = {0};
    CULPRIT_CLEANUP(decision_clear) struct decision decision = {0};
    struct progress_flight flight = {.build_slots = 1, .guest_slots = 2};
    struct record record = {0};

    record_open(&record, *state, run);
    add_commits(&record, 1);
    add_build(&record, 0, 0, OUTCOME_OK, 300);
    assert_success(dossier_load(record.store, record.job, &dossier, &error));
    assert_success(decide(&dossier, dossier.record.started_ns, &decision, &error));
    assert_int_equal(progress_time_left(&dossier, &decision, &flight), 0); /* no trial yet */
    dossier_clear(&dossier);
    decision_clear(&decision);

    add_trial(&record, 0, 0, OUTCOME_OK, 40);
    assert_success(dossier_load(record.store, record.job, &dossier, &error));
    assert_success(decide(&dossier, dossier.record.started_ns, &decision, &error));
    assert_int_equal(progress_time_left(&dossier, &decision, &flight), 80 * SECOND);
    flight.trials = 2;
    flight.trial_ns = 60 * SECOND; /* 30 each */
    assert_int_equal(progress_time_left(&dossier, &decision, &flight), 50 * SECOND);
    store_close(record.store);
}

static const char bisect[] =
    "{version: 1, name: b, kind: bisect, source: {repository: h, good: v1, bad: v2},"
    " guest: {topology: pair}, workloads: [{exec: {command: \"echo 'a b'\"}}],"
    " metric: {name: exec.duration, min_effect: 5%}, notify: {mail: [a@example.org]}}";

/* The planner is told what the job's own builds and trials took; nothing while there were none. */
static void the_planner_knows_the_costs(void **state)
{
    static const struct {
        unsigned build, trial; /* seconds; 0: none is there */
        double build_seconds, trial_seconds;
    } steps[] = {
        {0, 0, 0, 0},      {300, 0, 256, 0}, /* the first one compiles everything */
        {11, 25, 8, 32},                     /* those after it do not */
        {14, 20, 16, 16},                    /* medians of 12.5 and 22.5 */
        {900, 21, 16, 16},                   /* one that is late is an exception */
    };
    struct record record = {0};

    record_open(&record, *state, bisect);
    add_commits(&record, 6);
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        CULPRIT_CLEANUP(dossier_clear) struct dossier dossier = {0};
        struct bisect_problem problem;

        if (steps[i].build)
            add_build(&record, i, 0, OUTCOME_OK, steps[i].build);
        if (steps[i].trial)
            add_trial(&record, i, 0, OUTCOME_OK, steps[i].trial);
        assert_success(dossier_load(record.store, record.job, &dossier, &error));
        dossier_problem(&dossier, &problem);
        if (problem.build_seconds != steps[i].build_seconds ||
            problem.trial_seconds != steps[i].trial_seconds)
            fail_msg("step %u: a build of %g s and a trial of %g s, not %g and %g", i,
                     problem.build_seconds, problem.trial_seconds, steps[i].build_seconds,
                     steps[i].trial_seconds);
    }
    store_close(record.store);
}

/* What a shell makes of the line is a good document about parent and culprit. */
static void the_line_repeats_the_verdict(void **state)
{
    CULPRIT_CLEANUP(dossier_clear) struct dossier dossier = {0};
    CULPRIT_CLEANUP(job_free) struct job *job = NULL;
    struct bisect_step step = {.verdict = VERDICT_CULPRIT, .culprit = 2};
    struct record record = {0};
    char document[8192];

    record_open(&record, *state, bisect);
    add_commits(&record, 4);
    assert_success(dossier_load(record.store, record.job, &dossier, &error));
    _cleanup_free_ char *line = conclusion_repeat(&dossier, &step);
    assert_null(strchr(line, '\n'));
    _cleanup_free_ char *script = text_format(
        "culprit() { test \"$*\" = 'submit --wait -' && cat; }\n%s", line);
    FILE *shell = popen(script, "r");
    assert_non_null(shell);
    size_t length = fread(document, 1, sizeof document, shell);
    assert_int_equal(pclose(shell), 0);
    assert_success(job_decode(document, length, NULL, &job, &error));
    assert_string_equal(job->source.good, dossier.commits.items[1].id);
    assert_string_equal(job->source.bad, dossier.commits.items[2].id);
    assert_int_equal(job->guest.engine, ENGINE_DETERMINISTIC);
    assert_int_equal(job->mail.count, 0);
    assert_string_equal(job->workloads[0].options[0].schema->name,
                        dossier.job->workloads[0].options[0].schema->name);
    assert_string_equal(job->workloads[0].options[0].value,
                        dossier.job->workloads[0].options[0].value);
    store_close(record.store);
}

/* What the store keeps of a verdict gives the same step again. */
static void conclusions_are_read_back(void **state)
{
    CULPRIT_CLEANUP(dossier_clear) struct dossier dossier = {0};
    CULPRIT_CLEANUP(decision_clear)
    struct decision decision = {
        .kind = DECISION_VERDICT,
        .verdict = "culprit",
        .step = {.verdict = VERDICT_CULPRIT,
                 .culprit = 2,
                 .posterior = 0.125,
                 .threshold = (double)NAN,
                 .suspect_count = 2,
                 .check_count = 1,
                 .checks = {{.worse = 2, .base = 1, .worse_count = 5, .base_count = 6, .p = 0.004}},
                 .more_changes = true,
                 .reason = "#2 is worse than #1."},
    };
    CULPRIT_CLEANUP(decision_clear) struct decision read = {0};
    const struct conclusion_commit commit = {.message = "m"};
    struct record record = {0};

    decision.step.suspects = calloc(2, sizeof(unsigned));
    decision.step.suspects[0] = 1;
    decision.step.suspects[1] = 3;
    record_open(&record, *state, bisect);
    add_commits(&record, 4);
    assert_success(dossier_load(record.store, record.job, &dossier, &error));
    json_t *json = conclusion_json(&dossier, &decision, &commit);
    assert_non_null(json);
    assert_contains(json_string_value(json_object_get(json, "reason")),
                    "000000000000 (\"it's a change\") is worse");
    assert_success(conclusion_step(&dossier, json, &read.step, &error));
    assert_int_equal(read.step.verdict, VERDICT_CULPRIT);
    assert_int_equal(read.step.culprit, 2);
    assert_true(read.step.posterior == 0.125);
    assert_true(isnan(read.step.threshold));
    assert_int_equal(read.step.suspect_count, 2);
    assert_int_equal(read.step.suspects[1], 3);
    assert_int_equal(read.step.check_count, 1);
    assert_int_equal(read.step.checks[0].base_count, 6);
    assert_true(read.step.checks[0].p == 0.004);
    assert_true(read.step.more_changes);
    assert_string_equal(read.step.reason, decision.step.reason);
    json_object_set_new(json, "suspects", json_pack("[s]", "no such commit"));
    bisect_step_clear(&read.step);
    assert_failure(conclusion_step(&dossier, json, &read.step, &error), CULPRIT_INTERNAL);
    json_decref(json);
    store_close(record.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(runs_are_decided),           scratch_test(time_ends_a_run),
        scratch_test(the_time_left_is_estimated), scratch_test(the_line_repeats_the_verdict),
        scratch_test(conclusions_are_read_back),  scratch_test(the_planner_knows_the_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
