/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job as submitted, checked and completed with defaults. Immutable once decoded.
 * docs/job-reference.md describes every key.
 */
#ifndef CULPRIT_JOB_JOB_H
#define CULPRIT_JOB_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/outcome.h"
#include "base/strv.h"
#include "job/workload.h"

enum job_kind { JOB_RUN, JOB_BISECT, JOB_KIND_COUNT };

const char *job_kind_name(enum job_kind kind);

struct job_kernel_option {
    char *name;  /* without CONFIG_ */
    char *value; /* "y", "n", "250", "\"text\"" */
    unsigned line, column;
};

struct job_source {
    char *repository; /* a name from the server's configuration */
    char *commit;     /* run */
    char *good, *bad; /* bisect */
    bool first_parent;
};

struct job_kernel {
    struct strv fragments;             /* kernel.config: names */
    struct job_kernel_option *options; /* kernel.options: single settings */
    size_t option_count;
    char *config_file;   /* kernel.config_file: the user's whole .config, inline text; or NULL */
    struct strv patches; /* kernel.patches: inline unified diffs or mboxes, applied in order */
};

struct job_guest {
    char *topology;
    char *image;     /* "minimal" */
    uint64_t memory; /* bytes; 0: the topology's */
    enum engine engine;
    int shift; /* -1: the topology's */
    struct strv cmdline;
    struct strv sysctls;        /* "key value" */
    struct strv sched_features; /* "NO_PLACE_LAG" */
};

struct job_metric {
    char *name;
    enum metric_direction better; /* LOWER or HIGHER */
    double min_effect;            /* fraction when relative, else in the metric's unit */
    bool relative;
    unsigned line, column;
};

/* By what a bisection tells good from bad. */
enum job_criterion_kind {
    CRITERION_METRIC = 0, /* `metric` is worse */
    CRITERION_CONSOLE,    /* a line of the guest's console matches */
    CRITERION_EXIT,       /* a workload fails */
};

struct job_criterion {
    enum job_criterion_kind kind;
    char *console; /* CONSOLE: a pattern as base/line_pattern.h has them */
    unsigned line, column;
};

struct job_budget {
    unsigned builds; /* fresh builds */
    unsigned trials;
    uint64_t time_ns;
};

/* What a verified culprit is held against before it is the verdict (plan/confirm.h). */
struct job_confirm {
    bool alignment; /* another layout of the code, or speed of the virtual CPU; true */
    bool revert;    /* bad with the culprit taken back; true */
};

struct job {
    unsigned version; /* 1 */
    char *name;       /* [A-Za-z0-9][A-Za-z0-9._-]{0,63} */
    enum job_kind kind;
    struct job_source source;
    struct job_kernel kernel;
    struct job_guest guest;
    struct workload_request *workloads;
    size_t workload_count;
    struct job_metric metric; /* bisect: this or a criterion; run: optional (name NULL) */
    struct job_criterion criterion;
    struct job_confirm confirm; /* bisect */
    double confidence;
    unsigned trials; /* a commit (bisect, 3 to JOB_BISECT_TRIALS_MAXIMUM) or of the variant; 5 */
    uint64_t seed;   /* from which all seeds of the job's trials are drawn; 1 */
    struct job_budget budget;
    struct strv mail; /* notify.mail */
};

/* What the server knows that a document must agree with; NULL lists are not checked. */
struct job_environment {
    const struct strv *repositories;
    const struct strv *topologies;
    const uint64_t *memory_maximum; /* of each topology, bytes; NULL: not checked */
    const struct strv *fragments;
    const struct strv *images;
};

enum { JOB_DOCUMENT_MAXIMUM = 1024 * 1024, JOB_BISECT_TRIALS_MAXIMUM = 20 };

/* Decodes YAML (of which JSON is a part). Errors carry line, column and key, what was found and
 * what is allowed, and the nearest known word. */
int job_decode(const char *text, size_t length, const struct job_environment *environment,
               struct job **ret, struct culprit_error *error);

/* The job with every default filled in, as JSON; decoding that again gives an equal job. */
json_t *job_json(const struct job *job);

void job_free(struct job *job);
DEFINE_CLEANUP(struct job *, job_free);

#endif
