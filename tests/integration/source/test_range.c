/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/random.h"
#include "git_fixture.h"
#include "scratch.h"

/*
 *          F1--F2                a fix branch from B
 *         /
 *     A--B--C--D-----M--E        main
 *            \      /
 *             S1--S2             side branch, merged by M
 *
 *     R--T                       a root of its own, merged by N after E
 */
static const struct fixture_commit graph[] = {
    {.name = "A"},
    {.name = "B", .parents = {"A"}},
    {.name = "C", .parents = {"B"}},
    {.name = "S1", .parents = {"C"}},
    {.name = "D", .parents = {"C"}},
    {.name = "S2", .parents = {"S1"}},
    {.name = "M", .parents = {"D", "S2"}},
    {.name = "E", .parents = {"M"}},
    {.name = "F1", .parents = {"B"}},
    {.name = "F2", .parents = {"F1"}},
    {.name = "R"},
    {.name = "T", .parents = {"R"}},
    {.name = "N", .parents = {"E", "T"}},
};

static void open_graph(const char *scratch, struct repository **ret)
{
    _cleanup_free_ char *path = path_join(scratch, "graph.git");

    fixture_repository(path, graph, sizeof(graph) / sizeof(graph[0]));
    *ret = fixture_open(path, scratch);
}

/* "A B(0) C(1)": subjects in order with the numbers of their parents. */
static char *range_text(const struct commit_range *range)
{
    struct buffer text = BUFFER_INIT(1 << 16);

    for (unsigned i = 0; i < range->count; i++) {
        buffer_printf(&text, "%s%s", i ? " " : "", range->commits[i].subject);
        for (unsigned j = 0; j < range->commits[i].parent_count; j++)
            buffer_printf(&text, "%s%u", j ? "," : "(", range->commits[i].parents[j]);
        buffer_puts(&text, range->commits[i].parent_count ? ")" : "");
    }
    return buffer_take(&text);
}

static void numbers_commits(void **state)
{
    static const struct {
        const char *good, *bad;
        bool first_parent, merge_base;
        const char *range;
    } cases[] = {
        {"A", "E", false, false, "A B(0) C(1) D(2) S1(2) S2(4) M(3,5) E(6)"},
        {"A", "E", true, false, "A B(0) C(1) D(2) M(3) E(4)"},
        {"D", "E", false, false, "D S1(0) S2(1) M(0,2) E(3)"},
        {"S1", "E", false, false, "S1 D(0) S2(0) M(1,2) E(3)"},
        {"S2", "E", true, false, "S2 D(0) M(1) E(2)"},
        {"M", "E", false, false, "M E(0)"},
        {"F2", "E", false, true, "B C(0) D(1) S1(1) S2(3) M(2,4) E(5)"},
        {"E", "F2", false, true, "B F1(0) F2(1)"},
        {"E", "N", false, false, "E R(0) T(1) N(0,2)"},
    };
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;

    open_graph(*state, &repository);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct culprit_error error = {0};
        struct commit_range range = {0};
        _cleanup_free_ char *text = NULL;
        char good[COMMIT_ID_SIZE], bad[COMMIT_ID_SIZE];

        fixture_id(repository, cases[i].good, good);
        fixture_id(repository, cases[i].bad, bad);
        assert_success(
            repository_range(repository, good, bad, cases[i].first_parent, &range, &error));
        text = range_text(&range);
        if (strcmp(text, cases[i].range) != 0 || range.good_is_merge_base != cases[i].merge_base)
            fail_msg("%s..%s: \"%s\"%s instead of \"%s\"", cases[i].good, cases[i].bad, text,
                     range.good_is_merge_base ? " from the merge base" : "", cases[i].range);
        assert_string_equal(range.good_asked, good);
        assert_string_equal(range.commits[range.count - 1].id, bad);
        assert_string_equal(range.commits[0].author, "A <a@example.org>");
        commit_range_clear(&range);
    }
}

static void refuses_ranges(void **state)
{
    static const struct {
        const char *good, *bad, *says;
    } cases[] = {
        {"E", "E", "same commit"},
        {"E", "A", "descendant of bad"},
        {"M", "S1", "descendant of bad"},
        {"E", "T", "share no history"},
    };
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;

    open_graph(*state, &repository);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct culprit_error error = {0};
        struct commit_range range = {0};
        char good[COMMIT_ID_SIZE], bad[COMMIT_ID_SIZE];

        fixture_id(repository, cases[i].good, good);
        fixture_id(repository, cases[i].bad, bad);
        assert_failure(repository_range(repository, good, bad, false, &range, &error),
                       CULPRIT_INVALID);
        assert_contains(error.message, cases[i].says);
    }
}

/* Random graphs, with the clocks of the committers up to an hour wrong, against reachability told
 * by brute force. */
enum { RANDOM_COMMITS = 150, RANDOM_PAIRS = 300, SKEW_SECONDS = 3600, STEP_SECONDS = 600 };

struct random_graph {
    struct fixture_commit commits[RANDOM_COMMITS];
    char names[RANDOM_COMMITS][16];
    bool reaches[RANDOM_COMMITS][RANDOM_COMMITS]; /* [from][ancestor], itself too */
};

static void make_random_graph(struct random_graph *graph_, struct random *random)
{
    for (unsigned i = 0; i < RANDOM_COMMITS; i++) {
        struct fixture_commit *commit = &graph_->commits[i];
        unsigned parents = i == 0 ? 0 : random_below(random, 4) == 0 && i > 1 ? 2 : 1;

        snprintf(graph_->names[i], sizeof(graph_->names[i]), "c%u", i);
        commit->name = graph_->names[i];
        commit->time = 1600000000 + (int64_t)i * STEP_SECONDS +
                       (int64_t)random_below(random, 2 * SKEW_SECONDS) - SKEW_SECONDS;
        graph_->reaches[i][i] = true;
        for (unsigned p = 0; p < parents; p++) {
            unsigned back = 1 + (unsigned)random_below(random, i < 12 ? i : 12);
            unsigned parent = i - back;

            if (p == 1 && commit->parents[0] == graph_->names[parent])
                break;
            commit->parents[p] = graph_->names[parent];
            for (unsigned a = 0; a < RANDOM_COMMITS; a++)
                graph_->reaches[i][a] |= graph_->reaches[parent][a];
        }
    }
}

static void check_pair(const struct random_graph *graph_, const struct commit_range *range,
                       unsigned good, unsigned bad)
{
    unsigned expected = 1;

    for (unsigned i = 0; i < RANDOM_COMMITS; i++)
        expected += graph_->reaches[bad][i] && !graph_->reaches[good][i];
    if (range->count != expected)
        fail_msg("c%u..c%u: %u commits instead of %u", good, bad, range->count, expected);
    for (unsigned i = 0; i < range->count; i++) {
        unsigned commit = (unsigned)atoi(range->commits[i].subject + 1);
        bool common = graph_->reaches[bad][commit] && graph_->reaches[good][commit];

        if (common != (i == 0))
            fail_msg("c%u..c%u: c%u does not belong at %u", good, bad, commit, i);
        for (unsigned p = 0; p < range->commits[i].parent_count; p++)
            if (range->commits[i].parents[p] >= i)
                fail_msg("c%u..c%u: c%u comes before its parent", good, bad, commit);
    }
    /* Number 0 is not below another common ancestor. */
    for (unsigned i = 0; i < RANDOM_COMMITS; i++) {
        unsigned base = (unsigned)atoi(range->commits[0].subject + 1);

        if (i != base && graph_->reaches[bad][i] && graph_->reaches[good][i] &&
            graph_->reaches[i][base])
            fail_msg("c%u..c%u: c%u is no best common ancestor, c%u is later", good, bad, base, i);
    }
}

static void agrees_with_reachability(void **state)
{
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    CULPRIT_CLEANUP(free) struct random_graph *graph_ = calloc(1, sizeof(*graph_));
    _cleanup_free_ char *path = path_join(*state, "random.git");
    struct random random;
    unsigned checked = 0;

    assert_non_null(graph_);
    random_seed(&random, 7);
    make_random_graph(graph_, &random);
    fixture_repository(path, graph_->commits, RANDOM_COMMITS);
    repository = fixture_open(path, *state);
    for (unsigned i = 0; i < RANDOM_PAIRS; i++) {
        unsigned good = (unsigned)random_below(&random, RANDOM_COMMITS);
        unsigned bad = (unsigned)random_below(&random, RANDOM_COMMITS);
        struct culprit_error error = {0};
        struct commit_range range = {0};
        char good_id[COMMIT_ID_SIZE], bad_id[COMMIT_ID_SIZE];

        if (graph_->reaches[good][bad])
            continue;
        fixture_id(repository, graph_->names[good], good_id);
        fixture_id(repository, graph_->names[bad], bad_id);
        assert_success(repository_range(repository, good_id, bad_id, false, &range, &error));
        check_pair(graph_, &range, good, bad);
        commit_range_clear(&range);
        checked++;
    }
    assert_true(checked > RANDOM_PAIRS / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(numbers_commits),
        scratch_test(refuses_ranges),
        scratch_test(agrees_with_reachability),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
