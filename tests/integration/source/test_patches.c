/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "git_fixture.h"
#include "scratch.h"

#define TEN "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

static const struct fixture_commit graph[] = {
    {.name = "base",
     .files = {{"kernel/fair.c", TEN, NULL},
               {"kernel/rt.c", "int rt;\n", NULL},
               {"run.sh", "#!/bin/sh\n", NULL}}},
};

struct place {
    struct repository *repository;
    char *git, *tree, *work; /* work: a clone that git makes patches in */
    char id[COMMIT_ID_SIZE];
};

static int place_setup(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    void *scratch = NULL;

    if (!place || scratch_setup(&scratch) < 0)
        return -1;
    place->git = path_join(scratch, "repository.git");
    place->tree = path_join(scratch, "tree");
    place->work = path_join(scratch, "work");
    fixture_repository(place->git, graph, sizeof(graph) / sizeof(graph[0]));
    free(fixture_shell("git init -q '%s'; cd '%s'; git pull -q '%s' tag base; chmod -R a-w '%s'",
                       place->work, place->work, place->git, place->git));
    place->repository = fixture_open(place->git, scratch);
    fixture_id(place->repository, "base", place->id);
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
    free(place->work);
    free(place);
    return scratch_teardown(&pointer);
}

static int check_out(struct place *place, const struct strv *patches, struct culprit_error *error)
{
    return repository_checkout(place->repository, &(struct checkout){place->id, NULL, patches},
                               place->tree, NULL, error);
}

static void assert_same_as_work(const struct place *place, const char *what)
{
    _cleanup_free_ char *difference = fixture_shell(
        "diff -r -x .git '%s' '%s' || true; cd '%s'; find . -perm -100 -type f > ../x;"
        " cd '%s'; find . -name .git -prune -o -perm -100 -type f -print |"
        " diff ../x - || true",
        place->work, place->tree, place->tree, place->work);

    if (difference[0])
        fail_msg("%s: the tree is not what git made: %s", what, difference);
}

/* Each is done in the clone and committed; then the patch must bring the check-out to the same. */
static void applies_what_git_makes(void **state)
{
    static const struct {
        const char *what, *edits, *make;
    } cases[] = {
        {"a diff", "sed -i 's/^5$/five/' kernel/fair.c; git commit -qam x", "git diff base HEAD"},
        {"a mail", "sed -i 's/^5$/five/' kernel/fair.c; git commit -qam x",
         "git format-patch --stdout base"},
        {"a series that edits one file twice",
         "sed -i 's/^5$/five/' kernel/fair.c; git commit -qam x;"
         " sed -i 's/^five$/FIVE/; s/^6$/six/' kernel/fair.c; git commit -qam y",
         "git format-patch --stdout base"},
        {"new, deleted and renamed files, and a mode",
         "printf 'new\\n' > n.c; git add n.c; git rm -q kernel/rt.c; git mv run.sh go.sh;"
         " chmod +x go.sh; git add go.sh; git commit -qm x",
         "git format-patch --stdout -M base"},
        {"a binary file",
         "head -c 3000 /dev/zero | tr '\\0' '\\1' > logo; printf 'a\\0b' >> logo;"
         " git add logo; git commit -qm x",
         "git format-patch --stdout --binary base"},
        {"no newline at the end", "printf 'int rt' > kernel/rt.c; git commit -qam x",
         "git diff base HEAD"},
        {"a plain diff", "sed -i 's/^5$/five/' kernel/fair.c; git commit -qam x",
         "git diff --no-prefix base HEAD | sed -n '/^---/,$p' |"
         " sed 's,^--- ,--- linux.orig/,; s,^+++ ,+++ linux/,'"},
    };
    struct place *place = *state;
    struct culprit_error error = {0};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        _cleanup_strv_ struct strv patches = {0};
        _cleanup_free_ char *patch = NULL;

        free(fixture_shell("cd '%s'; git reset -q --hard base; git clean -qfd; %s", place->work,
                           cases[i].edits));
        patch = fixture_shell("cd '%s'; %s", place->work, cases[i].make);
        assert_true(strv_append(&patches, patch));
        if (check_out(place, &patches, &error) < 0)
            fail_msg("%s: %s", cases[i].what, error.message);
        assert_same_as_work(place, cases[i].what);
    }
    free(fixture_shell("cd '%s'; git reset -q --hard base; git clean -qfd", place->work));
    assert_success(check_out(place, NULL, &error));
    assert_same_as_work(place, "without patches");
}

#define PATCH(file, hunks) "--- a/" file "\n+++ b/" file "\n" hunks

static void names_what_does_not_apply(void **state)
{
    static const char fits[] = PATCH("kernel/rt.c", "@@ -1 +1 @@\n-int rt;\n+int deadline;\n");
    static const struct {
        const char *first, *second, *says[3];
    } cases[] = {
        {PATCH("kernel/fair.c", "@@ -1,2 +1,2 @@\n-1\n+one\n 2\n@@ -8,2 +8,2 @@\n-EIGHT\n+8\n 9\n"),
         NULL,
         {"patch 1", "hunk 2", "kernel/fair.c"}},
        {fits,
         PATCH("kernel/rt.c", "@@ -1 +1 @@\n-int rt;\n+int x;\n"),
         {"patch 2", "hunk 1", "kernel/rt.c"}},
        {PATCH("no/such.c", "@@ -1 +1 @@\n-a\n+b\n"), NULL, {"patch 1", "no/such.c", "apply"}},
        {fits, "not a patch", {"patch 2", "no diff", "diff"}},
        {PATCH("../out.c", "@@ -0,0 +1 @@\n+x\n"), NULL, {"patch 1", "out.c", "patch"}},
    };
    struct place *place = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct culprit_error error = {0};
        _cleanup_strv_ struct strv patches = {0};

        strv_append(&patches, cases[i].first);
        if (cases[i].second)
            strv_append(&patches, cases[i].second);
        assert_failure(check_out(place, &patches, &error), CULPRIT_FAILED);
        for (size_t j = 0; j < 3; j++)
            assert_contains(error.message, cases[i].says[j]);
    }
}

static void refuses_a_patch_that_leads_out(void **state)
{
    static const char *const texts[] = {
        "--- /dev/null\n+++ b/../out.c\n@@ -0,0 +1 @@\n+x\n",
        "--- /dev/null\n+++ b/.git/config\n@@ -0,0 +1 @@\n+x\n",
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n"
        "+/etc/passwd\n\\ No newline at end of file\n",
    };
    struct place *place = *state;
    struct culprit_error error = {0};

    assert_success(check_out(place, NULL, &error));
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        _cleanup_strv_ struct strv patches = {0};
        _cleanup_free_ char *outside = NULL;

        strv_append(&patches, texts[i]);
        if (check_out(place, &patches, &error) == 0)
            fail_msg("accepted: %s", texts[i]);
        outside = fixture_shell("cd '%s'; ls -d ../out.c .git l 2>/dev/null || true", place->tree);
        assert_string_equal(outside, "");
    }
}

#define place_test(function) cmocka_unit_test_setup_teardown(function, place_setup, place_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        place_test(applies_what_git_makes),
        place_test(names_what_does_not_apply),
        place_test(refuses_a_patch_that_leads_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
