/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api/request.h"

#include <string.h>

#include "base/strv.h"

const char *request_header(const struct request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

const char *request_argument(const struct request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

struct argument_check {
    const char *const *names;
    size_t count;
    bool seen[ROUTE_ARGUMENTS_MAXIMUM];
    struct culprit_error *error;
    int result;
};

static int check_argument(struct argument_check *check, const char *key, const char *value)
{
    for (size_t i = 0; i < check->count; i++) {
        if (strcmp(check->names[i], key) != 0)
            continue;
        if (check->seen[i])
            return culprit_fail(check->error, CULPRIT_INVALID,
                                "the parameter \"%s\" is given twice", key);
        if (!value || !value[0])
            return culprit_fail(check->error, CULPRIT_INVALID, "the parameter \"%s\" has no value",
                                key);
        check->seen[i] = true;
        return 0;
    }
    culprit_fail(check->error, CULPRIT_INVALID, "unknown parameter \"%.64s\"%s", key,
                 check->count ? "" : "; this route takes none");
    return culprit_error_allow(check->error, check->names, check->count);
}

static enum MHD_Result visit_argument(void *context, enum MHD_ValueKind kind, const char *key,
                                      const char *value)
{
    struct argument_check *check = context;

    (void)kind;
    check->result = check_argument(check, key, value);
    return check->result == 0 ? MHD_YES : MHD_NO;
}

int request_check_arguments(const struct request *request, struct culprit_error *error)
{
    struct culprit_error inner = {0};
    struct argument_check check = {.names = request->route->arguments, .error = &inner};

    while (check.count < ROUTE_ARGUMENTS_MAXIMUM && check.names[check.count])
        check.count++;
    MHD_get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, visit_argument, &check);
    if (check.result < 0 && error)
        *error = inner;
    return check.result;
}
