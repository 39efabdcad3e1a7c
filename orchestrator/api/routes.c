/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api/routes.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "api/handlers.h"
#include "base/units.h"
#include "store/tokens.h"

#define TEXT     "text/plain; charset=utf-8"
#define JSON     "application/json"
#define YAML     "application/yaml"
#define STREAM   "text/event-stream"
#define MAIL     "message/rfc822"
#define DOCUMENT "application/yaml, application/x-yaml, text/yaml, text/x-yaml, application/json"

#define V1 "/api/v1"
#define GET(path, scope, produces, handle, ...)        \
    {                                                  \
        "GET", V1 path, scope, produces, NULL, handle, \
        {                                              \
            __VA_ARGS__                                \
        }                                              \
    }
#define CHANGE(method, path, produces, accepts, handle)           \
    {                                                             \
        method, V1 path, TOKEN_SUBMIT, produces, accepts, handle, \
        {                                                         \
        }                                                         \
    }

const struct route api_routes[] = {
    GET("/healthz", 0, JSON, handle_health),
    GET("/openapi.yaml", 0, YAML, handle_openapi),
    GET("/repositories", TOKEN_READ, JSON, handle_repositories),
    GET("/topologies", TOKEN_READ, JSON, handle_topologies),
    GET("/workloads", TOKEN_READ, JSON, handle_workloads),

    GET("/calibrations", TOKEN_READ, JSON, handle_calibration_list),
    CHANGE("POST", "/calibrations", JSON, JSON, handle_calibration_add),
    GET("/calibrations/{id}", TOKEN_READ, JSON, handle_calibration_show),
    CHANGE("DELETE", "/calibrations/{id}", JSON, NULL, handle_calibration_remove),

    GET("/jobs", TOKEN_READ, JSON, handle_job_list, "state", "kind", "limit", "cursor"),
    CHANGE("POST", "/jobs", JSON, DOCUMENT, handle_job_submit),
    GET("/jobs/{id}", TOKEN_READ, JSON, handle_job_show),
    CHANGE("DELETE", "/jobs/{id}", JSON, NULL, handle_job_cancel),
    CHANGE("POST", "/jobs/{id}/rerun", JSON, NULL, handle_job_rerun),
    GET("/jobs/{id}/document", TOKEN_READ, YAML, handle_job_document),
    GET("/jobs/{id}/events", TOKEN_READ, STREAM, handle_job_events, "after"),

    GET("/jobs/{id}/report.txt", TOKEN_READ, TEXT, handle_report_text),
    GET("/jobs/{id}/report.json", TOKEN_READ, JSON, handle_report_json),
    GET("/jobs/{id}/mail", TOKEN_READ, MAIL, handle_report_mail),
    GET("/jobs/{id}/bisect-log", TOKEN_READ, TEXT, handle_bisect_log),

    GET("/jobs/{id}/trials", TOKEN_READ, JSON, handle_trial_list),
    GET("/jobs/{id}/trials/{number}", TOKEN_READ, JSON, handle_trial_show),
    GET("/jobs/{id}/trials/{number}/console", TOKEN_READ, TEXT, handle_trial_console),
    GET("/jobs/{id}/builds", TOKEN_READ, JSON, handle_build_list),
    GET("/jobs/{id}/builds/{build}/log", TOKEN_READ, TEXT, handle_build_log),
    GET("/jobs/{id}/builds/{build}/config", TOKEN_READ, TEXT, handle_build_config),
};

const size_t api_route_count = sizeof api_routes / sizeof *api_routes;

/* One segment of a path against one of a pattern; a number goes to *ret. */
static bool match_segment(const char *pattern, size_t pattern_length, const char *path,
                          size_t path_length, int64_t *ret)
{
    char text[24];
    uint64_t value;

    if (pattern[0] != '{')
        return pattern_length == path_length && memcmp(pattern, path, path_length) == 0;
    if (path_length >= sizeof text)
        return false;
    memcpy(text, path, path_length);
    text[path_length] = '\0';
    if (parse_count(text, 1, INT64_MAX, &value, NULL) < 0)
        return false;
    *ret = (int64_t)value;
    return true;
}

static bool match_path(const char *pattern, const char *path, int64_t *parameters)
{
    size_t next = 0;

    while (*pattern == '/' && *path == '/') {
        size_t pattern_length = strcspn(++pattern, "/");
        size_t path_length = strcspn(++path, "/");
        int64_t value = 0;

        if (!match_segment(pattern, pattern_length, path, path_length, &value))
            return false;
        if (*pattern == '{')
            parameters[next++] = value;
        pattern += pattern_length;
        path += path_length;
    }
    return *pattern == '\0' && *path == '\0';
}

static void add_method(char *allow, const char *method)
{
    size_t length = strlen(allow);

    snprintf(allow + length, ROUTE_ALLOW_SIZE - length, "%s%s", length ? ", " : "", method);
}

struct route_match route_find(const char *method, const char *path)
{
    struct route_match match = {0};
    const char *wanted = strcmp(method, "HEAD") == 0 ? "GET" : method;

    for (size_t i = 0; i < api_route_count; i++) {
        const struct route *route = &api_routes[i];
        int64_t parameters[ROUTE_PARAMETERS_MAXIMUM] = {0};

        if (!match_path(route->path, path, parameters))
            continue;
        memcpy(match.parameters, parameters, sizeof parameters);
        add_method(match.allow, route->method);
        if (strcmp(route->method, "GET") == 0)
            add_method(match.allow, "HEAD");
        if (strcmp(route->method, wanted) == 0)
            match.route = route;
    }
    return match;
}
