/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guests' layouts: which there are, what they look like, and whether a guest gets them. */
#include <string.h>

#include "base/paths.h"
#include "base/units.h"
#include "cli/commands/commands.h"
#include "cli/local.h"
#include "cli/text.h"
#include "trial/check.h"

static const struct cli_option options[] = {
    {"kernel", 'k', "BZIMAGE", "check: the kernel to boot (default: $CULPRIT_KERNEL)"},
    {"engine", 'e', "ENGINE", "check: deterministic, realtime or functional (default: functional)"},
    {"keep", '\0', "DIR", "check: keep console and records there"},
    {NULL, '\0', NULL, NULL},
};

static json_t *describe(const struct topology *topology)
{
    return json_pack(
        "{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:I, s:I, s:i, s:i}", "name", topology->name,
        "description", topology->description, "cpus", (int)topology_cpus(topology), "sockets",
        (int)topology->sockets, "dies", (int)topology->dies, "cores", (int)topology->cores,
        "threads", (int)topology->threads, "nodes", (int)topology->nodes, "memory",
        (json_int_t)topology->memory, "memory_maximum", (json_int_t)topology->memory_maximum,
        "shift", (int)topology->shift, "second_shift", (int)topology->second_shift);
}

static int list(struct cli *cli, struct culprit_error *error)
{
    _cleanup_free_ char *directory = paths_topologies();
    _cleanup_strv_ struct strv names = {0};
    json_t *array = NULL;
    int r;

    if (!directory)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot list topologies: no memory");
    r = topology_list(directory, &names, error);
    if (r == 0 && cli->json)
        array = json_array();
    for (size_t i = 0; r == 0 && i < names.count; i++) {
        CULPRIT_CLEANUP(topology_free) struct topology *topology = NULL;

        r = topology_find(directory, names.items[i], &topology, error);
        if (r == 0 && cli->json)
            json_array_append_new(array, describe(topology));
        else if (r == 0)
            fprintf(cli->out, "%-16s %3u CPUs  %s\n", topology->name, topology_cpus(topology),
                    topology->description);
    }
    if (r < 0) {
        json_decref(array);
        return r;
    }
    return cli->json ? cli_print_json(cli, array, error) : CLI_DONE;
}

static void print_lists(struct cli *cli, const char *what, const struct strv *lists)
{
    fprintf(cli->out, "  %-22s", what);
    for (size_t i = 0; i < lists->count; i++)
        fprintf(cli->out, " %s", lists->items[i]);
    fputs(lists->count ? "\n" : " none\n", cli->out);
}

static void print_expectation(struct cli *cli, const struct topology_expectation *expect)
{
    char title[64];

    fprintf(cli->out, "the guest must see\n  %-22s %u\n  %-22s %u\n", "CPUs", expect->cpus,
            "packages", expect->packages);
    print_lists(cli, "SMT siblings", &expect->siblings);
    for (size_t i = 0; i < expect->cache_count; i++) {
        snprintf(title, sizeof title, "L%u %s caches", expect->caches[i].level,
                 expect->caches[i].type);
        print_lists(cli, title, &expect->caches[i].shared);
    }
    print_lists(cli, "NUMA nodes", &expect->nodes);
    for (size_t i = 0; i < expect->domain_count; i++) {
        const struct topology_domain *domain = &expect->domains[i];

        snprintf(title, sizeof title, "domain %u %s", domain->level,
                 domain->names.count ? domain->names.items[0] : "");
        print_lists(cli, title, &domain->spans);
    }
}

static int show(struct cli *cli, const char *name, struct culprit_error *error)
{
    CULPRIT_CLEANUP(topology_free) struct topology *topology = NULL;
    char least[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE];
    int r = local_topology(name, &topology, error);

    if (r < 0)
        return r;
    if (cli->json)
        return cli_print_json(cli, describe(topology), error);
    fprintf(cli->out, "%s: %s\n\n", topology->name, topology->description);
    fprintf(
        cli->out,
        "QEMU is asked for\n  %u CPUs (sockets=%u,dies=%u,cores=%u,threads=%u), NUMA nodes: %u\n"
        "  %s CPUs, %s of memory (at most %s)\n  deterministic engine: shift %u, "
        "verdicts confirmed at shift %u\n\n",
        topology_cpus(topology), topology->sockets, topology->dies, topology->cores,
        topology->threads, topology->nodes, topology->cpu_model,
        format_size(topology->memory, least), format_size(topology->memory_maximum, most),
        topology->shift, topology->second_shift);
    print_expectation(cli, &topology->expect);
    return CLI_DONE;
}

static void print_level(struct cli *cli, const struct topology_level *level)
{
    fprintf(cli->out, "%-5s %-22s ", level->same ? "same" : "DIFF", level->name);
    if (level->same) {
        fprintf(cli->out, "%s\n", level->asked);
        return;
    }
    fprintf(cli->out, "asked %s\n%-28s seen  %s\n", level->asked, "", level->seen);
}

static int print_check(struct cli *cli, const struct trial_result *result, const char *name,
                       struct culprit_error *error)
{
    bool same = topology_comparison_same(&result->comparison);
    char time[UNITS_TEXT_SIZE];

    if (cli->json) {
        json_t *value = trial_result_json(result);
        int r;

        if (value)
            json_object_set_new(value, "same", json_boolean(same));
        r = cli_print_json(cli, value, error);
        if (r < 0)
            return r;
    } else {
        for (size_t i = 0; i < result->comparison.count; i++)
            print_level(cli, &result->comparison.levels[i]);
        fprintf(cli->out, "%s: %s, by the %s engine in %s\n", name,
                same ? "asked = seen" : "the guest is not what was asked for",
                engine_name(result->engine), format_duration_short(result->wall_ns, time));
    }
    if (same && result->outcome != OUTCOME_OK)
        return culprit_fail(error, CULPRIT_FAILED, "the layout is right, but %s", result->message);
    if (!same)
        fprintf(cli->err, "culprit: topology %s: %s\n", name, result->message);
    return same ? CLI_DONE : CLI_AGAINST;
}

static int check(struct cli *cli, const struct arguments *arguments, const char *name,
                 struct culprit_error *error)
{
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    CULPRIT_CLEANUP(topology_free) struct topology *topology = NULL;
    CULPRIT_CLEANUP(local_close) struct local local = {0};
    char reason[ENGINE_REASON_SIZE];
    struct topology_check request = {0};
    _cleanup_free_ char *kernel = NULL;
    int r;

    r = local_topology(name, &topology, error);
    if (r == 0)
        r = local_engine_option(arguments, ENGINE_FUNCTIONAL, &request.engine, error);
    if (r == 0)
        r = local_kernel_option(arguments, &kernel, error);
    if (r == 0)
        r = local_open(arguments_value(arguments, "keep"), &local, error);
    if (r == 0)
        r = local_engine(&local, cli, kernel, request.engine, topology, &request.engine, reason,
                         error);
    if (r < 0)
        return r;
    request.topology = topology;
    request.kernel = kernel;
    request.guest_image = local.image;
    request.directory = local.directory;
    r = topology_check_run(local.hypervisor, &request, cli->cancel, &result, error);
    return r < 0 ? r : print_check(cli, result, topology->name, error);
}

static int run(struct cli *cli, const struct arguments *arguments, struct culprit_error *error)
{
    const char *verb = arguments->words.count ? arguments->words.items[0] : "list";
    int r;

    if (strcmp(verb, "list") == 0) {
        r = cli_check_words(&command_topology, arguments, 0, 1, error);
        return r < 0 ? r : list(cli, error);
    }
    if (strcmp(verb, "show") != 0 && strcmp(verb, "check") != 0)
        return cli_usage_error(&command_topology, error,
                               "topology: list, show or check, not \"%.40s\"", verb);
    r = cli_check_words(&command_topology, arguments, 2, 2, error);
    if (r < 0)
        return r;
    return strcmp(verb, "show") == 0 ? show(cli, arguments->words.items[1], error)
                                     : check(cli, arguments, arguments->words.items[1], error);
}

const struct cli_command command_topology = {
    .name = "topology",
    .summary = "list, show or check the guests' layouts",
    .usage = "[list]\nshow NAME\ncheck NAME [--kernel BZIMAGE] [--engine ENGINE]",
    .help = "check boots a guest and compares, level by level, what was asked for with what the "
            "guest sees.\nA difference is named, and the exit status is 1. A name with a slash is "
            "a file.",
    .options = options,
    .run = run,
};
