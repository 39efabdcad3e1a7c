/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api/admit.h"

#include <string.h>
#include <strings.h>

#include "api/access.h"
#include "base/units.h"
#include "job/job.h"
#include "store/tokens.h"

enum { PATH_MAXIMUM = 2048 };

/* Gives the refusal its status and returns the error's code. */
static int refuse(struct refusal *refusal, unsigned status, int code)
{
    refusal->status = status;
    return code;
}

struct header_counts {
    unsigned hosts, lengths, encodings;
};

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *key,
                                    const char *value)
{
    struct header_counts *counts = context;

    (void)kind;
    (void)value;
    counts->hosts += strcasecmp(key, MHD_HTTP_HEADER_HOST) == 0;
    counts->lengths += strcasecmp(key, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0;
    counts->encodings += strcasecmp(key, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0;
    return MHD_YES;
}

/* Two readers that take different headers for the right ones see different requests in the same
 * bytes; a proxy may be one of them. So whatever can be read in two ways is refused (RFC 9112,
 * sections 3.2 and 6.3), though the library would take the first. */
static int check_framing(const struct request *request, struct refusal *refusal,
                         struct culprit_error *error)
{
    const char *encoding = request_header(request, MHD_HTTP_HEADER_TRANSFER_ENCODING);
    struct header_counts counts = {0};

    MHD_get_connection_values(request->connection, MHD_HEADER_KIND, count_header, &counts);
    refusal->unframed = true;
    if (counts.lengths > 1)
        return culprit_fail(error, CULPRIT_INVALID, "the header Content-Length is given twice");
    if (counts.lengths > 0 && counts.encodings > 0)
        return culprit_fail(error, CULPRIT_INVALID,
                            "the headers Content-Length and Transfer-Encoding exclude each other");
    if (counts.encodings > 1 || (encoding && strcasecmp(encoding, "chunked") != 0))
        return refuse(refusal, MHD_HTTP_NOT_IMPLEMENTED,
                      culprit_fail(error, CULPRIT_UNSUPPORTED,
                                   "the only Transfer-Encoding that is read here is \"chunked\""));
    refusal->unframed = false;
    if (counts.hosts > 1)
        return culprit_fail(error, CULPRIT_INVALID, "the header Host is given twice");
    return 0;
}

static int check_host(const struct admission *admission, const struct request *request,
                      struct refusal *refusal, struct culprit_error *error)
{
    const char *host = request_header(request, MHD_HTTP_HEADER_HOST);

    /* Beyond loopback a token is needed in any case, which a page of another name does not have. */
    if (!admission->loopback || host_allowed(host, true, admission->address, admission->hosts))
        return 0;
    return refuse(refusal, MHD_HTTP_MISDIRECTED_REQUEST,
                  culprit_fail(error, CULPRIT_DENIED,
                               "this server is not called \"%.100s\"; it answers to localhost and "
                               "to the names in its configuration",
                               host ? host : ""));
}

static int find_route(struct request *request, const char *method, const char *url,
                      struct refusal *refusal, struct culprit_error *error)
{
    struct route_match match = route_find(method, url);

    if (match.route) {
        request->route = match.route;
        memcpy(request->parameters, match.parameters, sizeof match.parameters);
        return 0;
    }
    if (strlen(url) > PATH_MAXIMUM)
        return refuse(
            refusal, MHD_HTTP_URI_TOO_LONG,
            culprit_fail(error, CULPRIT_LIMIT, "the path is longer than %d bytes", PATH_MAXIMUM));
    if (!match.allow[0])
        return culprit_fail(error, CULPRIT_NOT_FOUND, "there is nothing at %.200s", url);
    memcpy(refusal->allow, match.allow, sizeof match.allow);
    return refuse(refusal, MHD_HTTP_METHOD_NOT_ALLOWED,
                  culprit_fail(error, CULPRIT_INVALID, "%.20s is not possible on %.200s; %s is",
                               method, url, match.allow));
}

static int check_token(const struct admission *admission, const struct request *request,
                       struct refusal *refusal, struct culprit_error *error)
{
    const struct route *route = request->route;
    const char *token;
    unsigned scopes = 0;
    int r;

    if (!admission->tokens || route->scope == 0)
        return 0;
    token = bearer_token(request_header(request, MHD_HTTP_HEADER_AUTHORIZATION));
    if (!token)
        return refuse(
            refusal, MHD_HTTP_UNAUTHORIZED,
            culprit_fail(error, CULPRIT_DENIED, "a token is needed: Authorization: Bearer TOKEN"));
    r = store_token_check(admission->tokens, token, &scopes, error);
    if (r == -CULPRIT_DENIED)
        return refuse(refusal, MHD_HTTP_UNAUTHORIZED,
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

static int check_origin(const struct request *request, struct culprit_error *error)
{
    if (strcmp(request->route->method, "GET") == 0 ||
        origin_allowed(request_header(request, MHD_HTTP_HEADER_ORIGIN),
                       request_header(request, MHD_HTTP_HEADER_HOST)))
        return 0;
    return culprit_fail(error, CULPRIT_DENIED,
                        "a page of another site may not change anything here");
}

static int check_types(const struct request *request, struct refusal *refusal,
                       struct culprit_error *error)
{
    const struct route *route = request->route;
    const char *accept = request_header(request, MHD_HTTP_HEADER_ACCEPT);
    const char *type = request_header(request, MHD_HTTP_HEADER_CONTENT_TYPE);

    if (route->produces && !accepts_type(accept, route->produces)) {
        culprit_fail(error, CULPRIT_INVALID, "%s gives %s, which the header Accept refuses",
                     route->path, route->produces);
        culprit_error_allow(error, &route->produces, 1);
        return refuse(refusal, MHD_HTTP_NOT_ACCEPTABLE, -CULPRIT_INVALID);
    }
    if (route->accepts && !content_type_allowed(type, route->accepts)) {
        culprit_fail(error, CULPRIT_INVALID,
                     "the header Content-Type is \"%.100s\"; what is sent to %s is %s, in UTF-8",
                     type ? type : "", route->path, route->accepts);
        culprit_error_allow(error, &route->accepts, 1);
        return refuse(refusal, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, -CULPRIT_INVALID);
    }
    return 0;
}

uint64_t announced_length(const struct request *request)
{
    const char *text = request_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    uint64_t length = 0;

    return text && parse_count(text, 0, UINT64_MAX, &length, NULL) == 0 ? length : 0;
}

int fail_length(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_LIMIT, "the request is longer than %d bytes",
                        JOB_DOCUMENT_MAXIMUM);
}

int admit(const struct admission *admission, struct request *request, const char *method,
          const char *url, struct refusal *ret, struct culprit_error *error)
{
    int r = check_framing(request, ret, error);

    if (r == 0)
        r = check_host(admission, request, ret, error);
    if (r == 0)
        r = find_route(request, method, url, ret, error);
    if (r == 0)
        r = check_token(admission, request, ret, error);
    if (r == 0)
        r = check_origin(request, error);
    if (r == 0)
        r = check_types(request, ret, error);
    if (r == 0)
        r = request_check_arguments(request, error);
    if (r == 0 && announced_length(request) > JOB_DOCUMENT_MAXIMUM)
        r = fail_length(error);
    return r;
}

size_t unescape(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context;
    (void)connection;
    return strstr(text, "%00") ? strlen(text) : MHD_http_unescape(text);
}
