/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The handlers that the table of routes names. Each turns parameters into one call of the service
 * and its answer into a reply. Private to this folder. */
#ifndef CULPRIT_API_HANDLERS_H
#define CULPRIT_API_HANDLERS_H

#include "api/reply.h"
#include "api/request.h"

#define HANDLER(name) \
    int name(struct request *request, struct reply *reply, struct culprit_error *error)

HANDLER(handle_job_submit);
HANDLER(handle_job_list);
HANDLER(handle_job_show);
HANDLER(handle_job_cancel);
HANDLER(handle_job_rerun);
HANDLER(handle_job_document);
HANDLER(handle_job_events);

HANDLER(handle_report_text);
HANDLER(handle_report_json);
HANDLER(handle_report_mail);
HANDLER(handle_bisect_log);

HANDLER(handle_trial_list);
HANDLER(handle_trial_show);
HANDLER(handle_trial_console);
HANDLER(handle_build_list);
HANDLER(handle_build_log);
HANDLER(handle_build_config);

HANDLER(handle_calibration_add);
HANDLER(handle_calibration_list);
HANDLER(handle_calibration_show);
HANDLER(handle_calibration_remove);

HANDLER(handle_repositories);
HANDLER(handle_topologies);
HANDLER(handle_workloads);
HANDLER(handle_health);
HANDLER(handle_openapi);

#endif
