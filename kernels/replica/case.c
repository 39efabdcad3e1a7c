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

#define SPARE_CAPACITY_EDIT(flag)                                       \
    {                                                                   \
        {                                                               \
            "kernel/sched/fair.c", "calculate_imbalance",               \
                "\t\tif ((busiest->group_type > group_fully_busy) &&\n" \
                "\t\t    !(env->sd->flags & " flag ")) {\n",            \
                "\t\tif (busiest->group_type > group_fully_busy) {\n"   \
        }                                                               \
    }

/*
 * lb-spare-capacity: when load_balance() was reworked in v5.5, a group with spare capacity pulled
 * utilization from an overloaded group even between the groups of one last-level cache. On a
 * machine that is exactly full, tasks then queue behind each other while another CPU idles: the
 * median wakeup latency stays, the 99th percentile grows by tens. Cured in v5.10 by the condition
 * that this fault takes away again.
 */
const struct replica_case replica_cases[] = {
    {
        .name = "lb-spare-capacity",
        .summary = "the load balancer pulls by spare capacity inside a last-level cache",
        .metric = "wakeup.latency.p99",
        .variants =
            {
                {
                    .subject = SPARE_CAPACITY_SUBJECT,
                    .body = SPARE_CAPACITY_BODY,
                    .effect = EFFECT_FAULT,
                    .edits = SPARE_CAPACITY_EDIT("SD_SHARE_PKG_RESOURCES"),
                },
                {
                    .subject = SPARE_CAPACITY_SUBJECT,
                    .body = SPARE_CAPACITY_BODY,
                    .effect = EFFECT_FAULT,
                    .edits = SPARE_CAPACITY_EDIT("SD_SHARE_LLC"),
                },
            },
        .variant_count = 2,
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
