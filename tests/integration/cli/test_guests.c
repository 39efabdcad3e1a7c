/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the command line does with real guests. Needs a kernel: $CULPRIT_TEST_KERNEL, an x86-64
 * bzImage of kernels/fragments. Without one it is skipped. */
#include "scratch.h"

#include <string.h>

#include "base/buffer.h"
#include "base/path.h"
#include "command.h"
#include "server.h"

/* One for the whole program: a process runs its guests in one directory. */
static void *home;

static int set_up_group(void **state)
{
    (void)state;
    if (scratch_setup(&home) < 0)
        return -1;
    setenv("XDG_STATE_HOME", home, 1);
    setenv("XDG_CACHE_HOME", home, 1);
    return 0;
}

static int tear_down_group(void **state)
{
    (void)state;
    return scratch_teardown(&home);
}

static const char *kernel(void)
{
    const char *path = getenv("CULPRIT_TEST_KERNEL");

    if (!path) {
        print_message("skipped: set CULPRIT_TEST_KERNEL to a bzImage of kernels/fragments\n");
        skip();
    }
    return path;
}

/* The command that a result gives gives the result again. */
static void test_repeat_line(void **state)
{
    _cleanup_free_ char *line = text_format(
        "culprit try --json --kernel %s --topology pair --engine deterministic "
        "--seed 3 wakeup runtime=200ms --warmup 50ms workers=2 think=1ms",
        kernel());
    _cleanup_run_ struct command_run first = command(line, NULL);
    json_t *result = json_loads(first.out, 0, NULL);
    const char *repeat = json_string_value(json_object_get(result, "repeat"));
    const char *digest = json_string_value(json_object_get(result, "digest"));

    (void)state;
    if (first.status != 0 || !repeat || !digest)
        fail_msg("status %d, out \"%s\", err \"%s\"", first.status, first.out, first.err);
    {
        _cleanup_run_ struct command_run again = command(repeat, NULL);

        assert_run(again, 0, digest, "");
        assert_run(again, 0, "wakeup.latency.p99", "");
        assert_run(again, 0, repeat, "");
    }
    json_decref(result);
}

static void test_kept_files(void **state)
{
    static const char *const names[] = {"console.log", "records.jsonl", "initrd", "plan.cpio"};
    _cleanup_free_ char *keep = path_join(*state, "kept");
    _cleanup_free_ char *line = text_format(
        "culprit try --kernel %s --topology pair --engine functional --keep %s exec "
        "command=false allow_failure=true",
        kernel(), keep);
    _cleanup_run_ struct command_run run = command(line, NULL);

    assert_run(run, 0, "exec.exit_status", "");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        _cleanup_free_ char *path = path_join(keep, names[i]);

        if (!file_exists(path))
            fail_msg("%s was not kept", path);
    }
}

static void test_failed_trial(void **state)
{
    _cleanup_free_ char *line = text_format(
        "culprit try --kernel %s --topology pair --engine functional exec command=false", kernel());
    _cleanup_run_ struct command_run run = command(line, NULL);

    (void)state;
    assert_run(run, 3, "workload_failed: workload exec failed: ", "");
}

static void test_topology_check(void **state)
{
    _cleanup_free_ char *line = text_format("culprit topology check pair --kernel %s", kernel());
    _cleanup_run_ struct command_run run = command(line, NULL);

    (void)state;
    assert_run(run, 0, "pair: asked = seen", "");
}

/* The project's own file with another expectation: the check fails and names the difference. */
static void test_wrong_expectation(void **state)
{
    const char *right = "{level: 3, type: Unified, shared: [\"0-1\"]}";
    const char *wrong = "{level: 3, type: Unified, shared: [\"0\", \"1\"]}";
    _cleanup_free_ char *path = path_join(*state, "pair.yaml");
    _cleanup_free_ char *line = text_format("culprit topology check %s --kernel %s", path,
                                            kernel());
    _cleanup_buffer_ struct buffer changed = BUFFER_INIT(65536);
    _cleanup_free_ char *text = NULL;
    struct culprit_error error = {0};
    char *place;

    assert_success(
        file_read(CULPRIT_SOURCE_DIR "/images/topologies/pair.yaml", 65536, &text, NULL, &error));
    place = strstr(text, right);
    assert_non_null(place);
    buffer_append(&changed, text, (size_t)(place - text));
    buffer_puts(&changed, wrong);
    buffer_puts(&changed, place + strlen(right));
    assert_success(file_write_atomic(path, changed.data, changed.length, 0644, &error));
    {
        _cleanup_run_ struct command_run run = command(line, NULL);

        assert_run(run, 1, "DIFF  L3 caches", "L3 caches: asked 0 1, seen 0-1");
    }
}

/* Six boots, their figures, and what the server then knows of them. */
static void test_calibrate(void **state)
{
    struct server *server = server_start(&(struct server_options){0});
    _cleanup_free_ char *line = text_format(
        "culprit calibrate --json --server http://127.0.0.1:%u --kernel %s --topology pair "
        "--engine deterministic --trials 6 --comparisons 100 --metric wakeup.latency.p99 wakeup "
        "runtime=200ms --warmup 50ms workers=2 think=1ms",
        server_port(server), kernel());
    _cleanup_run_ struct command_run run = command(line, NULL);
    json_t *result = json_loads(run.out, 0, NULL);
    const json_t *list = json_object_get(result, "calibrations");
    const json_t *one = json_array_get(list, 0), *figures = json_object_get(one, "figures");

    (void)state;
    assert_run(run, 0, "\"wakeup.latency.p99\"", "trial 6 of 6");
    assert_int_equal(json_array_size(list), 1);
    assert_int_equal(json_integer_value(json_object_get(one, "id")), 1);
    assert_int_equal(json_array_size(json_object_get(one, "values")), 6);
    assert_int_equal(json_array_size(json_object_get(figures, "sizes")), 1);
    assert_true(json_number_value(json_object_get(figures, "median")) > 0);
    json_decref(result);
    server_stop(server);
}

/* A workload that fails: three boots tell it, not six. */
static void test_calibrate_gives_up(void **state)
{
    _cleanup_free_ char *line = text_format(
        "culprit calibrate --kernel %s --topology pair --engine deterministic --trials 6 exec "
        "command=false",
        kernel());
    _cleanup_run_ struct command_run run = command(line, NULL);

    (void)state;
    assert_run(run, 3, "", "the first 3 trials gave no result: workload exec failed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_calibrate),         scratch_test(test_calibrate_gives_up),
        scratch_test(test_repeat_line),       scratch_test(test_kept_files),
        scratch_test(test_failed_trial),      scratch_test(test_topology_check),
        scratch_test(test_wrong_expectation),
    };

    return cmocka_run_group_tests(tests, set_up_group, tear_down_group);
}
