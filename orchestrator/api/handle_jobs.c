/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs: submit, list, show, cancel, run again, and their events. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/handlers.h"
#include "api/stream.h"
#include "base/units.h"
#include "sched/service.h"

enum { KEY_MAXIMUM = 128, LIST_MAXIMUM = 1000 };

#define RETRY_AFTER_SECONDS "60"

static int check_key(const char *key, struct culprit_error *error)
{
    size_t length = strlen(key);

    for (size_t i = 0; i < length; i++)
        if (key[i] < 0x21 || key[i] > 0x7e)
            length = 0;
    if (length == 0 || length > KEY_MAXIMUM)
        return culprit_fail(error, CULPRIT_INVALID,
                            "the header Idempotency-Key must be 1 to %d printable ASCII "
                            "characters without spaces",
                            KEY_MAXIMUM);
    return 0;
}

/* The job as it is now, under a status of its own. */
static int reply_job(const struct request *request, struct reply *reply, unsigned status,
                     int64_t id, struct culprit_error *error)
{
    json_t *job = NULL;
    char location[64];
    int r = service_job(request->context->service, id, &job, error);

    if (r == 0)
        r = reply_json(reply, status, job, error);
    if (r < 0)
        return r;
    snprintf(location, sizeof location, "/api/v1/jobs/%" PRId64, id);
    return reply_header(reply,
                        status == MHD_HTTP_CREATED ? MHD_HTTP_HEADER_LOCATION
                                                   : MHD_HTTP_HEADER_CONTENT_LOCATION,
                        location, error);
}

/* Too many jobs wait: this is not about the size of what was sent. */
static int queue_full(struct reply *reply, int code)
{
    if (code == -CULPRIT_LIMIT)
        reply->status = MHD_HTTP_TOO_MANY_REQUESTS;
    return code;
}

HANDLER(handle_job_submit)
{
    const char *key = request_header(request, "Idempotency-Key");
    const char *document = request->body.data ? request->body.data : "";
    int64_t id = 0;
    bool created = false;
    int r = key ? check_key(key, error) : 0;

    if (r < 0)
        return r;
    r = service_submit(request->context->service, document, request->body.length, key, &id,
                       &created, error);
    if (r < 0)
        return queue_full(reply, r);
    return reply_job(request, reply, created ? MHD_HTTP_CREATED : MHD_HTTP_OK, id, error);
}

HANDLER(handle_job_list)
{
    struct service_filter filter = {0};
    const char *limit_text = request_argument(request, "limit");
    uint64_t limit = 0;
    json_t *jobs = NULL;
    int r;

    if (limit_text && parse_count(limit_text, 1, LIST_MAXIMUM, &limit, error) < 0)
        return culprit_error_prefix(error, "the parameter \"limit\"");
    filter.state = request_argument(request, "state");
    filter.kind = request_argument(request, "kind");
    filter.cursor = request_argument(request, "cursor");
    filter.limit = (unsigned)limit;
    r = service_jobs(request->context->service, &filter, &jobs, error);
    return r < 0 ? r : reply_json(reply, MHD_HTTP_OK, jobs, error);
}

HANDLER(handle_job_show)
{
    json_t *job = NULL;
    int r = service_job(request->context->service, request->parameters[0], &job, error);

    return r < 0 ? r : reply_json(reply, MHD_HTTP_OK, job, error);
}

HANDLER(handle_job_cancel)
{
    int64_t id = request->parameters[0];
    int r = service_cancel(request->context->service, id, error);

    return r < 0 ? r : reply_job(request, reply, MHD_HTTP_ACCEPTED, id, error);
}

HANDLER(handle_job_rerun)
{
    int64_t id = 0;
    int r = service_rerun(request->context->service, request->parameters[0], &id, error);

    return r < 0 ? queue_full(reply, r) : reply_job(request, reply, MHD_HTTP_CREATED, id, error);
}

HANDLER(handle_job_document)
{
    _cleanup_free_ char *document = NULL;
    _cleanup_buffer_ struct buffer buffer = BUFFER_INIT(4 << 20);
    int r = service_document(request->context->service, request->parameters[0], &document, error);

    if (r < 0)
        return r;
    buffer_puts(&buffer, document);
    return reply_buffer(reply, request->route->produces, &buffer, error);
}

static int read_place(const struct request *request, uint64_t *ret, struct culprit_error *error)
{
    const char *text = request_header(request, "Last-Event-ID");

    *ret = 0;
    if (!text)
        text = request_argument(request, "after");
    if (text && parse_count(text, 0, INT64_MAX, ret, error) < 0)
        return culprit_error_prefix(error, "Last-Event-ID, or the parameter \"after\"");
    return 0;
}

/* A client that has all events of a job that is over is told not to come back: 204. */
HANDLER(handle_job_events)
{
    int64_t id = request->parameters[0];
    json_t *events = NULL;
    uint64_t after;
    bool final = false, over;
    int r = read_place(request, &after, error);

    if (r == 0)
        r = service_events(request->context->service, id, after, 1, &events, &final, error);
    if (r < 0)
        return r;
    over = final && json_array_size(events) == 0 && after > 0;
    json_decref(events);
    if (over || request->head)
        return reply_empty(reply, over ? MHD_HTTP_NO_CONTENT : MHD_HTTP_OK,
                           over ? NULL : request->route->produces, error);
    r = stream_open(request->context->streams, request->connection, id, after, reply, error);
    if (r == -CULPRIT_UNAVAILABLE)
        reply->status = MHD_HTTP_SERVICE_UNAVAILABLE;
    return r;
}
