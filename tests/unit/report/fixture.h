/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A finished bisection to write reports of: a range with a side branch, a commit that does not
 * build, one with a parent's image, and figures like those of the load-balancer regression of 2019.
 *
 *          1---2---3---6---7---8---9      2 does not build, 3 has the image of 1,
 *         /         \     /                5 is the culprit, 8 is known by 9's image.
 *     0--+           4---5
 */
#ifndef CULPRIT_TEST_REPORT_FIXTURE_H
#define CULPRIT_TEST_REPORT_FIXTURE_H

#include "report/report.h"

enum { FIXTURE_COMMITS = 10, FIXTURE_TRIALS = 26 };

struct fixture {
    struct report report;
    struct job *job;
    struct report_commit commits[FIXTURE_COMMITS];
    struct report_trial trials[FIXTURE_TRIALS];
    struct bisect_check checks[1];
    json_t *topology;
};

/* The culprit found; tests change what they are about. */
void fixture_make(struct fixture *fixture);
/* The same machinery for a job of kind run. */
void fixture_make_run(struct fixture *fixture);
void fixture_clear(struct fixture *fixture);

/* A buffer's content against a file beside the tests; says where they part. CULPRIT_GOLDEN_WRITE in
 * the environment writes the file instead. */
void fixture_compare(const char *name, const char *text);

#endif
