/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What follows a verified culprit: is it there at another speed or layout, and is bad better
 * without it? Each case is played to its end, a build or a trial at a time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "plan/confirm.h"
#include "scratch.h"

static struct culprit_error error;

enum { COMMITS = 6, CULPRIT = 3, PARENT = 2, TIP = COMMITS - 1, TRIALS_MAXIMUM = 400 };

/* Where a kernel lies when trials of a purpose boot it. */
struct levels {
    double worse, base;
};

struct game {
    bool asked[CONFIRM_COUNT];
    struct levels at[PURPOSE_COUNT]; /* TIP: worse; REVERTED: base */
    double noise;
    bool higher_is_better;
    unsigned trials_left, builds_left; /* 0: no budget, all that is wanted */
    bool late;
    enum build_state revert_state; /* 0: OK */
    unsigned revert_image;         /* 0: one of its own */
    bool tip_is_culprit, tip_has_its_image;
    enum trial_purpose fails_at; /* 0: none */
    enum outcome fails_with;
    uint64_t seed;

    struct bisect_commit commits[COMMITS];
    unsigned parents[COMMITS];
    struct bisect_build builds[VARIANT_COUNT][COMMITS];
    struct bisect_trial trials[TRIALS_MAXIMUM];
    struct bisect_problem problem;
    struct bisect_facts facts;
    struct confirm_problem given;
    struct bisect_step step; /* as the planner left it, then as it is */
    struct bisect_check seen;
    struct confirmations confirmations;
    struct random random;
};

static unsigned culprit_of(const struct game *game)
{
    return game->tip_is_culprit ? TIP : CULPRIT;
}

/* A culprit that five against five trials verified; all is built, and ten trials were made. */
static void set_up(struct game *game)
{
    for (unsigned c = 0; c < COMMITS; c++) {
        game->parents[c] = c - 1;
        game->commits[c] = (struct bisect_commit){&game->parents[c], c ? 1 : 0};
        game->builds[VARIANT_PLAIN][c] = (struct bisect_build){.state = BUILD_OK, .image = c};
    }
    if (game->tip_has_its_image)
        game->builds[VARIANT_PLAIN][TIP].image = CULPRIT;
    game->problem = (struct bisect_problem){
        .commits = game->commits,
        .count = COMMITS,
        .lower_is_better = !game->higher_is_better,
        .confidence = 0.99,
        .trials_per_commit = 5,
        .max_trials = game->trials_left ? 10 + game->trials_left : 0,
        .max_builds = game->builds_left ? COMMITS + game->builds_left - 1 : 0,
    };
    for (unsigned i = 0; i < 10; i++)
        game->trials[i] = (struct bisect_trial){.commit = i < 5 ? culprit_of(game) : PARENT,
                                                .purpose = PURPOSE_VERIFY,
                                                .index = i % 5,
                                                .value = i < 5 ? 180 : 100};
    game->seen = (struct bisect_check){.worse = culprit_of(game),
                                       .base = culprit_of(game) - 1,
                                       .worse_count = 5,
                                       .base_count = 5,
                                       .worse_median = game->higher_is_better ? 100 : 180,
                                       .base_median = game->higher_is_better ? 180 : 100,
                                       .passed = true};
    game->facts = (struct bisect_facts){game->builds[VARIANT_PLAIN], game->trials, 10};
    game->given = (struct confirm_problem){.problem = &game->problem,
                                           .facts = &game->facts,
                                           .shift = 4,
                                           .second_shift = 5,
                                           .late = game->late};
    for (unsigned v = 0; v < VARIANT_COUNT; v++)
        game->given.variants[v] = game->builds[v];
    memcpy(game->given.asked, game->asked, sizeof game->asked);
    random_seed(&game->random, game->seed ? game->seed : 1);
}

static void plan(struct game *game)
{
    game->step = (struct bisect_step){
        .verdict = VERDICT_CULPRIT, .culprit = culprit_of(game), .check_count = 1};
    game->step.checks[0] = game->seen;
    assert_success(confirm_plan(&game->given, &game->step, &game->confirmations, &error));
}

static void build(struct game *game, const struct bisect_want *want)
{
    struct bisect_build *build = &game->builds[want->variant][want->commit];

    assert_int_equal(build->state, BUILD_UNKNOWN);
    *build = (struct bisect_build){.state = BUILD_OK, .image = 100 * want->variant + want->commit};
    if (want->variant == VARIANT_REVERTED && game->revert_state)
        build->state = game->revert_state;
    if (want->variant == VARIANT_REVERTED && game->revert_image)
        build->image = game->revert_image;
}

static void try(struct game *game, const struct bisect_want *want)
{
    const struct levels *at = &game->at[want->purpose];
    bool worse = want->purpose == PURPOSE_TIP || want->commit == culprit_of(game);
    enum build_variant variant = trial_purpose_variant(want->purpose);

    if (want->purpose == PURPOSE_REVERTED)
        worse = false;
    assert_int_equal(game->builds[variant][want->commit].state, BUILD_OK);
    assert_true(game->facts.trial_count < TRIALS_MAXIMUM);
    game->trials[game->facts.trial_count++] = (struct bisect_trial){
        .commit = want->commit,
        .purpose = want->purpose,
        .index = want->index,
        .outcome = want->purpose == game->fails_at ? game->fails_with : OUTCOME_OK,
        .value = (worse ? at->worse : at->base) + game->noise * random_normal(&game->random),
    };
}

/* Until there is an answer; the first thing wanted each time. */
static void play(struct game *game)
{
    set_up(game);
    for (plan(game); game->step.verdict == VERDICT_NONE; plan(game)) {
        const struct bisect_want want = game->step.wants[0];

        assert_true(game->step.want_count > 0);
        assert_true(game->step.expected_builds + game->step.expected_trials > 0);
        if (want.kind == WANT_BUILD)
            build(game, &want);
        else
            try(game, &want);
    }
}

static unsigned trials_of(const struct game *game, enum trial_purpose purpose)
{
    unsigned count = 0;

    for (size_t i = 0; i < game->facts.trial_count; i++)
        count += game->trials[i].purpose == purpose;
    return count;
}

#define THERE    \
    {            \
        180, 100 \
    }
#define GONE     \
    {            \
        140, 140 \
    }
#define NOT_ASKED CONFIRMATION_OUTCOME_COUNT

struct end {
    const char *what;
    struct game game;
    enum confirmation_outcome outcomes[CONFIRM_COUNT];
    bool withdrawn, more_changes;
    unsigned trials; /* of confirmations */
    const char *says;
};

static void check_end(const struct end *end, const struct game *game)
{
    enum confirmation_outcome seen[CONFIRM_COUNT] = {NOT_ASKED, NOT_ASKED, NOT_ASKED};
    size_t trials = game->facts.trial_count - 10;

    for (size_t i = 0; i < game->confirmations.count; i++)
        seen[game->confirmations.items[i].kind] = game->confirmations.items[i].outcome;
    for (int kind = 0; kind < CONFIRM_COUNT; kind++)
        if (seen[kind] != end->outcomes[kind])
            fail_msg("%s: the outcome of %s is %s", end->what, confirmation_kind_name(kind),
                     confirmation_outcome_name(seen[kind]));
    if (game->step.verdict != (end->withdrawn ? VERDICT_INCONCLUSIVE : VERDICT_CULPRIT) ||
        game->step.more_changes != end->more_changes)
        fail_msg("%s: the verdict is %d: %s", end->what, game->step.verdict, game->step.reason);
    if (trials != end->trials)
        fail_msg("%s: it took %zu trials", end->what, trials);
    if (!strstr(game->step.reason, end->says))
        fail_msg("%s: no \"%s\" in: %s", end->what, end->says, game->step.reason);
}

#define SHIFT_AND_REVERT .asked = {[CONFIRM_SHIFT] = true, [CONFIRM_REVERTED] = true}, .noise = 4
#define ALL_THERE                     \
    .at = {[PURPOSE_SHIFT] = THERE,   \
           [PURPOSE_ALIGNED] = THERE, \
           [PURPOSE_TIP] = THERE,     \
           [PURPOSE_REVERTED] = THERE}
#define HELD      CONFIRMATION_HELD
#define NO_BUDGET CONFIRMATION_NO_BUDGET

static const struct end ends[] = {
    {"all holds", {SHIFT_AND_REVERT, ALL_THERE}, {HELD, NOT_ASKED, HELD}, .trials = 20, .says = ""},
    {"where higher is better",
     {SHIFT_AND_REVERT, .higher_is_better = true,
      .at = {[PURPOSE_SHIFT] = {100, 180},
             [PURPOSE_TIP] = {100, 180},
             [PURPOSE_REVERTED] = {100, 180}}},
     {HELD, NOT_ASKED, HELD},
     .trials = 20,
     .says = ""},
    {"another scale at the second shift",
     {SHIFT_AND_REVERT,
      .at = {[PURPOSE_SHIFT] = {1800, 1000}, [PURPOSE_TIP] = THERE, [PURPOSE_REVERTED] = THERE}},
     {HELD, NOT_ASKED, HELD},
     .trials = 20,
     .says = ""},
    {"gone at the second shift",
     {SHIFT_AND_REVERT, .at = {[PURPOSE_SHIFT] = GONE}},
     {CONFIRMATION_VANISHED, NOT_ASKED, NOT_ASKED},
     .withdrawn = true,
     .trials = 10,
     .says = "#3 is worse than #2 at icount shift 4, but not at shift 5"},
    {"the other way round at the second shift",
     {SHIFT_AND_REVERT, .at = {[PURPOSE_SHIFT] = {100, 180}}},
     {CONFIRMATION_VANISHED, NOT_ASKED, NOT_ASKED},
     .withdrawn = true,
     .trials = 10,
     .says = "speed of the virtual CPU"},
    {"gone with aligned functions",
     {.asked = {[CONFIRM_ALIGNED] = true, [CONFIRM_REVERTED] = true},
      .noise = 4,
      .at = {[PURPOSE_ALIGNED] = GONE}},
     {NOT_ASKED, CONFIRMATION_VANISHED, NOT_ASKED},
     .withdrawn = true,
     .trials = 10,
     .says = "layout of the code"},
    {"there with aligned functions",
     {.asked = {[CONFIRM_ALIGNED] = true}, .noise = 4, ALL_THERE},
     {NOT_ASKED, HELD, NOT_ASKED},
     .trials = 10,
     .says = ""},
    {"too noisy to tell",
     {.asked = {true, false, true}, ALL_THERE, .noise = 400, .seed = 3},
     {CONFIRMATION_OPEN, NOT_ASKED, CONFIRMATION_OPEN},
     .trials = 40,
     .says = ""},
    {"no clean revert",
     {SHIFT_AND_REVERT, ALL_THERE, .revert_state = BUILD_BROKEN},
     {HELD, NOT_ASKED, CONFIRMATION_IMPOSSIBLE},
     .trials = 10,
     .says = ""},
    {"a revert that does not boot",
     {SHIFT_AND_REVERT, ALL_THERE, .fails_at = PURPOSE_REVERTED, .fails_with = OUTCOME_BOOT_FAILED},
     {HELD, NOT_ASKED, CONFIRMATION_IMPOSSIBLE},
     .trials = 13,
     .says = ""},
    {"a host that fails three times",
     {SHIFT_AND_REVERT, ALL_THERE, .fails_at = PURPOSE_SHIFT, .fails_with = OUTCOME_INFRA_FAILED},
     {CONFIRMATION_IMPOSSIBLE, NOT_ASKED, HELD},
     .trials = 13,
     .says = ""},
    {"a revert without effect",
     {SHIFT_AND_REVERT,
      .at = {[PURPOSE_SHIFT] = THERE, [PURPOSE_TIP] = {180, 0}, [PURPOSE_REVERTED] = {0, 180}}},
     {HELD, NOT_ASKED, CONFIRMATION_VANISHED},
     .more_changes = true,
     .trials = 20,
     .says = "Taking #3 back from the tip does not make it better"},
    {"a revert that leaves the image",
     {SHIFT_AND_REVERT, ALL_THERE, .revert_image = TIP},
     {HELD, NOT_ASKED, CONFIRMATION_VANISHED},
     .more_changes = true,
     .trials = 10,
     .says = "at least one more change"},
    {"images that were compared",
     {SHIFT_AND_REVERT, ALL_THERE, .tip_has_its_image = true, .revert_image = PARENT},
     {HELD, NOT_ASKED, HELD},
     .trials = 10,
     .says = ""},
    {"the tip is the culprit",
     {SHIFT_AND_REVERT, ALL_THERE, .tip_is_culprit = true},
     {HELD, NOT_ASKED, NOT_ASKED},
     .trials = 10,
     .says = ""},
    {"trials for one of two",
     {SHIFT_AND_REVERT, ALL_THERE, .trials_left = 13},
     {HELD, NOT_ASKED, NO_BUDGET},
     .trials = 10,
     .says = ""},
    {"trials for four a side",
     {SHIFT_AND_REVERT, ALL_THERE, .trials_left = 9},
     {HELD, NOT_ASKED, NO_BUDGET},
     .trials = 8,
     .says = ""},
    {"trials for nothing",
     {SHIFT_AND_REVERT, ALL_THERE, .trials_left = 7},
     {NO_BUDGET, NOT_ASKED, NO_BUDGET},
     .trials = 0,
     .says = ""},
    {"no build for the revert",
     {SHIFT_AND_REVERT, ALL_THERE, .builds_left = 1},
     {HELD, NOT_ASKED, NO_BUDGET},
     .trials = 10,
     .says = ""},
    {"a build for one of two",
     {.asked = {[CONFIRM_ALIGNED] = true}, .noise = 4, ALL_THERE, .builds_left = 2},
     {NOT_ASKED, NO_BUDGET, NOT_ASKED},
     .trials = 0,
     .says = ""},
    {"no time",
     {SHIFT_AND_REVERT, ALL_THERE, .late = true},
     {CONFIRMATION_NO_TIME, NOT_ASKED, CONFIRMATION_NO_TIME},
     .trials = 0,
     .says = ""},
};

static void ends_as_the_facts_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct game game = ends[i].game;

        play(&game);
        check_end(&ends[i], &game);
    }
}

static void other_verdicts_are_left_alone(void **state)
{
    struct game game = {SHIFT_AND_REVERT, ALL_THERE};

    (void)state;
    set_up(&game);
    for (int verdict = 0; verdict <= VERDICT_INCONCLUSIVE; verdict++) {
        if (verdict == VERDICT_CULPRIT)
            continue;
        struct bisect_step step = {.verdict = (enum bisect_verdict_kind)verdict, .check_count = 1};
        assert_success(confirm_plan(&game.given, &step, &game.confirmations, &error));
        assert_int_equal(step.verdict, verdict);
        assert_int_equal(step.want_count, 0);
        assert_int_equal(game.confirmations.count, 0);
    }
}

/* Every trial at its place once, both sides in turn, and the same whatever the facts' order. */
static void wants_are_in_turn(void **state)
{
    struct game game = {SHIFT_AND_REVERT, ALL_THERE};

    (void)state;
    set_up(&game);
    plan(&game);
    assert_int_equal(game.step.want_count, 10);
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(game.step.wants[i].commit, i % 2 ? PARENT : CULPRIT);
        assert_int_equal(game.step.wants[i].index, i / 2);
    }
    assert_true(game.step.expected_trials == 20);
    assert_true(game.step.expected_builds == 1);
    try(&game, &game.step.wants[4]);
    try(&game, &game.step.wants[1]);
    plan(&game);
    struct bisect_step before = game.step;
    struct bisect_trial swapped = game.trials[10];
    game.trials[10] = game.trials[11];
    game.trials[11] = swapped;
    plan(&game);
    assert_memory_equal(before.wants, game.step.wants, sizeof before.wants);
    assert_int_equal(before.want_count, 8);
}

/* Neither the planner nor its budget sees these trials. */
static void the_planner_does_not_see_them(void **state)
{
    struct bisect_step with = {0}, without = {0};
    struct game game = {SHIFT_AND_REVERT, ALL_THERE};

    (void)state;
    play(&game);
    assert_int_equal(trials_of(&game, PURPOSE_TIP), 5);
    assert_int_equal(confirm_trials_spent(&game.given), 20);
    assert_int_equal(confirm_builds_spent(&game.given), 1);
    assert_success(bisect_plan(&game.problem, &game.facts, &with, &error));
    game.facts.trial_count = 10;
    assert_success(bisect_plan(&game.problem, &game.facts, &without, &error));
    assert_int_equal(with.want_count, without.want_count);
    assert_memory_equal(with.wants, without.wants, sizeof with.wants);
    bisect_step_clear(&with);
    bisect_step_clear(&without);
}

/* With five trials a side and an effect of four deviations: a verdict that holds is hardly ever
 * withdrawn, and one that does not is hardly ever upheld. */
static void errors_are_rare(void **state)
{
    enum { GAMES = 1000 };
    unsigned lost = 0, upheld = 0;

    (void)state;
    for (unsigned i = 0; i < GAMES; i++) {
        struct game holds = {
            .asked = {[CONFIRM_SHIFT] = true}, ALL_THERE, .noise = 20, .seed = i + 1};
        struct game gone = {.asked = {[CONFIRM_SHIFT] = true},
                            .at = {[PURPOSE_SHIFT] = GONE},
                            .noise = 20,
                            .seed = i + 1};
        play(&holds);
        play(&gone);
        lost += holds.step.verdict != VERDICT_CULPRIT;
        upheld += gone.confirmations.items[0].outcome == CONFIRMATION_HELD;
    }
    if (lost > GAMES / 100)
        fail_msg("%u of %d verdicts that hold were withdrawn", lost, GAMES);
    if (upheld > GAMES / 50)
        fail_msg("%u of %d differences that are gone were found", upheld, GAMES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_as_the_facts_say), cmocka_unit_test(other_verdicts_are_left_alone),
        cmocka_unit_test(wants_are_in_turn),     cmocka_unit_test(the_planner_does_not_see_them),
        cmocka_unit_test(errors_are_rare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
