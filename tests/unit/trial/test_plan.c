/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan's text, the overlay that carries it, and the deadline of a trial. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/path.h"
#include "script.h"
#include "trial/deadline.h"
#include "trial/overlay.h"
#include "trial/plan_text.h"

static void request_clear_cleanup(struct workload_request *request)
{
    workload_request_clear(request);
}

static void test_plan_text(void **state)
{
    __attribute__((cleanup(request_clear_cleanup))) struct workload_request request = {0};
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(PLAN_TEXT_MAXIMUM);
    _cleanup_strv_ struct strv sysctls = {0};
    _cleanup_strv_ struct strv features = {0};
    struct trial_spec spec = {.seed = 9223372036854775807u,
                              .sysctls = &sysctls,
                              .features = &features,
                              .workloads = &request,
                              .workload_count = 1};
    struct culprit_error error = {0};
    const char *head = "culprit-plan 1\n"
                       "seed 9223372036854775807\n"
                       "schedstats on\n"
                       "sysctl kernel.sched_latency_ns 6000000\n"
                       "feature NO_PLACE_LAG\n"
                       "workload wakeup\n";

    (void)state;
    script_request(&request);
    strv_append(&sysctls, "kernel.sched_latency_ns 6000000");
    strv_append(&features, "NO_PLACE_LAG");
    if (plan_text_write(&spec, &text, &error) < 0)
        fail_msg("%s", error.message);
    if (strncmp(text.data, head, strlen(head)) != 0)
        fail_msg("the plan begins\n%s", text.data);
    assert_non_null(strstr(text.data, "\noption message_threads 2\n"));
    assert_non_null(strstr(text.data, "\noption runtime 30000000000\n"));
    assert_string_equal(text.data + text.length - 5, "\nend\n");
    for (size_t i = 0; i < request.schema->option_count; i++) {
        _cleanup_free_ char *line = text_format("\noption %s ", request.schema->options[i].name);
        assert_non_null(strstr(text.data, line));
    }
}

static void test_plan_without_workloads(void **state)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(PLAN_TEXT_MAXIMUM);
    struct trial_spec spec = {.seed = 0};

    (void)state;
    assert_int_equal(plan_text_write(&spec, &text, NULL), 0);
    assert_string_equal(text.data, "culprit-plan 1\nseed 0\nschedstats on\nend\n");
}

/* No setting can smuggle a line of its own into the plan. */
static void test_plan_refuses(void **state)
{
    static const struct {
        const char *sysctl, *feature, *sentence;
    } cases[] = {
        {"kernel.x 1\nfeature Y", NULL, "a sysctl holds a control character (0x0a)"},
        {"kernel.x", NULL, "a sysctl is \"KEY VALUE\""},
        {"kernel.x ", NULL, "a sysctl is \"KEY VALUE\""},
        {" 1", NULL, "a sysctl is \"KEY VALUE\""},
        {"", NULL, "a sysctl must have 1 to"},
        {"../x 1", NULL, "\"../x\" is not the name of a setting"},
        {"a..x 1", NULL, "\"a..x\" is not the name of a setting"},
        {"kernel/x 1", NULL, "\"kernel/x\" is not the name of a setting"},
        {NULL, "../X", "\"../X\" is not the name of a setting"},
        {NULL, "A B", "a scheduler feature is one word"},
        {NULL, "A\tB", "a scheduler feature holds a control character (0x09)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        _cleanup_buffer_ struct buffer text = BUFFER_INIT(PLAN_TEXT_MAXIMUM);
        _cleanup_strv_ struct strv sysctls = {0};
        _cleanup_strv_ struct strv features = {0};
        struct trial_spec spec = {.sysctls = &sysctls, .features = &features};
        struct culprit_error error = {0};

        if (cases[i].sysctl)
            strv_append(&sysctls, cases[i].sysctl);
        if (cases[i].feature)
            strv_append(&features, cases[i].feature);
        assert_int_equal(plan_text_write(&spec, &text, &error), -CULPRIT_INVALID);
        if (!strstr(error.message, cases[i].sentence))
            fail_msg("case %zu: %s", i, error.message);
    }
}

static void test_plan_needs_required_options(void **state)
{
    __attribute__((cleanup(request_clear_cleanup))) struct workload_request request = {0};
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(PLAN_TEXT_MAXIMUM);
    struct trial_spec spec = {.workloads = &request, .workload_count = 1};
    struct culprit_error error = {0};

    (void)state;
    assert_int_equal(workload_request_init("exec", &request, &error), 0);
    assert_int_equal(plan_text_write(&spec, &text, &error), -CULPRIT_INVALID);
    assert_non_null(strstr(error.message, "command"));
}

struct scratch {
    char directory[64];
    char *image, *overlay, *initrd;
};

static int set_up(void **state)
{
    struct scratch *scratch = calloc(1, sizeof *scratch);

    strcpy(scratch->directory, "/tmp/culprit-test-XXXXXX");
    assert_non_null(mkdtemp(scratch->directory));
    scratch->image = path_join(scratch->directory, "image");
    scratch->overlay = path_join(scratch->directory, "overlay");
    scratch->initrd = path_join(scratch->directory, "initrd");
    *state = scratch;
    return 0;
}

static int tear_down(void **state)
{
    struct scratch *scratch = *state;

    file_remove_tree(scratch->directory, NULL);
    free(scratch->image);
    free(scratch->overlay);
    free(scratch->initrd);
    free(scratch);
    return 0;
}

/* What libarchive's own reader finds in the archive at `offset` of a file. */
static void expect_plan(const char *path, size_t offset, const char *plan)
{
    struct archive *archive = archive_read_new();
    struct archive_entry *entry;
    _cleanup_free_ char *bytes = NULL;
    char content[256] = "";
    size_t length;

    assert_int_equal(file_read(path, 1 << 20, &bytes, &length, NULL), 0);
    assert_int_equal(offset % 4, 0);
    archive_read_support_format_cpio(archive);
    assert_int_equal(archive_read_open_memory(archive, bytes + offset, length - offset),
                     ARCHIVE_OK);
    assert_int_equal(archive_read_next_header(archive, &entry), ARCHIVE_OK);
    assert_int_equal(archive_format(archive), ARCHIVE_FORMAT_CPIO_SVR4_NOCRC);
    assert_string_equal(archive_entry_pathname(entry), "culprit");
    assert_int_equal(archive_entry_filetype(entry), AE_IFDIR);
    assert_int_equal(archive_read_next_header(archive, &entry), ARCHIVE_OK);
    assert_string_equal(archive_entry_pathname(entry), "culprit/plan");
    assert_int_equal(archive_entry_perm(entry), 0600);
    assert_int_equal(archive_entry_mtime(entry), 0);
    assert_int_equal(archive_read_data(archive, content, sizeof content), (int)strlen(plan));
    assert_string_equal(content, plan);
    assert_int_equal(archive_read_next_header(archive, &entry), ARCHIVE_EOF);
    archive_read_free(archive);
}

static void test_overlay(void **state)
{
    struct scratch *scratch = *state;
    _cleanup_free_ char *first = NULL;
    _cleanup_free_ char *second = NULL;
    const char *plan = "culprit-plan 1\nseed 7\nend\n";
    size_t length;

    assert_int_equal(overlay_write(scratch->overlay, plan, strlen(plan), NULL), 0);
    expect_plan(scratch->overlay, 0, plan);
    assert_int_equal(file_read(scratch->overlay, 1 << 20, &first, &length, NULL), 0);
    assert_true(length < 1024);
    unlink(scratch->overlay);
    assert_int_equal(overlay_write(scratch->overlay, plan, strlen(plan), NULL), 0);
    assert_int_equal(file_read(scratch->overlay, 1 << 20, &second, NULL, NULL), 0);
    assert_memory_equal(first, second, length);
}

static void test_overlay_is_aligned(void **state)
{
    struct scratch *scratch = *state;
    const char *plan = "culprit-plan 1\n";

    assert_int_equal(overlay_write(scratch->overlay, plan, strlen(plan), NULL), 0);
    for (size_t length = 1; length <= 9; length++) {
        _cleanup_free_ char *joined = NULL;

        assert_int_equal(file_write_atomic(scratch->image, "123456789", length, 0600, NULL), 0);
        assert_int_equal(overlay_append(scratch->image, scratch->overlay, scratch->initrd, NULL),
                         0);
        assert_int_equal(file_read(scratch->initrd, 1 << 20, &joined, NULL, NULL), 0);
        assert_memory_equal(joined, "123456789", length);
        expect_plan(scratch->initrd, (length + 3) / 4 * 4, plan);
    }
}

static void test_overlay_errors(void **state)
{
    struct scratch *scratch = *state;
    struct culprit_error error = {0};

    assert_int_equal(overlay_append(scratch->image, scratch->overlay, scratch->initrd, &error),
                     -CULPRIT_NOT_FOUND);
    assert_non_null(strstr(error.message, scratch->image));
    assert_int_equal(file_write_atomic(scratch->image, "", 0, 0600, NULL), 0);
    assert_int_equal(overlay_append(scratch->image, scratch->overlay, scratch->initrd, &error),
                     -CULPRIT_INVALID);
    assert_non_null(strstr(error.message, "it is empty"));
    assert_true(overlay_write("/nonexistent/overlay", "x", 1, &error) < 0);
    assert_non_null(strstr(error.message, "/nonexistent/overlay"));
}

/* Longer work gets more time, faster virtual CPUs too, and nothing more than a day. */
static void test_deadline(void **state)
{
    __attribute__((cleanup(request_clear_cleanup))) struct workload_request request = {0};
    CULPRIT_CLEANUP(topology_free) struct topology *pair = script_pair();
    struct trial_spec spec = {
        .topology = pair, .engine = ENGINE_DETERMINISTIC, .shift = pair->shift};
    uint64_t boot, work;

    (void)state;
    boot = trial_deadline(&spec);
    assert_int_equal(boot, pair->boot_deadline_ns);
    script_request(&request);
    spec.workloads = &request;
    spec.workload_count = 1;
    work = trial_deadline(&spec);
    /* 30 guest seconds at shift 1: at least the 6 host seconds that each takes on an idle host. */
    assert_true(work >= boot + UINT64_C(180000000000));
    spec.shift = 0;
    assert_true(trial_deadline(&spec) > work);
    spec.engine = ENGINE_REALTIME;
    assert_true(trial_deadline(&spec) < work);
    assert_int_equal(workload_request_set(&request, "runtime", "24h", NULL), 0);
    spec.engine = ENGINE_DETERMINISTIC;
    assert_int_equal(trial_deadline(&spec), UINT64_C(86400000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_text),
        cmocka_unit_test(test_plan_without_workloads),
        cmocka_unit_test(test_plan_refuses),
        cmocka_unit_test(test_plan_needs_required_options),
        cmocka_unit_test_setup_teardown(test_overlay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_overlay_is_aligned, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_overlay_errors, set_up, tear_down),
        cmocka_unit_test(test_deadline),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
