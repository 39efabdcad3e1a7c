/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make in the real sandbox, on a Makefile of a few lines: what it sees, what it can reach, and how
 * it ends. As root also as an ordinary user. */
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/strv.h"
#include "build/make.h"
#include "scratch.h"

static const char makefile[] =
    "good:\n\t@echo made > $(O)/made\n"
    "environment:\n\t@env | sort | grep -v -e ^MAKE -e ^MFLAGS -e ^PWD -e ^SHLVL -e ^_= -e "
    "^OLDPWD\n"
    "network:\n\t@grep -c : /proc/net/dev; grep -o 'lo:' /proc/net/dev\n"
    "write-source:\n\techo x > Makefile\n"
    "write-usr:\n\techo x > /usr/x\n"
    "host:\n\t@ls -d /home /root /etc/passwd /var /sys /tmp/* 2>&1 | grep -v 'No such file'; true\n"
    "locked:\n\t@! flock --nonblock --exclusive $(O) true\n"
    "hang:\n\t@echo half > $(O)/half; sleep 1000\n"
    "flood:\n\t@yes\n"
    "killed:\n\t@kill -9 $$PPID\n"
    "broken:\n\t@echo '/culprit/source/kernel/fork.c:1:2: error: no'; false\n"
    "large:\n\t@dd if=/dev/zero of=$(O)/large bs=1 count=1 seek=17179869184 2>/dev/null\n";

static const uint64_t SECOND = 1000000000;

struct place {
    char *source, *build, *config, *log;
};

static void place_cleanup(struct place *place)
{
    free(place->source);
    free(place->build);
    free(place->config);
    free(place->log);
}

static struct place make_place(const char *directory)
{
    struct place place = {
        .source = path_join(directory, "source"),
        .build = path_join(directory, "build"),
        .config = path_join(directory, "config"),
        .log = path_join(directory, "log"),
    };
    _cleanup_free_ char *file = path_join(place.source, "Makefile");
    struct culprit_error error = {0};

    assert_success(file_make_directories(place.source, 0755, &error));
    assert_success(file_make_directories(place.build, 0755, &error));
    assert_success(file_make_directories(place.config, 0755, &error));
    assert_success(file_write_atomic(file, makefile, strlen(makefile), 0644, &error));
    return place;
}

static struct make make_of(const struct place *place)
{
    return (struct make){
        .sandbox = {.source = place->source,
                    .build = place->build,
                    .config = place->config,
                    .compiler = "gcc"},
        .jobs = 1,
        .log_path = place->log,
        .log_maximum = 1 << 20,
        .timeout_ns = 60 * SECOND,
        .deadline_ns = clock_monotonic(&clock_system) + 60 * SECOND,
    };
}

/* The target's own output: all but what make says of itself. */
static char *output_of(const struct place *place)
{
    _cleanup_free_ char *text = NULL;
    _cleanup_buffer_ struct buffer output = BUFFER_INIT(2 << 20);
    struct culprit_error error = {0};
    char *rest, *line;

    assert_success(file_read(place->log, 2 << 20, &text, NULL, &error));
    rest = text;
    while ((line = strsep(&rest, "\n"))) {
        if (*line && strncmp(line, "make", 4) != 0)
            buffer_printf(&output, "%s\n", line);
    }
    return buffer_take(&output);
}

static void the_view_is_fixed_and_narrow(void **state)
{
    static const struct {
        const char *target;
        const char *output;
    } cases[] = {
        {"environment",
         "CC=gcc\nHOME=/tmp\n"
         "KBUILD_BUILD_HOST=culprit\nKBUILD_BUILD_TIMESTAMP=Thu Jan  1 00:00:00 UTC 1970\n"
         "KBUILD_BUILD_USER=culprit\nKBUILD_BUILD_VERSION=1\nLC_ALL=C\n"
         "LOCALVERSION=\nO=/culprit/build\n"
         "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
         "SOURCE_DATE_EPOCH=0\nTMPDIR=/tmp\nTZ=UTC\n"},
        {"network", "1\nlo:\n"},
        {"host", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CULPRIT_CLEANUP(place) struct place place = make_place(*state);
        struct make make = make_of(&place);
        struct culprit_error error = {0};
        _cleanup_free_ char *output = NULL;

        assert_success(file_remove_tree(place.log, &error));
        setenv("CULPRIT_TEST_SECRET", "must not be seen", 1);
        assert_success(make_target(&make, SANDBOX_BUILD, cases[i].target, &error));
        output = output_of(&place);
        if (strcmp(output, cases[i].output) != 0)
            fail_msg("%s sees:\n%s", cases[i].target, output);
    }
}

static void only_the_build_directories_can_be_written(void **state)
{
    CULPRIT_CLEANUP(place) struct place place = make_place(*state);
    struct make make = make_of(&place);
    struct culprit_error error = {0};
    _cleanup_free_ char *made = path_join(place.build, "made");
    _cleanup_free_ char *configured = path_join(place.config, "made");

    assert_success(make_target(&make, SANDBOX_BUILD, "good", &error));
    assert_success(make_target(&make, SANDBOX_CONFIG, "good", &error));
    assert_true(file_exists(made));
    assert_true(file_exists(configured));
    assert_true(make_target(&make, SANDBOX_BUILD, "write-source", &error) < 0);
    assert_contains(error.message, "Read-only file system");
    assert_true(make_target(&make, SANDBOX_BUILD, "write-usr", &error) < 0);
    assert_false(file_exists("/usr/x"));
    assert_false(make.cut_off);
    assert_true(make_target(&make, SANDBOX_BUILD, "large", &error) < 0);
}

/* Whoever has the lock for itself knows that nothing of the sandbox lives any more. */
static void all_of_it_holds_a_lock_on_the_build_directory(void **state)
{
    CULPRIT_CLEANUP(place) struct place place = make_place(*state);
    struct make make = make_of(&place);
    struct culprit_error error = {0};
    _cleanup_close_ int fd = open(place.build, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_success(make_target(&make, SANDBOX_BUILD, "locked", &error));
    make.deadline_ns = clock_monotonic(&clock_system) + SECOND;
    assert_failure(make_target(&make, SANDBOX_BUILD, "hang", &error), CULPRIT_TIMED_OUT);
    assert_int_equal(flock(fd, LOCK_EX), 0);
}

static void an_endless_build_is_ended(void **state)
{
    CULPRIT_CLEANUP(place) struct place place = make_place(*state);
    struct make make = make_of(&place);
    struct culprit_error error = {0};

    make.timeout_ns = SECOND;
    make.deadline_ns = clock_monotonic(&clock_system) + SECOND;
    assert_failure(make_target(&make, SANDBOX_BUILD, "hang", &error), CULPRIT_TIMED_OUT);
    assert_string_equal(error.message, "the build took longer than 1.0s");
    assert_true(make.cut_off);
    /* No time is left for another. */
    assert_failure(make_target(&make, SANDBOX_BUILD, "good", &error), CULPRIT_TIMED_OUT);
}

static void the_log_has_a_limit_over_all_runs(void **state)
{
    CULPRIT_CLEANUP(place) struct place place = make_place(*state);
    struct make make = make_of(&place);
    struct culprit_error error = {0};
    uint64_t size = 0;

    assert_success(make_target(&make, SANDBOX_BUILD, "environment", &error));
    assert_failure(make_target(&make, SANDBOX_BUILD, "flood", &error), CULPRIT_LIMIT);
    assert_string_equal(error.message, "the build wrote more than 1MiB of output");
    assert_success(file_size(place.log, &size, &error));
    assert_int_equal(size, 1 << 20);
    assert_true(make.cut_off);
}

static void failures_are_told_apart(void **state)
{
    CULPRIT_CLEANUP(place) struct place place = make_place(*state);
    struct make make = make_of(&place);
    struct culprit_error error = {0};

    assert_failure(make_target(&make, SANDBOX_BUILD, "broken", &error), CULPRIT_FAILED);
    assert_string_equal(error.message, "kernel/fork.c:1:2: error: no");
    assert_false(make.cut_off);
    assert_failure(make_target(&make, SANDBOX_BUILD, "killed", &error), CULPRIT_IO);
    assert_string_equal(error.message, "make was killed");
    assert_true(make.cut_off);
}

static void a_broken_sandbox_is_not_a_broken_commit(void **state)
{
    CULPRIT_CLEANUP(place) struct place place = make_place(*state);
    struct make make = make_of(&place);
    struct culprit_error error = {0};

    make.sandbox.compiler = "/nonexistent/toolchain/bin/gcc";
    assert_failure(make_target(&make, SANDBOX_BUILD, "good", &error), CULPRIT_IO);
    assert_contains(error.message, "bwrap: ");
    assert_contains(error.message, "/nonexistent/toolchain");
    assert_true(make.cut_off);
}

static void cancellation_ends_the_build(void **state)
{
    CULPRIT_CLEANUP(place) struct place place = make_place(*state);
    struct make make = make_of(&place);
    CULPRIT_CLEANUP(cancel_free) struct cancel *cancel = NULL;
    struct culprit_error error = {0};

    assert_success(cancel_new(&cancel, &error));
    cancel_request(cancel);
    make.cancel = cancel;
    assert_failure(make_target(&make, SANDBOX_BUILD, "good", &error), CULPRIT_CANCELLED);
    assert_string_equal(error.message, "the build was cancelled");
}

/* In a child that has given up root; its exit status tells how far it came. */
static void works_for_an_ordinary_user(void **state)
{
    enum { NOBODY = 65534 };
    const char *directory = *state;
    CULPRIT_CLEANUP(place) struct place place = {0};
    int status = 0;
    pid_t child;

    if (geteuid() != 0) {
        skip(); /* the other tests have been the ordinary user's */
        return;
    }
    place = make_place(directory);
    assert_int_equal(chmod(directory, 0777), 0);
    assert_int_equal(chown(place.build, NOBODY, NOBODY), 0);
    assert_int_equal(chown(place.config, NOBODY, NOBODY), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct make make = make_of(&place);
        struct culprit_error error = {0};

        if (setresgid(NOBODY, NOBODY, NOBODY) < 0 || setresuid(NOBODY, NOBODY, NOBODY) < 0)
            _exit(1);
        if (make_target(&make, SANDBOX_BUILD, "good", &error) < 0) {
            print_error("%s\n", error.message);
            _exit(2);
        }
        _exit(make_target(&make, SANDBOX_BUILD, "write-source", &error) < 0 ? 0 : 3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(the_view_is_fixed_and_narrow),
        scratch_test(only_the_build_directories_can_be_written),
        scratch_test(all_of_it_holds_a_lock_on_the_build_directory),
        scratch_test(an_endless_build_is_ended),
        scratch_test(the_log_has_a_limit_over_all_runs),
        scratch_test(failures_are_told_apart),
        scratch_test(a_broken_sandbox_is_not_a_broken_commit),
        scratch_test(cancellation_ends_the_build),
        scratch_test(works_for_an_ordinary_user),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
