/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The workloads, from the same table that the agent is built with. */
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/text.h"
#include "workload_schema.h"

static const char *type_name(enum option_type type)
{
    switch (type) {
    case OPTION_COUNT:
        return "count";
    case OPTION_COUNT_OR_PERCENT:
        return "count or percentage of the CPUs";
    case OPTION_DURATION:
        return "duration";
    case OPTION_SIZE:
        return "size";
    case OPTION_BOOLEAN:
        return "true or false";
    case OPTION_TEXT:
        return "text";
    }
    return "?";
}

static const char *better_name(enum metric_direction better)
{
    return better == BETTER_LOWER ? "lower" : better == BETTER_HIGHER ? "higher" : "neither";
}

static const char *visibility_name(unsigned visibility)
{
    if ((visibility & SEEN_BY_BOTH) == SEEN_BY_BOTH)
        return "realtime, deterministic";
    return visibility & SEEN_BY_REALTIME ? "realtime" : "deterministic";
}

static json_t *engines_json(unsigned visibility)
{
    json_t *array = json_array();

    if (visibility & SEEN_BY_REALTIME)
        json_array_append_new(array, json_string("realtime"));
    if (visibility & SEEN_BY_DETERMINISTIC)
        json_array_append_new(array, json_string("deterministic"));
    return array;
}

static json_t *workload_json(const struct workload_schema *workload)
{
    json_t *options = json_array();
    json_t *metrics = json_array();

    for (size_t i = 0; i < workload->option_count; i++) {
        const struct option_schema *option = &workload->options[i];
        json_array_append_new(options,
                              json_pack("{s:s, s:s, s:s?, s:s}", "name", option->name, "type",
                                        type_name(option->type), "default", option->default_value,
                                        "summary", option->summary));
    }
    for (size_t i = 0; i < workload->metric_count; i++) {
        const struct metric_schema *metric = &workload->metrics[i];
        json_array_append_new(
            metrics, json_pack("{s:s, s:s, s:s, s:o, s:s}", "name", metric->name, "unit",
                               metric->unit, "better", better_name(metric->better), "engines",
                               engines_json(metric->visibility), "summary", metric->summary));
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:b}", "name", workload->name, "summary",
                     workload->summary, "options", options, "metrics", metrics, "open_metrics",
                     workload->open_metrics);
}

static int list(struct cli *cli, struct culprit_error *error)
{
    json_t *array;

    if (!cli->json) {
        for (size_t i = 0; i < workload_schema_count; i++)
            fprintf(cli->out, "%-12s %s\n", workload_schemas[i]->name,
                    workload_schemas[i]->summary);
        return CLI_DONE;
    }
    array = json_array();
    for (size_t i = 0; i < workload_schema_count; i++)
        json_array_append_new(array, workload_json(workload_schemas[i]));
    return cli_print_json(cli, array, error);
}

static void print_workload(struct cli *cli, const struct workload_schema *workload)
{
    fprintf(cli->out, "%s: %s\n\noptions\n", workload->name, workload->summary);
    for (size_t i = 0; i < workload->option_count; i++) {
        const struct option_schema *option = &workload->options[i];
        fprintf(cli->out, "  %s (%s; %s%s)\n      %s\n", option->name, type_name(option->type),
                option->default_value ? "default " : "must be given",
                option->default_value ? option->default_value : "", option->summary);
    }
    fprintf(cli->out, "\nmetrics\n");
    for (size_t i = 0; i < workload->metric_count; i++) {
        const struct metric_schema *metric = &workload->metrics[i];
        fprintf(cli->out, "  %s (%s; better: %s; seen by %s)\n      %s\n", metric->name,
                metric->unit, better_name(metric->better), visibility_name(metric->visibility),
                metric->summary);
    }
    if (workload->open_metrics)
        fprintf(cli->out, "  %s.* (whatever the run itself names)\n", workload->name);
}

static int show(struct cli *cli, const char *name, struct culprit_error *error)
{
    const struct workload_schema *workload = workload_schema_find(name);
    const char *names[64];
    size_t count = 0;
    const char *nearest;

    if (workload && cli->json)
        return cli_print_json(cli, workload_json(workload), error);
    if (workload) {
        print_workload(cli, workload);
        return CLI_DONE;
    }
    for (size_t i = 0; i < workload_schema_count && count < 64; i++)
        names[count++] = workload_schemas[i]->name;
    nearest = nearest_word(name, names, count);
    return culprit_fail(error, CULPRIT_NOT_FOUND, "there is no workload \"%s\"%s%s%s", name,
                        nearest ? "; did you mean \"" : "; see \"culprit workload",
                        nearest ? nearest : "", nearest ? "\"?" : "\"");
}

static int run(struct cli *cli, const struct arguments *arguments, struct culprit_error *error)
{
    const char *verb = arguments->words.count ? arguments->words.items[0] : "list";
    int r;

    if (strcmp(verb, "list") == 0) {
        r = cli_check_words(&command_workload, arguments, 0, 1, error);
        return r < 0 ? r : list(cli, error);
    }
    if (strcmp(verb, "show") != 0)
        return cli_usage_error(&command_workload, error, "workload: list or show, not \"%.40s\"",
                               verb);
    r = cli_check_words(&command_workload, arguments, 2, 2, error);
    return r < 0 ? r : show(cli, arguments->words.items[1], error);
}

const struct cli_command command_workload = {
    .name = "workload",
    .summary = "list the workloads, or show one's options and metrics",
    .usage = "[list]\nshow NAME",
    .run = run,
};
