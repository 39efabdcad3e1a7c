/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the server keeps as text: reports, and consoles of trials. */
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/remote.h"

static const struct cli_option options[] = {
    {"format", 'f', "FORMAT", "text, json, mail or bisect-log (default: text)"},
    {NULL, '\0', NULL, NULL},
};

static const struct {
    const char *name;
    const char *path;
    const char *media_type;
} formats[] = {
    {"text", "report.txt", "text/plain"},
    {"json", "report.json", "application/json"},
    {"mail", "mail", "message/rfc822"},
    {"bisect-log", "bisect-log", "text/plain"},
};

/* Asks for a text and writes it out as it is. */
static int print_text(struct cli *cli, const char *path, const char *media_type,
                      struct culprit_error *error)
{
    CULPRIT_CLEANUP(remote_close) struct remote remote = {0};
    const struct client_request request = {.method = "GET", .path = path, .accept = media_type};
    _cleanup_free_ char *body = NULL;
    size_t length;
    int r = remote_open(cli, &remote, error);

    if (r == 0)
        r = client_request(remote.client, &request, &body, &length, error);
    if (r < 0)
        return r;
    if (fwrite(body, 1, length, cli->out) != length)
        return culprit_fail(error, CULPRIT_IO, "cannot write to the standard output");
    return CLI_DONE;
}

static int run_report(struct cli *cli, const struct arguments *arguments,
                      struct culprit_error *error)
{
    const char *format = arguments_value(arguments, "format");
    char path[96];
    uint64_t id;
    int r = cli_check_words(&command_report, arguments, 1, 1, error);

    if (r == 0)
        r = remote_job_id(arguments->words.items[0], &id, error);
    if (r < 0)
        return r;
    if (!format)
        format = cli->json ? "json" : "text";
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(format, formats[i].name) != 0)
            continue;
        snprintf(path, sizeof path, "/jobs/%llu/%s", (unsigned long long)id, formats[i].path);
        return print_text(cli, path, formats[i].media_type, error);
    }
    return cli_usage_error(&command_report, error,
                           "--format takes text, json, mail or bisect-log, not \"%.100s\"", format);
}

static int run_console(struct cli *cli, const struct arguments *arguments,
                       struct culprit_error *error)
{
    char path[96];
    uint64_t id, trial;
    int r = cli_check_words(&command_console, arguments, 2, 2, error);

    if (r == 0)
        r = remote_job_id(arguments->words.items[0], &id, error);
    if (r == 0)
        r = remote_job_id(arguments->words.items[1], &trial, error);
    if (r < 0)
        return r;
    snprintf(path, sizeof path, "/jobs/%llu/trials/%llu/console", (unsigned long long)id,
             (unsigned long long)trial);
    return print_text(cli, path, "text/plain", error);
}

const struct cli_command command_report = {
    .name = "report",
    .summary = "print a job's report",
    .usage = "ID [--format text|json|mail|bisect-log]",
    .help = "bisect-log is what \"git bisect replay\" reads.",
    .options = options,
    .run = run_report,
};

const struct cli_command command_console = {
    .name = "console",
    .summary = "print the console of one of a job's trials",
    .usage = "ID TRIAL",
    .run = run_console,
};
