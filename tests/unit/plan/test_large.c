/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A whole kernel release: one step of the planner stays below a second and 200 MB. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/random.h"
#include "plan/bisect.h"

enum { COMMITS = 20000, TESTED = 24, TRIALS_EACH = 12, BRANCHES = 40 };

struct release {
    unsigned parents[COMMITS][2];
    struct bisect_commit commits[COMMITS];
    struct bisect_build builds[COMMITS];
    struct bisect_trial trials[TESTED * TRIALS_EACH];
    size_t trial_count;
};

/* Forty trees that grow side by side; now and then one is merged into the first, or the first into
 * one of them, as subsystem trees do. */
static void draw_graph(struct release *release, struct random *random)
{
    unsigned tips[BRANCHES] = {0};

    for (unsigned c = 1; c < COMMITS; c++) {
        unsigned tree = (unsigned)random_below(random, BRANCHES);
        unsigned other = (unsigned)random_below(random, BRANCHES);
        bool merges = random_below(random, 12) == 0 && tips[tree] != tips[tree == 0 ? other : 0];

        release->parents[c][0] = tips[tree];
        release->parents[c][1] = tips[tree == 0 ? other : 0];
        release->commits[c] = (struct bisect_commit){release->parents[c], merges ? 2 : 1};
        tips[tree] = c;
    }
    release->parents[COMMITS - 1][0] = tips[0]; /* the release is in the first tree */
    release->commits[COMMITS - 1].parent_count = 1;
}

/* The ends, and commits all over the range, the later half of them bad. */
static void measure(struct release *release, struct random *random)
{
    for (unsigned i = 0; i < TESTED; i++) {
        unsigned commit = (unsigned)((uint64_t)(COMMITS - 1) * i / (TESTED - 1));

        release->builds[commit] = (struct bisect_build){.state = BUILD_OK, .image = commit};
        for (unsigned t = 0; t < TRIALS_EACH; t++)
            release->trials[release->trial_count++] = (struct bisect_trial){
                .commit = commit,
                .index = t,
                .value = random_normal(random) + (i + 1 == TESTED ? 3 : 0),
            };
    }
}

static double cpu_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double peak_megabytes(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void test_step_of_a_release(void **state)
{
    _cleanup_free_ struct release *release = calloc(1, sizeof *release);
    struct bisect_problem problem = {
        .count = COMMITS, .lower_is_better = true, .confidence = 0.99, .trials_per_commit = 5};
    struct bisect_facts facts;
    struct bisect_step step;
    struct culprit_error error = {0};
    struct random random;
    double began, took;

    (void)state;
    assert_non_null(release);
    random_seed(&random, 6);
    draw_graph(release, &random);
    measure(release, &random);
    problem.commits = release->commits;
    facts = (struct bisect_facts){release->builds, release->trials, release->trial_count};
    began = cpu_seconds();
    if (bisect_plan(&problem, &facts, &step, &error) < 0)
        fail_msg("%s", error.message);
    took = cpu_seconds() - began;
    print_message("%d commits, %d of them tested: %.0f ms, at most %.0f MB in all\n", COMMITS,
                  TESTED, 1000 * took, peak_megabytes());
    assert_int_equal(step.verdict, VERDICT_NONE);
    assert_true(step.want_count > 0);
    bisect_step_clear(&step);
    assert_true(took < 1);
    assert_true(peak_megabytes() < 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_step_of_a_release)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
