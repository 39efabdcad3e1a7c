/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload_schema.h"

#include <string.h>

#include "workloads/schemas.h"

const struct workload_schema *const workload_schemas[] = {
    &exec_schema,
    &wakeup_schema,
};
const size_t workload_schema_count = sizeof(workload_schemas) / sizeof(workload_schemas[0]);

const struct workload_schema *workload_schema_find(const char *name)
{
    for (size_t i = 0; i < workload_schema_count; i++)
        if (strcmp(workload_schemas[i]->name, name) == 0)
            return workload_schemas[i];
    return NULL;
}

const struct option_schema *workload_option_find(const struct workload_schema *workload,
                                                 const char *name)
{
    for (size_t i = 0; i < workload->option_count; i++)
        if (strcmp(workload->options[i].name, name) == 0)
            return &workload->options[i];
    return NULL;
}

const struct metric_schema *workload_metric_find(const struct workload_schema *workload,
                                                 const char *name)
{
    for (size_t i = 0; i < workload->metric_count; i++)
        if (strcmp(workload->metrics[i].name, name) == 0)
            return &workload->metrics[i];
    return NULL;
}
