/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must hold between the sections of a job, and between a job and the server it came to. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "job/sections.h"

struct completion {
    struct job *job;
    struct reader *reader;
    const struct document_node *root;
    const struct job_environment *environment; /* NULL: not checked */
};

/* The node of a key in a section, or of the nearest thing to it that the document has. */
static const struct document_node *find(const struct completion *completion, const char *section,
                                        const char *key)
{
    const struct document_node *parent = document_get(completion->root, section);
    const struct document_node *node = key ? document_get(parent, key) : parent;

    return node ? node : parent ? parent : completion->root;
}

/* Fails at a key of a section, or at the section with key NULL. */
__attribute__((format(printf, 4, 5))) static int fail_at(const struct completion *completion,
                                                         const char *section, const char *key,
                                                         const char *format, ...)
{
    char message[sizeof completion->reader->error->message];
    size_t mark = reader_enter(completion->reader, section);
    va_list arguments;
    int r;

    if (key)
        reader_enter(completion->reader, key);
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    r = reader_fail(completion->reader, find(completion, section, key), "%s", message);
    reader_leave(completion->reader, mark);
    return r;
}

static int check_run_source(const struct completion *completion)
{
    const struct job_source *source = &completion->job->source;

    if (source->good || source->bad)
        return fail_at(completion, "source", source->good ? "good" : "bad",
                       "a job of kind run measures one \"commit\"; \"good\" and \"bad\" belong "
                       "to kind bisect");
    if (document_get(find(completion, "source", NULL), "first_parent"))
        return fail_at(completion, "source", "first_parent",
                       "\"first_parent\" belongs to kind bisect");
    if (!source->commit)
        return fail_at(completion, "source", NULL, "the key \"commit\" is missing in source");
    return 0;
}

static int check_bisect_source(const struct completion *completion)
{
    const struct job_source *source = &completion->job->source;

    if (source->commit)
        return fail_at(completion, "source", "commit",
                       "\"commit\" belongs to kind run; a bisection goes from \"good\" to "
                       "\"bad\"");
    if (!source->good || !source->bad)
        return fail_at(completion, "source", NULL, "the key \"%s\" is missing in source",
                       source->good ? "bad" : "good");
    if (strcmp(source->good, source->bad) == 0)
        return fail_at(completion, "source", "bad",
                       "good and bad are both \"%s\": there is nothing between them", source->bad);
    return 0;
}

/* The user's .config stands for itself; without one the build starts from the usual fragments. */
static int complete_fragments(const struct completion *completion)
{
    static const char *const usual[] = {"guest-x86_64", "sched"};
    struct job_kernel *kernel = &completion->job->kernel;

    if (kernel->config_file || document_get(document_get(completion->root, "kernel"), "config"))
        return 0;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (!strv_append(&kernel->fragments, usual[i]))
            return reader_fail_memory(completion->reader);
    return 0;
}

static int check_known(const struct completion *completion, const char *section, const char *key,
                       const struct document_node *node, const char *what, const char *name,
                       const struct strv *known)
{
    size_t mark;
    int r;

    if (!known || strv_contains(known, name))
        return 0;
    mark = reader_enter(completion->reader, section);
    reader_enter(completion->reader, key);
    r = reader_fail_choice(completion->reader, node, what, name, (const char *const *)known->items,
                           known->count);
    reader_leave(completion->reader, mark);
    return r;
}

static int check_fragments(const struct completion *completion)
{
    const struct document_node *list = document_get(find(completion, "kernel", NULL), "config");
    const struct strv *fragments = &completion->job->kernel.fragments;

    for (size_t i = 0; i < fragments->count; i++) {
        const struct document_node *node = list && i < list->count ? list->values[i]
                                                                   : completion->root;
        int r = check_known(completion, "kernel", "config", node, "configuration fragment",
                            fragments->items[i], completion->environment->fragments);

        if (r < 0)
            return r;
    }
    return 0;
}

static int check_memory(const struct completion *completion)
{
    const struct job_environment *environment = completion->environment;
    const struct job_guest *guest = &completion->job->guest;
    char asked[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE];

    if (!environment->topologies || !environment->memory_maximum)
        return 0;
    for (size_t i = 0; i < environment->topologies->count; i++) {
        uint64_t maximum = environment->memory_maximum[i];
        if (strcmp(environment->topologies->items[i], guest->topology) == 0 &&
            guest->memory > maximum)
            return fail_at(completion, "guest", "memory",
                           "a guest of topology %s takes at most %s, not %s", guest->topology,
                           format_size(maximum, most), format_size(guest->memory, asked));
    }
    return 0;
}

static int check_environment(const struct completion *completion)
{
    const struct job_environment *environment = completion->environment;
    const struct job *job = completion->job;
    int r;

    if (!environment)
        return 0;
    r = check_known(completion, "source", "repository", find(completion, "source", "repository"),
                    "repository", job->source.repository, environment->repositories);
    if (r == 0)
        r = check_known(completion, "guest", "topology", find(completion, "guest", "topology"),
                        "topology", job->guest.topology, environment->topologies);
    if (r == 0)
        r = check_memory(completion);
    if (r == 0)
        r = check_known(completion, "guest", "image", find(completion, "guest", "image"), "image",
                        job->guest.image, environment->images);
    return r < 0 ? r : check_fragments(completion);
}

/* Counters that the agent reads around every workload; see docs/guest-protocol.md. */
static bool is_counter(const char *name)
{
    static const char *const families[] = {"schedstat.", "stat.", "vmstat."};

    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strncmp(name, families[i], strlen(families[i])) == 0)
            return name[strlen(families[i])] != '\0';
    return false;
}

static bool is_open_metric(const struct workload_schema *schema, const char *name)
{
    size_t length = strlen(schema->name);

    return schema->open_metrics && strncmp(name, schema->name, length) == 0 &&
           name[length] == '.' && name[length + 1] != '\0';
}

/* How many of the job's workloads give the metric; *ret_schema stays NULL for one that only the
 * run itself names. */
static unsigned count_givers(const struct job *job, const char *name,
                             const struct metric_schema **ret_schema)
{
    unsigned givers = 0;

    for (size_t i = 0; i < job->workload_count; i++) {
        const struct metric_schema *schema = workload_metric_find(job->workloads[i].schema, name);

        if (schema)
            *ret_schema = schema;
        givers += schema || is_open_metric(job->workloads[i].schema, name);
    }
    return givers || !is_counter(name) ? givers : (unsigned)job->workload_count;
}

static int fail_unknown_metric(const struct completion *completion)
{
    const struct job *job = completion->job;
    size_t count = 0, next = 0, mark;
    const char **names;
    int r;

    for (size_t i = 0; i < job->workload_count; i++)
        count += job->workloads[i].schema->metric_count;
    names = calloc(count + 1, sizeof *names);
    if (!names)
        return reader_fail_memory(completion->reader);
    for (size_t i = 0; i < job->workload_count; i++)
        for (size_t m = 0; m < job->workloads[i].schema->metric_count; m++)
            names[next++] = job->workloads[i].schema->metrics[m].name;
    mark = reader_enter(completion->reader, "metric.name");
    r = reader_fail_choice(completion->reader, find(completion, "metric", "name"),
                           "metric of the job's workloads", job->metric.name, names, count);
    reader_leave(completion->reader, mark);
    free(names);
    return r;
}

static bool engine_sees(enum engine engine, const struct metric_schema *schema)
{
    if (engine == ENGINE_REALTIME)
        return schema->visibility & SEEN_BY_REALTIME;
    if (engine == ENGINE_DETERMINISTIC)
        return schema->visibility & SEEN_BY_DETERMINISTIC;
    return engine == ENGINE_AUTO;
}

static int complete_direction(const struct completion *completion,
                              const struct metric_schema *schema)
{
    struct job_metric *metric = &completion->job->metric;
    enum metric_direction natural = schema ? schema->better : BETTER_NEITHER;

    if (metric->better == BETTER_NEITHER)
        metric->better = natural;
    if (metric->better == BETTER_NEITHER)
        return fail_at(completion, "metric", NULL,
                       "whether lower or higher values of \"%s\" are better is not known: "
                       "say it by the key \"better\"",
                       metric->name);
    if (natural != BETTER_NEITHER && metric->better != natural)
        return fail_at(completion, "metric", "better",
                       "%s values of \"%s\" are better, not %s ones",
                       natural == BETTER_LOWER ? "lower" : "higher", metric->name,
                       natural == BETTER_LOWER ? "higher" : "lower");
    return 0;
}

static int complete_metric(const struct completion *completion)
{
    const struct job *job = completion->job;
    const char *name = job->metric.name;
    const struct metric_schema *schema = NULL;
    unsigned givers;

    if (!name)
        return 0;
    givers = count_givers(job, name, &schema);
    if (givers == 0)
        return fail_unknown_metric(completion);
    if (givers > 1)
        return fail_at(completion, "metric", "name",
                       "%u of the job's workloads give \"%s\": which is meant is not clear", givers,
                       name);
    if (job->guest.engine == ENGINE_FUNCTIONAL)
        return fail_at(completion, "guest", "engine",
                       "the functional engine measures nothing and gives no verdicts");
    if (schema && !engine_sees(job->guest.engine, schema))
        return fail_at(completion, "metric", "name",
                       "the %s engine cannot see \"%s\"; the %s engine can",
                       engine_name(job->guest.engine), name,
                       engine_name(schema->visibility & SEEN_BY_REALTIME ? ENGINE_REALTIME
                                                                         : ENGINE_DETERMINISTIC));
    return complete_direction(completion, schema);
}

/* Whether a failure of the workload fails the trial. */
static bool may_fail(const struct workload_request *workload)
{
    for (size_t i = 0; i < workload->schema->option_count; i++)
        if (strcmp(workload->schema->options[i].name, "allow_failure") == 0)
            return strcmp(workload->options[i].value, "true") != 0;
    return true;
}

static bool some_may_fail(const struct job *job)
{
    for (size_t i = 0; i < job->workload_count; i++)
        if (may_fail(&job->workloads[i]))
            return true;
    return false;
}

/* By what good is told from bad: a bisection needs a metric or a criterion, and has one of them. */
static int check_criterion(const struct completion *completion)
{
    const struct job *job = completion->job;
    bool criterion = document_get(completion->root, "criterion") != NULL;

    if (job->kind != JOB_BISECT)
        return criterion ? fail_at(completion, "criterion", NULL,
                                   "\"criterion\" belongs to kind bisect; a run only measures")
                         : 0;
    if (!criterion && !job->metric.name)
        return reader_fail(completion->reader, completion->root,
                           "the key \"metric\" is missing: a bisection needs one, or a "
                           "\"criterion\"");
    if (criterion && job->metric.name)
        return fail_at(completion, "criterion", NULL,
                       "a bisection is judged by its \"metric\" or by a \"criterion\", not by "
                       "both");
    if (criterion && job->guest.engine == ENGINE_FUNCTIONAL)
        return fail_at(completion, "guest", "engine", "the functional engine gives no verdicts");
    if (job->criterion.kind == CRITERION_EXIT && !some_may_fail(job))
        return fail_at(completion, "criterion", "exit",
                       "no workload of this job fails, for all have \"allow_failure: true\"");
    return 0;
}

static int check_confirm(const struct completion *completion)
{
    if (completion->job->kind != JOB_BISECT && document_get(completion->root, "confirm"))
        return fail_at(completion, "confirm", NULL,
                       "\"confirm\" belongs to kind bisect; a run has no verdict");
    return 0;
}

static int check_numbers(const struct completion *completion)
{
    const struct job *job = completion->job;
    unsigned least = job->kind == JOB_BISECT ? 2 * job->trials : job->trials;

    if (job->kind == JOB_BISECT && (job->trials < 3 || job->trials > JOB_BISECT_TRIALS_MAXIMUM))
        return reader_fail(completion->reader, document_get(completion->root, "trials"),
                           "a bisection takes 3 to %d trials of each commit, not %u",
                           JOB_BISECT_TRIALS_MAXIMUM, job->trials);
    if (job->budget.trials < least)
        return fail_at(completion, "budget", "trials",
                       "%u trials are too few: %s takes at least %u", job->budget.trials,
                       job->kind == JOB_BISECT ? "checking good and bad" : "the run", least);
    if (job->kind == JOB_BISECT && job->budget.builds < 2)
        return fail_at(completion, "budget", "builds",
                       "one build is too few: checking good and bad takes 2");
    if (job->guest.shift >= 0 && job->guest.engine != ENGINE_DETERMINISTIC &&
        job->guest.engine != ENGINE_AUTO)
        return fail_at(completion, "guest", "shift",
                       "\"shift\" belongs to the deterministic engine; this job asks for the "
                       "%s one",
                       engine_name(job->guest.engine));
    return 0;
}

int job_complete(struct job *job, struct reader *reader, const struct document_node *root,
                 const struct job_environment *environment)
{
    const struct completion completion = {
        .job = job, .reader = reader, .root = root, .environment = environment};
    int r = job->kind == JOB_BISECT ? check_bisect_source(&completion)
                                    : check_run_source(&completion);

    if (r == 0)
        r = complete_fragments(&completion);
    if (r == 0)
        r = check_environment(&completion);
    if (r == 0)
        r = complete_metric(&completion);
    if (r == 0)
        r = check_criterion(&completion);
    if (r == 0)
        r = check_confirm(&completion);
    return r < 0 ? r : check_numbers(&completion);
}
