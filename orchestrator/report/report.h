/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a job found, as plain data, and its forms: text, JSON, mail, bisect log. Pure: the
 * scheduler fills a report from the store, these functions only write it down.
 */
#ifndef CULPRIT_REPORT_REPORT_H
#define CULPRIT_REPORT_REPORT_H

#include <jansson.h>

#include "base/buffer.h"
#include "base/error.h"
#include "calibration/record.h"
#include "job/job.h"
#include "plan/bisect.h"
#include "plan/confirm.h"
#include "relevance/relevance.h"

struct report_commit {
    char id[41];
    const char *subject;
    const char *author; /* "Name <address>" */
    uint64_t author_time;
    enum bisect_label label;
    bool inferred;          /* its label comes from an equal image */
    const char *same_image; /* where it does: the id of a commit that was tested with it; NULL */
    const char *reason;     /* why it was skipped; NULL */
    bool tested;
    const unsigned *parents; /* numbers; NULL where they are not known */
    unsigned parent_count;
    enum relevance relevance; /* MATTERS, or why it was left out */
};

/* Whether commits were left out because they cannot change the image. */
struct report_pruning {
    bool known;       /* false: nobody looked, and all else is empty */
    const char *note; /* why it could not be told; NULL or "" when it could */
    bool withdrawn;   /* an image contradicted it */
    unsigned witness; /* that commit's; valid when withdrawn */
};

/* One metric on one side: finite values, one a trial that gave it, in trial order. For a culprit
 * they are those of the verification, which took no part in finding it. */
struct report_samples {
    const double *values;
    size_t count;
};

struct report_row {
    const char *metric;
    const char *unit;
    enum metric_direction better;
    bool counter;
    struct report_samples sides[2]; /* 0: parent (or the only variant), 1: culprit */
};

struct report_trial {
    unsigned number;
    char commit[41];
    enum trial_purpose purpose;
    uint64_t seed;
    enum outcome outcome;
    const char *message;
    double value;  /* the headline metric; NaN unless ok. In a job with a criterion 1 or 0 */
    bool observed; /* a job with a criterion: the trial says whether it failed… */
    bool failed;
    const char *evidence; /* …and by what: the line of its console, or its message; NULL or "" */
    const char *digest;
};

/* What a verified culprit was held against; see plan/confirm.h. */
struct report_confirmation {
    enum confirmation_kind kind;
    enum confirmation_outcome outcome;
    struct bisect_check check; /* worse_count 0: nothing was compared */
    const char *message;       /* IMPOSSIBLE: why; or NULL */
};

struct report {
    int64_t job_id;
    const struct job *job;
    const char *state; /* "done", "failed", "cancelled" */
    enum bisect_verdict_kind verdict;
    const char *reason; /* the planner's sentences ("#3" becomes the commit), or why the
                           job failed or was cancelled */
    double posterior;
    double threshold;
    struct bisect_check endpoint; /* as in the planner's last step, with these four */
    const struct bisect_check *checks;
    size_t check_count;
    const struct report_confirmation *confirmations;
    size_t confirmation_count;
    bool more_changes;
    const struct report_commit *commits; /* in range order; 0 is good */
    size_t commit_count;
    struct report_pruning pruning;
    const struct calibration_record *calibration; /* of the job's metric; NULL: there is none */
    unsigned culprit;                             /* number; valid for VERDICT_CULPRIT */
    unsigned parent; /* the parent it was verified against, and the rows compare with */
    const unsigned *suspects;
    size_t suspect_count;
    const struct report_row *rows; /* headline metric first. Without a culprit the sides are good
                                      and bad; a run has but side 0 */
    size_t row_count;
    const struct report_trial *trials;
    size_t trial_count;
    unsigned builds_fresh, builds_reused, builds_failed;
    uint64_t wall_ns, build_ns, trial_ns;
    const char *engine;
    unsigned shift;
    int second_shift; /* -1: none */
    const char *qemu_version, *compiler, *kernel_release, *kernel_config_digest, *image_digest;
    const json_t *topology_seen; /* as trial_result's */
    const char *repeat_command;  /* one line for a shell */
    const char *culprit_message, *culprit_diffstat;
    const char *good_asked; /* when 0 is a merge base: the good that was asked for */
    const char *host;       /* this service's name for itself */
    uint64_t created_ns, finished_ns;
};

int report_text(const struct report *report, struct buffer *ret, struct culprit_error *error);
json_t *report_json(const struct report *report);

/* What `git bisect replay` reads; labels inferred from equal images are lines of their own under
 * a "# inferred" comment. */
int report_bisect_log(const struct report *report, struct buffer *ret, struct culprit_error *error);

struct mail_address {
    const char *from;   /* "culprit <culprit@host>" */
    const char *domain; /* right side of the Message-ID */
    const struct strv *to;
};

/* The whole message (RFC 5322, MIME, 7-bit or quoted-printable): text, then the bisect log as an
 * attachment. The Message-ID depends only on job and domain, so that a second delivery is known. */
int report_mail(const struct report *report, const struct mail_address *address, struct buffer *ret,
                struct culprit_error *error);

#endif
