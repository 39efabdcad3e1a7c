/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports, and what the service knows and how it is. */
#include <string.h>

#include "sched/course.h"
#include "sched/report_fill.h"
#include "store/outbox.h"

int report_write(const struct service *service, const struct dossier *dossier,
                 enum report_form form, struct buffer *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(filled_report_free) struct filled_report *filled = NULL;
    struct mail_address address = {
        .from = service->options.mail_from,
        .domain = service->options.mail_domain,
        .to = &dossier->job->mail,
    };

    int status = report_fill(dossier, service->options.host, &filled, error);
    if (status < 0)
        return status;
    const struct report *report = filled_report(filled);
    switch (form) {
    case REPORT_FORM_TEXT:
        return report_text(report, ret, error);
    case REPORT_FORM_BISECT_LOG:
        return report_bisect_log(report, ret, error);
    case REPORT_FORM_MAIL:
        return report_mail(report, &address, ret, error);
    case REPORT_FORM_JSON:
        break;
    }
    json_t *json = report_json(report);
    _cleanup_free_ char *text = json ? json_dumps(json, JSON_INDENT(2)) : NULL;
    json_decref(json);
    if (!text)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot write the report: out of memory");
    buffer_printf(ret, "%s\n", text);
    return buffer_status(ret, "the report", error);
}

int service_report(struct service *service, int64_t id, enum report_form form, struct buffer *ret,
                   struct culprit_error *error)
{
    CULPRIT_CLEANUP(dossier_clear) struct dossier dossier = {0};

    int status = dossier_load(service->options.store, id, &dossier, error);
    if (status < 0)
        return status;
    if (!job_state_final(dossier.record.state))
        return culprit_fail(error, CULPRIT_CONFLICT,
                            "job %lld is still %s: there is a report when it is over",
                            (long long)id, job_state_name(dossier.record.state));
    if (form == REPORT_FORM_BISECT_LOG && dossier.job->kind != JOB_BISECT)
        return culprit_fail(error, CULPRIT_CONFLICT, "job %lld is no bisection", (long long)id);
    if (form == REPORT_FORM_BISECT_LOG && !dossier.commits.count)
        return culprit_fail(error, CULPRIT_CONFLICT, "job %lld ended before it had a range",
                            (long long)id);
    return report_write(service, &dossier, form, ret, error);
}

/* "https://user:word@host/path" without what stands before the @. */
static json_t *location_json(const char *location)
{
    const char *scheme = strstr(location, "://");
    const char *host = scheme ? scheme + 3 : NULL;
    const char *at = host ? strchr(host, '@') : NULL;

    if (!at || memchr(host, '/', (size_t)(at - host)))
        return json_string(location);
    return json_sprintf("%.*s%s", (int)(host - location), location, at + 1);
}

json_t *service_repositories(struct service *service)
{
    const struct catalogue *catalogue = service->options.catalogue;
    const struct strv *names = catalogue_environment(catalogue)->repositories;
    json_t *array = json_array();

    for (size_t i = 0; array && i < names->count; i++)
        json_array_append_new(
            array, json_pack("{s:s, s:o}", "name", names->items[i], "location",
                             location_json(catalogue_repository(catalogue, names->items[i]))));
    return array;
}

static json_t *topology_json(const struct topology *topology)
{
    return json_pack("{s:s, s:s?, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "name",
                     topology->name, "description", topology->description, "cpus",
                     (json_int_t)topology_cpus(topology), "sockets", (json_int_t)topology->sockets,
                     "dies", (json_int_t)topology->dies, "cores", (json_int_t)topology->cores,
                     "threads", (json_int_t)topology->threads, "nodes", (json_int_t)topology->nodes,
                     "memory", (json_int_t)topology->memory, "memory_maximum",
                     (json_int_t)topology->memory_maximum, "shift", (json_int_t)topology->shift);
}

json_t *service_topologies(struct service *service)
{
    const struct catalogue *catalogue = service->options.catalogue;
    const struct strv *names = catalogue_environment(catalogue)->topologies;
    json_t *array = json_array();

    for (size_t i = 0; array && i < names->count; i++)
        json_array_append_new(array, topology_json(catalogue_topology(catalogue, names->items[i])));
    return array;
}

static json_t *options_json(const struct workload_schema *workload)
{
    static const char *const types[] = {
        [OPTION_COUNT] = "count",       [OPTION_COUNT_OR_PERCENT] = "count or percent",
        [OPTION_DURATION] = "duration", [OPTION_SIZE] = "size",
        [OPTION_BOOLEAN] = "boolean",   [OPTION_TEXT] = "text",
    };
    json_t *array = json_array();

    for (size_t i = 0; array && i < workload->option_count; i++) {
        const struct option_schema *option = &workload->options[i];
        json_array_append_new(array, json_pack("{s:s, s:s, s:s?, s:s}", "name", option->name,
                                               "type", types[option->type], "default",
                                               option->default_value, "summary", option->summary));
    }
    return array;
}

static json_t *engines_json(unsigned visibility)
{
    json_t *array = json_array();

    if (array && visibility & SEEN_BY_REALTIME)
        json_array_append_new(array, json_string("realtime"));
    if (array && visibility & SEEN_BY_DETERMINISTIC)
        json_array_append_new(array, json_string("deterministic"));
    return array;
}

static json_t *schema_metrics_json(const struct workload_schema *workload)
{
    static const char *const directions[] = {
        [BETTER_LOWER] = "lower", [BETTER_HIGHER] = "higher", [BETTER_NEITHER] = "neither"};
    json_t *array = json_array();

    for (size_t i = 0; array && i < workload->metric_count; i++) {
        const struct metric_schema *metric = &workload->metrics[i];
        json_array_append_new(
            array, json_pack("{s:s, s:s, s:s, s:o, s:s}", "name", metric->name, "unit",
                             metric->unit, "better", directions[metric->better], "engines",
                             engines_json(metric->visibility), "summary", metric->summary));
    }
    return array;
}

json_t *service_workloads(struct service *service)
{
    json_t *array = json_array();

    (void)service;
    for (size_t i = 0; array && i < workload_schema_count; i++) {
        const struct workload_schema *workload = workload_schemas[i];
        json_array_append_new(array, json_pack("{s:s, s:s, s:o, s:o, s:b}", "name", workload->name,
                                               "summary", workload->summary, "options",
                                               options_json(workload), "metrics",
                                               schema_metrics_json(workload), "open_metrics",
                                               workload->open_metrics));
    }
    return array;
}

static json_t *slots_json(unsigned size, unsigned busy)
{
    return json_pack("{s:i, s:i}", "size", (int)size, "busy", (int)busy);
}

/* Why something waits: said until what rested has come further, in its retries too. */
static const char *trouble_of(const struct service *service)
{
    if (service->stalled[0])
        return service->stalled;
    for (const struct course *course = service->courses; course; course = course->next)
        if (course->noticed[0])
            return course->noticed;
    return service->held;
}

int service_health(struct service *service, json_t **ret, struct culprit_error *error)
{
    uint64_t counts[JOB_STATE_COUNT], waiting = 0;
    const struct service_options *options = &service->options;
    const char *trouble = trouble_of(service);

    int status = store_job_counts(options->store, counts, error);
    if (status == 0)
        status = store_mail_waiting(options->store, &waiting, error);
    if (status < 0)
        return status;
    json_t *jobs = json_object();
    for (int i = 0; jobs && i < JOB_STATE_COUNT; i++)
        json_object_set_new(jobs, job_state_name((enum job_state)i),
                            json_integer((json_int_t)counts[i]));
    *ret = json_pack("{s:s, s:s, s:o, s:{s:o, s:o}, s:{s:I}}", "status",
                     trouble[0] ? "stalled" : "ok", "message", trouble, "jobs", jobs, "slots",
                     "builds", slots_json(options->build_slots, service->builds_busy), "guests",
                     slots_json(options->guest_slots, service->guests_busy), "outbox", "waiting",
                     (json_int_t)waiting);
    return *ret ? 0 : culprit_fail(error, CULPRIT_NO_MEMORY, "cannot answer: out of memory");
}
