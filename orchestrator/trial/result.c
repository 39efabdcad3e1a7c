/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial/result.h"

#include <stdlib.h>
#include <string.h>

int result_identify(struct trial_result *result, const struct trial_identity *identity,
                    struct culprit_error *error)
{
    const struct trial_spec *spec = identity->spec;

    result->identity = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:s, s:s, s:s}", "kernel",
        result->kernel_digest, "image", result->image_digest, "qemu", identity->run->qemu_version,
        "definition", identity->run->definition_digest, "topology", spec->topology->name, "engine",
        engine_name(spec->engine), "shift", (int)spec->shift, "memory", (json_int_t)spec->memory,
        "seed", (json_int_t)spec->seed, "cmdline", identity->cmdline, "plan", identity->plan,
        "build_id", spec->build_id ? spec->build_id : "");
    if (!result->identity)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot describe the trial: no memory");
    return 0;
}

void result_digest(struct trial_result *result, const struct trial_identity *identity,
                   const char *records, size_t length)
{
    struct digest digest;
    char seed[24];

    snprintf(seed, sizeof seed, "%llu", (unsigned long long)identity->spec->seed);
    digest_init(&digest);
    digest_field(&digest, "kernel", result->kernel_digest);
    digest_field(&digest, "image", result->image_digest);
    digest_field(&digest, "qemu", identity->run->qemu_version);
    digest_field(&digest, "definition", identity->run->definition_digest);
    digest_field(&digest, "plan", identity->plan);
    digest_field(&digest, "seed", seed);
    digest_update(&digest, records, length);
    digest_finish(&digest, result->digest);
}

void trial_result_free(struct trial_result *result)
{
    if (!result)
        return;
    topology_comparison_clear(&result->comparison);
    json_decref(result->identity);
    json_decref(result->topology);
    free(result->metrics);
    free(result);
}

bool trial_result_metric(const struct trial_result *result, const char *name, double *ret)
{
    for (size_t i = 0; i < result->metric_count; i++) {
        if (strcmp(result->metrics[i].name, name) == 0) {
            *ret = result->metrics[i].value;
            return true;
        }
    }
    return false;
}

static const char *better_name(enum metric_direction better)
{
    switch (better) {
    case BETTER_LOWER:
        return "lower";
    case BETTER_HIGHER:
        return "higher";
    case BETTER_NEITHER:
        break;
    }
    return "neither";
}

/* Samples or counters of the result, as an array. */
static json_t *metrics_json(const struct trial_result *result, bool counters)
{
    json_t *array = json_array();

    for (size_t i = 0; i < result->metric_count; i++) {
        const struct metric_value *metric = &result->metrics[i];

        if (metric->counter != counters)
            continue;
        json_array_append_new(array,
                              json_pack("{s:s, s:f, s:s, s:s, s:i}", "name", metric->name, "value",
                                        metric->value, "unit", metric->unit, "better",
                                        better_name(metric->better), "index", (int)metric->index));
    }
    return array;
}

json_t *trial_result_json(const struct trial_result *result)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:o, s:o, s:O?, s:O?, s:o}", "outcome",
                     outcome_name(result->outcome), "message", result->message, "digest",
                     result->digest, "engine", engine_name(result->engine), "shift",
                     (int)result->shift, "seed", (json_int_t)result->seed, "wall_ns",
                     (json_int_t)result->wall_ns, "metrics", metrics_json(result, false),
                     "counters", metrics_json(result, true), "identity", result->identity,
                     "topology", result->topology, "comparison",
                     topology_comparison_json(&result->comparison));
}
