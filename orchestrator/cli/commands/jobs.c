/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands that look at jobs: list, show, watch, cancel. */
#include <string.h>

#include "base/path.h"
#include "cli/commands/commands.h"
#include "cli/job_text.h"
#include "cli/remote.h"
#include "cli/text.h"

static const struct cli_option list_options[] = {
    {"state", '\0', "STATE", "only queued, preparing, running, done, failed or cancelled jobs"},
    {"kind", '\0', "KIND", "only run or bisect jobs"},
    {"limit", 'n', "N", "at most so many, newest first (default: 50)"},
    {NULL, '\0', NULL, NULL},
};

/* Words for a query: letters, digits and underscores need no escaping. */
static int check_word(const char *option, const char *word, struct culprit_error *error)
{
    if (!word || (*word && word[strspn(word, "abcdefghijklmnopqrstuvwxyz_")] == '\0'))
        return 0;
    return culprit_fail(error, CULPRIT_INVALID, "--%s takes one word, not \"%.100s\"", option,
                        word);
}

static void print_job_line(struct cli *cli, const json_t *job)
{
    _cleanup_buffer_ struct buffer progress = BUFFER_INIT(4096);
    const char *verdict = json_text(job, "verdict");

    fprintf(cli->out, "%6lld  ", json_integer_value(json_object_get(job, "id")));
    text_pad(cli->out, json_text(job, "state"), 10);
    text_pad(cli->out, json_text(job, "kind"), 8);
    text_pad(cli->out, json_text(job, "name"), 28);
    fputc(' ', cli->out);
    if (job_is_cancelling(job))
        buffer_puts(&progress, "being cancelled");
    else if (!job_is_over(job))
        job_progress_text(json_object_get(job, "progress"), &progress);
    else
        buffer_puts(&progress, *verdict ? verdict : json_text(job, "message"));
    text_print_safe(cli->out, progress.data ? progress.data : "");
    fputc('\n', cli->out);
}

static char *list_path(const struct arguments *arguments, uint64_t limit)
{
    const char *state = arguments_value(arguments, "state");
    const char *kind = arguments_value(arguments, "kind");

    return text_format("/jobs?limit=%llu%s%s%s%s", (unsigned long long)limit,
                       state ? "&state=" : "", state ? state : "", kind ? "&kind=" : "",
                       kind ? kind : "");
}

static int run_list(struct cli *cli, const struct arguments *arguments, struct culprit_error *error)
{
    CULPRIT_CLEANUP(remote_close) struct remote remote = {0};
    CULPRIT_CLEANUP(json_decref) json_t *answer = NULL;
    _cleanup_free_ char *path = NULL;
    uint64_t limit = 50;
    const json_t *jobs;
    int r = cli_check_words(&command_list, arguments, 0, 0, error);

    if (r == 0)
        r = arguments_count(arguments, "limit", 1, 1000, &limit, error);
    if (r == 0)
        r = check_word("state", arguments_value(arguments, "state"), error);
    if (r == 0)
        r = check_word("kind", arguments_value(arguments, "kind"), error);
    if (r == 0)
        r = remote_open(cli, &remote, error);
    if (r < 0)
        return r;
    path = list_path(arguments, limit);
    if (!path)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot list jobs: no memory");
    r = client_get_json(remote.client, path, &answer, error);
    if (r < 0)
        return r;
    if (cli->json)
        return cli_print_json(cli, json_incref(answer), error);
    jobs = json_object_get(answer, "jobs");
    for (size_t i = 0; i < json_array_size(jobs); i++)
        print_job_line(cli, json_array_get(jobs, i));
    if (json_array_size(jobs) == 0)
        fputs("no jobs\n", cli->out);
    return CLI_DONE;
}

/* The one job that a command is about. */
static int open_job(struct cli *cli, const struct cli_command *command,
                    const struct arguments *arguments, struct remote *remote, uint64_t *ret_id,
                    struct culprit_error *error)
{
    int r = cli_check_words(command, arguments, 1, 1, error);

    if (r == 0)
        r = remote_job_id(arguments->words.items[0], ret_id, error);
    return r < 0 ? r : remote_open(cli, remote, error);
}

static int run_show(struct cli *cli, const struct arguments *arguments, struct culprit_error *error)
{
    CULPRIT_CLEANUP(remote_close) struct remote remote = {0};
    CULPRIT_CLEANUP(json_decref) json_t *job = NULL;
    uint64_t id;
    int r = open_job(cli, &command_show, arguments, &remote, &id, error);

    if (r == 0)
        r = remote_job(&remote, id, &job, error);
    if (r < 0)
        return r;
    if (cli->json)
        return cli_print_json(cli, json_incref(job), error);
    job_print(cli, job);
    return CLI_DONE;
}

static int run_watch(struct cli *cli, const struct arguments *arguments,
                     struct culprit_error *error)
{
    CULPRIT_CLEANUP(remote_close) struct remote remote = {0};
    uint64_t id;
    int r = open_job(cli, &command_watch, arguments, &remote, &id, error);

    return r < 0 ? r : remote_watch(cli, &remote, id, error);
}

static int run_cancel(struct cli *cli, const struct arguments *arguments,
                      struct culprit_error *error)
{
    CULPRIT_CLEANUP(remote_close) struct remote remote = {0};
    CULPRIT_CLEANUP(json_decref) json_t *answer = NULL;
    char path[64];
    struct client_request request = {.method = "DELETE", .path = path};
    uint64_t id;
    int r = open_job(cli, &command_cancel, arguments, &remote, &id, error);

    if (r < 0)
        return r;
    snprintf(path, sizeof path, "/jobs/%llu", (unsigned long long)id);
    r = client_request_json(remote.client, &request, &answer, error);
    if (r < 0)
        return culprit_error_prefix(error, "cannot cancel job %llu", (unsigned long long)id);
    if (cli->json)
        return cli_print_json(
            cli, answer ? json_incref(answer) : json_pack("{s:I}", "id", (json_int_t)id), error);
    fprintf(cli->out, "job %llu is being cancelled\n", (unsigned long long)id);
    return CLI_DONE;
}

const struct cli_command command_list = {
    .name = "list",
    .summary = "list jobs, newest first",
    .usage = "[--state STATE] [--kind KIND] [--limit N]",
    .options = list_options,
    .run = run_list,
};

const struct cli_command command_show = {
    .name = "show",
    .summary = "show one job: state, progress, what came out",
    .usage = "ID",
    .run = run_show,
};

const struct cli_command command_watch = {
    .name = "watch",
    .summary = "follow a job until it is over",
    .usage = "ID",
    .help = "The exit status is the verdict's: 0 culprit found or measured, 1 no regression, "
            "2 inconclusive.\nStopping to watch does not stop the job.",
    .run = run_watch,
};

const struct cli_command command_cancel = {
    .name = "cancel",
    .summary = "stop a job",
    .usage = "ID",
    .run = run_cancel,
};
