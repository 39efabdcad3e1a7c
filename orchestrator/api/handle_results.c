/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was done for a job: reports, trials, builds. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "api/handlers.h"
#include "sched/service.h"

enum { REPORT_MAXIMUM = 16 << 20 };

static int reply_report(const struct request *request, struct reply *reply, enum report_form form,
                        struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer report = BUFFER_INIT(REPORT_MAXIMUM);
    int r = service_report(request->context->service, request->parameters[0], form, &report, error);

    return r < 0 ? r : reply_buffer(reply, request->route->produces, &report, error);
}

HANDLER(handle_report_text)
{
    return reply_report(request, reply, REPORT_FORM_TEXT, error);
}

HANDLER(handle_report_json)
{
    return reply_report(request, reply, REPORT_FORM_JSON, error);
}

HANDLER(handle_bisect_log)
{
    return reply_report(request, reply, REPORT_FORM_BISECT_LOG, error);
}

/* Named, so that a browser saves what a mail program opens. */
HANDLER(handle_report_mail)
{
    char disposition[64];
    int r = reply_report(request, reply, REPORT_FORM_MAIL, error);

    if (r < 0)
        return r;
    snprintf(disposition, sizeof disposition, "attachment; filename=\"culprit-%" PRId64 ".eml\"",
             request->parameters[0]);
    return reply_header(reply, MHD_HTTP_HEADER_CONTENT_DISPOSITION, disposition, error);
}

static int trial_number(const struct request *request, unsigned *ret, struct culprit_error *error)
{
    int64_t number = request->parameters[1];

    if (number > UINT_MAX)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "job %" PRId64 " has no trial %" PRId64,
                            request->parameters[0], number);
    *ret = (unsigned)number;
    return 0;
}

HANDLER(handle_trial_list)
{
    json_t *trials = NULL;
    int r = service_trials(request->context->service, request->parameters[0], &trials, error);

    return r < 0 ? r : reply_list(reply, "trials", trials, error);
}

HANDLER(handle_trial_show)
{
    json_t *trial = NULL;
    unsigned number = 0;
    int r = trial_number(request, &number, error);

    if (r == 0)
        r = service_trial(request->context->service, request->parameters[0], number, &trial, error);
    return r < 0 ? r : reply_json(reply, MHD_HTTP_OK, trial, error);
}

HANDLER(handle_trial_console)
{
    struct blob_reader *reader = NULL;
    unsigned number = 0;
    int r = trial_number(request, &number, error);

    if (r == 0)
        r = service_console(request->context->service, request->parameters[0], number, &reader,
                            error);
    return r < 0 ? r : reply_blob(reply, request->route->produces, reader, error);
}

HANDLER(handle_build_list)
{
    json_t *builds = NULL;
    int r = service_builds(request->context->service, request->parameters[0], &builds, error);

    return r < 0 ? r : reply_list(reply, "builds", builds, error);
}

HANDLER(handle_build_log)
{
    struct blob_reader *reader = NULL;
    int r = service_build_log(request->context->service, request->parameters[0],
                              request->parameters[1], &reader, error);

    return r < 0 ? r : reply_blob(reply, request->route->produces, reader, error);
}

HANDLER(handle_build_config)
{
    struct blob_reader *reader = NULL;
    int r = service_build_config(request->context->service, request->parameters[0],
                                 request->parameters[1], &reader, error);

    return r < 0 ? r : reply_blob(reply, request->route->produces, reader, error);
}
