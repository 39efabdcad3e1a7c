/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sections of a job document, each read into its part of struct job, and what must hold
 * between them. Private to this folder. */
#ifndef CULPRIT_JOB_SECTIONS_H
#define CULPRIT_JOB_SECTIONS_H

#include "job/job.h"
#include "yaml/reader.h"

enum {
    JOB_INLINE_MAXIMUM = 448 * 1024, /* bytes of config_file and patches together, so that a job
                                        written as JSON stays within JOB_DOCUMENT_MAXIMUM */
    JOB_PATCHES_MAXIMUM = 64,
    JOB_OPTIONS_MAXIMUM = 512,
    JOB_WORKLOADS_MAXIMUM = 16,
    JOB_MAIL_MAXIMUM = 16,
};

READER_TYPE(read_source);    /* struct job_source */
READER_TYPE(read_kernel);    /* struct job_kernel */
READER_TYPE(read_guest);     /* struct job_guest */
READER_TYPE(read_workloads); /* struct job (workloads and their count) */
READER_TYPE(read_metric);    /* struct job_metric */
READER_TYPE(read_confirm);   /* struct job_confirm */
READER_TYPE(read_criterion); /* struct job_criterion */
READER_TYPE(read_budget);    /* struct job_budget */
READER_TYPE(read_notify);    /* struct job (mail) */

/* "0.2" as "20%", in the fewest digits that read back equal. */
enum { PERCENT_TEXT_SIZE = 40 };
const char *format_percent(double fraction, char text[PERCENT_TEXT_SIZE]);

/* Fills what follows from other sections (fragments, the metric's direction) and checks what must
 * hold between them and against the server. */
int job_complete(struct job *job, struct reader *reader, const struct document_node *root,
                 const struct job_environment *environment);

#endif
