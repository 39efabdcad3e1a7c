/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real builds on a disk that is really full: a small one of memory, in a mount namespace of the
 * test's own. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>

#include "../source/git_fixture.h"
#include "sched/real_work.h"
#include "sched/room.h"
#include "scratch.h"

enum { SKIPPED = 77 };

static const char document[] =
    "{version: 1, name: x, kind: run, source: {repository: big, commit: v1},"
    " guest: {topology: pair}, workloads: [{exec: {command: \"true\"}}]}";

/* Work on a cache of so many MiB. */
struct bench {
    char *cache, *state, *image, *log, *config;
    char commit[COMMIT_ID_SIZE];
    struct catalogue *catalogue;
    struct builder *builder;
    struct work *work;
    struct job *job;
};

static void make_repository(struct bench *bench, const char *path)
{
    free(fixture_shell("git init -q '%s' && cd '%s' && git config core.compression 1 && head -c "
                       "72M /dev/zero > big && git add big "
                       "&& git -c user.name=x -c user.email=x@x commit -q -m x && git tag v1",
                       path, path));
    struct repository *repository = fixture_open(path, bench->cache);
    fixture_id(repository, "v1", bench->commit);
    repository_free(repository);
}

static void resize(const char *path, unsigned long flags, const char *size)
{
    if (mount("tmpfs", path, "tmpfs", flags, size) < 0)
        fail_msg("cannot mount a disk of %s at %s: %s", size, path, strerror(errno));
}

static void bench_open(struct bench *bench, const char *scratch, const char *size)
{
    const struct catalogue_directories directories = {
        .topologies = CULPRIT_SOURCE_DIR "/images/topologies",
        .fragments = CULPRIT_SOURCE_DIR "/kernels/fragments",
        .images = scratch,
    };
    _cleanup_free_ char *path = path_join(scratch, "big");
    struct culprit_error error = {0};

    *bench = (struct bench){.cache = path_join(scratch, "cache"),
                            .state = path_join(scratch, "state"),
                            .image = path_join(scratch, "bzImage"),
                            .log = path_join(scratch, "make.log"),
                            .config = path_join(scratch, "config")};
    assert_success(file_make_directories(bench->cache, 0755, &error));
    assert_success(file_make_directories(bench->state, 0755, &error));
    resize(bench->cache, 0, size);
    make_repository(bench, path);
    assert_success(catalogue_new(&directories, &bench->catalogue, &error));
    assert_success(catalogue_add_repository(bench->catalogue, "big", path, &error));
    assert_success(builder_new(&(struct builder_options){.cache_directory = bench->cache},
                               &bench->builder, &error));
    const struct real_work_options options = {
        .catalogue = bench->catalogue,
        .builder = bench->builder,
        .cache_directory = bench->cache,
        .state_directory = bench->state,
    };
    assert_success(real_work_new(&options, &bench->work, &error));
    assert_success(job_decode(document, strlen(document), NULL, &bench->job, &error));
}

static void bench_close(struct bench *bench)
{
    job_free(bench->job);
    real_work_free(bench->work);
    builder_free(bench->builder);
    catalogue_free(bench->catalogue);
    assert_int_equal(umount(bench->cache), 0);
    free(bench->cache);
    free(bench->state);
    free(bench->image);
    free(bench->log);
    free(bench->config);
}

static int build(struct bench *bench, struct build_result *ret, struct culprit_error *error)
{
    const struct work_build task = {
        .job = bench->job,
        .commit_id = bench->commit,
        .image_path = bench->image,
        .log_path = bench->log,
        .config_path = bench->config,
    };

    return bench->work->ops->build(bench->work, &task, NULL, ret, error);
}

/* The first has no room from the start; the second runs out of it while the tree is checked out. */
static void a_build_without_room_says_what_to_do(void **state)
{
    static const char *const sizes[] = {"size=8M", "size=70M"};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        _cleanup_free_ char *scratch = text_format("%s/%zu", (char *)*state, i);
        struct build_result result = {0};
        struct culprit_error error = {0};
        struct bench bench;

        bench_open(&bench, scratch, sizes[i]);
        assert_failure(build(&bench, &result, &error), CULPRIT_NO_SPACE);
        assert_contains(error.message, bench.cache);
        assert_contains(error.message, "make room");
        /* With room it is the commit's turn to fail, for it is no kernel. */
        resize(bench.cache, MS_REMOUNT, "size=400M");
        assert_success(build(&bench, &result, &error));
        assert_int_equal(result.outcome, OUTCOME_BUILD_FAILED);
        bench_close(&bench);
    }
}

static void the_fuller_disk_is_named(void **state)
{
    _cleanup_free_ char *small = path_join(*state, "small");
    const struct room both[] = {{.cache_directory = small, .state_directory = *state},
                                {.cache_directory = *state, .state_directory = small}};
    struct culprit_error error = {0};

    assert_success(file_make_directories(small, 0755, &error));
    resize(small, 0, "size=64k");
    for (size_t i = 0; i < 2; i++) {
        assert_failure(room_fail(&both[i], "cannot write x: No space left on device", &error),
                       CULPRIT_NO_SPACE);
        assert_contains(error.message, small);
        assert_contains(error.message, i == 0 ? "the cache directory" : "the state directory");
        assert_contains(error.message, "cannot write x");
    }
    assert_int_equal(umount(small), 0);
}

static void full_disks_are_told_by_their_words(void **state)
{
    static const struct {
        const char *message;
        bool missing;
    } cases[] = {
        {"cannot build 1f2e: ld: final link failed: No space left on device", true},
        {"cannot write y: Disk quota exceeded", true},
        {"cannot build 1f2e: kernel/sched/fair.c:812: error: expected ';'", false},
        {"the sandbox did not start", false},
        {"", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (room_is_missing(cases[i].message) != cases[i].missing)
            fail_msg("\"%s\" is taken for %s", cases[i].message,
                     cases[i].missing ? "another failure" : "a full disk");
    }
}

static bool write_file(const char *path, const char *text)
{
    _cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

    return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/* Root needs no user namespace; others are root in one of their own. */
static bool may_mount(void)
{
    char users[64], groups[64];

    snprintf(users, sizeof users, "0 %u 1", geteuid());
    snprintf(groups, sizeof groups, "0 %u 1", getegid());
    if (geteuid() != 0 &&
        (unshare(CLONE_NEWUSER) < 0 || !write_file("/proc/self/setgroups", "deny") ||
         !write_file("/proc/self/uid_map", users) || !write_file("/proc/self/gid_map", groups)))
        return false;
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_build_without_room_says_what_to_do),
        scratch_test(the_fuller_disk_is_named),
        cmocka_unit_test(full_disks_are_told_by_their_words),
    };

    if (!may_mount()) {
        print_message("skipped: no mount namespace can be had here\n");
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
