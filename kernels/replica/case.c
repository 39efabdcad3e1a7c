/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "case.h"

#include <string.h>

#define SPARE_CAPACITY_SUBJECT \
    "sched/fair: Simplify the spare capacity case of calculate_imbalance()"
#define SPARE_CAPACITY_BODY                                                               \
    "The amount to pull from an overloaded group is derived from the spare capacity of\n" \
    "the local one, except at levels that share a cache, where it is derived from the\n"  \
    "number of tasks. The reasoning in the comment holds at every level: use the same\n"  \
    "rule for all of them and save a test."

#define SPARE_CAPACITY(flag)                                                                    \
    {                                                                                           \
        .subject = SPARE_CAPACITY_SUBJECT, .body = SPARE_CAPACITY_BODY, .effect = EFFECT_FAULT, \
        .edits = {                                                                              \
            {"kernel/sched/fair.c", "calculate_imbalance",                                      \
             "\t\tif ((busiest->group_type > group_fully_busy) &&\n"                            \
             "\t\t    !(env->sd->flags & " flag ")) {\n",                                       \
             "\t\tif (busiest->group_type > group_fully_busy) {\n"}                             \
        }                                                                                       \
    }

#define LONG_SLICE_SUBJECT "sched/fair: Double the default of the scheduling period"
#define LONG_SLICE_BODY                                                                   \
    "It was chosen for machines of a few CPUs with small caches. The machines of today\n" \
    "gain from fewer switches."

#define LONG_SLICE(name, was, becomes)                                                             \
    {                                                                                              \
        .subject = LONG_SLICE_SUBJECT, .body = LONG_SLICE_BODY, .effect = EFFECT_FAULT, .edits = { \
            {"kernel/sched/fair.c", NULL, "\nunsigned int " name "\t\t\t= " was ";\n",             \
             "\nunsigned int " name "\t\t\t= " becomes ";\n"},                                     \
            {"kernel/sched/fair.c", NULL, "normalized_" name "\t= " was ";\n",                     \
             "normalized_" name "\t= " becomes ";\n"},                                             \
        }                                                                                          \
    }

/*
 * lb-spare-capacity: when load_balance() was reworked in v5.5, a group with spare capacity pulled
 * utilization from an overloaded group even between the groups of one last-level cache. On a
 * machine that is exactly full, tasks then queue behind each other while another CPU idles: the
 * median wakeup latency stays, the 99th percentile grows by tens. Cured in v5.10 by the condition
 * that this fault takes away again.
 *
 * The second fault is made up. Where no idle CPU comes to help, a queued task waits for the whole
 * slice of the one before it; this makes slices twice as long.
 */
const struct replica_case replica_cases[] = {
    {
        .name = "lb-spare-capacity",
        .summary = "the load balancer pulls by spare capacity inside a last-level cache",
        .metric = "wakeup.latency.p99",
        .faults =
            {
                {
                    .variants = {SPARE_CAPACITY("SD_SHARE_PKG_RESOURCES"),
                                 SPARE_CAPACITY("SD_SHARE_LLC")},
                    .variant_count = 2,
                },
                {
                    .variants = {LONG_SLICE("sysctl_sched_latency", "6000000ULL", "12000000ULL"),
                                 LONG_SLICE("sysctl_sched_base_slice", "700000ULL", "1400000ULL")},
                    .variant_count = 2,
                },
            },
    },
};
const size_t replica_case_count = sizeof(replica_cases) / sizeof(replica_cases[0]);

const struct replica_case *replica_case_find(const char *name)
{
    for (size_t i = 0; i < replica_case_count; i++)
        if (strcmp(replica_cases[i].name, name) == 0)
            return &replica_cases[i];
    return NULL;
}
