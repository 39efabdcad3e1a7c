/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines made to the documented format of each version, every column a number of its own. */
#include "agent_test.h"
#include "probe/schedstat.h"

#include <stdio.h>

static struct schedstat before, after;
static char message[512];

/* What a counter was emitted with. */
struct emitted {
    const char *wanted;
    uint64_t value;
    unsigned times, total;
};

static void note(const char *name, uint64_t value, void *userdata)
{
    struct emitted *emitted = userdata;

    emitted->total++;
    if (strcmp(name, emitted->wanted) == 0) {
        emitted->value = value;
        emitted->times++;
    }
}

static void parse(const char *given, struct schedstat *ret)
{
    char *copy = strdup(given);

    assert_non_null(copy);
    bool parsed = schedstat_parse(copy, ret, NULL, NULL, message, sizeof(message));
    free(copy);
    if (!parsed)
        fail_msg("%s", message);
}

static void assert_counter(const char *name, uint64_t value)
{
    struct emitted emitted = {.wanted = name};

    schedstat_difference(&before, &after, note, &emitted);
    if (emitted.times != 1 || emitted.value != value)
        fail_msg("%s is there %u times, as %llu instead of %llu", name, emitted.times,
                 (unsigned long long)emitted.value, (unsigned long long)value);
}

static unsigned counters(void)
{
    struct emitted emitted = {.wanted = ""};

    schedstat_difference(&before, &after, note, &emitted);
    return emitted.total;
}

static char text[8192];

/* " first first+1 …", or as many zeros. */
static void append_numbers(bool zeros, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        append(text, " %u", zeros ? 0 : first + i);
    append(text, "\n");
}

/* A baseline of zeros, and a reading with one CPU and two levels of domains. */
static void make(unsigned version, const char *name0, const char *name1, unsigned cpu_fields,
                 unsigned domain_fields)
{
    for (int reading = 0; reading < 2; reading++) {
        text[0] = '\0';
        append(text, "version %u\ntimestamp 4294892345\ncpu0", version);
        append_numbers(!reading, 101, cpu_fields);
        append(text, "domain0 %s03", name0);
        append_numbers(!reading, 1001, domain_fields);
        append(text, "domain1 %sff", name1);
        append_numbers(!reading, 2001, domain_fields);
        parse(text, reading ? &after : &before);
    }
}

static void version_14_has_twelve_cpu_columns(void **state)
{
    (void)state;
    make(14, "", "", 12, 36);
    assert_counter("schedstat.cpu.yield", 104);
    assert_counter("schedstat.cpu.switch", 105);
    assert_counter("schedstat.cpu.schedule", 106);
    assert_counter("schedstat.cpu.goidle", 107);
    assert_counter("schedstat.cpu.ttwu", 108);
    assert_counter("schedstat.cpu.ttwu_local", 109);
    assert_counter("schedstat.cpu.run_ns", 110);
    assert_counter("schedstat.cpu.wait_ns", 111);
    assert_counter("schedstat.cpu.timeslices", 112);
    assert_counter("schedstat.domain0.lb_count_idle", 1001);
    assert_counter("schedstat.domain1.ttwu_move_balance", 2036);
    assert_int_equal(counters(), 9 + 2 * 30);
}

static void version_15_begins_with_idle(void **state)
{
    (void)state;
    make(15, "", "", 9, 36);
    assert_counter("schedstat.cpu.yield", 101);
    assert_counter("schedstat.cpu.schedule", 103);
    assert_counter("schedstat.cpu.goidle", 104);
    assert_counter("schedstat.cpu.ttwu", 105);
    assert_counter("schedstat.cpu.ttwu_local", 106);
    assert_counter("schedstat.cpu.run_ns", 107);
    assert_counter("schedstat.cpu.wait_ns", 108);
    assert_counter("schedstat.cpu.timeslices", 109);
    assert_counter("schedstat.domain0.lb_count_idle", 1001);
    assert_counter("schedstat.domain0.lb_balanced_idle", 1002);
    assert_counter("schedstat.domain0.lb_failed_idle", 1003);
    assert_counter("schedstat.domain0.lb_imbalance_idle", 1004);
    assert_counter("schedstat.domain0.lb_gained_idle", 1005);
    assert_counter("schedstat.domain0.lb_hot_gained_idle", 1006);
    assert_counter("schedstat.domain0.lb_nobusyq_idle", 1007);
    assert_counter("schedstat.domain0.lb_nobusyg_idle", 1008);
    assert_counter("schedstat.domain0.lb_count_busy", 1009);
    assert_counter("schedstat.domain0.lb_count_newidle", 1017);
    assert_counter("schedstat.domain1.lb_nobusyg_newidle", 2024);
    assert_counter("schedstat.domain1.alb_count", 2025);
    assert_counter("schedstat.domain1.alb_failed", 2026);
    assert_counter("schedstat.domain1.alb_pushed", 2027);
    assert_counter("schedstat.domain1.ttwu_wake_remote", 2034);
    assert_counter("schedstat.domain1.ttwu_move_affine", 2035);
    assert_counter("schedstat.domain1.ttwu_move_balance", 2036);
    assert_int_equal(counters(), 8 + 2 * 30);
}

static void version_16_begins_with_busy(void **state)
{
    (void)state;
    make(16, "", "", 9, 36);
    assert_counter("schedstat.domain0.lb_count_busy", 1001);
    assert_counter("schedstat.domain0.lb_failed_idle", 1011);
    assert_counter("schedstat.domain0.lb_count_newidle", 1017);
    assert_counter("schedstat.domain0.alb_count", 1025);
    assert_int_equal(counters(), 8 + 2 * 30);
}

static void version_17_names_domains_and_splits_imbalance(void **state)
{
    (void)state;
    make(17, "SMT ", "MC ", 9, 45);
    assert_counter("schedstat.domain0.lb_count_busy", 1001);
    assert_counter("schedstat.domain0.lb_imbalance_load_busy", 1004);
    assert_counter("schedstat.domain0.lb_imbalance_util_busy", 1005);
    assert_counter("schedstat.domain0.lb_imbalance_task_busy", 1006);
    assert_counter("schedstat.domain0.lb_imbalance_misfit_busy", 1007);
    assert_counter("schedstat.domain0.lb_gained_busy", 1008);
    assert_counter("schedstat.domain0.lb_nobusyg_busy", 1011);
    assert_counter("schedstat.domain0.lb_failed_idle", 1014);
    assert_counter("schedstat.domain1.lb_count_newidle", 2023);
    assert_counter("schedstat.domain1.alb_count", 2034);
    assert_counter("schedstat.domain1.ttwu_wake_remote", 2043);
    assert_counter("schedstat.domain1.ttwu_move_balance", 2045);
    assert_int_equal(counters(), 8 + 2 * 39);
}

#define ZEROS_33 "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"

static void cpus_are_added_up_level_by_level(void **state)
{
    (void)state;
    parse("version 15\ntimestamp 1\n"
          "cpu0 0 0 0 0 0 0 10 20 30\ndomain0 3 1 0 0 " ZEROS_33 "\n"
          "cpu1 0 0 0 0 0 0 1 2 3\ndomain0 3 2 0 0 " ZEROS_33 "\ndomain1 f 7 0 0 " ZEROS_33 "\n",
          &before);
    parse("version 15\ntimestamp 2\n"
          "cpu0 0 0 0 0 0 0 110 120 130\ndomain0 3 11 0 0 " ZEROS_33 "\n"
          "cpu1 0 0 0 0 0 0 1001 1002 1003\ndomain0 3 102 0 0 " ZEROS_33
          "\ndomain1 f 8 0 0 " ZEROS_33 "\n",
          &after);
    assert_int_equal(after.levels, 2);
    assert_counter("schedstat.cpu.run_ns", 1100);
    assert_counter("schedstat.cpu.timeslices", 1100);
    assert_counter("schedstat.domain0.lb_count_idle", 110);
    assert_counter("schedstat.domain1.lb_count_idle", 1);
}

/* lb_imbalance passes 2^32 on busy machines: the kernel's own counter begins anew there. */
static void counters_of_32_bits_may_wrap(void **state)
{
    (void)state;
    parse("version 15\ncpu0 0 0 0 0 0 0 0 0 0\ndomain0 3 0 0 0 4294967290 0 0 0 0 0 0 0 0 0 0 0 0 "
          "0 0 "
          "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
          &before);
    parse("version 15\ncpu0 0 0 0 0 0 0 0 0 0\ndomain0 3 0 0 0 10 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
          "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
          &after);
    assert_counter("schedstat.domain0.lb_imbalance_idle", 16);
}

struct visited {
    char text[512];
};

static void visit(unsigned cpu, unsigned level, const char *name, const struct cpu_mask *span,
                  void *userdata)
{
    struct visited *visited = userdata;
    char list[CPU_MASK_LIST_SIZE];
    size_t used = strlen(visited->text);

    cpu_mask_print(span, list);
    snprintf(visited->text + used, sizeof(visited->text) - used, "%u.%u:%s:%s;", cpu, level, name,
             list);
}

static void spans_and_names_are_shown(void **state)
{
    char given[] = "version 17\ntimestamp 1\ncpu38 0 0 0 0 0 0 0 0 0\n"
                   "domain0 SMT c0,00000000 " ZEROS_33 " 0 0 0 0 0 0 0 0 0 0 0 0\n"
                   "domain1 PKG ff,ffffffff " ZEROS_33 " 0 0 0 0 0 0 0 0 0 0 0 0\n";
    struct visited visited = {""};

    (void)state;
    assert_true(schedstat_parse(given, &after, visit, &visited, message, sizeof(message)));
    assert_string_equal(visited.text, "38.0:SMT:38-39;38.1:PKG:0-39;");
}

static void a_machine_of_one_cpu_has_no_domains(void **state)
{
    (void)state;
    parse("version 15\ntimestamp 1\ncpu0 0 0 0 0 0 0 1 2 3\n", &before);
    parse("version 15\ntimestamp 2\ncpu0 0 0 0 0 0 0 2 3 4\n", &after);
    assert_int_equal(after.levels, 0);
    assert_int_equal(counters(), 8);
}

static void what_is_of_no_version_is_refused(void **state)
{
    static const struct {
        const char *text, *expected;
    } rows[] = {
        {"", "unknown version: \"\""},
        {"cpu0 1\n", "unknown version: \"cpu0 1\""},
        {"version 13\n", "unknown version: \"version 13\""},
        {"version 18\n", "versions 14 to 17 are known"},
        {"version 15x\n", "unknown version"},
        {"version 15\ncpu0 0 0 0 0 0 0 0 0\n", "line 2 is not of version 15"},
        {"version 15\ncpu0 0 0 0 0 0 0 0 0 0 0\n", "line 2 is not of version 15"},
        {"version 15\ncpu0 0 0 0 0 0 0 0 0 x\n", "line 2 is not of version 15"},
        {"version 15\ncpux 0 0 0 0 0 0 0 0 0\n", "line 2 is not of version 15"},
        {"version 15\ncpu0 0 0 0 0 0 0 0 0 0\ndomain9 3 0 0 0 " ZEROS_33 "\n", "line 3 is not"},
        {"version 15\ncpu0 0 0 0 0 0 0 0 0 0\ndomain0 g 0 0 0 " ZEROS_33 "\n", "line 3 is not"},
        {"version 15\ncpu0 0 0 0 0 0 0 0 0 0\ndomain0 3 0 0 " ZEROS_33 "\n", "line 3 is not"},
        {"version 17\ncpu0 0 0 0 0 0 0 0 0 0\ndomain0 3 0 0 0 " ZEROS_33 "\n", "line 3 is not"},
        {"version 15\nnode0 1\n", "line 2 is not"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *copy = strdup(rows[i].text);
        assert_non_null(copy);
        bool parsed = schedstat_parse(copy, &after, NULL, NULL, message, sizeof(message));
        free(copy);
        if (parsed)
            fail_msg("\"%s\" is understood", rows[i].text);
        assert_contains(message, rows[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_14_has_twelve_cpu_columns),
        cmocka_unit_test(version_15_begins_with_idle),
        cmocka_unit_test(version_16_begins_with_busy),
        cmocka_unit_test(version_17_names_domains_and_splits_imbalance),
        cmocka_unit_test(cpus_are_added_up_level_by_level),
        cmocka_unit_test(counters_of_32_bits_may_wrap),
        cmocka_unit_test(spans_and_names_are_shown),
        cmocka_unit_test(a_machine_of_one_cpu_has_no_domains),
        cmocka_unit_test(what_is_of_no_version_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
