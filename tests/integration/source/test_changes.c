/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "git_fixture.h"
#include "scratch.h"
#include "source/changes.h"

/*
 *     A--B--C--D--M      S changes what B..D do not; Q is merged by E with a change of its own
 *         \      / \
 *          S----    E
 *           \      /
 *            Q----
 */
static const struct fixture_commit graph[] = {
    {.name = "A", .files = {{"Makefile", "all:"}, {"a.c", "int a;"}, {"doc/a.rst", "a"}}},
    {.name = "B", .parents = {"A"}, .files = {{"a.c", "int b;"}, {"new/b.c", "int b;"}}},
    {.name = "S", .parents = {"B"}, .files = {{"doc/s.rst", "s"}}},
    {.name = "C", .parents = {"B"}, .files = {{"a.c"}, {"moved.c", "int b;"}}},
    {.name = "D", .parents = {"C"}, .files = {{"run.sh", "true", "100755"}, {"l", "a", "120000"}}},
    {.name = "M", .parents = {"D", "S"}, .files = {{"doc/s.rst", "s"}}},
    {.name = "X", .parents = {"M"}, .files = {{"run.sh", "true"}, {"l", "a"}}},
    {.name = "Q", .parents = {"S"}, .files = {{"doc/q.rst", "q"}}},
    {.name = "E", .parents = {"M", "Q"}, .files = {{"doc/q.rst", "q"}, {"evil.c", "int e;"}}},
};

static void open_graph(const char *scratch, struct repository **ret)
{
    _cleanup_free_ char *path = path_join(scratch, "graph.git");

    fixture_repository(path, graph, sizeof graph / sizeof graph[0]);
    *ret = fixture_open(path, scratch);
}

/* "+new/b.c a.c", then "…" where there are more. */
static char *changes_text(const struct commit_changes *changes)
{
    static const char *const marks[] = {
        [PATH_MODIFIED] = "", [PATH_ADDED] = "+", [PATH_DELETED] = "-", [PATH_RETYPED] = "!"};
    struct buffer text = BUFFER_INIT(1 << 16);

    for (size_t i = 0; i < changes->count; i++)
        buffer_printf(&text, "%s%s%s", i ? " " : "", marks[changes->paths[i].change],
                      changes->paths[i].path);
    if (!changes->complete)
        buffer_puts(&text, "...");
    return buffer_take(&text);
}

static void a_commit_is_compared_with_its_parents(void **state)
{
    static const struct {
        const char *name;
        const char *changes;
        size_t maximum;
        bool first_parent;
        unsigned parents;
    } cases[] = {
        {"A", "...", 10, false, 0},
        {"B", "a.c +new/b.c", 10, false, 1},
        {"C", "-a.c +moved.c", 10, false, 1},
        {"D", "!l +run.sh", 10, false, 1},
        {"X", "!l +l run.sh", 10, false, 1},
        {"M", "+doc/s.rst -a.c !l +moved.c +run.sh", 10, false, 2},
        {"M", "+doc/s.rst", 10, true, 1},
        {"M", "+doc/s.rst -a.c...", 2, false, 2},
        {"E", "+doc/q.rst +evil.c -a.c +evil.c !l +moved.c +run.sh", 10, false, 2},
        {"B", "a.c +new/b.c", 2, false, 1},
        {"B", "a.c...", 1, false, 1},
    };
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;

    open_graph(*state, &repository);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CULPRIT_CLEANUP(commit_changes_clear) struct commit_changes changes = {0};
        _cleanup_free_ char *text = NULL;
        struct culprit_error error = {0};
        char id[COMMIT_ID_SIZE];

        fixture_id(repository, cases[i].name, id);
        assert_success(repository_changes(repository, id, cases[i].first_parent, cases[i].maximum,
                                          &changes, &error));
        text = changes_text(&changes);
        if (strcmp(text, cases[i].changes) != 0)
            fail_msg("%s: \"%s\" instead of \"%s\"", cases[i].name, text, cases[i].changes);
        assert_int_equal(changes.parent_count, cases[i].parents);
    }
}

static void parents_are_named(void **state)
{
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    CULPRIT_CLEANUP(commit_changes_clear) struct commit_changes changes = {0};
    struct culprit_error error = {0};
    char merge[COMMIT_ID_SIZE], first[COMMIT_ID_SIZE], second[COMMIT_ID_SIZE];

    open_graph(*state, &repository);
    fixture_id(repository, "M", merge);
    fixture_id(repository, "D", first);
    fixture_id(repository, "S", second);
    assert_success(repository_changes(repository, merge, false, 10, &changes, &error));
    assert_string_equal(changes.parents[0], first);
    assert_string_equal(changes.parents[1], second);
}

static void a_path_is_looked_for(void **state)
{
    static const struct {
        const char *name, *path;
        bool there;
    } cases[] = {
        {"B", "a.c", true},
        {"C", "a.c", false},
        {"B", "new/b.c", true},
        {"B", "new", true},
        {"B", "new/c.c", false},
        {"B", "a.c/b", false},
        {"A", "none/at/all.c", false},
    };
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;

    open_graph(*state, &repository);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct culprit_error error = {0};
        char id[COMMIT_ID_SIZE];
        bool there = !cases[i].there;

        fixture_id(repository, cases[i].name, id);
        assert_success(repository_has_path(repository, id, cases[i].path, &there, &error));
        if (there != cases[i].there)
            fail_msg("%s is %sin %s", cases[i].path, there ? "" : "not ", cases[i].name);
    }
}

static void a_commit_that_is_not_there_is_an_error(void **state)
{
    static const char id[] = "0123456789012345678901234567890123456789";
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    struct commit_changes changes;
    struct culprit_error error = {0};
    bool there;

    open_graph(*state, &repository);
    assert_failure(repository_changes(repository, id, false, 10, &changes, &error),
                   CULPRIT_NOT_FOUND);
    assert_failure(repository_has_path(repository, id, "a.c", &there, &error), CULPRIT_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_commit_is_compared_with_its_parents),
        scratch_test(parents_are_named),
        scratch_test(a_path_is_looked_for),
        scratch_test(a_commit_that_is_not_there_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
