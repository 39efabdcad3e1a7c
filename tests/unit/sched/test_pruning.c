/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commits that need no build, in the planner's terms. */
#include <stdio.h>
#include <string.h>

#include "sched/pruning.h"
#include "scratch.h"

static struct culprit_error error;

enum { COMMITS = 9 };

/*
 *     0--1--2--3--4--7--8      7 merges 6 into 4; 2, 3, 6 and 7 may be left out
 *         \         /
 *          5--6-----
 */
static unsigned parents[COMMITS][2] = {{0}, {0}, {1}, {2}, {3}, {1}, {5}, {4, 6}, {7}};

struct stand {
    struct dossier dossier;
    struct stored_build builds[COMMITS];
    struct stored_pruned pruned[COMMITS];
    struct bisect_trial trials[16];
    struct job job;
};

/* builds[c]: '.' not built, 'x' broken, else the image's letter. pruned: commits' digits. */
static int make(struct stand *stand, const char *builds, const char *pruned)
{
    struct dossier *dossier = &stand->dossier;

    *stand = (struct stand){.job = {.kind = JOB_BISECT}};
    dossier->job = &stand->job;
    dossier->commits.count = COMMITS;
    dossier->nodes = calloc(COMMITS, sizeof *dossier->nodes);
    dossier->built = calloc(COMMITS, sizeof *dossier->built);
    dossier->states = calloc(COMMITS, sizeof *dossier->states);
    dossier->stand_ins = calloc(COMMITS, sizeof *dossier->stand_ins);
    for (unsigned c = 0; c < COMMITS; c++) {
        dossier->nodes[c] = (struct bisect_commit){parents[c], c == 7 ? 2 : c > 0};
        if (builds[c] == '.')
            continue;
        stand->builds[c].outcome = builds[c] == 'x' ? OUTCOME_BUILD_FAILED : OUTCOME_OK;
        stand->builds[c].image[0] = builds[c];
        dossier->built[c].build = &stand->builds[c];
        dossier->states[c].state = builds[c] == 'x' ? BUILD_BROKEN : BUILD_OK;
        dossier->states[c].image = builds[c] == 'x' ? 0 : (unsigned char)builds[c];
    }
    dossier->pruning.known = true;
    dossier->pruning.items = stand->pruned;
    for (; *pruned; pruned++)
        stand->pruned[dossier->pruning.count++].commit = (unsigned)(*pruned - '0');
    dossier->outcomes = stand->trials;
    return pruning_apply(dossier, &error);
}

static void unmake(struct stand *stand)
{
    free(stand->dossier.nodes);
    free(stand->dossier.built);
    free(stand->dossier.states);
    free(stand->dossier.stand_ins);
    free(stand->dossier.weights);
}

static void builds_stand_for_their_class(void **state)
{
    static const struct {
        const char *builds, *pruned;
        const char *states; /* as builds; NULL: withdrawn */
        unsigned witness;
    } cases[] = {
        {"a.......b", "", "a.......b", 0},
        {"a.......b", "236", "a.......b", 0},
        {"ac......b", "236", "accc....b", 0},
        {"a..c....b", "236", "accc....b", 0}, /* whichever of them was built */
        {"ac.c....b", "236", "accc....b", 0}, /* and if two were */
        {"ac.d....b", "236", NULL, 3},        /* unless they differ */
        {"ac.x....b", "236", NULL, 3},        /* or one does not build */
        {"ax......b", "236", "axxx....b", 0},
        {"a...c...b", "67", "a...ccccb", 0}, /* the branches of a merge are one */
        {"a...cd..b", "67", NULL, 5},
        {"a.......a", "12345678", "aaaaaaaaa", 0},
        {"a.......b", "12345678", NULL, 8},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stand stand;
        char found[COMMITS + 1] = "";

        assert_success(make(&stand, cases[i].builds, cases[i].pruned));
        for (unsigned c = 0; c < COMMITS; c++) {
            const struct bisect_build *build = &stand.dossier.states[c];
            found[c] = build->state == BUILD_UNKNOWN  ? '.'
                       : build->state == BUILD_BROKEN ? 'x'
                                                      : (char)build->image;
            /* Inferred builds cost nothing. */
            if (!stand.dossier.pruning_withdrawn && cases[i].builds[c] == '.' &&
                build->state != BUILD_UNKNOWN && !build->reused)
                fail_msg("\"%s\": commit %u counts as built", cases[i].builds, c);
        }
        assert_int_equal(stand.dossier.pruning_withdrawn, !cases[i].states);
        if (!cases[i].states) {
            assert_int_equal(stand.dossier.pruning_witness, cases[i].witness);
            assert_null(stand.dossier.weights);
        }
        if (strcmp(found, cases[i].states ? cases[i].states : cases[i].builds) != 0)
            fail_msg("\"%s\" without \"%s\" gives \"%s\"", cases[i].builds, cases[i].pruned, found);
        unmake(&stand);
    }
}

static void weights_are_given(void **state)
{
    struct stand stand;

    (void)state;
    assert_success(make(&stand, "a.......b", "26"));
    for (unsigned c = 0; c < COMMITS; c++) {
        assert_int_equal(pruning_holds(&stand.dossier, c), c == 2 || c == 6);
        assert_true(stand.dossier.weights[c] == (c == 2 || c == 6 ? 0 : 1));
    }
    unmake(&stand);
    assert_success(make(&stand, "a.......b", ""));
    assert_null(stand.dossier.weights);
    assert_false(pruning_holds(&stand.dossier, 2));
    unmake(&stand);
    assert_failure(make(&stand, "a.......b", "0"), CULPRIT_INTERNAL);
    unmake(&stand);
    assert_failure(make(&stand, "a.......b", "9"), CULPRIT_INTERNAL);
    unmake(&stand);
}

static void it_is_due_once_both_ends_are_there(void **state)
{
    static const struct {
        const char *builds;
        bool known, due;
    } cases[] = {
        {".........", false, false}, {"a........", false, false}, {"a.......x", false, false},
        {"a.......a", false, false}, {"a.......b", false, true},  {"a.......b", true, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stand stand;

        assert_success(make(&stand, cases[i].builds, ""));
        stand.dossier.pruning.known = cases[i].known;
        assert_int_equal(pruning_is_due(&stand.dossier), cases[i].due);
        stand.job.kind = JOB_RUN;
        assert_false(pruning_is_due(&stand.dossier));
        unmake(&stand);
    }
}

static void want(struct bisect_step *step, enum bisect_want_kind kind, unsigned commit,
                 unsigned index)
{
    step->wants[step->want_count++] = (struct bisect_want){
        .kind = kind, .commit = commit, .purpose = PURPOSE_SEARCH, .index = index};
}

static void expect_want(const struct bisect_step *step, size_t place, unsigned commit,
                        unsigned index)
{
    assert_true(place < step->want_count);
    if (step->wants[place].commit != commit || step->wants[place].index != index)
        fail_msg("want %zu is of commit %u, index %u", place, step->wants[place].commit,
                 step->wants[place].index);
}

static void wants_go_to_what_is_built(void **state)
{
    struct bisect_step step = {0};
    struct stand stand;

    (void)state;
    assert_success(make(&stand, "a.......b", "236"));
    want(&step, WANT_BUILD, 3, 0); /* a build is what it is of */
    want(&step, WANT_BUILD, 4, 0);
    pruning_redirect(&stand.dossier, &step);
    assert_int_equal(step.want_count, 2);
    expect_want(&step, 0, 3, 0);
    expect_want(&step, 1, 4, 0);
    unmake(&stand);

    /* Trials of what stands in: at indices that have no result yet. */
    step = (struct bisect_step){0};
    assert_success(make(&stand, "ac......b", "236"));
    stand.trials[0] = (struct bisect_trial){.commit = 1, .outcome = OUTCOME_BOOT_FAILED};
    stand.trials[1] = (struct bisect_trial){
        .commit = 1, .index = 1, .outcome = OUTCOME_INFRA_FAILED};
    stand.dossier.trials.count = 2;
    want(&step, WANT_TRIAL, 3, 0);
    want(&step, WANT_TRIAL, 3, 1);
    want(&step, WANT_TRIAL, 1, 4);
    want(&step, WANT_TRIAL, 8, 0);
    pruning_redirect(&stand.dossier, &step);
    assert_int_equal(step.want_count, 4);
    expect_want(&step, 0, 1, 1);
    expect_want(&step, 1, 1, 2);
    expect_want(&step, 2, 1, 4);
    expect_want(&step, 3, 8, 0);
    unmake(&stand);
}

static void a_verdict_is_proven(void **state)
{
    static const struct {
        const char *builds, *pruned;
        unsigned culprit;
        bool may_build;
        const char *wanted; /* commits' digits */
        const char *reason;
    } cases[] = {
        {"ac..d...b", "236", 4, true, "3", ""},
        {"ac.cd...b", "236", 4, true, "", ""},
        {"ac..d...b", "236", 4, false, "",
         "no build left for #3: that it has the kernel image of #1"},
        {"ac..d...b", "", 4, true, "", ""}, /* the planner builds parents by itself */
        {"a...c...b", "12367", 8, true, "7", ""},
        {"a..a...bb", "1236", 7, true, "46", ""}, /* both parents of a merge */
        {"acc.d...b", "38", 4, true, "3", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bisect_step step = {.verdict = VERDICT_CULPRIT, .culprit = cases[i].culprit};
        char wanted[BISECT_MAX_WANTS + 1] = "";
        struct stand stand;

        assert_success(make(&stand, cases[i].builds, cases[i].pruned));
        pruning_prove(&stand.dossier, cases[i].may_build, &step);
        for (size_t w = 0; w < step.want_count; w++) {
            assert_int_equal(step.wants[w].kind, WANT_BUILD);
            wanted[w] = (char)('0' + step.wants[w].commit);
        }
        if (strcmp(wanted, cases[i].wanted) != 0 || !strstr(step.reason, cases[i].reason))
            fail_msg("\"%s\" without \"%s\": wants \"%s\": %s", cases[i].builds, cases[i].pruned,
                     wanted, step.reason);
        assert_int_equal(step.verdict, *wanted ? VERDICT_NONE : VERDICT_CULPRIT);
        unmake(&stand);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_stand_for_their_class),
        cmocka_unit_test(weights_are_given),
        cmocka_unit_test(it_is_due_once_both_ends_are_there),
        cmocka_unit_test(wants_go_to_what_is_built),
        cmocka_unit_test(a_verdict_is_proven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
