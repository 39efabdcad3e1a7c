/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths find their routes, and docs/openapi.yaml and docs/rest-reference.md tell of all of them. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/openapi.h"
#include "api/routes.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "store/tokens.h"
#include "yaml/document.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void test_paths(void **state)
{
    static const struct {
        const char *method, *path;
        const char *route; /* NULL: none */
        int64_t first, second;
        const char *allow;
    } cases[] = {
        {"GET", "/api/v1/jobs", "/api/v1/jobs", 0, 0, "GET, HEAD, POST"},
        {"HEAD", "/api/v1/jobs", "/api/v1/jobs", 0, 0, "GET, HEAD, POST"},
        {"POST", "/api/v1/jobs", "/api/v1/jobs", 0, 0, "GET, HEAD, POST"},
        {"PUT", "/api/v1/jobs", NULL, 0, 0, "GET, HEAD, POST"},
        {"DELETE", "/api/v1/jobs/7", "/api/v1/jobs/{id}", 7, 0, "GET, HEAD, DELETE"},
        {"GET", "/api/v1/jobs/9223372036854775807", "/api/v1/jobs/{id}", INT64_MAX, 0,
         "GET, HEAD, DELETE"},
        {"GET", "/api/v1/jobs/3/trials/12/console", "/api/v1/jobs/{id}/trials/{number}/console", 3,
         12, "GET, HEAD"},
        {"GET", "/api/v1/jobs/3/report.txt", "/api/v1/jobs/{id}/report.txt", 3, 0, "GET, HEAD"},
        {"GET", "/api/v1/jobs/9223372036854775808", NULL, 0, 0, ""},
        {"GET", "/api/v1/jobs/0", NULL, 0, 0, ""},
        {"GET", "/api/v1/jobs/01", NULL, 0, 0, ""},
        {"GET", "/api/v1/jobs/-1", NULL, 0, 0, ""},
        {"GET", "/api/v1/jobs/7x", NULL, 0, 0, ""},
        {"GET", "/api/v1/jobs/", NULL, 0, 0, ""},
        {"GET", "/api/v1/jobs/7/", NULL, 0, 0, ""},
        {"GET", "/api/v1//jobs", NULL, 0, 0, ""},
        {"GET", "/api/v1/jobs/../healthz", NULL, 0, 0, ""},
        {"GET", "/api/v1/jobs/7/../../etc/passwd", NULL, 0, 0, ""},
        {"GET", "/api/v2/jobs", NULL, 0, 0, ""},
        {"GET", "/", NULL, 0, 0, ""},
        {"GET", "", NULL, 0, 0, ""},
        {"GET", "*", NULL, 0, 0, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct route_match match = route_find(cases[i].method, cases[i].path);

        if ((match.route == NULL) != (cases[i].route == NULL) ||
            (match.route &&
             (strcmp(match.route->path, cases[i].route) != 0 ||
              match.parameters[0] != cases[i].first || match.parameters[1] != cases[i].second)) ||
            strcmp(match.allow, cases[i].allow) != 0)
            fail_msg("%s %s gave %s, Allow: %s", cases[i].method, cases[i].path,
                     match.route ? match.route->path : "nothing", match.allow);
    }
}

/* The operation of a route in the description; NULL when it lacks it. */
static const struct document_node *find_operation(const struct document_node *root,
                                                  const struct route *route)
{
    char method[8];
    size_t i;

    for (i = 0; route->method[i] && i < sizeof method - 1; i++)
        method[i] = (char)tolower((unsigned char)route->method[i]);
    method[i] = '\0';
    return document_get(document_get(document_get(root, "paths"), route->path), method);
}

static void check_scope(const struct route *route, const struct document_node *operation)
{
    const struct document_node *security = document_get(operation, "security");
    const char *expected = route->scope == TOKEN_READ ? "read" : "submit";
    const struct document_node *scopes;

    if (!security)
        fail_msg("%s %s has no security", route->method, route->path);
    if (route->scope == 0) {
        assert_int_equal(security->count, 0);
        return;
    }
    scopes = document_get(security->values[0], "bearer");
    if (!scopes || scopes->count != 1 || strcmp(scopes->values[0]->text, expected) != 0)
        fail_msg("%s %s needs the scope %s", route->method, route->path, expected);
}

/* Some success (a shared response is followed) has the route's media type. */
static void check_type(const struct route *route, const struct document_node *root,
                       const struct document_node *operation)
{
    const struct document_node *responses = document_get(operation, "responses");

    for (size_t i = 0; responses && i < responses->count; i++) {
        const struct document_node *response = responses->values[i];
        const struct document_node *reference = document_get(response, "$ref");

        if (reference)
            response = document_get(document_get(document_get(root, "components"), "responses"),
                                    strrchr(reference->text, '/') + 1);
        if (document_get(document_get(response, "content"), route->produces))
            return;
    }
    fail_msg("%s %s: no response of type %s", route->method, route->path, route->produces);
}

static void check_body(const struct route *route, const struct document_node *operation)
{
    const struct document_node *content = document_get(document_get(operation, "requestBody"),
                                                       "content");
    size_t expected = 0;

    for (const char *c = route->accepts; c; c = strchr(c + 1, ','))
        expected++;
    if ((content ? content->count : 0) != expected)
        fail_msg("%s %s: %zu request types described, %zu taken", route->method, route->path,
                 content ? content->count : 0, expected);
    for (size_t i = 0; i < expected; i++)
        if (!strstr(route->accepts, content->keys[i]->text))
            fail_msg("%s %s does not take %s", route->method, route->path, content->keys[i]->text);
}

/* The parameters that stand behind "?" are those that the route takes. */
static void check_arguments(const struct route *route, const struct document_node *operation)
{
    const struct document_node *parameters = document_get(operation, "parameters");
    size_t described = 0, taken = 0;

    while (taken < ROUTE_ARGUMENTS_MAXIMUM && route->arguments[taken])
        taken++;
    for (size_t i = 0; parameters && i < parameters->count; i++) {
        const struct document_node *name = document_get(parameters->values[i], "name");
        const struct document_node *in = document_get(parameters->values[i], "in");

        if (!in || strcmp(in->text, "query") != 0)
            continue;
        if (described >= taken || strcmp(route->arguments[described], name->text) != 0)
            fail_msg("%s %s does not take %s there", route->method, route->path, name->text);
        described++;
    }
    if (described != taken)
        fail_msg("%s %s: %s is not described", route->method, route->path,
                 route->arguments[described]);
}

static size_t count_operations(const struct document_node *root)
{
    static const char *const methods[] = {"get", "post", "put", "patch", "delete"};
    const struct document_node *paths = document_get(root, "paths");
    size_t count = 0;

    for (size_t i = 0; i < paths->count; i++)
        for (size_t m = 0; m < COUNT(methods); m++)
            count += document_get(paths->values[i], methods[m]) != NULL;
    return count;
}

static void test_description_agrees(void **state)
{
    CULPRIT_CLEANUP(document_free) struct document *document = NULL;
    struct culprit_error error = {0};
    const struct document_node *root;

    (void)state;
    if (document_parse((const char *)api_openapi, api_openapi_size, 1 << 20, &document, &error) < 0)
        fail_msg("openapi.yaml:%u:%u: %s", error.line, error.column, error.message);
    root = document_root(document);
    for (size_t i = 0; i < api_route_count; i++) {
        const struct document_node *operation = find_operation(root, &api_routes[i]);

        if (!operation)
            fail_msg("openapi.yaml lacks %s %s", api_routes[i].method, api_routes[i].path);
        check_scope(&api_routes[i], operation);
        check_type(&api_routes[i], root, operation);
        check_body(&api_routes[i], operation);
        check_arguments(&api_routes[i], operation);
    }
    assert_int_equal(count_operations(root), api_route_count);
}

/* Every "$ref" of the description leads somewhere. */
static void check_references(const struct document_node *root, const struct document_node *node)
{
    for (size_t i = 0; i < node->count; i++) {
        const struct document_node *value = node->values[i];

        if (node->kind == DOCUMENT_MAPPING && strcmp(node->keys[i]->text, "$ref") == 0) {
            const struct document_node *target = root;
            char path[256], *save = NULL;

            snprintf(path, sizeof path, "%s", value->text + 2);
            for (char *key = strtok_r(path, "/", &save); key; key = strtok_r(NULL, "/", &save))
                target = document_get(target, key);
            if (!target)
                fail_msg("openapi.yaml:%u: %s leads nowhere", value->line, value->text);
        }
        check_references(root, value);
    }
}

static void test_description_is_whole(void **state)
{
    CULPRIT_CLEANUP(document_free) struct document *document = NULL;

    (void)state;
    assert_int_equal(
        document_parse((const char *)api_openapi, api_openapi_size, 1 << 20, &document, NULL), 0);
    check_references(document_root(document), document_root(document));
}

static void test_reference_names_every_route(void **state)
{
    _cleanup_free_ char *path = text_format("%s/docs/rest-reference.md", CULPRIT_SOURCE_DIR);
    _cleanup_free_ char *text = NULL;

    (void)state;
    assert_int_equal(file_read(path, 1 << 20, &text, NULL, NULL), 0);
    for (size_t i = 0; i < api_route_count; i++) {
        _cleanup_free_ char *entry = text_format("`%s %s`", api_routes[i].method,
                                                 api_routes[i].path);

        if (!strstr(text, entry))
            fail_msg("docs/rest-reference.md does not tell of %s", entry);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_description_agrees),
        cmocka_unit_test(test_description_is_whole),
        cmocka_unit_test(test_reference_names_every_route),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
