/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that are wrong: each error names place, key, what was found and what is allowed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "job/job.h"

/* A right job of which each case replaces or adds one line (keys are matched up to the colon). */
static const char *const right[] = {
    "version: 1",
    "name: x",
    "kind: bisect",
    "source: {repository: linux, good: v5.4, bad: v5.5}",
    "guest: {topology: pair}",
    "workloads: [{wakeup: {}}]",
    "metric: {name: wakeup.latency.p99}",
};

enum { RIGHT_COUNT = sizeof right / sizeof *right };

struct wrong {
    const char *text; /* "key: …", or "-key" to leave one out */
    unsigned column;
    const char *where;
    const char *message; /* NULL: the case is right after all */
};

static const struct wrong wrongs[] = {
    {"version: 2", 10, "version", "\"2\" is not a whole number from 1 to 1"},
    {"version: \"1\"", 10, "version", "found the quoted text \"1\""},
    {"version: yes", 10, "version", "\"yes\""},
    {"version: [1]", 10, "version", "a whole number is expected, found a list"},
    {"name: ", 6, "name", "found nothing"},
    {"name: ~", 7, "name", "stands for nothing"},
    {"name: a b", 7, "name", "byte 2 is 0x20"},
    {"name: .hidden", 7, "name", "must begin with a letter or a digit"},
    {"name: ../../etc", 7, "name", "must begin"},
    {"name: a/b", 7, "name", "holds '/'"},
    {"name: \"a\\nb\"", 7, "name", "byte 2 is 0x0a"},
    {"name: a234567890123456789012345678901234567890123456789012345678901234x", 7, "name",
     "65 bytes long, but 1 to 64"},
    {"kind: bisects", 7, "kind", "did you mean \"bisect\"?"},
    {"kind: gate", 7, "kind", "allowed: run, bisect"},
    {"source: linux", 9, "source", "a mapping of keys is expected, found a text"},
    {"source: {repository: linux, good: v5.4}", 9, "source", "\"bad\" is missing in source"},
    {"source: {good: v5.4, bad: v5.5}", 9, "source", "\"repository\" is missing in source"},
    {"source: {repository: linux, good: v5.4, bad: v5.4}", 46, "source.bad",
     "good and bad are both \"v5.4\""},
    {"source: {repository: linux, good: v5.4, bad: v5.5, commit: x}", 60, "source.commit",
     "belongs to kind run"},
    {"source: {repository: linux, good: --upload-pack=x, bad: v5.5}", 35, "source.good",
     "names no single commit"},
    {"source: {repository: linux, good: v5.4..v5.5, bad: v5.5}", 35, "source.good",
     "names no single commit"},
    {"source: {repository: linux, good: v5.4, bad: v5.5, first_parent: yes}", 66,
     "source.first_parent", "unknown truth value \"yes\"; allowed: true, false"},
    {"source: {repo: linux, good: v5.4, bad: v5.5}", 10, "source.repo",
     "unknown key in source \"repo\"; allowed: repository, commit, good, bad, first_parent"},
    {"source: {repositry: linux, good: v5.4, bad: v5.5}", 10, "source.repositry",
     "did you mean \"repository\"?"},
    {"source: {repository: linus, good: v5.4, bad: v5.5}", 22, "source.repository",
     "unknown repository \"linus\", did you mean \"linux\"?"},
    {"guest: {}", 8, "guest", "\"topology\" is missing in guest"},
    {"guest: {topology: pairs}", 19, "guest.topology", "did you mean \"pair\"?"},
    {"guest: {topology: pair, image: maximal}", 32, "guest.image", "allowed: minimal"},
    {"guest: {topology: pair, memory: 2GB}", 33, "guest.memory", "\"2GB\" is not a size"},
    {"guest: {topology: pair, memory: 10x}", 33, "guest.memory", "\"10x\" is not a size"},
    {"guest: {topology: pair, memory: 1MiB}", 33, "guest.memory", "between 64MiB and 4TiB"},
    {"guest: {topology: pair, memory: 65GiB}", 33, "guest.memory",
     "a guest of topology pair takes at most 64GiB, not 65GiB"},
    {"guest: {topology: smp4, memory: 65GiB}", 0, NULL, NULL},
    {"guest: {topology: pair, engine: kvm}", 33, "guest.engine",
     "allowed: auto, realtime, deterministic, functional"},
    {"guest: {topology: pair, engine: functional}", 33, "guest.engine", "measures nothing"},
    {"guest: {topology: pair, shift: 010}", 32, "guest.shift", "\"010\" is not a whole number"},
    {"guest: {topology: pair, shift: -1}", 32, "guest.shift", "\"-1\""},
    {"guest: {topology: pair, engine: realtime, shift: 1}", 50, "guest.shift",
     "belongs to the deterministic engine"},
    {"guest: {topology: pair, cmdline: nosmt}", 34, "guest.cmdline", "a list is expected"},
    {"guest: {topology: pair, cmdline: [\"a\\nb\"]}", 35, "guest.cmdline[0]", "0x0a"},
    {"guest: {topology: pair, cmdline: [\"a b\"]}", 35, "guest.cmdline[0]", "0x20"},
    {"guest: {topology: pair, cmdline: [a, init=/bin/sh]}", 38, "guest.cmdline[1]",
     "set by the trial itself"},
    {"guest: {topology: pair, cmdline: [a, nokaslr]}", 38, "guest.cmdline[1]",
     "set by the trial itself"},
    {"guest: {topology: pair, cmdline: ['x=\"y']}", 35, "guest.cmdline[0]", "is not closed"},
    {"guest: {topology: pair, cmdline: [a, a]}", 38, "guest.cmdline[1]",
     "stands in the list twice"},
    {"guest: {topology: pair, sysctl: {../x: 1}}", 34, "guest.sysctl.../x", "no name like"},
    {"guest: {topology: pair, sysctl: {a.b: \"x\\ny\"}}", 39, "guest.sysctl.a.b", "one line"},
    {"guest: {topology: pair, sched_features: [no_lag]}", 42, "guest.sched_features",
     "no scheduler feature"},
    {"workloads: []", 12, "workloads", "0 items, but 1 to 16"},
    {"workloads: wakeup", 12, "workloads", "a list is expected"},
    {"workloads: [wakeup]", 13, "workloads[0]", "one workload with its options"},
    {"workloads: [{wakeup: {}, exec: {}}]", 13, "workloads[0]", "several keys"},
    {"workloads: [{schbench: {}}]", 14, "workloads[0]", "unknown workload \"schbench\""},
    {"workloads: [{wakeup: {worker: 3}}]", 23, "workloads[0].wakeup.worker",
     "did you mean \"workers\"?"},
    {"workloads: [{wakeup: {workers: 1e3}}]", 32, "workloads[0].wakeup.workers", "1e3"},
    {"workloads: [{wakeup: {workers: \"3\"}}]", 32, "workloads[0].wakeup.workers",
     "found the quoted text"},
    {"workloads: [{wakeup: {workers: [3, 4]}}]", 32, "workloads[0].wakeup.workers", "found a list"},
    {"workloads: [{wakeup: {runtime: 30}}]", 32, "workloads[0].wakeup.runtime",
     "\"30\" is not a duration"},
    {"workloads: [{exec: {}}]", 20, "workloads[0].exec", "needs its option command"},
    {"metric: {name: wakeup.latency.p98}", 16, "metric.name", "did you mean"},
    {"metric: {name: exec.duration}", 16, "metric.name", "unknown metric of the job's workloads"},
    {"metric: {name: wakeup.latency.p99, better: higher}", 44, "metric.better",
     "lower values of \"wakeup.latency.p99\" are better, not higher ones"},
    {"metric: {name: wakeup.latency.p99, better: bigger}", 44, "metric.better",
     "allowed: lower, higher"},
    {"metric: {name: wakeup.latency.samples}", 9, "metric", "say it by the key \"better\""},
    {"metric: {name: stat.ctxt}", 9, "metric", "say it by the key \"better\""},
    {"metric: {name: wakeup.latency.p99, min_effect: 20}", 0, NULL, NULL},
    {"metric: {name: wakeup.latency.p99, min_effect: 0%}", 48, "metric.min_effect",
     "too small an effect"},
    {"metric: {name: wakeup.latency.p99, min_effect: 1e3}", 48, "metric.min_effect", "1e3"},
    {"metric: {name: wakeup.latency.p99, min_effect: .5}", 48, "metric.min_effect", ".5"},
    {"metric: {min_effect: 5%}", 9, "metric", "\"name\" is missing in metric"},
    {"-metric", 1, "", "\"metric\" is missing: a bisection needs one, or a \"criterion\""},
    {"criterion: {exit: workload}", 12, "criterion", "by its \"metric\" or by a \"criterion\""},
    {"confirm: {alignment: false, revert: true}", 0, NULL, NULL},
    {"confirm: {align: false}", 11, "confirm.align", "allowed: alignment, revert"},
    {"confirm: {revert: 1}", 19, "confirm.revert", "allowed: true, false"},
    {"confirm: false", 10, "confirm", "a mapping of keys"},
    {"-workloads", 1, "", "\"workloads\" is missing"},
    {"-version", 1, "", "\"version\" is missing"},
    {"confidence: 1", 13, "confidence", "between"},
    {"confidence: 99%", 13, "confidence", "\"99%\" is not a number"},
    {"confidence: .99", 13, "confidence", "not a number"},
    {"confidence: nan", 13, "confidence", "not a number"},
    {"confidence: 0.4", 13, "confidence", "between 0.5001 and 0.999999"},
    {"trials: 2", 9, "", "3 to 20 trials"},
    {"trials: 21", 9, "", "3 to 20 trials"},
    {"trials: 0x5", 9, "trials", "0x5"},
    {"trials: 5.0", 9, "trials", "5.0"},
    {"trials: +5", 9, "trials", "+5"},
    {"trials: 99999999999999999999", 9, "trials", "99999999999999999999"},
    {"seed: 9223372036854775808", 7, "seed", "9223372036854775808"},
    {"budget: {trials: 9}", 18, "budget.trials", "checking good and bad takes at least 10"},
    {"budget: {builds: 1}", 18, "budget.builds", "one build is too few"},
    {"budget: {time: 12}", 16, "budget.time", "\"12\" is not a duration"},
    {"budget: {time: 1s}", 16, "budget.time", "between 1m and 365d"},
    {"notify: {mail: a@b.c}", 16, "notify.mail", "a list is expected"},
    {"notify: {mail: [nobody]}", 17, "notify.mail[0]", "no mail address"},
    {"notify: {mail: [\"a@b.c\\r\\nBcc: x@y.z\"]}", 17, "notify.mail[0]", "0x0d"},
    {"notify: {mail: [a@b@c]}", 17, "notify.mail[0]", "no mail address"},
    {"notify: {mail: [\"<a@b.c>\"]}", 17, "notify.mail[0]", "no mail address"},
    {"notify: {mail: [a@-b.c]}", 17, "notify.mail[0]", "no mail address"},
    {"notify: {mail: [a@b.c, a@b.c]}", 24, "notify.mail[1]", "twice"},
    {"notify: {slack: [x]}", 10, "notify.slack", "allowed: mail"},
    {"kernel: {config: [shed]}", 19, "kernel.config", "did you mean \"sched\"?"},
    {"kernel: {options: {CONFIG_HZ: 250}}", 20, "kernel.options.CONFIG_HZ", "without CONFIG_"},
    {"kernel: {options: {HZ-250: y}}", 20, "kernel.options.HZ-250", "no name of a kernel option"},
    {"kernel: {options: {HZ: yes}}", 24, "kernel.options.HZ", "\"yes\" is no value"},
    {"kernel: {options: {HZ: 0250}}", 24, "kernel.options.HZ", "\"0250\" is no value"},
    {"kernel: {options: {X: \"a\\nb\"}}", 23, "kernel.options.X", "one line"},
    {"kernel: {options: {X: 'a\"b'}}", 23, "kernel.options.X", "without quotes"},
    {"kernel: {config_file: \"# x\\nHZ=3\\n\"}", 23, "kernel.config_file", "line 2"},
    {"kernel: {patches: [\"rm -rf /\"]}", 20, "kernel.patches[0]", "no patch"},
    {"kernels: {}", 1, "kernels", "did you mean \"kernel\"?"},
    {"nonsense: 1", 1, "nonsense",
     "allowed: version, name, kind, source, kernel, guest, workloads, metric, criterion,"},
};

static bool same_key(const char *one, const char *two)
{
    size_t length = strcspn(one, ":");

    return strcspn(two, ":") == length && strncmp(one, two, length) == 0;
}

/* Writes the document; gives the line on which the case's own line stands, else 1. */
static unsigned write_document(const struct wrong *wrong, struct buffer *ret)
{
    unsigned number = 0, place = 0;

    for (size_t i = 0; i < RIGHT_COUNT; i++) {
        bool replaced = same_key(wrong->text, right[i]);

        if (wrong->text[0] == '-' && same_key(wrong->text + 1, right[i]))
            continue;
        number++;
        if (replaced)
            place = number;
        buffer_printf(ret, "%s\n", replaced ? wrong->text : right[i]);
    }
    if (wrong->text[0] == '-')
        return 1;
    if (!place) {
        buffer_printf(ret, "%s\n", wrong->text);
        place = number + 1;
    }
    return place;
}

static void test_wrongs(void **state)
{
    char *repositories[] = {(char[]){"linux"}, (char[]){"tip"}, NULL};
    char *topologies[] = {(char[]){"pair"}, (char[]){"smp4"}, NULL};
    char *fragments[] = {(char[]){"guest-x86_64"}, (char[]){"sched"}, NULL};
    char *images[] = {(char[]){"minimal"}, NULL};
    const struct strv lists[] = {{repositories, 2, false},
                                 {topologies, 2, false},
                                 {fragments, 2, false},
                                 {images, 1, false}};
    const uint64_t memory_maximum[] = {UINT64_C(64) << 30, UINT64_C(4) << 40};
    const struct job_environment environment = {
        .repositories = &lists[0],
        .topologies = &lists[1],
        .memory_maximum = memory_maximum,
        .fragments = &lists[2],
        .images = &lists[3],
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        const struct wrong *wrong = &wrongs[i];
        _cleanup_buffer_ struct buffer text = BUFFER_INIT(1 << 16);
        CULPRIT_CLEANUP(job_free) struct job *job = NULL;
        struct culprit_error error = {0};
        unsigned line = write_document(wrong, &text);
        int r = job_decode(text.data, text.length, &environment, &job, &error);

        if (!wrong->message) {
            if (r < 0)
                fail_msg("<%s>: %s", wrong->text, error.message);
            continue;
        }
        if (r != -CULPRIT_INVALID || error.line != line || error.column != wrong->column ||
            strcmp(error.where, wrong->where) != 0 || !strstr(error.message, wrong->message))
            fail_msg("<%s> gave %d at %u:%u (%s): %s", wrong->text, r, error.line, error.column,
                     error.where, error.message);
    }
}

/* A bisection without a metric, its kind and its seventh line given by the case. */
static void test_criteria(void **state)
{
    static const struct {
        const char *kind, *workloads, *line;
        unsigned column;
        const char *where, *message; /* NULL: right */
    } cases[] = {
        {"bisect", "wakeup: {}", "criterion: {exit: workload}", 0, NULL, NULL},
        {"bisect", "wakeup: {}", "criterion: {console: 'BUG: .*(rq|cfs_rq)'}", 0, NULL, NULL},
        {"bisect", "wakeup: {}", "criterion: {}", 12, "criterion",
         "one of \"console\" and \"exit\" is expected, found neither"},
        {"bisect", "wakeup: {}", "criterion: {exit: workload, console: x}", 12, "criterion",
         "found both"},
        {"bisect", "wakeup: {}", "criterion: exit", 12, "criterion", "a mapping of keys"},
        {"bisect", "wakeup: {}", "criterion: {exit: 1}", 19, "criterion.exit", "allowed: workload"},
        {"bisect", "wakeup: {}", "criterion: {exits: workload}", 13, "criterion.exits",
         "did you mean \"exit\"?"},
        {"bisect", "wakeup: {}", "criterion: {console: 'a(b'}", 22, "criterion.console",
         "byte 2 of the regular expression: the group is not closed"},
        {"bisect", "wakeup: {}", "criterion: {console: 'x*'}", 22, "criterion.console",
         "every line matches"},
        {"bisect", "wakeup: {}", "criterion: {console: '\\d'}", 22, "criterion.console",
         "POSIX has no such escape"},
        {"bisect", "wakeup: {}", "criterion: {console: \"a\\nb\"}", 22, "criterion.console",
         "a single line"},
        {"bisect", "wakeup: {}", "criterion: {console: ''}", 22, "criterion.console", "1 to 256"},
        {"bisect", "exec: {command: x, allow_failure: true}", "criterion: {exit: workload}", 19,
         "criterion.exit", "no workload of this job fails"},
        {"run", "wakeup: {}", "criterion: {exit: workload}", 12, "criterion",
         "belongs to kind bisect"},
        {"run", "wakeup: {}", "confirm: {revert: false}", 10, "confirm", "belongs to kind bisect"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CULPRIT_CLEANUP(job_free) struct job *job = NULL;
        _cleanup_buffer_ struct buffer text = BUFFER_INIT(4096);
        struct culprit_error error = {0};

        buffer_printf(&text,
                      "version: 1\nname: x\nkind: %s\nsource: {repository: linux, %s}\n"
                      "guest: {topology: pair}\nworkloads: [{%s}]\n%s\n",
                      cases[i].kind, cases[i].kind[0] == 'r' ? "commit: a" : "good: a, bad: b",
                      cases[i].workloads, cases[i].line);
        int r = job_decode(text.data, text.length, NULL, &job, &error);
        if (cases[i].message == NULL
                ? r < 0
                : r != -CULPRIT_INVALID || error.line != 7 || error.column != cases[i].column ||
                      strcmp(error.where, cases[i].where) != 0 ||
                      !strstr(error.message, cases[i].message))
            fail_msg("<%s> gave %d at %u:%u (%s): %s", cases[i].line, r, error.line, error.column,
                     error.where, error.message);
    }
}

static void test_a_run_takes_one_commit(void **state)
{
    static const char text[] = "version: 1\nname: x\nkind: run\n"
                               "source: {repository: linux, good: v5.4, bad: v5.5}\n"
                               "guest: {topology: pair}\n"
                               "workloads: [{wakeup: {}}]\n";
    struct job *job = NULL;
    struct culprit_error error = {0};

    (void)state;
    assert_int_equal(job_decode(text, sizeof text - 1, NULL, &job, &error), -CULPRIT_INVALID);
    assert_int_equal(error.line, 4);
    assert_int_equal(error.column, 35);
    assert_string_equal(error.where, "source.good");
    assert_non_null(strstr(error.message, "belong to kind bisect"));
}

static void test_two_workloads_of_a_kind_leave_the_metric_open(void **state)
{
    static const char text[] = "version: 1\nname: x\nkind: run\n"
                               "source: {repository: linux, commit: v6.1}\n"
                               "guest: {topology: pair}\n"
                               "workloads: [{wakeup: {}}, {wakeup: {workers: 3}}]\n"
                               "metric: {name: wakeup.latency.p99}\n";
    struct job *job = NULL;
    struct culprit_error error = {0};

    (void)state;
    assert_int_equal(job_decode(text, sizeof text - 1, NULL, &job, &error), -CULPRIT_INVALID);
    assert_int_equal(error.line, 7);
    assert_non_null(strstr(error.message, "2 of the job's workloads give"));
}

static void test_metric_that_the_engine_cannot_see(void **state)
{
    static const char text[] = "version: 1\nname: x\nkind: run\n"
                               "source: {repository: linux, commit: v6.1}\n"
                               "guest: {topology: pair, engine: deterministic}\n"
                               "workloads: [{wakeup: {}}]\n"
                               "metric: {name: wakeup.loops}\n";
    struct job *job = NULL;
    struct culprit_error error = {0};

    (void)state;
    assert_int_equal(job_decode(text, sizeof text - 1, NULL, &job, &error), -CULPRIT_INVALID);
    assert_int_equal(error.line, 7);
    assert_non_null(strstr(error.message, "cannot see \"wakeup.loops\"; the realtime engine can"));
}

static void test_allowed_words_stand_apart(void **state)
{
    static const char text[] = "version: 1\nname: x\nkind: bisekt\n";
    struct job *job = NULL;
    struct culprit_error error = {0};

    (void)state;
    assert_int_equal(job_decode(text, sizeof text - 1, NULL, &job, &error), -CULPRIT_INVALID);
    assert_string_equal(error.allowed, "run, bisect");
}

static void test_inline_text_has_a_limit(void **state)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(1 << 20);
    struct job *job = NULL;
    struct culprit_error error = {0};

    (void)state;
    buffer_puts(&text, "version: 1\nname: x\nkind: run\n"
                       "source: {repository: linux, commit: v6.1}\n"
                       "guest: {topology: pair}\n"
                       "workloads: [{wakeup: {}}]\n"
                       "kernel:\n  patches:\n");
    for (int p = 0; p < 2; p++) {
        buffer_puts(&text, "    - |\n      diff --git a b\n");
        for (int i = 0; i < 24000; i++)
            buffer_puts(&text, "      0123456789\n");
    }
    assert_int_equal(job_decode(text.data, text.length, NULL, &job, &error), -CULPRIT_INVALID);
    assert_non_null(strstr(error.message, "at most 458752 are allowed"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrongs),
        cmocka_unit_test(test_criteria),
        cmocka_unit_test(test_a_run_takes_one_commit),
        cmocka_unit_test(test_two_workloads_of_a_kind_leave_the_metric_open),
        cmocka_unit_test(test_metric_that_the_engine_cannot_see),
        cmocka_unit_test(test_allowed_words_stand_apart),
        cmocka_unit_test(test_inline_text_has_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
