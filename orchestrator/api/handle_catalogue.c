/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the service knows: repositories, topologies, workloads, its health and its description. */
#include <string.h>

#include "api/handlers.h"
#include "api/openapi.h"
#include "sched/service.h"

HANDLER(handle_repositories)
{
    return reply_list(reply, "repositories", service_repositories(request->context->service),
                      error);
}

HANDLER(handle_topologies)
{
    return reply_list(reply, "topologies", service_topologies(request->context->service), error);
}

HANDLER(handle_workloads)
{
    return reply_list(reply, "workloads", service_workloads(request->context->service), error);
}

/* 503 when the service is not well, for those who look at the status only. */
HANDLER(handle_health)
{
    json_t *health = NULL;
    const char *status;
    int r = service_health(request->context->service, &health, error);

    if (r < 0)
        return r;
    status = json_string_value(json_object_get(health, "status"));
    return reply_json(
        reply, status && strcmp(status, "ok") == 0 ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE,
        health, error);
}

HANDLER(handle_openapi)
{
    return reply_static(reply, request->route->produces, api_openapi, api_openapi_size, error);
}
