/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/events.h"
#include "sched/course.h"

int event_put(struct service *service, int64_t job, const char *type, json_t *data,
              struct culprit_error *error)
{
    _cleanup_free_ char *text = data ? json_dumps(data, JSON_COMPACT) : NULL;

    json_decref(data);
    if (!text)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot tell of job %lld: out of memory",
                            (long long)job);
    return store_event_add(service->options.store, job, type, text, error);
}

int event_state(struct service *service, int64_t job, enum job_state state, const char *message,
                struct culprit_error *error)
{
    int status = store_job_set_state(service->options.store, job, state, message, error);
    if (status < 0)
        return status;
    return event_put(
        service, job, "state",
        json_pack("{s:s, s:s}", "state", job_state_name(state), "message", message ? message : ""),
        error);
}
