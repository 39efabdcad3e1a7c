/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job/job.h"

#include <stdlib.h>
#include <string.h>

#include "job/sections.h"
#include "yaml/document.h"

#define HOUR_NS UINT64_C(3600000000000)

static const char *const kind_names[JOB_KIND_COUNT] = {[JOB_RUN] = "run", [JOB_BISECT] = "bisect"};

const char *job_kind_name(enum job_kind kind)
{
    return (unsigned)kind < JOB_KIND_COUNT ? kind_names[kind] : "unknown";
}

static READER_TYPE(read_kind)
{
    size_t place;
    int r = reader_choice(reader, node, "kind", kind_names, JOB_KIND_COUNT, &place);

    (void)field;
    if (r == 0)
        *(enum job_kind *)target = (enum job_kind)place;
    return r;
}

/* Names go into file names, mail subjects and domain titles. */
static READER_TYPE(read_job_name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    int r = read_word(reader, node, field, target);
    const char *name = *(char **)target;

    if (r < 0)
        return r;
    if (!strchr(letters, name[0]))
        return reader_fail(reader, node, "\"%s\" must begin with a letter or a digit", name);
    for (const char *c = name; *c; c++)
        if (!strchr(letters, *c) && !strchr("._-", *c))
            return reader_fail(reader, node,
                               "\"%s\" holds '%c'; letters, digits, '.', '_' and '-' are allowed",
                               name, *c);
    return 0;
}

static READER_TYPE(read_confidence)
{
    (void)field;
    return reader_real(reader, node, 0.5001, 0.999999, target);
}

#define FIELD(member, ...)                                           \
    {                                                                \
#member, .offset = offsetof(struct job, member), __VA_ARGS__ \
    }

static const struct reader_field fields[] = {
    FIELD(version, .read = read_unsigned, .minimum = 1, .maximum = 1, .required = true),
    FIELD(name, .read = read_job_name, .minimum = 1, .maximum = 64, .required = true),
    FIELD(kind, .read = read_kind, .required = true),
    FIELD(source, .read = read_source, .required = true),
    FIELD(kernel, .read = read_kernel),
    FIELD(guest, .read = read_guest, .required = true),
    {"workloads", .read = read_workloads, .required = true},
    FIELD(metric, .read = read_metric),
    FIELD(criterion, .read = read_criterion),
    FIELD(confirm, .read = read_confirm),
    FIELD(confidence, .read = read_confidence),
    FIELD(trials, .read = read_unsigned, .minimum = 1, .maximum = 1000),
    FIELD(seed, .read = read_u64, .minimum = 0, .maximum = INT64_MAX),
    FIELD(budget, .read = read_budget),
    {"notify", .read = read_notify},
};

static struct job *job_new(void)
{
    struct job *job = calloc(1, sizeof *job);

    if (!job)
        return NULL;
    job->guest.shift = -1;
    job->metric.better = BETTER_NEITHER;
    job->metric.min_effect = 0.1;
    job->metric.relative = true;
    job->confirm = (struct job_confirm){.alignment = true, .revert = true};
    job->confidence = 0.99;
    job->trials = 5;
    job->seed = 1;
    job->budget = (struct job_budget){.builds = 40, .trials = 400, .time_ns = 24 * HOUR_NS};
    job->guest.image = strdup("minimal");
    if (!job->guest.image) {
        job_free(job);
        return NULL;
    }
    return job;
}

int job_decode(const char *text, size_t length, const struct job_environment *environment,
               struct job **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(document_free) struct document *document = NULL;
    CULPRIT_CLEANUP(job_free) struct job *job = NULL;
    struct reader reader = {.error = error};
    int r = document_parse(text, length, JOB_DOCUMENT_MAXIMUM, &document, error);

    if (r < 0)
        return r;
    job = job_new();
    if (!job)
        return reader_fail_memory(&reader);
    r = reader_mapping(&reader, document_root(document), fields, sizeof fields / sizeof *fields,
                       job);
    if (r == 0)
        r = job_complete(job, &reader, document_root(document), environment);
    if (r < 0)
        return r;
    *ret = take(job);
    return 0;
}

static void free_kernel(struct job_kernel *kernel)
{
    strv_free(&kernel->fragments);
    for (size_t i = 0; i < kernel->option_count; i++) {
        free(kernel->options[i].name);
        free(kernel->options[i].value);
    }
    free(kernel->options);
    free(kernel->config_file);
    strv_free(&kernel->patches);
}

void job_free(struct job *job)
{
    if (!job)
        return;
    free(job->name);
    free(job->source.repository);
    free(job->source.commit);
    free(job->source.good);
    free(job->source.bad);
    free_kernel(&job->kernel);
    free(job->guest.topology);
    free(job->guest.image);
    strv_free(&job->guest.cmdline);
    strv_free(&job->guest.sysctls);
    strv_free(&job->guest.sched_features);
    for (size_t i = 0; i < job->workload_count; i++)
        workload_request_clear(&job->workloads[i]);
    free(job->workloads);
    free(job->metric.name);
    free(job->criterion.console);
    strv_free(&job->mail);
    free(job);
}
