/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the planner wants and says, step by step, on histories drawn by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "world.h"

#define COUNT(array_) (sizeof(array_) / sizeof *(array_))

/* A chain of `commits` without noise, with the culprit where the test wants it. */
static void chain(struct world *world, unsigned commits, unsigned culprit)
{
    struct world_options options = {.commits = commits, .noise = NOISE_NONE};

    world_draw(world, &options, 1);
    world->culprit = culprit;
    for (unsigned c = culprit; culprit > 0 && c < commits; c++)
        world->bad[c] = true;
}

static void set_parents(struct world *world, unsigned commit, unsigned first, unsigned second)
{
    world->parents[commit][0] = first;
    world->parents[commit][1] = second;
    world->commits[commit].parent_count = first == second ? 1 : 2;
}

static void plan(const struct world *world, struct bisect_step *step)
{
    struct culprit_error error = {0};
    int r = bisect_plan(&world->problem, &world->facts, step, &error);

    if (r < 0)
        fail_msg("planning failed with %d: %s", r, error.message);
}

/* Does all that is wanted, in order, until a verdict or until something is wanted of which `stop`
 * says so (NULL: never). */
static void advance(struct world *world, struct bisect_step *step,
                    bool (*stop)(const struct bisect_want *))
{
    for (unsigned round = 0;; round++) {
        plan(world, step);
        if (step->verdict != VERDICT_NONE)
            return;
        if (round > 300 || step->want_count == 0)
            fail_msg("round %u: %zu wants, no verdict", round, step->want_count);
        for (size_t i = 0; i < step->want_count; i++)
            if (stop && stop(&step->wants[i]))
                return;
        for (size_t i = 0; i < step->want_count; i++)
            world_do(world, &step->wants[i]);
        bisect_step_clear(step);
    }
}

static bool is_verification(const struct bisect_want *want)
{
    return want->kind == WANT_TRIAL && want->purpose == PURPOSE_VERIFY;
}

static void expect_verdict(const struct bisect_step *step, enum bisect_verdict_kind verdict,
                           const char *word)
{
    if (step->verdict != verdict)
        fail_msg("verdict %d, want %d: %s", step->verdict, verdict, step->reason);
    if (!strstr(step->reason, word))
        fail_msg("\"%s\" is not in: %s", word, step->reason);
}

static void add_trial(struct world *world, unsigned commit, enum trial_purpose purpose,
                      unsigned index, enum outcome outcome, double value)
{
    world->trials[world->facts.trial_count++] = (struct bisect_trial){
        .commit = commit,
        .purpose = purpose,
        .index = index,
        .outcome = outcome,
        .value = value,
    };
}

static void test_ends_first(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 9, 5);
    plan(&world, &step);
    assert_int_equal(step.want_count, 2);
    assert_int_equal(step.wants[0].kind, WANT_BUILD);
    assert_int_equal(step.wants[0].commit, 0);
    assert_int_equal(step.wants[1].kind, WANT_BUILD);
    assert_int_equal(step.wants[1].commit, 8);
    assert_true(isnan(step.threshold));
    assert_true(step.expected_builds >= 4 && step.expected_trials >= 10);
    world_do(&world, &step.wants[0]);
    bisect_step_clear(&step);
    plan(&world, &step);
    assert_int_equal(step.want_count, 1); /* bad may yet fail to build: no trials before */
    world_do(&world, &step.wants[0]);
    bisect_step_clear(&step);
    plan(&world, &step);
    assert_int_equal(step.want_count, 10);
    for (unsigned i = 0; i < 10; i++) { /* in turn, so that a drift hits both */
        assert_int_equal(step.wants[i].kind, WANT_TRIAL);
        assert_int_equal(step.wants[i].commit, i % 2 ? 8 : 0);
        assert_int_equal(step.wants[i].index, i / 2);
    }
    bisect_step_clear(&step);
}

static bool is_trial_inside(const struct bisect_want *want)
{
    return want->kind == WANT_TRIAL && want->purpose == PURPOSE_SEARCH && want->commit != 0 &&
           want->commit != 8;
}

/* Three of five at once; then as many as are certain to be needed, whatever the rest says. */
static void test_trials_until_the_median_is_decided(void **state)
{
    static const struct {
        const char *votes; /* of the midpoint's trials so far: g, b, in order of index */
        size_t wanted;
        unsigned first_index;
    } cases[] = {
        {"", 3, 0},    {"b", 2, 1},   {"bb", 1, 2},   {"bg", 2, 2},
        {"bbg", 1, 3}, {"ggb", 1, 3}, {"bgbg", 1, 4},
    };
    static struct world world;
    struct bisect_step step;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        unsigned middle;

        chain(&world, 9, 5);
        advance(&world, &step, is_trial_inside);
        middle = step.wants[0].commit;
        bisect_step_clear(&step);
        for (unsigned t = 0; cases[i].votes[t]; t++)
            add_trial(&world, middle, PURPOSE_SEARCH, t, OUTCOME_OK,
                      cases[i].votes[t] == 'b' ? 200 : 100);
        plan(&world, &step);
        if (step.want_count != cases[i].wanted || step.wants[0].index != cases[i].first_index ||
            step.wants[0].commit != middle)
            fail_msg("after \"%s\": %zu wanted from index %u of commit %u", cases[i].votes,
                     step.want_count, step.wants[0].index, step.wants[0].commit);
        bisect_step_clear(&step);
    }
}

/* Invariant 4 of the planner: without noise, n commits take at most ⌈log₂ n⌉ + 2 builds. */
static void test_builds_on_a_chain(void **state)
{
    static const unsigned sizes[] = {2, 3, 4, 5, 9, 17, 33, 34, 100};
    static struct world world;
    struct bisect_step step;

    (void)state;
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (unsigned culprit = 1; culprit < sizes[s]; culprit++) {
            chain(&world, sizes[s], culprit);
            advance(&world, &step, NULL);
            if (step.verdict != VERDICT_CULPRIT || step.culprit != culprit)
                fail_msg("%u commits, culprit %u: verdict %d on %u: %s", sizes[s], culprit,
                         step.verdict, step.culprit, step.reason);
            if (world.build_count > ceil(log2(sizes[s] - 1)) + 2)
                fail_msg("%u commits, culprit %u: %u builds", sizes[s], culprit, world.build_count);
            assert_int_equal(step.check_count, 1);
            assert_int_equal(step.checks[0].base, culprit - 1);
            assert_true(step.checks[0].passed && step.checks[0].p <= 0.01);
            if (step.posterior < 0.99)
                fail_msg("%u commits, culprit %u: posterior %g", sizes[s], culprit, step.posterior);
            assert_false(step.more_changes);
            bisect_step_clear(&step);
        }
}

static void test_equal_images(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 9, 0);
    world.image[8] = world.image[0];
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_NO_REGRESSION, "same kernel image");
    assert_int_equal(world.facts.trial_count, 0);
    bisect_step_clear(&step);
}

/* Commits that share an image with a tested one get its label for the price of a build. */
static void test_label_by_image(void **state)
{
    static struct world world;
    struct bisect_step step;
    enum bisect_label labels[9];
    bool inferred[9];

    (void)state;
    chain(&world, 9, 7);
    for (unsigned c = 1; c < 7; c++)
        world.image[c] = world.image[0];
    world.image[8] = world.image[7];
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_CULPRIT, "");
    assert_int_equal(step.culprit, 7);
    assert_int_equal(world.trial_count[PURPOSE_SEARCH], 10); /* none but of the ends */
    bisect_step_clear(&step);
    assert_int_equal(bisect_labels(&world.problem, &world.facts, labels, inferred, NULL), 0);
    assert_int_equal(labels[0], LABEL_GOOD);
    assert_int_equal(labels[8], LABEL_BAD);
    assert_false(inferred[0] || inferred[8]);
    assert_int_equal(labels[7], LABEL_BAD);
    assert_true(inferred[7]);
    for (unsigned c = 1; c < 7; c++)
        if (labels[c] != LABEL_UNTESTED && (labels[c] != LABEL_GOOD || !inferred[c]))
            fail_msg("commit %u: label %d, inferred %d", c, labels[c], inferred[c]);
}

/*        1---3
 *       /     \          4 merges; it is 3's change that is bad, or the merge itself.
 *   0--+       4---5
 *       \     /
 *        2---'
 */
static void diamond(struct world *world, unsigned culprit)
{
    chain(world, 6, 0);
    set_parents(world, 1, 0, 0);
    set_parents(world, 2, 0, 0);
    set_parents(world, 3, 1, 1);
    set_parents(world, 4, 3, 2);
    set_parents(world, 5, 4, 4);
    world->culprit = culprit;
    world->bad[5] = true;
    world->bad[4] = culprit <= 4;
    world->bad[3] = culprit == 3 || culprit == 1;
    world->bad[2] = culprit == 2;
    world->bad[1] = culprit == 1;
}

static void test_side_branch(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    for (unsigned culprit = 1; culprit < 6; culprit++) {
        diamond(&world, culprit);
        advance(&world, &step, NULL);
        expect_verdict(&step, VERDICT_CULPRIT, "");
        assert_int_equal(step.culprit, culprit);
        bisect_step_clear(&step);
    }
}

/* A merge is guilty only if it is worse than each of its parents. */
static void test_merge_is_verified_against_each_parent(void **state)
{
    static struct world world;
    struct bisect_step step;
    unsigned wanted[6] = {0};

    (void)state;
    diamond(&world, 4);
    advance(&world, &step, is_verification);
    for (size_t i = 0; i < step.want_count; i++)
        wanted[step.wants[i].commit]++;
    assert_int_equal(step.want_count, 15);
    assert_true(wanted[4] == 5 && wanted[3] == 5 && wanted[2] == 5);
    bisect_step_clear(&step);
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_CULPRIT, "");
    assert_int_equal(step.check_count, 2);
    bisect_step_clear(&step);
}

static void test_broken_commits_are_never_asked_again(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 17, 11);
    world.broken[8] = true;
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_CULPRIT, "");
    assert_int_equal(step.culprit, 11);
    for (size_t i = 0; i < world.facts.trial_count; i++)
        assert_int_not_equal(world.trials[i].commit, 8);
    bisect_step_clear(&step);
}

static void test_suspects_behind_broken_commits(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 17, 11);
    world.broken[9] = world.broken[10] = true;
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_INCONCLUSIVE, "one of 3 commits that cannot be told apart");
    assert_int_equal(step.suspect_count, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(step.suspects[i], 9 + i);
    assert_int_equal(step.check_count, 1); /* and that was verified: 11 against 8 */
    assert_int_equal(step.checks[0].worse, 11);
    assert_int_equal(step.checks[0].base, 8);
    bisect_step_clear(&step);
}

static void test_ends_that_do_not_build(void **state)
{
    static const unsigned ends[] = {0, 8};
    static struct world world;
    struct bisect_step step;

    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++) {
        chain(&world, 9, 5);
        world.broken[ends[i]] = true;
        advance(&world, &step, NULL);
        expect_verdict(&step, VERDICT_INCONCLUSIVE, "does not build");
        bisect_step_clear(&step);
    }
}

/* A failed trial costs its index; two of them, and the commit counts as broken. */
static void test_commit_whose_trials_fail(void **state)
{
    static struct world world;
    struct bisect_step step;
    unsigned middle;

    (void)state;
    chain(&world, 9, 5);
    advance(&world, &step, is_trial_inside);
    middle = step.wants[0].commit;
    bisect_step_clear(&step);
    add_trial(&world, middle, PURPOSE_SEARCH, 0, OUTCOME_BOOT_FAILED, 0);
    plan(&world, &step);
    assert_int_equal(step.want_count, 3);
    assert_int_equal(step.wants[0].index, 1);
    bisect_step_clear(&step);
    add_trial(&world, middle, PURPOSE_SEARCH, 1, OUTCOME_KERNEL_CRASHED, 0);
    plan(&world, &step);
    assert_int_not_equal(step.wants[0].commit, middle);
    bisect_step_clear(&step);
    advance(&world, &step, NULL);
    assert_int_equal(step.verdict, middle == 4 ? VERDICT_INCONCLUSIVE : VERDICT_CULPRIT);
    assert_true(world_is_suspect(&step, 5));
    bisect_step_clear(&step);
}

static void test_infrastructure_failures_decide_nothing(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 9, 5);
    advance(&world, &step, is_trial_inside);
    for (int attempt = 0; attempt < 2; attempt++) {
        unsigned commit = step.wants[0].commit;

        add_trial(&world, commit, PURPOSE_SEARCH, 0, OUTCOME_INFRA_FAILED, 0);
        add_trial(&world, commit, PURPOSE_SEARCH, 0, OUTCOME_CANCELLED, 0);
        bisect_step_clear(&step);
        plan(&world, &step);
        assert_int_equal(step.wants[0].commit, commit);
        assert_int_equal(step.wants[0].index, 0); /* the same again */
    }
    add_trial(&world, step.wants[0].commit, PURPOSE_SEARCH, 0, OUTCOME_INFRA_FAILED, 0);
    bisect_step_clear(&step);
    plan(&world, &step);
    expect_verdict(&step, VERDICT_INCONCLUSIVE, "failed three times");
    bisect_step_clear(&step);
}

static void test_merge_base_as_bad(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 9, 0);
    world.problem.good_is_merge_base = true;
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_MERGE_BASE_BAD, "merge base #0");
    bisect_step_clear(&step);
}

static void test_effect_below_what_counts(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 9, 5);
    world.problem.min_effect = 1.5; /* it is 1.0 of good's median */
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_NO_REGRESSION, "less than the job's min_effect");
    bisect_step_clear(&step);
    chain(&world, 9, 5);
    world.problem.min_effect = 101;
    world.problem.min_effect_relative = false;
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_NO_REGRESSION, "less than the job's min_effect");
    bisect_step_clear(&step);
}

static void test_improvement_is_no_regression(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 9, 5);
    world.problem.lower_is_better = false;
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_NO_REGRESSION, "no sign of a regression");
    assert_int_equal(world.facts.trial_count, 10); /* no second look at what is not there */
    bisect_step_clear(&step);
}

static void test_budgets(void **state)
{
    static const struct {
        unsigned builds, trials;
        enum bisect_verdict_kind verdict;
        const char *word;
    } cases[] = {
        {1, 0, VERDICT_NONE, ""}, /* both ends are wanted at once; see below */
        {4, 0, VERDICT_INCONCLUSIVE, "budget for builds is spent"},
        {0, 9, VERDICT_INCONCLUSIVE, "10 more of good and bad are needed"},
        {0, 15, VERDICT_INCONCLUSIVE, "budget for trials is spent"},
        {0, 30, VERDICT_CULPRIT, "left only"},
        {0, 31, VERDICT_CULPRIT, ""},
    };
    static struct world world;
    struct bisect_step step;

    (void)state;
    for (size_t i = 1; i < COUNT(cases); i++) {
        chain(&world, 17, 9);
        world.problem.max_builds = cases[i].builds;
        world.problem.max_trials = cases[i].trials;
        advance(&world, &step, NULL);
        expect_verdict(&step, cases[i].verdict, cases[i].word);
        if (cases[i].trials > 0 && world.facts.trial_count > cases[i].trials)
            fail_msg("%zu trials where %u are allowed", world.facts.trial_count, cases[i].trials);
        if (cases[i].builds > 0 && world.build_count > cases[i].builds)
            fail_msg("%u builds where %u are allowed", world.build_count, cases[i].builds);
        assert_true(cases[i].trials == 9 || world_is_suspect(&step, 9));
        bisect_step_clear(&step);
    }
}

static void test_reused_builds_are_free(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 17, 9);
    world.problem.max_builds = 1;
    for (unsigned c = 0; c < 17; c++)
        world.builds[c] = (struct bisect_build){.state = BUILD_OK, .image = c, .reused = true};
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_CULPRIT, "");
    assert_int_equal(step.culprit, 9);
    bisect_step_clear(&step);
}

/* A commit that was called bad by chance: fresh seeds say otherwise, and the search goes on. */
static void test_wrong_label_is_overturned(void **state)
{
    static struct world world;
    struct bisect_step step;
    unsigned middle;

    (void)state;
    chain(&world, 9, 7);
    advance(&world, &step, is_trial_inside);
    middle = step.wants[0].commit;
    bisect_step_clear(&step);
    for (unsigned i = 0; i < 3; i++)
        add_trial(&world, middle, PURPOSE_SEARCH, i, OUTCOME_OK, 200);
    advance(&world, &step, is_verification);
    bisect_step_clear(&step);
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_CULPRIT, "");
    assert_int_equal(step.culprit, 7);
    bisect_step_clear(&step);
}

static void test_two_changes_are_flagged(void **state)
{
    struct world_options options = {.commits = 33,
                                    .noise = NOISE_NORMAL,
                                    .effect = 8,
                                    .culprit_always = true,
                                    .second_change = 1};
    static struct world world;
    struct bisect_step step;
    int flagged = 0, culprits = 0;

    (void)state;
    for (unsigned seed = 1; seed <= 40; seed++) {
        struct culprit_error error = {0};

        world_draw(&world, &options, seed);
        if (world.second == 0)
            continue;
        if (world_bisect(&world, &step, &error) < 0)
            fail_msg("seed %u: %s", seed, error.message);
        if (step.verdict == VERDICT_CULPRIT) {
            if (step.culprit != world.culprit && step.culprit != world.second)
                fail_msg("seed %u: culprit %u, neither %u nor %u", seed, step.culprit,
                         world.culprit, world.second);
            culprits++;
            flagged += step.more_changes;
            if (step.posterior >= 0.99)
                fail_msg("seed %u: posterior %g with two changes", seed, step.posterior);
        }
        bisect_step_clear(&step);
    }
    assert_true(culprits > 10);
    assert_int_equal(flagged, culprits);
}

static void test_problems_that_are_none(void **state)
{
    static struct world world;
    struct bisect_step step;
    struct culprit_error error = {0};

#define EXPECT_INVALID(change_, word_)                                             \
    do {                                                                           \
        chain(&world, 9, 5);                                                       \
        change_;                                                                   \
        assert_int_equal(bisect_plan(&world.problem, &world.facts, &step, &error), \
                         -CULPRIT_INVALID);                                        \
        if (!strstr(error.message, (word_)))                                       \
            fail_msg("\"%s\" is not in: %s", (word_), error.message);              \
    } while (0)

    (void)state;
    EXPECT_INVALID(world.problem.count = 1, "good and bad are needed");
    EXPECT_INVALID(world.problem.confidence = 1, "confidence 1");
    EXPECT_INVALID(world.problem.confidence = NAN, "confidence");
    EXPECT_INVALID(world.problem.min_effect = -1, "min_effect -1");
    EXPECT_INVALID(world.problem.trials_per_commit = 0, "0 trials a commit");
    EXPECT_INVALID(world.problem.trials_per_commit = 99, "99 trials a commit");
    EXPECT_INVALID(world.parents[4][0] = 6, "commit 4 has the later commit 6");
    EXPECT_INVALID(world.commits[4].parent_count = 0, "commit 4 has no parent");
    EXPECT_INVALID(add_trial(&world, 3, PURPOSE_SEARCH, 0, OUTCOME_OK, NAN), "finite");
    EXPECT_INVALID(add_trial(&world, 3, PURPOSE_SEARCH, 0, OUTCOME_OK, INFINITY), "finite");
    EXPECT_INVALID(add_trial(&world, 9, PURPOSE_SEARCH, 0, OUTCOME_OK, 1), "no commit");
#undef EXPECT_INVALID
}

static void test_reason_names_commits(void **state)
{
    static const char text[] = "a #12 b # c #x d #3.";
    unsigned commit;
    size_t length;
    const char *at = bisect_reason_commit(text, &commit, &length);

    (void)state;
    assert_ptr_equal(at, text + 2);
    assert_int_equal(commit, 12);
    assert_int_equal(length, 3);
    at = bisect_reason_commit(at + length, &commit, &length);
    assert_string_equal(at, "#3.");
    assert_int_equal(commit, 3);
    assert_null(bisect_reason_commit(at + length, &commit, &length));
}

/* Commits of weight 0, three quarters of a chain, are neither tested nor suspected: only where the
 * culprit is held against its parent, that one is built. */
static void test_weight_zero_is_left_out(void **state)
{
    static double weights[65];
    static struct world world;

    (void)state;
    for (unsigned culprit = 4; culprit < 65; culprit += 20) {
        struct bisect_step step = {0};

        chain(&world, 65, culprit);
        for (unsigned c = 0; c < 65; c++) {
            weights[c] = c % 4 == 0;
            world.image[c] = c / 4 * 4;
        }
        world.problem.prior_weights = weights;
        for (unsigned round = 0; step.verdict == VERDICT_NONE && round < 300; round++) {
            bisect_step_clear(&step);
            plan(&world, &step);
            for (size_t i = 0; i < step.suspect_count; i++)
                assert_int_equal(step.suspects[i] % 4, 0);
            for (size_t i = 0; i < step.want_count; i++) {
                const struct bisect_want *want = &step.wants[i];
                if (want->commit % 4 != 0 && want->commit != culprit - 1)
                    fail_msg("commit %u of weight 0 is wanted", want->commit);
                world_do(&world, want);
            }
        }
        expect_verdict(&step, VERDICT_CULPRIT, "");
        assert_int_equal(step.culprit, culprit);
        assert_in_range(world.build_count, 2, 8); /* ends, four to tell 16 apart, the parent */
        bisect_step_clear(&step);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_first),
        cmocka_unit_test(test_weight_zero_is_left_out),
        cmocka_unit_test(test_trials_until_the_median_is_decided),
        cmocka_unit_test(test_builds_on_a_chain),
        cmocka_unit_test(test_equal_images),
        cmocka_unit_test(test_label_by_image),
        cmocka_unit_test(test_side_branch),
        cmocka_unit_test(test_merge_is_verified_against_each_parent),
        cmocka_unit_test(test_broken_commits_are_never_asked_again),
        cmocka_unit_test(test_suspects_behind_broken_commits),
        cmocka_unit_test(test_ends_that_do_not_build),
        cmocka_unit_test(test_commit_whose_trials_fail),
        cmocka_unit_test(test_infrastructure_failures_decide_nothing),
        cmocka_unit_test(test_merge_base_as_bad),
        cmocka_unit_test(test_effect_below_what_counts),
        cmocka_unit_test(test_improvement_is_no_regression),
        cmocka_unit_test(test_budgets),
        cmocka_unit_test(test_reused_builds_are_free),
        cmocka_unit_test(test_wrong_label_is_overturned),
        cmocka_unit_test(test_two_changes_are_flagged),
        cmocka_unit_test(test_problems_that_are_none),
        cmocka_unit_test(test_reason_names_commits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
