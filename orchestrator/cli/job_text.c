/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/job_text.h"

#include <string.h>

#include "base/units.h"
#include "cli/text.h"

enum { SHORT_COMMIT = 12 };

const char *json_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

double json_number(const json_t *object, const char *key, double fallback)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : fallback;
}

static long json_count(const json_t *object, const char *key)
{
    return (long)json_integer_value(json_object_get(object, key));
}

/* Only what has happened is said: ", 2 failed". */
static void add_count(struct buffer *text, const json_t *object, const char *key,
                      const char *format)
{
    long count = json_count(object, key);
    char number[32];

    if (count <= 0)
        return;
    snprintf(number, sizeof number, "%ld", count);
    buffer_printf(text, ", %s %s", number, format);
}

static void add_left(struct buffer *text, const json_t *progress)
{
    double seconds = json_number(progress, "seconds_left", -1);
    char time[UNITS_TEXT_SIZE];

    if (seconds >= 0 && seconds < 1e9)
        buffer_printf(text, "; about %s left",
                      format_duration_short((uint64_t)(seconds * 1e9), time));
    else if (strcmp(json_text(progress, "phase"), "finished") != 0)
        buffer_puts(text, "; time left not known yet");
}

void job_progress_text(const json_t *progress, struct buffer *text)
{
    const json_t *builds = json_object_get(progress, "builds");
    const json_t *trials = json_object_get(progress, "trials");
    const char *phase = json_text(progress, "phase");
    long commits = json_count(progress, "commits") - 1; /* good is none of those to choose from */

    buffer_puts(text, *phase ? phase : "unknown");
    if (commits > 0) {
        buffer_printf(text, ": %ld commit%s", commits, commits == 1 ? "" : "s");
        /* There are none before the search. */
        add_count(text, progress, "suspects",
                  json_count(progress, "suspects") == 1 ? "suspect" : "suspects");
    }
    buffer_printf(text, "; builds %ld new", json_count(builds, "fresh"));
    add_count(text, builds, "reused", "reused");
    add_count(text, builds, "failed", "failed");
    add_count(text, builds, "running", "running");
    buffer_printf(text, "; trials %ld", json_count(trials, "done"));
    add_count(text, trials, "bad", "bad");
    add_count(text, trials, "failed", "failed");
    add_count(text, trials, "running", "running");
    add_left(text, progress);
}

static void build_text(const json_t *data, struct buffer *text)
{
    double seconds = json_number(data, "seconds", 0);

    buffer_printf(text, "build    %.*s  %s", SHORT_COMMIT, json_text(data, "commit"),
                  json_text(data, "outcome"));
    if (*json_text(data, "variant"))
        buffer_printf(text, ", %s", json_text(data, "variant"));
    if (!json_is_true(json_object_get(data, "fresh")))
        buffer_puts(text, ", reused");
    else
        buffer_printf(text, ", %.0f s", seconds);
    if (*json_text(data, "message"))
        buffer_printf(text, ": %s", json_text(data, "message"));
}

static void trial_text(const json_t *data, struct buffer *text)
{
    char number[32];

    buffer_printf(text, "trial %-3ld %.*s  %s", json_count(data, "number"), SHORT_COMMIT,
                  json_text(data, "commit"), json_text(data, "outcome"));
    if (json_is_boolean(json_object_get(data, "failed")))
        buffer_puts(text, json_is_true(json_object_get(data, "failed")) ? "  bad" : "  good");
    if (json_is_number(json_object_get(data, "value")))
        buffer_printf(text, "  %s%s%s", text_number(json_number(data, "value", 0), number),
                      *json_text(data, "unit") ? " " : "", json_text(data, "unit"));
    buffer_printf(text, "  (%s, seed %ld, %.0f s)", json_text(data, "purpose"),
                  json_count(data, "seed"), json_number(data, "seconds", 0));
    if (*json_text(data, "evidence"))
        buffer_printf(text, ": \"%s\"", json_text(data, "evidence"));
    else if (*json_text(data, "message"))
        buffer_printf(text, ": %s", json_text(data, "message"));
}

static void with_message(const char *what, const char *word, const json_t *data,
                         struct buffer *text)
{
    const char *message = json_text(data, "message");

    buffer_printf(text, "%-8s %s%s%s", what, word, *word && *message ? ": " : "", message);
}

bool job_event_text(const char *type, const json_t *data, struct buffer *text)
{
    if (strcmp(type, "state") == 0)
        with_message("state", json_text(data, "state"), data, text);
    else if (strcmp(type, "range") == 0)
        buffer_printf(text, "range    %ld commits after %.*s, up to %.*s",
                      json_count(data, "commits") - 1, SHORT_COMMIT, json_text(data, "good"),
                      SHORT_COMMIT, json_text(data, "bad"));
    else if (strcmp(type, "build") == 0)
        build_text(data, text);
    else if (strcmp(type, "trial") == 0)
        trial_text(data, text);
    else if (strcmp(type, "notice") == 0)
        with_message("notice", "", data, text);
    else if (strcmp(type, "verdict") == 0)
        with_message("verdict", json_text(data, "verdict"), data, text);
    else if (strcmp(type, "mail") == 0)
        with_message("mail", json_text(data, "state"), data, text);
    else
        return false;
    return true;
}

static void print_field(struct cli *cli, const char *name, const char *value)
{
    if (!*value)
        return;
    fprintf(cli->out, "%-10s ", name);
    text_print_safe(cli->out, value);
    fputc('\n', cli->out);
}

static void print_culprit(struct cli *cli, const json_t *result)
{
    const json_t *culprit = json_object_get(result, "culprit");
    const json_t *suspects = json_object_get(result, "suspects");
    char line[512];

    if (json_is_object(culprit)) {
        snprintf(line, sizeof line, "%.*s (\"%s\"), %s", SHORT_COMMIT, json_text(culprit, "id"),
                 json_text(culprit, "subject"), json_text(culprit, "author"));
        print_field(cli, "culprit", line);
        snprintf(line, sizeof line, "%.4g", json_number(result, "posterior", 0));
        print_field(cli, "posterior", line);
        return;
    }
    for (size_t i = 0; i < json_array_size(suspects); i++) {
        const char *suspect = json_string_value(json_array_get(suspects, i));
        print_field(cli, i == 0 ? "suspects" : "", suspect ? suspect : "");
    }
}

static void print_metrics(struct cli *cli, const json_t *result)
{
    const json_t *metrics = json_object_get(result, "metrics");

    for (size_t i = 0; i < json_array_size(metrics); i++) {
        const json_t *metric = json_array_get(metrics, i);
        char median[32], least[32], most[32];

        fprintf(cli->out, "  ");
        text_pad(cli->out, json_text(metric, "name"), 28);
        fprintf(cli->out, " median %s", text_number(json_number(metric, "median", 0), median));
        fprintf(cli->out, " (%s to %s) ", text_number(json_number(metric, "min", 0), least),
                text_number(json_number(metric, "max", 0), most));
        text_print_safe(cli->out, json_text(metric, "unit"));
        fprintf(cli->out, ", n=%ld\n", json_count(metric, "n"));
    }
}

void job_print(struct cli *cli, const json_t *job)
{
    _cleanup_buffer_ struct buffer progress = BUFFER_INIT(4096);
    const json_t *result = json_object_get(job, "result");

    fprintf(cli->out, "job %ld: ", json_count(job, "id"));
    text_print_safe(cli->out, json_text(job, "name"));
    fputc('\n', cli->out);
    print_field(cli, "kind", json_text(job, "kind"));
    print_field(cli, "state", job_is_cancelling(job) ? "being cancelled" : json_text(job, "state"));
    print_field(cli, "message", json_text(job, "message"));
    print_field(cli, "engine", json_text(job, "engine"));
    print_field(cli, "created", json_text(job, "created"));
    print_field(cli, "started", json_text(job, "started"));
    print_field(cli, "finished", json_text(job, "finished"));
    if (!job_is_cancelling(job) && json_is_object(json_object_get(job, "progress"))) {
        job_progress_text(json_object_get(job, "progress"), &progress);
        print_field(cli, "progress", progress.data ? progress.data : "");
    }
    print_field(cli, "verdict", json_text(job, "verdict"));
    print_culprit(cli, result);
    print_field(cli, "reason", json_text(result, "reason"));
    print_metrics(cli, result);
    print_field(cli, "repeat", json_text(result, "repeat"));
}

bool job_is_over(const json_t *job)
{
    const char *state = json_text(job, "state");

    return strcmp(state, "done") == 0 || strcmp(state, "failed") == 0 ||
           strcmp(state, "cancelled") == 0;
}

bool job_is_cancelling(const json_t *job)
{
    return json_is_true(json_object_get(job, "cancelling")) && !job_is_over(job);
}

int job_status(const json_t *job, struct culprit_error *error)
{
    const char *state = json_text(job, "state");
    const char *verdict = json_text(job, "verdict");
    long id = json_count(job, "id");

    if (strcmp(state, "cancelled") == 0)
        return culprit_fail(error, CULPRIT_CANCELLED, "job %ld was cancelled", id);
    if (strcmp(state, "failed") == 0)
        return culprit_fail(error, CULPRIT_FAILED, "job %ld failed: %.800s", id,
                            json_text(job, "message"));
    if (strcmp(verdict, "culprit") == 0 || strcmp(verdict, "measured") == 0)
        return CLI_DONE;
    if (strcmp(verdict, "inconclusive") == 0)
        return CLI_INCONCLUSIVE;
    return CLI_AGAINST;
}
