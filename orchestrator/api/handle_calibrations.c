/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calibrations: put in, listed, shown, removed. */
#include <inttypes.h>
#include <stdio.h>

#include "api/handlers.h"
#include "sched/service.h"

static int show(const struct request *request, struct reply *reply, unsigned status, int64_t id,
                struct culprit_error *error)
{
    json_t *calibration = NULL;
    int r = service_calibration(request->context->service, id, &calibration, error);

    return r < 0 ? r : reply_json(reply, status, calibration, error);
}

HANDLER(handle_calibration_add)
{
    const char *document = request->body.data ? request->body.data : "";
    char location[64];
    int64_t id = 0;
    int r = service_calibration_add(request->context->service, document, request->body.length, &id,
                                    error);

    if (r == 0)
        r = show(request, reply, MHD_HTTP_CREATED, id, error);
    if (r < 0)
        return r;
    snprintf(location, sizeof location, "/api/v1/calibrations/%" PRId64, id);
    return reply_header(reply, MHD_HTTP_HEADER_LOCATION, location, error);
}

HANDLER(handle_calibration_list)
{
    json_t *calibrations = NULL;
    int r = service_calibrations(request->context->service, &calibrations, error);

    return r < 0 ? r : reply_list(reply, "calibrations", calibrations, error);
}

HANDLER(handle_calibration_show)
{
    return show(request, reply, MHD_HTTP_OK, request->parameters[0], error);
}

/* Answers with what is gone, so that it can be put in again. */
HANDLER(handle_calibration_remove)
{
    int r = show(request, reply, MHD_HTTP_OK, request->parameters[0], error);

    return r < 0 ? r
                 : service_calibration_remove(request->context->service, request->parameters[0],
                                              error);
}
