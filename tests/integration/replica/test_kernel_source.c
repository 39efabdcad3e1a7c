/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The catalogue against real kernel source: every edit fits, in 6.1 and in 6.12. */
#include <stdio.h>
#include <string.h>

#include "archive_source.h"
#include "base_import.h"
#include "history.h"
#include "scratch.h"

enum { SKIPPED = 77 };

static const char *const packages[] = {"linux-source-6.1", "linux-source-6.12"};

static bool installed(const char *package)
{
    _cleanup_free_ char *path = text_format("/usr/src/%s.tar.xz", package);

    return path && file_exists(path);
}

/* Leaves the change in the line. */
static void try_change(struct snapshot *line, const char *package, const struct change *change)
{
    for (size_t i = 0; i < CHANGE_EDITS_MAXIMUM && change->edits[i].path; i++) {
        struct culprit_error error = {0};

        if (edit_apply(line, &change->edits[i], &error) < 0)
            fail_msg("%s: \"%s\": %s", package, change->subject, error.message);
    }
}

static void try_breakage(const struct snapshot *base, const char *package,
                         const struct breakage *breakage)
{
    struct snapshot line = *base;

    for (size_t i = 0; i < CHANGE_EDITS_MAXIMUM && breakage->broken.edits[i].path; i++)
        assert_int_equal(edit_apply(&line, &breakage->broken.edits[i], NULL), 0);
    try_change(&line, package, &breakage->fix);
}

/* Exactly one variant of a fault fits one kernel, and what the others leave does not keep it from
 * that. */
static void try_fault(struct snapshot *line, const char *package, const char *name,
                      const struct replica_fault *fault)
{
    const struct change *fitting = NULL;

    for (size_t i = 0; i < fault->variant_count; i++) {
        struct snapshot trial = *line;

        if (edit_apply(&trial, &fault->variants[i].edits[0], NULL) < 0)
            continue;
        if (fitting)
            fail_msg("%s: two variants of a fault of %s fit", package, name);
        fitting = &fault->variants[i];
    }
    if (!fitting)
        fail_msg("%s: no variant of a fault of %s fits", package, name);
    try_change(line, package, fitting);
}

static void try_case(const struct snapshot *base, const char *package,
                     const struct replica_case *which)
{
    struct snapshot line = *base;

    for (size_t i = LAYOUT_FAULTS_MAXIMUM; i-- > 0;)
        try_fault(&line, package, which->name, &which->faults[i]);
}

static void check_catalogue(const char *package, git_repository *git)
{
    struct culprit_error error = {0};
    struct snapshot base;
    git_oid id;

    assert_int_equal(git_reference_name_to_id(&id, git, "refs/heads/main"), 0);
    assert_success(snapshot_begin(git, &id, &base, &error));
    for (size_t i = 0; i < sched_change_count; i++) {
        struct snapshot line = base;

        try_change(&line, package, &sched_changes[i]);
    }
    for (size_t i = 0; i < breakage_count; i++)
        try_breakage(&base, package, &breakages[i]);
    for (size_t i = 0; i < replica_case_count; i++)
        try_case(&base, package, &replica_cases[i]);
}

/* The longest history uses up the catalogue, and finds work of each kind. */
static void check_longest(const char *package, const char *directory)
{
    CULPRIT_CLEANUP(history_result_clear) struct history_result result = {0};
    struct culprit_error error = {0};
    struct layout layout;
    unsigned idle = 0;

    assert_success(layout_make(&(struct layout_options){.commits = LAYOUT_COMMITS_MAXIMUM,
                                                        .seed = 11,
                                                        .faults = LAYOUT_FAULTS_MAXIMUM,
                                                        .place = PLACE_ON_SIDE},
                               &layout, &error));
    if (history_write(directory, &replica_cases[0], &layout, 11, &result, &error) < 0)
        fail_msg("%s: %s", package, error.message);
    for (unsigned i = 1; i < result.count; i++)
        idle += result.records[i].effect == EFFECT_NONE;
    assert_true(3 * idle >= LAYOUT_COMMITS_MAXIMUM);
}

static void the_catalogue_fits(void **state)
{
    _cleanup_free_ char *home = path_cache_home();
    _cleanup_free_ char *cache = path_join(home, "replica");

    for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
        _cleanup_free_ char *directory = path_join(*state, packages[i]);
        _cleanup_free_ char *path = NULL;
        git_repository *git = NULL;
        struct culprit_error error = {0};

        if (!installed(packages[i]))
            continue;
        assert_success(archive_source_path(packages[i], &path, &error));
        assert_success(base_repository(path, cache, directory, &error));
        assert_int_equal(git_repository_open_bare(&git, directory), 0);
        check_catalogue(packages[i], git);
        git_repository_free(git);
        check_longest(packages[i], directory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(the_catalogue_fits),
    };

    if (!installed(packages[0]) && !installed(packages[1])) {
        puts("skipped: neither linux-source-6.1 nor linux-source-6.12 is installed");
        return SKIPPED;
    }
    git_libgit2_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
