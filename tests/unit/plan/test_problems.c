/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Input that no bisection can be made of, and the numbers in reasons. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "steps.h"

#define COUNT(array_) (sizeof(array_) / sizeof *(array_))

static void test_problems_that_are_none(void **state)
{
    static struct world world;
    struct bisect_step step;
    struct culprit_error error = {0};
    static double weights[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};

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
    EXPECT_INVALID(weights[3] = NAN; world.problem.prior_weights = weights, "prior weight");
    EXPECT_INVALID(weights[3] = -1; world.problem.prior_weights = weights, "prior weight");
    EXPECT_INVALID(world.problem.build_seconds = -1, "seconds");
    EXPECT_INVALID(world.problem.trial_seconds = NAN, "seconds");
    EXPECT_INVALID(world.problem.noise.spread = NAN, "spread");
    EXPECT_INVALID(world.problem.noise.spread = -1, "spread");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_problems_that_are_none),
        cmocka_unit_test(test_reason_names_commits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
