/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands that make a job: submit, rerun. */
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/input.h"
#include "cli/job_text.h"
#include "cli/remote.h"

enum { DOCUMENT_MAXIMUM = 1024 * 1024 };

static const struct cli_option options[] = {
    {"wait", 'w', NULL, "watch the job until it is over; the exit status is its verdict's"},
    {"key", '\0', "TEXT", "idempotency key: the same key never makes a second job"},
    {NULL, '\0', NULL, NULL},
};

static const struct cli_option rerun_options[] = {
    {"wait", 'w', NULL, "watch the job until it is over; the exit status is its verdict's"},
    {NULL, '\0', NULL, NULL},
};

/* The server knows the place in the document; the file's name is known here. */
static int explain(const char *file, struct culprit_error *error)
{
    char key[sizeof error->where + 2] = "";

    if (error->line == 0)
        return culprit_error_prefix(error, "cannot submit %s", file);
    if (*error->where && !strstr(error->message, error->where))
        snprintf(key, sizeof key, "%s: ", error->where);
    return culprit_error_prefix(error, "%s:%u:%u%s%.*s", file, error->line, error->column,
                                *key ? ": " : "", *key ? (int)strlen(key) - 2 : 0, key);
}

static int check_job(const json_t *job, struct culprit_error *error)
{
    if (json_is_integer(json_object_get(job, "id")))
        return 0;
    return culprit_fail(error, CULPRIT_FAILED, "the server took the job without a number");
}

static int submit(struct remote *remote, const struct arguments *arguments, const char *document,
                  size_t length, json_t **ret, struct culprit_error *error)
{
    const struct client_request request = {
        .method = "POST",
        .path = "/jobs",
        .body = document,
        .body_length = length,
        .content_type = "application/yaml",
        .idempotency_key = arguments_value(arguments, "key"),
    };
    int r = client_request_json(remote->client, &request, ret, error);

    if (r < 0)
        return explain(arguments->words.items[0], error);
    return check_job(*ret, error);
}

static int show(struct cli *cli, struct remote *remote, const struct arguments *arguments,
                const json_t *job, struct culprit_error *error)
{
    long long id = json_integer_value(json_object_get(job, "id"));

    if (cli->json && !arguments_given(arguments, "wait"))
        return cli_print_json(cli, json_deep_copy(job), error);
    if (!cli->json)
        fprintf(cli->out, "job %lld\n", id);
    fflush(cli->out);
    if (!arguments_given(arguments, "wait"))
        return CLI_DONE;
    return remote_watch(cli, remote, (uint64_t)id, error);
}

static int run_submit(struct cli *cli, const struct arguments *arguments,
                      struct culprit_error *error)
{
    CULPRIT_CLEANUP(remote_close) struct remote remote = {0};
    CULPRIT_CLEANUP(json_decref) json_t *job = NULL;
    _cleanup_free_ char *document = NULL;
    const char *file;
    size_t length;
    int r = cli_check_words(&command_submit, arguments, 1, 1, error);

    if (r < 0)
        return r;
    file = arguments->words.items[0];
    r = input_read(file, DOCUMENT_MAXIMUM, cli->cancel, &document, &length, error);
    if (r == 0)
        r = remote_open(cli, &remote, error);
    if (r == 0)
        r = submit(&remote, arguments, document, length, &job, error);
    return r < 0 ? r : show(cli, &remote, arguments, job, error);
}

static int run_rerun(struct cli *cli, const struct arguments *arguments,
                     struct culprit_error *error)
{
    CULPRIT_CLEANUP(remote_close) struct remote remote = {0};
    CULPRIT_CLEANUP(json_decref) json_t *job = NULL;
    char path[64];
    const struct client_request request = {.method = "POST", .path = path};
    uint64_t id;
    int r = cli_check_words(&command_rerun, arguments, 1, 1, error);

    if (r == 0)
        r = remote_job_id(arguments->words.items[0], &id, error);
    if (r == 0)
        r = remote_open(cli, &remote, error);
    if (r < 0)
        return r;
    snprintf(path, sizeof path, "/jobs/%llu/rerun", (unsigned long long)id);
    r = client_request_json(remote.client, &request, &job, error);
    if (r < 0)
        return culprit_error_prefix(error, "cannot run job %llu again", (unsigned long long)id);
    r = check_job(job, error);
    return r < 0 ? r : show(cli, &remote, arguments, job, error);
}

const struct cli_command command_submit = {
    .name = "submit",
    .summary = "submit a job file",
    .usage = "FILE [--wait]",
    .help = "FILE is YAML or JSON, \"-\" the standard input. Errors in it are told as "
            "FILE:LINE:COLUMN.",
    .options = options,
    .run = run_submit,
};

const struct cli_command command_rerun = {
    .name = "rerun",
    .summary = "submit a job's document again",
    .usage = "ID [--wait]",
    .options = rerun_options,
    .run = run_rerun,
};
