/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/deadlines.h"
#include "api/reply.h"
#include "base/log.h"
#include "base/path.h"
#include "job/job.h"

enum { DRAIN_MAXIMUM = 8 << 20 }; /* of a refused body */

struct exchange {
    struct request request;
    struct reply reply; /* decided already when `refused` */
    bool refused;
    size_t received;
    char *path; /* for the log */
};

/* Makes the exchange's reply a problem, with the headers that belong to its status. */
static void set_problem(struct exchange *exchange, const struct refusal *refusal,
                        const struct culprit_error *error)
{
    struct reply *reply = &exchange->reply;

    exchange->refused = true;
    if (reply_problem(reply, refusal->status, error) < 0)
        return;
    if (refusal->allow[0])
        reply_header(reply, MHD_HTTP_HEADER_ALLOW, refusal->allow, NULL);
    if (refusal->unframed)
        reply_header(reply, MHD_HTTP_HEADER_CONNECTION, "close", NULL);
    if (reply->status == MHD_HTTP_UNAUTHORIZED)
        reply_header(reply, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"culprit\"", NULL);
    if (reply->status == MHD_HTTP_TOO_MANY_REQUESTS ||
        reply->status == MHD_HTTP_SERVICE_UNAVAILABLE)
        reply_header(reply, MHD_HTTP_HEADER_RETRY_AFTER, "30", NULL);
}

/* Nothing is left to say when even the problem had no memory: the connection is closed. */
static enum MHD_Result send_reply(struct exchange *exchange)
{
    struct reply *reply = &exchange->reply;
    char status[32];
    _cleanup_free_ char *path = text_format("PATH=%s", exchange->path ? exchange->path : "");
    enum MHD_Result result;

    if (!reply->response)
        return MHD_NO;
    snprintf(status, sizeof status, "STATUS=%u", reply->status);
    if (path)
        log_debug("request answered", path, status, NULL);
    deadlines_stop(exchange->request.connection);
    result = MHD_queue_response(exchange->request.connection, reply->status, reply->response);
    reply_clear(reply);
    return result;
}

static enum MHD_Result begin(const struct admission *admission, struct MHD_Connection *connection,
                             const char *url, const char *method, void **state)
{
    struct exchange *exchange = calloc(1, sizeof *exchange);
    struct culprit_error error = {0};
    struct refusal refusal = {0};

    if (!exchange)
        return MHD_NO;
    *state = exchange;
    exchange->path = strdup(url);
    exchange->request.context = &admission->context;
    exchange->request.connection = connection;
    exchange->request.head = strcmp(method, "HEAD") == 0;
    exchange->request.body = (struct buffer)BUFFER_INIT(JOB_DOCUMENT_MAXIMUM);
    if (admit(admission, &exchange->request, method, url, &refusal, &error) == 0)
        return MHD_YES;
    set_problem(exchange, &refusal, &error);
    /* What follows cannot be told apart, or the client has not sent its body yet, or would send
     * more than is worth reading. */
    if (refusal.unframed || request_header(&exchange->request, MHD_HTTP_HEADER_EXPECT) ||
        announced_length(&exchange->request) > DRAIN_MAXIMUM)
        return send_reply(exchange);
    return MHD_YES;
}

static enum MHD_Result receive(struct exchange *exchange, const char *data, size_t *size)
{
    struct buffer *body = &exchange->request.body;
    struct culprit_error error = {0};

    exchange->received += *size;
    if (!exchange->refused && exchange->request.route->accepts)
        buffer_append(body, data, *size);
    *size = 0;
    if (body->status == CULPRIT_LIMIT && !exchange->refused) {
        fail_length(&error);
        set_problem(exchange, &(struct refusal){0}, &error);
    }
    return exchange->received <= DRAIN_MAXIMUM ? MHD_YES : MHD_NO;
}

static enum MHD_Result finish(struct exchange *exchange)
{
    struct culprit_error error = {0};
    struct refusal refusal = {0};
    int r;

    if (exchange->refused)
        return send_reply(exchange);
    r = buffer_status(&exchange->request.body, "the request", &error);
    if (r == 0)
        r = exchange->request.route->handle(&exchange->request, &exchange->reply, &error);
    if (r < 0) {
        refusal.status = exchange->reply.response ? 0 : exchange->reply.status;
        set_problem(exchange, &refusal, &error);
    }
    return send_reply(exchange);
}

enum MHD_Result exchange_handle(void *admission, struct MHD_Connection *connection, const char *url,
                                const char *method, const char *version, const char *data,
                                size_t *size, void **state)
{
    (void)version;
    if (!*state)
        return begin(admission, connection, url, method, state);
    if (*size > 0)
        return receive(*state, data, size);
    return finish(*state);
}

void exchange_completed(void *admission, struct MHD_Connection *connection, void **state,
                        enum MHD_RequestTerminationCode code)
{
    struct exchange *exchange = *state;

    (void)admission;
    (void)code;
    *state = NULL;
    deadlines_start(connection);
    if (!exchange)
        return;
    reply_clear(&exchange->reply);
    buffer_free(&exchange->request.body);
    free(exchange->path);
    free(exchange);
}
