/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "git_fixture.h"
#include "scratch.h"

/*
 *     one--two          two: changes, removes, adds, and turns a directory into a file and a file
 *        \              into a directory
 *         escape        adds a link that leads out of the tree
 */
static const struct fixture_commit graph[] = {
    {.name = "one",
     .files = {{"Makefile", "all:\n", NULL},
               {"kernel/fair.c", "int fair;\n", NULL},
               {"kernel/rt.c", "int rt;\n", NULL},
               {"run.sh", "#!/bin/sh\n", "100755"},
               {"link", "kernel/fair.c", "120000"},
               {"deep/er/up", "../../kernel/rt.c", "120000"},
               {"shape/inside", "was a directory\n", NULL},
               {"turned", "was a file\n", NULL}}},
    {.name = "two",
     .parents = {"one"},
     .files = {{"kernel/fair.c", "int unfair;\n", NULL},
               {"kernel/rt.c", NULL, NULL},
               {"new/file.c", "int new;\n", NULL},
               {"run.sh", "#!/bin/sh\n", NULL},
               {"shape/inside", NULL, NULL},
               {"shape", "is a file\n", NULL},
               {"turned", NULL, NULL},
               {"turned/inside", "is a directory\n", NULL}}},
    {.name = "escape", .parents = {"one"}, .files = {{"kernel/out", "../../outside", "120000"}}},
};

struct place {
    struct repository *repository;
    char *git, *tree, *state;
};

static int place_setup(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    void *scratch = NULL;

    if (!place || scratch_setup(&scratch) < 0)
        return -1;
    place->git = path_join(scratch, "repository.git");
    place->tree = path_join(scratch, "tree");
    place->state = path_join(scratch, "tree.state");
    fixture_repository(place->git, graph, sizeof(graph) / sizeof(graph[0]));
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

    repository_free(place->repository);
    free(place->git);
    free(place->tree);
    free(place->state);
    free(place);
    return scratch_teardown(&pointer);
}

static int check_out(struct place *place, const char *name, struct culprit_error *error)
{
    char id[COMMIT_ID_SIZE];

    fixture_id(place->repository, name, id);
    return repository_checkout(place->repository, &(struct checkout){.commit_id = id}, place->tree,
                               NULL, error);
}

/* The directory against what git itself writes for the commit. */
static void assert_holds(const struct place *place, const char *name)
{
    _cleanup_free_ char *difference = fixture_shell(
        "rm -rf '%s.git-says'; mkdir '%s.git-says';"
        " git --git-dir '%s' archive '%s' | tar -x -C '%s.git-says';"
        " diff -r --no-dereference '%s.git-says' '%s' 2>&1 || true;"
        " cd '%s'; find . -type f -printf '%%p %%m\\n' | sort > ../modes;"
        " cd '%s.git-says'; chmod -R u=rwX,go=rX .;"
        " find . -type f -printf '%%p %%m\\n' | sort | diff ../modes - || true",
        place->tree, place->tree, place->git, name, place->tree, place->tree, place->tree,
        place->tree, place->tree);

    if (difference[0])
        fail_msg("the check-out of %s is not what git writes: %s", name, difference);
}

static struct stat look(const struct place *place, const char *name)
{
    _cleanup_free_ char *path = path_join(place->tree, name);
    struct stat status = {0};

    if (lstat(path, &status) < 0)
        fail_msg("%s is not there", path);
    return status;
}

static void assert_untouched(const struct stat *before, const struct stat *after, const char *name)
{
    if (before->st_ino != after->st_ino || before->st_mtim.tv_sec != after->st_mtim.tv_sec ||
        before->st_mtim.tv_nsec != after->st_mtim.tv_nsec)
        fail_msg("%s was written again", name);
}

static void writes_a_commit(void **state)
{
    struct place *place = *state;
    struct culprit_error error = {0};

    assert_success(check_out(place, "one", &error));
    assert_holds(place, "one");
}

static void touches_only_what_differs(void **state)
{
    struct place *place = *state;
    struct culprit_error error = {0};
    struct stat makefile, fair, after;

    assert_success(check_out(place, "one", &error));
    makefile = look(place, "Makefile");
    fair = look(place, "kernel/fair.c");
    assert_success(check_out(place, "two", &error));
    assert_holds(place, "two");
    after = look(place, "Makefile");
    assert_untouched(&makefile, &after, "Makefile");
    after = look(place, "kernel/fair.c");
    assert_true(after.st_ino != fair.st_ino || after.st_mtim.tv_nsec != fair.st_mtim.tv_nsec);
    assert_success(check_out(place, "one", &error));
    assert_holds(place, "one");
    after = look(place, "Makefile");
    assert_untouched(&makefile, &after, "Makefile");
}

/* What somebody did to the directory since, and what it has to be again. */
static void repairs_the_directory(void **state)
{
    static const char *const damages[] = {
        "printf 'int FAIR;\\n' > kernel/fair.c", /* same size */
        "touch -r kernel/fair.c t; printf 'int FAIR;\\n' > kernel/fair.c; touch -r t kernel/fair.c",
        "rm kernel/rt.c",
        "chmod 755 Makefile",
        "chmod 600 Makefile",
        "rm Makefile; mkdir -p Makefile/with/content; touch Makefile/with/content/x",
        "rm -r kernel; ln -s /etc kernel",
        "rm link; ln -s kernel/rt.c link",
        "rm link; cp Makefile link",
        "rm Makefile; mkfifo Makefile",
        "mkdir -p stray/dir; touch stray/dir/file; ln -s / stray/root; touch .config",
        "mkdir .git; touch .git/index",
        "rm ../tree.state",
        "truncate -s 100 ../tree.state",
        "printf garbage > ../tree.state; rm kernel/rt.c",
        "rm -r ../tree.state; rm -rf ../tree",
    };
    struct place *place = *state;

    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        struct culprit_error error = {0};

        assert_success(check_out(place, "one", &error));
        free(fixture_shell("cd '%s'; %s", place->tree, damages[i]));
        if (check_out(place, "one", &error) < 0)
            fail_msg("after \"%s\": %s", damages[i], error.message);
        assert_holds(place, "one");
    }
}

/* Without a state the content decides, so that an incremental build goes on. */
static void keeps_files_without_a_state(void **state)
{
    struct place *place = *state;
    struct culprit_error error = {0};
    struct stat before, after;

    assert_success(check_out(place, "one", &error));
    before = look(place, "Makefile");
    assert_int_equal(unlink(place->state), 0);
    assert_success(check_out(place, "two", &error));
    assert_holds(place, "two");
    after = look(place, "Makefile");
    assert_untouched(&before, &after, "Makefile");
}

static void writes_through_no_link(void **state)
{
    struct place *place = *state;
    struct culprit_error error = {0};
    _cleanup_free_ char *left = NULL;

    assert_success(check_out(place, "one", &error));
    free(fixture_shell("cd '%s'; mkdir ../outside; rm -r kernel; ln -s ../outside kernel;"
                       " rm -r shape; ln -s ../outside shape",
                       place->tree));
    assert_success(check_out(place, "two", &error));
    assert_holds(place, "two");
    left = fixture_shell("ls -A '%s/../outside'", place->tree);
    assert_string_equal(left, "");
}

static void refuses_a_link_that_leads_out(void **state)
{
    struct place *place = *state;
    struct culprit_error error = {0};

    assert_failure(check_out(place, "escape", &error), CULPRIT_INVALID);
    assert_contains(error.message, "kernel/out");
    assert_success(check_out(place, "two", &error));
    assert_holds(place, "two");
}

/* Trees that git itself would not write: their names are ".." and ".git". */
static void refuses_unsafe_paths(void **state)
{
    static const char *const names[] = {"..", ".git", ".GIT"};
    struct place *place = *state;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct culprit_error error = {0};
        _cleanup_free_ char *id = fixture_shell(
            "export GIT_DIR='%s'; blob=$(printf evil | git hash-object -w --stdin);"
            " inner=$(printf '100644 blob %%s\\tconfig\\n' $blob | git mktree);"
            " outer=$(printf '040000 tree %%s\\t%s\\n' $inner | git mktree);"
            " git commit-tree -m evil $outer",
            place->git, names[i]);

        id[COMMIT_ID_SIZE - 1] = '\0';
        assert_failure(repository_checkout(place->repository, &(struct checkout){.commit_id = id},
                                           place->tree, NULL, &error),
                       CULPRIT_INVALID);
        assert_contains(error.message, "not safe");
    }
}

static void goes_on_after_a_cancellation(void **state)
{
    struct place *place = *state;
    struct culprit_error error = {0};
    struct cancel *cancel = NULL;
    char id[COMMIT_ID_SIZE];

    assert_success(cancel_new(&cancel, &error));
    cancel_request(cancel);
    fixture_id(place->repository, "one", id);
    assert_failure(repository_checkout(place->repository, &(struct checkout){.commit_id = id},
                                       place->tree, cancel, &error),
                   CULPRIT_CANCELLED);
    cancel_free(cancel);
    assert_success(check_out(place, "one", &error));
    assert_holds(place, "one");
}

static void says_what_it_cannot_write(void **state)
{
    struct place *place = *state;
    struct culprit_error error = {0};
    char id[COMMIT_ID_SIZE];

    fixture_id(place->repository, "one", id);
    assert_true(repository_checkout(place->repository, &(struct checkout){.commit_id = id},
                                    "/proc/no/such", NULL, &error) < 0);
    assert_contains(error.message, "/proc/no");
}

#define place_test(function) cmocka_unit_test_setup_teardown(function, place_setup, place_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        place_test(writes_a_commit),           place_test(touches_only_what_differs),
        place_test(repairs_the_directory),     place_test(keeps_files_without_a_state),
        place_test(writes_through_no_link),    place_test(refuses_a_link_that_leads_out),
        place_test(refuses_unsafe_paths),      place_test(goes_on_after_a_cancellation),
        place_test(says_what_it_cannot_write),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
