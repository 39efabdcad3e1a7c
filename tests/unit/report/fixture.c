/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"

static const char bisect_document[] =
    "version: 1\n"
    "name: tail-latency\n"
    "kind: bisect\n"
    "source: {repository: linux, good: v5.4, bad: v5.5}\n"
    "kernel: {config: [guest-x86_64, sched]}\n"
    "guest: {topology: vm-40cpu-smt, engine: deterministic, memory: 2GiB}\n"
    "workloads:\n"
    "  - wakeup: {message_threads: 2, workers: 20, runtime: 12s, think: 100ms, sleep: 1ms}\n"
    "metric: {name: wakeup.latency.p99, better: lower, min_effect: 20%}\n"
    "confidence: 0.99\n"
    "budget: {builds: 8, trials: 40}\n";

static const char run_document[] = "version: 1\n"
                                   "name: one-kernel\n"
                                   "kind: run\n"
                                   "source: {repository: linux, commit: v5.5}\n"
                                   "guest: {topology: pair, engine: deterministic}\n"
                                   "workloads:\n"
                                   "  - wakeup: {runtime: 12s}\n";

static const double parent_p99[] = {2516, 7288, 12880, 8880, 6410};
static const double culprit_p99[] = {15792, 15984, 15984, 16240, 15904};
static const double parent_p50[] = {490, 494, 488, 491, 493};
static const double culprit_p50[] = {489, 492, 495, 490, 491};
static const double parent_failed[] = {0, 2, 0, 1, 0};
static const double culprit_failed[] = {91, 71, 67, 80, 77};
static const double parent_pulls[] = {310, 322, 301, 315, 309};
static const double culprit_pulls[] = {100, 96, 113, 104, 99};
static const double same[] = {0, 0, 0, 0, 0};

#define SAMPLES(array_)                                                \
    {                                                                  \
        .values = (array_), .count = sizeof(array_) / sizeof *(array_) \
    }

static const struct report_row rows[] = {
    {"wakeup.latency.p99", "us", BETTER_LOWER, false, {SAMPLES(parent_p99), SAMPLES(culprit_p99)}},
    {"wakeup.latency.p50", "us", BETTER_LOWER, false, {SAMPLES(parent_p50), SAMPLES(culprit_p50)}},
    {"schedstat.domain1.lb_failed_idle",
     "",
     BETTER_NEITHER,
     true,
     {SAMPLES(parent_failed), SAMPLES(culprit_failed)}},
    {"schedstat.domain1.lb_gained_idle",
     "",
     BETTER_NEITHER,
     true,
     {SAMPLES(parent_pulls), SAMPLES(culprit_pulls)}},
    {"vmstat.pgmajfault", "", BETTER_NEITHER, true, {SAMPLES(same), SAMPLES(same)}},
};

static const struct {
    const char *subject;
    enum bisect_label label;
    bool inferred;
    unsigned parents[2], parent_count;
} history[FIXTURE_COMMITS] = {
    {"Linux 5.4", LABEL_GOOD, false, {0}, 0},
    {"sched/topology: Say what a domain is", LABEL_GOOD, false, {0}, 1},
    {"mm: Count pages once", LABEL_SKIP, false, {1}, 1},
    {"Documentation: Fix a typo", LABEL_GOOD, true, {2}, 1},
    {"sched/fair: Clean up a comment", LABEL_GOOD, false, {3}, 1},
    {"sched/fair: Rework load_balance()", LABEL_BAD, false, {4}, 1},
    {"net: Drop an unused argument", LABEL_UNTESTED, false, {3}, 1},
    {"Merge branch 'sched-core'", LABEL_BAD, false, {6, 5}, 2},
    {"arm64: Rename a register", LABEL_BAD, true, {7}, 1},
    {"Linux 5.5", LABEL_BAD, false, {8}, 1},
};

static void decode(struct fixture *fixture, const char *document)
{
    struct culprit_error error = {0};

    if (job_decode(document, strlen(document), NULL, &fixture->job, &error) < 0)
        fail_msg("the fixture's job: line %u: %s", error.line, error.message);
    fixture->report.job = fixture->job;
}

static void make_commits(struct fixture *fixture)
{
    const char *tested = NULL;

    for (unsigned c = 0; c < FIXTURE_COMMITS; c++) {
        struct report_commit *commit = &fixture->commits[c];

        snprintf(commit->id, sizeof commit->id, "%x0695f2b34a4afa3f6e9aa1ff0e5336d8dad912", c);
        memset(commit->id + strlen(commit->id), '0', 40 - strlen(commit->id));
        commit->id[40] = '\0';
        commit->subject = history[c].subject;
        commit->author = "Vincent Guittot <vincent.guittot@linaro.org>";
        commit->author_time = 1571389200 + 3600 * c;
        commit->label = history[c].label;
        commit->inferred = history[c].inferred;
        commit->tested = commit->label != LABEL_UNTESTED && commit->label != LABEL_SKIP &&
                         !commit->inferred;
        commit->reason = commit->label == LABEL_SKIP
                             ? "cannot build 20695f2b34a4: mm/page_alloc.c:812: error: 'pages' "
                               "undeclared"
                             : NULL;
        commit->parents = history[c].parents;
        commit->parent_count = history[c].parent_count;
        if (commit->inferred)
            commit->same_image = tested;
        else if (commit->tested)
            tested = commit->id;
    }
    fixture->report.commits = fixture->commits;
    fixture->report.commit_count = FIXTURE_COMMITS;
}

static void add_trials(struct fixture *fixture, unsigned commit, enum trial_purpose purpose,
                       const double *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned number = (unsigned)fixture->report.trial_count++;
        struct report_trial *trial = &fixture->trials[number];

        *trial = (struct report_trial){
            .number = number + 1,
            .purpose = purpose,
            .seed = 1000 + number,
            .outcome = OUTCOME_OK,
            .message = "",
            .value = values[i],
            .digest = "5d41402abc4b2a76b9719d911017c592",
        };
        memcpy(trial->commit, fixture->commits[commit].id, sizeof trial->commit);
    }
    fixture->report.trials = fixture->trials;
}

static void make_environment(struct report *report, json_t **ret_topology)
{
    *ret_topology = json_pack(
        "{s:[{s:i,s:i,s:s},{s:i,s:i,s:s},{s:i,s:i,s:s},{s:i,s:i,s:s}],"
        "s:[{s:i,s:s,s:s},{s:i,s:s,s:s},{s:i,s:s,s:s},{s:i,s:s,s:s}],s:[{s:i,s:s}],"
        "s:[{s:i,s:s,s:s},{s:i,s:s,s:s},{s:i,s:s,s:s}]}",
        "cpus", "cpu", 0, "package", 0, "siblings", "0-1", "cpu", 1, "package", 0, "siblings",
        "0-1", "cpu", 2, "package", 0, "siblings", "2-3", "cpu", 3, "package", 0, "siblings", "2-3",
        "caches", "level", 1, "type", "Instruction", "shared", "0-1", "level", 2, "type", "Unified",
        "shared", "0-1", "level", 2, "type", "Unified", "shared", "2-3", "level", 3, "type",
        "Unified", "shared", "0-3", "nodes", "node", 0, "cpus", "0-3", "domains", "level", 0,
        "name", "SMT", "span", "0-1", "level", 0, "name", "SMT", "span", "2-3", "level", 1, "name",
        "MC", "span", "0-3");
    assert_non_null(*ret_topology);
    report->topology_seen = *ret_topology;
    report->engine = "deterministic";
    report->shift = 3;
    report->second_shift = 2;
    report->qemu_version = "10.0.2";
    report->compiler = "gcc (Debian 12.2.0-14) 12.2.0";
    report->kernel_release = "5.5.0";
    report->kernel_config_digest =
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    report->image_digest = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752";
    report->repeat_command = "culprit rerun --wait 12";
    report->host = "bench.example.org";
    report->created_ns = UINT64_C(1700000000000000000);
    report->finished_ns = UINT64_C(1700001234000000000);
    report->wall_ns = UINT64_C(1234000000000);
    report->build_ns = UINT64_C(400000000000);
    report->trial_ns = UINT64_C(1222000000000);
}

static const struct report_confirmation confirmations[] = {
    {CONFIRM_SHIFT,
     CONFIRMATION_HELD,
     {5, 4, 5, 5, 15090, 9940, 0, 0, 0.003968, 0.004, true},
     NULL},
    {CONFIRM_REVERTED,
     CONFIRMATION_IMPOSSIBLE,
     {0},
     "cannot build 90695f2b34a4: commit 50695f2b34a4 does not revert: later changes are in the way "
     "in kernel/sched/fair.c"},
};

void fixture_make(struct fixture *fixture)
{
    static const struct bisect_check endpoint = {9, 0, 5,        5,    15984, 7288,
                                                 0, 0, 0.003968, 0.01, true};
    struct report *report = &fixture->report;

    *fixture = (struct fixture){0};
    decode(fixture, bisect_document);
    make_commits(fixture);
    make_environment(report, &fixture->topology);
    add_trials(fixture, 0, PURPOSE_SEARCH, parent_p99, 3);
    add_trials(fixture, 9, PURPOSE_SEARCH, culprit_p99, 3);
    add_trials(fixture, 1, PURPOSE_SEARCH, parent_p99, 3);
    add_trials(fixture, 4, PURPOSE_VERIFY, parent_p99, 5);
    add_trials(fixture, 5, PURPOSE_VERIFY, culprit_p99, 5);
    fixture->checks[0] = (struct bisect_check){5, 4, 5, 5, 15984, 7288, 0, 0, 0.003968, 0.01, true};
    report->job_id = 12;
    report->state = "done";
    report->verdict = VERDICT_CULPRIT;
    report->reason = "";
    report->posterior = 0.9973;
    report->threshold = 15413;
    report->endpoint = endpoint;
    report->checks = fixture->checks;
    report->check_count = 1;
    report->confirmations = confirmations;
    report->confirmation_count = 2;
    report->culprit = 5;
    report->parent = 4;
    report->rows = rows;
    report->row_count = sizeof rows / sizeof *rows;
    report->builds_fresh = 7;
    report->builds_failed = 1;
    report->culprit_message = "sched/fair: Rework load_balance()\n\nThe load_balance() algorithm "
                              "contains some heuristics.\n";
    report->culprit_diffstat = " kernel/sched/fair.c | 585 ++++----\n 1 file changed\n";
}

void fixture_make_run(struct fixture *fixture)
{
    static struct report_row single[sizeof rows / sizeof *rows];
    struct report *report = &fixture->report;

    *fixture = (struct fixture){0};
    decode(fixture, run_document);
    make_commits(fixture);
    make_environment(report, &fixture->topology);
    add_trials(fixture, 0, PURPOSE_SEARCH, parent_p99, 5);
    fixture->report.commit_count = 1;
    fixture->commits[0].label = LABEL_UNTESTED;
    memcpy(single, rows, sizeof rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        single[i].sides[1] = (struct report_samples){0};
    report->job_id = 13;
    report->state = "done";
    report->reason = "5 trials were asked for and went well.";
    report->threshold = NAN;
    report->rows = single;
    report->row_count = sizeof rows / sizeof *rows;
    report->builds_reused = 1;
}

void fixture_clear(struct fixture *fixture)
{
    job_free(fixture->job);
    json_decref(fixture->topology);
}

static unsigned line_of(const char *text, size_t offset)
{
    unsigned line = 1;

    for (size_t i = 0; i < offset; i++)
        line += text[i] == '\n';
    return line;
}

void fixture_compare(const char *name, const char *text)
{
    char path[512];
    _cleanup_free_ char *want = NULL;
    struct culprit_error error = {0};
    size_t same_bytes = 0;

    snprintf(path, sizeof path, "%s/tests/unit/report/golden/%s", CULPRIT_SOURCE_DIR, name);
    if (getenv("CULPRIT_GOLDEN_WRITE")) {
        if (file_write_atomic(path, text, strlen(text), 0644, &error) < 0)
            fail_msg("%s", error.message);
        return;
    }
    if (file_read(path, 1024 * 1024, &want, NULL, &error) < 0)
        fail_msg("%s", error.message);
    while (text[same_bytes] && text[same_bytes] == want[same_bytes])
        same_bytes++;
    if (text[same_bytes] != want[same_bytes])
        fail_msg("%s differs from line %u on:\n got: %.160s\nwant: %.160s", name,
                 line_of(text, same_bytes), text + same_bytes, want + same_bytes);
}
