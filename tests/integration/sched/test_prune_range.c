/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole ranges of small repositories: which commits cannot change an image that is made of four
 * files. */
#include <stdio.h>
#include <string.h>

#include "../source/git_fixture.h"
#include "base/buffer.h"
#include "sched/prune_range.h"
#include "scratch.h"

static struct culprit_error error;

static const char *const read_files[] = {"init/main.c", "kernel/fair.c", "include/linux/sched.h",
                                         "drivers/pci/pci.h", NULL};

static const struct fixture_file tree[FIXTURE_FILES_MAXIMUM] = {
    {"init/main.c", "1", NULL},           {"kernel/fair.c", "1", NULL},
    {"include/linux/sched.h", "1", NULL}, {"drivers/pci/pci.h", "1", NULL},
    {"drivers/gpu/a.c", "1", NULL},       {"drivers/gpu/a.h", "1", NULL},
    {"drivers/net/b.c", "1", NULL},       {"arch/arm64/kernel/c.c", "1", NULL},
    {"Documentation/d.rst", "1", NULL},   {"kernel/Makefile", "1", NULL},
    {"drivers/net/Makefile", "1", NULL}};

#define TREE                                                                                      \
    {                                                                                             \
        tree[0], tree[1], tree[2], tree[3], tree[4], tree[5], tree[6], tree[7], tree[8], tree[9], \
            tree[10]                                                                              \
    }

/* The answers for good..bad of a history, as letters by number: M matters, e empty, d
 * documentation, t tools, a architecture, n not compiled. */
static void expect(const char *directory, const struct fixture_commit *commits, size_t count,
                   const char *good, const char *bad, bool first_parent, const char *answers)
{
    static const char letters[RELEVANCE_COUNT] = "Medtan";
    _cleanup_free_ char *path = text_format("%s/%s-%s.git", directory, bad, answers);
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    CULPRIT_CLEANUP(inputs_free) struct inputs *inputs = NULL;
    char good_id[COMMIT_ID_SIZE], bad_id[COMMIT_ID_SIZE], ids[32][COMMIT_ID_SIZE], found[33] = "";
    enum relevance relevance[32];
    struct commit_range range;

    fixture_repository(path, commits, count);
    repository = fixture_open(path, directory);
    fixture_id(repository, good, good_id);
    fixture_id(repository, bad, bad_id);
    assert_success(repository_range(repository, good_id, bad_id, first_parent, &range, &error));
    assert_success(inputs_new("x86", &inputs, &error));
    for (size_t i = 0; read_files[i]; i++)
        assert_success(inputs_add(inputs, read_files[i], strlen(read_files[i]), &error));
    for (unsigned c = 0; c < range.count; c++)
        memcpy(ids[c], range.commits[c].id, COMMIT_ID_SIZE);
    const struct work_prune request = {.ids = ids, .count = range.count, .inputs = inputs};
    assert_success(prune_range(repository, &request, first_parent, NULL, relevance, &error));
    for (unsigned c = 0; c < range.count; c++)
        found[c] = letters[relevance[c]];
    if (strcmp(found, answers) != 0)
        fail_msg("%s..%s: \"%s\" instead of \"%s\"", good, bad, found, answers);
    commit_range_clear(&range);
}

static void a_line_of_commits_is_judged(void **state)
{
    static const struct fixture_commit line[] = {
        {.name = "G", .files = TREE},
        {.name = "doc", .parents = {"G"}, .files = {{"Documentation/d.rst", "2"}}},
        {.name = "gpu", .parents = {"doc"}, .files = {{"drivers/gpu/a.c", "2"}}},
        {.name = "arm", .parents = {"gpu"}, .files = {{"arch/arm64/kernel/c.c", "2"}}},
        {.name = "fair", .parents = {"arm"}, .files = {{"kernel/fair.c", "2"}}},
        {.name = "both",
         .parents = {"fair"},
         .files = {{"kernel/fair.c", "3"}, {"Documentation/d.rst", "3"}}},
        {.name = "mixed",
         .parents = {"both"},
         .files = {{"drivers/gpu/a.h", "3"}, {"Documentation/d.rst", "4"}}},
        {.name = "tool", .parents = {"mixed"}, .files = {{"tools/perf/p.c", "1"}}},
        {.name = "mode", .parents = {"tool"}, .files = {{"drivers/gpu/a.c", "2", "100755"}}},
        {.name = "link", .parents = {"mode"}, .files = {{"drivers/gpu/l.c", "a.c", "120000"}}},
        {.name = "same", .parents = {"link"}, .files = {{"drivers/gpu/a.h", "3"}}},
    };

    expect(*state, line, sizeof line / sizeof line[0], "G", "same", false, "MdnaMMntnMe");
}

static void what_does_not_stay_is_not_taken_for_unread(void **state)
{
    static const struct fixture_commit line[] = {
        {.name = "G", .files = TREE},
        /* Twice renamed: the name in the middle is of no list. */
        {.name = "away", .parents = {"G"}, .files = {{"kernel/fair.c"}, {"kernel/slow.c", "1"}}},
        {.name = "slow", .parents = {"away"}, .files = {{"kernel/slow.c", "2"}}},
        {.name = "back", .parents = {"slow"}, .files = {{"kernel/slow.c"}, {"kernel/fair.c", "2"}}},
        /* Deleted for good, and only for a time. */
        {.name = "del", .parents = {"back"}, .files = {{"drivers/gpu/a.c"}}},
        {.name = "out", .parents = {"del"}, .files = {{"drivers/gpu/a.h"}}},
        {.name = "in", .parents = {"out"}, .files = {{"drivers/gpu/a.h", "1"}}},
        {.name = "end", .parents = {"in"}, .files = {{"Documentation/d.rst", "5"}}},
    };

    expect(*state, line, sizeof line / sizeof line[0], "G", "end", false, "MMMMMnnd");
}

static void rules_put_their_directory_in_doubt(void **state)
{
    static const struct fixture_commit line[] = {
        {.name = "G", .files = TREE},
        {.name = "before", .parents = {"G"}, .files = {{"drivers/net/b.c", "2"}}},
        {.name = "rule", .parents = {"before"}, .files = {{"drivers/net/Makefile", "2"}}},
        {.name = "after", .parents = {"rule"}, .files = {{"drivers/net/b.c", "3"}}},
        {.name = "other", .parents = {"after"}, .files = {{"drivers/gpu/a.c", "3"}}},
    };

    expect(*state, line, sizeof line / sizeof line[0], "G", "other", false, "MMMMn");
    expect(*state, line, 2, "G", "before", false, "Mn");
}

static void a_new_header_may_come_before_another(void **state)
{
    static const struct fixture_commit line[] = {
        {.name = "G", .files = TREE},
        {.name = "shadow", .parents = {"G"}, .files = {{"kernel/pci.h", "1"}}},
        {.name = "include", .parents = {"shadow"}, .files = {{"include/linux/new.h", "1"}}},
        {.name = "private", .parents = {"include"}, .files = {{"drivers/gpu/private.h", "1"}}},
        {.name = "stem", .parents = {"private"}, .files = {{"kernel/fair.S", "1"}}},
        {.name = "changed", .parents = {"stem"}, .files = {{"kernel/pci.h", "2"}}},
    };

    expect(*state, line, sizeof line / sizeof line[0], "G", "changed", false, "MMMnMn");
}

/*
 *         d--M--E--N--P     G is good; d, s and O change documentation,
 *        /  /|    / /       E what is not compiled, Q what is.
 *     F--G-s Q---- /
 *      \          /
 *       O---------
 */
static void merges_are_compared_with_all_parents(void **state)
{
    static const struct fixture_commit graph[] = {
        {.name = "F", .files = TREE},
        {.name = "O", .parents = {"F"}, .files = {{"Documentation/o.rst", "1"}}},
        {.name = "G", .parents = {"F"}, .files = {{"init/main.c", "2"}}},
        {.name = "d", .parents = {"G"}, .files = {{"Documentation/d.rst", "2"}}},
        {.name = "s", .parents = {"G"}, .files = {{"Documentation/s.rst", "2"}}},
        {.name = "M", .parents = {"d", "s"}, .files = {{"Documentation/s.rst", "2"}}},
        {.name = "Q", .parents = {"M"}, .files = {{"kernel/fair.c", "2"}}},
        {.name = "E", .parents = {"M"}, .files = {{"drivers/gpu/a.c", "2"}}},
        {.name = "N", .parents = {"E", "Q"}, .files = {{"kernel/fair.c", "2"}}},
        {.name = "P", .parents = {"N", "O"}, .files = {{"Documentation/o.rst", "1"}}},
    };
    size_t count = sizeof graph / sizeof graph[0];

    /* G d s M */
    expect(*state, graph, count, "G", "M", false, "Mddd");
    /* G d s M E Q N: a merge of what matters matters; */
    expect(*state, graph, count, "G", "N", false, "MdddnMM");
    /* with first parents alone it stands for all that it merges, and M for s: G d M E N. */
    expect(*state, graph, count, "G", "N", true, "MddnM");
    /* G d s M E Q N O P: O's parent is not in the range, nor are O's files those of good. */
    expect(*state, graph, count, "G", "P", false, "MdddnMMMM");
}

static void a_cancelled_search_ends(void **state)
{
    static const struct fixture_commit line[] = {
        {.name = "G", .files = TREE},
        {.name = "H", .parents = {"G"}},
    };
    CULPRIT_CLEANUP(cancel_free) struct cancel *cancel = NULL;
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    CULPRIT_CLEANUP(inputs_free) struct inputs *inputs = NULL;
    _cleanup_free_ char *path = path_join(*state, "line.git");
    char ids[2][COMMIT_ID_SIZE];
    enum relevance relevance[2];

    fixture_repository(path, line, 2);
    repository = fixture_open(path, *state);
    fixture_id(repository, "G", ids[0]);
    fixture_id(repository, "H", ids[1]);
    assert_success(inputs_new("x86", &inputs, &error));
    assert_success(cancel_new(&cancel, &error));
    cancel_request(cancel);
    const struct work_prune request = {.ids = ids, .count = 2, .inputs = inputs};
    assert_failure(prune_range(repository, &request, false, cancel, relevance, &error),
                   CULPRIT_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_line_of_commits_is_judged),
        scratch_test(what_does_not_stay_is_not_taken_for_unread),
        scratch_test(rules_put_their_directory_in_doubt),
        scratch_test(a_new_header_may_come_before_another),
        scratch_test(merges_are_compared_with_all_parents),
        scratch_test(a_cancelled_search_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
