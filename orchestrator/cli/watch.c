/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job's events as they come: lines on a terminal with a progress line below them, plain lines
 * elsewhere, one JSON object a line with --json. */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/job_text.h"
#include "cli/remote.h"
#include "cli/text.h"

#define PROGRESS_INTERVAL_NS UINT64_C(60000000000)

struct watch {
    struct cli *cli;
    bool terminal;
    bool progress_shown;  /* the terminal's last line is the progress line */
    uint64_t progress_ns; /* when the last one was printed elsewhere, */
    char phase[32];       /* and what the job was at then */
};

/* Removes the progress line, so that a line can be printed in its place. */
static void clear_progress(struct watch *watch)
{
    if (watch->progress_shown)
        fputs("\r\033[K", watch->cli->out);
    watch->progress_shown = false;
}

static void print_line(struct watch *watch, const char *time, const char *text)
{
    clear_progress(watch);
    /* "2026-01-02T03:04:05Z" */
    if (strlen(time) >= 19)
        fprintf(watch->cli->out, "%.8s  ", time + 11);
    text_print_safe(watch->cli->out, text);
    fputc('\n', watch->cli->out);
}

/* A terminal shows each; elsewhere one a minute is enough, and one for each new phase. */
static void show_progress(struct watch *watch, const char *time, const json_t *progress)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(4096);
    uint64_t now = clock_monotonic(&clock_system);
    const char *phase = json_text(progress, "phase");

    job_progress_text(progress, &text);
    if (!text.data)
        return;
    if (watch->terminal) {
        clear_progress(watch);
        text_print_safe(watch->cli->out, text.data);
        watch->progress_shown = true;
    } else if (strncmp(phase, watch->phase, sizeof watch->phase - 1) != 0 ||
               now - watch->progress_ns >= PROGRESS_INTERVAL_NS) {
        print_line(watch, time, text.data);
        watch->progress_ns = now;
        snprintf(watch->phase, sizeof watch->phase, "%s", phase);
    }
}

static void show_event(struct watch *watch, const json_t *event, const char *type,
                       const json_t *data)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(16 * 1024);
    const char *time = json_text(event, "time");

    if (watch->cli->json) {
        json_dumpf(event, watch->cli->out, JSON_COMPACT);
        fputc('\n', watch->cli->out);
    } else if (strcmp(type, "progress") == 0) {
        show_progress(watch, time, data);
    } else if (job_event_text(type, data, &text) && text.data) {
        print_line(watch, time, text.data);
    }
    fflush(watch->cli->out);
}

static int on_event(const struct sse_event *sse, void *context, struct culprit_error *error)
{
    struct watch *watch = context;
    CULPRIT_CLEANUP(json_decref)
    json_t *event = json_loads(sse->data, JSON_REJECT_DUPLICATES, NULL);
    const json_t *data = json_object_get(event, "data");
    const char *type = json_text(event, "type");

    if (strcmp(sse->type, "end") == 0)
        return 1;
    if (!json_is_object(event))
        return culprit_fail(error, CULPRIT_FAILED, "cannot read the server's events: not JSON");
    show_event(watch, event, type, data);
    return 0;
}

static int follow(struct watch *watch, struct remote *remote, uint64_t id,
                  struct culprit_error *error)
{
    char path[64];
    int r;

    snprintf(path, sizeof path, "/jobs/%llu/events", (unsigned long long)id);
    r = client_events(remote->client, path, on_event, watch, error);
    clear_progress(watch);
    if (r == -CULPRIT_CANCELLED)
        return culprit_fail(error, CULPRIT_CANCELLED,
                            "stopped watching; job %llu goes on (culprit watch %llu)",
                            (unsigned long long)id, (unsigned long long)id);
    return r < 0 ? r : 0;
}

int remote_watch(struct cli *cli, struct remote *remote, uint64_t id, struct culprit_error *error)
{
    struct watch watch = {.cli = cli, .terminal = !cli->json && isatty(fileno(cli->out)) == 1};
    CULPRIT_CLEANUP(json_decref) json_t *job = NULL;
    int r = remote_job(remote, id, &job, error);

    if (r == 0 && !job_is_over(job)) {
        r = follow(&watch, remote, id, error);
        json_decref(job);
        job = NULL;
        if (r == 0)
            r = remote_job(remote, id, &job, error);
    }
    if (r < 0)
        return r;
    if (cli->json) {
        json_dumpf(job, cli->out, JSON_COMPACT);
        fputc('\n', cli->out);
    } else {
        job_print(cli, job);
    }
    return job_status(job, error);
}
