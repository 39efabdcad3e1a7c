/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers that are errors: RFC 9457 documents, and whatever a proxy may send instead. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/client.h"

/* The status says which of our codes it is, where the document does not. */
static enum culprit_code code_of_status(long status)
{
    switch (status) {
    case 400:
    case 415:
        return CULPRIT_INVALID;
    case 401:
    case 403:
        return CULPRIT_DENIED;
    case 404:
    case 410:
        return CULPRIT_NOT_FOUND;
    case 409:
        return CULPRIT_CONFLICT;
    case 413:
    case 429:
        return CULPRIT_LIMIT;
    case 422:
        return CULPRIT_FAILED;
    case 503:
        return CULPRIT_UNAVAILABLE;
    case 504:
        return CULPRIT_TIMED_OUT;
    case 507:
        return CULPRIT_NO_SPACE;
    default:
        return CULPRIT_FAILED;
    }
}

static enum culprit_code code_of_name(const char *name, enum culprit_code fallback)
{
    for (int code = CULPRIT_INVALID; name && code < CULPRIT_CODE_COUNT; code++) {
        if (strcmp(name, culprit_code_name((enum culprit_code)code)) == 0)
            return (enum culprit_code)code;
    }
    return fallback;
}

static unsigned place(const json_t *problem, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(problem, key));

    return value > 0 && value < 1000000000 ? (unsigned)value : 0;
}

int client_problem(long status, const char *body, size_t length, struct culprit_error *error)
{
    json_t *problem = json_loadb(body, length, JSON_REJECT_DUPLICATES, NULL);
    const char *detail = json_string_value(json_object_get(problem, "detail"));
    const char *title = json_string_value(json_object_get(problem, "title"));
    const char *where = json_string_value(json_object_get(problem, "key"));
    const char *name = json_string_value(json_object_get(problem, "code"));
    enum culprit_code code = code_of_name(name, code_of_status(status));
    int r;

    if (detail || title)
        r = culprit_fail(error, code, "%.900s", detail ? detail : title);
    else
        r = culprit_fail(error, code, "the server answered with HTTP status %ld", status);
    if (error && where)
        snprintf(error->where, sizeof error->where, "%s", where);
    if (error) {
        error->line = place(problem, "line");
        error->column = place(problem, "column");
    }
    json_decref(problem);
    return r;
}
