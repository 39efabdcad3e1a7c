/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tip without one of the commits behind it. */
#include <string.h>

#include "git_fixture.h"
#include "scratch.h"

#define TEN(fifth, tenth) "1\n2\n3\n4\n" fifth "\n6\n7\n8\n9\n" tenth "\n"

/*      base---early---slow---late---merge---tip
 *                 \---side1---side2--/           */
static const struct fixture_commit graph[] = {
    {.name = "base", .files = {{"kernel/fair.c", TEN("5", "10"), NULL}, {"run.sh", "x\n", NULL}}},
    {.name = "early", .parents = {"base"}, .files = {{"mm.c", "early\n", NULL}}},
    {.name = "slow",
     .parents = {"early"},
     .files = {{"kernel/fair.c", TEN("slow", "10"), NULL},
               {"new.c", "new\n", NULL},
               {"run.sh", NULL, NULL}}},
    {.name = "side1", .parents = {"early"}, .files = {{"side.c", "one\n", NULL}}},
    {.name = "side2", .parents = {"side1"}, .files = {{"other.c", "two\n", NULL}}},
    {.name = "late", .parents = {"slow"}, .files = {{"kernel/fair.c", TEN("slow", "x"), NULL}}},
    {.name = "merge",
     .parents = {"late", "side2"},
     .files = {{"side.c", "one\n", NULL}, {"other.c", "two\n", NULL}}},
    {.name = "tip", .parents = {"merge"}, .files = {{"mm.c", "tip\n", NULL}}},
};

struct place {
    struct repository *repository;
    char *git, *tree;
};

static int place_setup(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    void *scratch = NULL;

    if (!place || scratch_setup(&scratch) < 0)
        return -1;
    place->git = path_join(scratch, "repository.git");
    place->tree = path_join(scratch, "tree");
    fixture_repository(place->git, graph, sizeof(graph) / sizeof(graph[0]));
    free(fixture_shell("chmod -R a-w '%s'", place->git)); /* nothing may be written there */
    place->repository = fixture_open(place->git, scratch);
    free(scratch);
    *state = place;
    return 0;
}

static int place_teardown(void **state)
{
    struct place *place = *state;
    char *scratch = strndup(place->tree, (size_t)(strrchr(place->tree, '/') - place->tree));
    void *pointer = scratch;

    free(fixture_shell("chmod -R u+w '%s'", scratch));
    repository_free(place->repository);
    free(place->git);
    free(place->tree);
    free(place);
    return scratch_teardown(&pointer);
}

static int check_out(struct place *place, const char *commit, const char *reverts,
                     const struct strv *patches, struct culprit_error *error)
{
    char ids[2][COMMIT_ID_SIZE];
    const struct checkout what = {ids[0], ids[1], patches};

    fixture_id(place->repository, commit, ids[0]);
    fixture_id(place->repository, reverts, ids[1]);
    return repository_checkout(place->repository, &what, place->tree, NULL, error);
}

/* The directory against what `git revert` itself leaves. */
static void assert_as_git(const struct place *place, const char *what, const char *commit,
                          const char *options, const char *reverts)
{
    _cleanup_free_ char *difference = fixture_shell(
        "rm -rf '%s.says'; git clone -q '%s' '%s.says'; cd '%s.says'; git checkout -q %s;"
        " git revert --no-edit %s %s >/dev/null; diff -r -x .git . '%s' || true",
        place->tree, place->git, place->tree, place->tree, commit, options, reverts, place->tree);

    if (difference[0])
        fail_msg("%s: the tree is not what git made: %s", what, difference);
}

static void takes_back_what_git_takes_back(void **state)
{
    static const struct {
        const char *what, *commit, *options, *reverts;
    } cases[] = {
        {"the commit itself", "slow", "", "slow"},
        {"under a later change of the same file", "tip", "", "slow"},
        {"a commit that a merge brought in", "tip", "", "side1"},
        {"a merge, against its first parent", "tip", "-m 1", "merge"},
    };
    struct place *place = *state;
    struct culprit_error error = {0};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (check_out(place, cases[i].commit, cases[i].reverts, NULL, &error) < 0)
            fail_msg("%s: %s", cases[i].what, error.message);
        assert_as_git(place, cases[i].what, cases[i].commit, cases[i].options, cases[i].reverts);
    }
}

static void patches_come_after_it(void **state)
{
    _cleanup_strv_ struct strv patches = {0};
    _cleanup_free_ char *found = NULL;
    struct place *place = *state;
    struct culprit_error error = {0};

    strv_append(&patches,
                "--- a/kernel/fair.c\n+++ b/kernel/fair.c\n@@ -4,3 +4,3 @@\n 4\n-5\n+fast\n"
                " 6\n");
    assert_success(check_out(place, "tip", "slow", &patches, &error));
    found = fixture_shell("sed -n '5p;10p' '%s/kernel/fair.c'", place->tree);
    assert_string_equal(found, "fast\nx\n");
}

static void says_why_it_cannot(void **state)
{
    static const struct {
        const char *commit, *reverts, *says[2];
    } cases[] = {
        {"tip", "early", {"does not revert", "in mm.c"}},
        {"tip", "base", {"does not revert", "no parent"}},
    };
    struct place *place = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct culprit_error error = {0};

        assert_failure(check_out(place, cases[i].commit, cases[i].reverts, NULL, &error),
                       CULPRIT_FAILED);
        assert_contains(error.message, cases[i].says[0]);
        assert_contains(error.message, cases[i].says[1]);
    }
}

static void a_commit_that_is_missing_is_not_a_conflict(void **state)
{
    static const char nowhere[] = "0123456789012345678901234567890123456789";
    struct place *place = *state;
    struct culprit_error error = {0};
    char id[COMMIT_ID_SIZE];

    fixture_id(place->repository, "tip", id);
    const struct checkout what = {.commit_id = id, .reverts_id = nowhere};
    assert_failure(repository_checkout(place->repository, &what, place->tree, NULL, &error),
                   CULPRIT_NOT_FOUND);
}

#define place_test(function) cmocka_unit_test_setup_teardown(function, place_setup, place_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        place_test(takes_back_what_git_takes_back),
        place_test(patches_come_after_it),
        place_test(says_why_it_cannot),
        place_test(a_commit_that_is_missing_is_not_a_conflict),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
