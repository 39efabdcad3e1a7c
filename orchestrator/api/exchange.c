/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/access.h"
#include "api/deadlines.h"
#include "api/reply.h"
#include "base/file.h"
#include "base/log.h"
#include "base/units.h"
#include "job/job.h"
#include "store/tokens.h"

enum { DRAIN_MAXIMUM = 8 << 20 }; /* of a refused body */

struct exchange {
    const struct admission *admission;
    struct request request;
    struct reply reply; /* decided already when `refused` */
    bool refused;
    size_t received;
    char method[16];
    char *path; /* for the log */
};

/* Gives the refusal its status and returns the error's code. */
static int refuse(struct reply *reply, unsigned status, int code)
{
    reply->status = status;
    return code;
}

static int check_host(const struct exchange *exchange, struct reply *reply,
                      struct culprit_error *error)
{
    const struct admission *admission = exchange->admission;
    const char *host = request_header(&exchange->request, MHD_HTTP_HEADER_HOST);

    /* Beyond loopback a token is needed in any case, which a page of another name does not have. */
    if (!admission->loopback || host_allowed(host, true, admission->address, admission->hosts))
        return 0;
    return refuse(reply, MHD_HTTP_MISDIRECTED_REQUEST,
                  culprit_fail(error, CULPRIT_DENIED,
                               "this server is not called \"%.100s\"; it answers to localhost and "
                               "to the names in its configuration",
                               host ? host : ""));
}

static int find_route(struct exchange *exchange, struct reply *reply, char *allow, const char *url,
                      struct culprit_error *error)
{
    struct route_match match = route_find(exchange->method, url);

    if (match.route) {
        exchange->request.route = match.route;
        memcpy(exchange->request.parameters, match.parameters, sizeof match.parameters);
        return 0;
    }
    if (!match.allow[0])
        return culprit_fail(error, CULPRIT_NOT_FOUND, "there is nothing at %.200s", url);
    memcpy(allow, match.allow, sizeof match.allow);
    return refuse(reply, MHD_HTTP_METHOD_NOT_ALLOWED,
                  culprit_fail(error, CULPRIT_INVALID, "%s is not possible on %.200s; %s is",
                               exchange->method, url, match.allow));
}

static int check_token(const struct exchange *exchange, struct reply *reply,
                       struct culprit_error *error)
{
    const struct route *route = exchange->request.route;
    const char *token;
    unsigned scopes = 0;
    int r;

    if (!exchange->admission->tokens || route->scope == 0)
        return 0;
    token = bearer_token(request_header(&exchange->request, MHD_HTTP_HEADER_AUTHORIZATION));
    if (!token)
        return refuse(
            reply, MHD_HTTP_UNAUTHORIZED,
            culprit_fail(error, CULPRIT_DENIED, "a token is needed: Authorization: Bearer TOKEN"));
    r = store_token_check(exchange->admission->tokens, token, &scopes, error);
    if (r == -CULPRIT_DENIED)
        return refuse(reply, MHD_HTTP_UNAUTHORIZED,
                      culprit_fail(error, CULPRIT_DENIED, "the token is not known here"));
    if (r < 0)
        return r;
    if ((scopes & route->scope) != route->scope)
        return culprit_fail(error, CULPRIT_DENIED,
                            "the token does not allow %s on %s: the scope "
                            "\"%s\" is needed",
                            route->method, route->path,
                            route->scope & TOKEN_SUBMIT ? "submit" : "read");
    return 0;
}

static int check_origin(const struct exchange *exchange, struct culprit_error *error)
{
    const struct request *request = &exchange->request;

    if (strcmp(request->route->method, "GET") == 0 ||
        origin_allowed(request_header(request, MHD_HTTP_HEADER_ORIGIN),
                       request_header(request, MHD_HTTP_HEADER_HOST)))
        return 0;
    return culprit_fail(error, CULPRIT_DENIED,
                        "a page of another site may not change anything here");
}

static int check_types(const struct exchange *exchange, struct reply *reply,
                       struct culprit_error *error)
{
    const struct request *request = &exchange->request;
    const struct route *route = request->route;
    const char *accept = request_header(request, MHD_HTTP_HEADER_ACCEPT);
    const char *type = request_header(request, MHD_HTTP_HEADER_CONTENT_TYPE);

    if (route->produces && !accepts_type(accept, route->produces)) {
        culprit_fail(error, CULPRIT_INVALID, "%s gives %s, which the header Accept refuses",
                     route->path, route->produces);
        culprit_error_allow(error, &route->produces, 1);
        return refuse(reply, MHD_HTTP_NOT_ACCEPTABLE, -CULPRIT_INVALID);
    }
    if (route->accepts && !content_type_allowed(type, route->accepts)) {
        culprit_fail(error, CULPRIT_INVALID,
                     "the header Content-Type is \"%.100s\"; a job is sent as application/yaml or "
                     "application/json, in UTF-8",
                     type ? type : "");
        culprit_error_allow(error, &route->accepts, 1);
        return refuse(reply, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, -CULPRIT_INVALID);
    }
    return 0;
}

static int fail_size(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_LIMIT, "the request is longer than %d bytes",
                        JOB_DOCUMENT_MAXIMUM);
}

/* What the client says the body's length is; 0 when it does not say. */
static uint64_t announced_length(const struct exchange *exchange)
{
    const char *text = request_header(&exchange->request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    uint64_t length = 0;

    return text && parse_count(text, 0, UINT64_MAX, &length, NULL) == 0 ? length : 0;
}

static int admit(struct exchange *exchange, struct reply *reply, char *allow, const char *url,
                 struct culprit_error *error)
{
    int r = check_host(exchange, reply, error);

    if (r == 0)
        r = find_route(exchange, reply, allow, url, error);
    if (r == 0)
        r = check_token(exchange, reply, error);
    if (r == 0)
        r = check_origin(exchange, error);
    if (r == 0)
        r = check_types(exchange, reply, error);
    if (r == 0 && announced_length(exchange) > JOB_DOCUMENT_MAXIMUM)
        r = fail_size(error);
    return r;
}

/* Makes the exchange's reply a problem, with the headers that belong to its status. */
static void set_problem(struct exchange *exchange, unsigned status,
                        const struct culprit_error *error, const char *allow)
{
    struct reply *reply = &exchange->reply;

    exchange->refused = true;
    if (reply_problem(reply, status, error) < 0)
        return;
    if (allow[0])
        reply_header(reply, MHD_HTTP_HEADER_ALLOW, allow, NULL);
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
    struct reply verdict = {0};
    char allow[ROUTE_ALLOW_SIZE] = "";

    if (!exchange)
        return MHD_NO;
    *state = exchange;
    exchange->admission = admission;
    exchange->path = strdup(url);
    exchange->request.context = &admission->context;
    exchange->request.connection = connection;
    exchange->request.head = strcmp(method, "HEAD") == 0;
    exchange->request.body = (struct buffer)BUFFER_INIT(JOB_DOCUMENT_MAXIMUM);
    snprintf(exchange->method, sizeof exchange->method, "%s", method);
    if (admit(exchange, &verdict, allow, url, &error) == 0)
        return MHD_YES;
    set_problem(exchange, verdict.status, &error, allow);
    /* The client has not sent its body yet, or would send more than is worth reading. */
    if (request_header(&exchange->request, MHD_HTTP_HEADER_EXPECT) ||
        announced_length(exchange) > DRAIN_MAXIMUM)
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
        fail_size(&error);
        set_problem(exchange, 0, &error, "");
    }
    return exchange->received <= DRAIN_MAXIMUM ? MHD_YES : MHD_NO;
}

static enum MHD_Result finish(struct exchange *exchange)
{
    struct culprit_error error = {0};
    int r;

    if (exchange->refused)
        return send_reply(exchange);
    r = buffer_status(&exchange->request.body, "the request", &error);
    if (r == 0)
        r = exchange->request.route->handle(&exchange->request, &exchange->reply, &error);
    if (r < 0)
        set_problem(exchange, exchange->reply.response ? 0 : exchange->reply.status, &error, "");
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
