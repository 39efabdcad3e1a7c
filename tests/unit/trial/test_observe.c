/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of docs/job-reference.md: what each end of a trial says under each criterion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trial/observe.h"

enum says { NOTHING, GOOD, BAD };

static void test_table(void **state)
{
    static const struct {
        enum outcome outcome;
        bool by_workload;
        enum says unmatched, matched, exit;
    } rows[] = {
        {OUTCOME_OK, false, GOOD, BAD, GOOD},
        {OUTCOME_WORKLOAD_FAILED, true, GOOD, BAD, BAD},
        {OUTCOME_WORKLOAD_FAILED, false, NOTHING, BAD, NOTHING},
        {OUTCOME_BOOT_FAILED, false, NOTHING, BAD, NOTHING},
        {OUTCOME_KERNEL_CRASHED, false, NOTHING, BAD, NOTHING},
        {OUTCOME_TIMED_OUT, false, NOTHING, BAD, NOTHING},
        {OUTCOME_INFRA_FAILED, false, NOTHING, NOTHING, NOTHING},
        {OUTCOME_CANCELLED, false, NOTHING, NOTHING, NOTHING},
    };
    static const struct job_criterion console = {.kind = CRITERION_CONSOLE},
                                      workload = {.kind = CRITERION_EXIT}, metric = {0};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int column = 0; column < 4; column++) {
            const struct job_criterion *criteria[] = {&console, &console, &workload, &metric};
            const enum says wanted[] = {rows[i].unmatched, rows[i].matched, rows[i].exit, NOTHING};
            struct trial_result result = {.outcome = rows[i].outcome,
                                          .by_workload = rows[i].by_workload,
                                          .console_matched = column == 1};
            bool failed = false;
            enum says seen = NOTHING;

            if (trial_observe(&result, criteria[column], &failed))
                seen = failed ? BAD : GOOD;
            if (seen != wanted[column])
                fail_msg("%s, column %d: says %d, and not %d", outcome_name(rows[i].outcome),
                         column, seen, wanted[column]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
