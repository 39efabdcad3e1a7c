/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/commands/calibrations.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/text.h"
#include "trial/kernel_image.h"

enum { SENTENCE_MAXIMUM = 4096 };

void calibrating_clear(struct calibrating *calibrating)
{
    attempt_clear(&calibrating->attempt);
    if (calibrating->store)
        remote_close(&calibrating->remote);
}

bool calibrating_sees(const struct calibrating *calibrating, const char *metric)
{
    const struct attempt *attempt = &calibrating->attempt;
    const struct metric_schema *schema = workload_metric_find(attempt->workload.schema, metric);
    unsigned bit = attempt->engine == ENGINE_REALTIME ? SEEN_BY_REALTIME : SEEN_BY_DETERMINISTIC;

    return !schema || (schema->visibility & bit) != 0;
}

/* The attempt as the job that it would be. */
static json_t *setup_of(const struct attempt *attempt)
{
    char image[] = "minimal";
    struct job job = {
        .kind = JOB_RUN,
        .guest = {.topology = attempt->topology->name,
                  .image = image,
                  .shift = -1,
                  .cmdline = attempt->cmdline,
                  .sysctls = attempt->sysctls,
                  .sched_features = attempt->features},
        .workloads = (struct workload_request *)(uintptr_t)&attempt->workload,
        .workload_count = 1,
    };

    return calibration_setup(&job, attempt->engine, (unsigned)attempt->shift, attempt->memory);
}

static int fill(const struct calibrating *calibrating, const struct series *series,
                const struct series_metric *metric, struct calibration_record *record,
                struct culprit_error *error)
{
    char release[KERNEL_RELEASE_SIZE] = "", host[HOST_NAME_MAX + 1] = "";

    kernel_image_release(calibrating->attempt.kernel, release);
    gethostname(host, sizeof host - 1);
    record->setup = setup_of(&calibrating->attempt);
    record->metric = strdup(metric->name);
    record->unit = strdup(metric->unit);
    record->kernel = strdup(release);
    record->host = strdup(host);
    record->values = malloc(metric->count * sizeof *record->values + 1);
    if (!record->setup || !record->metric || !record->unit || !record->kernel || !record->host ||
        !record->values || !calibration_setup_digest(record->setup, record->setup_digest))
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot calibrate: no memory");
    record->better = metric->better;
    record->first_seed = calibrating->attempt.seed;
    record->failed = (unsigned)(series->ok + series->failed - metric->count);
    memcpy(record->values, metric->values, metric->count * sizeof *record->values);
    memcpy(record->kernel_digest, series->kernel_digest, sizeof record->kernel_digest);
    return calibration_make(metric->values, metric->count, &calibrating->options, &record->figures,
                            error);
}

int calibrating_record(const struct calibrating *calibrating, const struct series *series,
                       const struct series_metric *metric, struct calibration_record **ret,
                       struct culprit_error *error)
{
    CULPRIT_CLEANUP(calibration_record_free)
    struct calibration_record *record = calloc(1, sizeof *record);
    int r = record ? 0 : culprit_fail(error, CULPRIT_NO_MEMORY, "cannot calibrate: no memory");

    if (r == 0)
        r = fill(calibrating, series, metric, record, error);
    if (r < 0)
        return culprit_error_prefix(error, "%s", metric->name);
    *ret = take(record);
    return 0;
}

/* "12.3 us (4.1%)" */
static void print_amount(FILE *out, const struct calibration_record *record, double value)
{
    double whole = record->figures.summary.median, percent;
    char number[32];

    percent = 100 * value / (whole < 0 ? -whole : whole);
    fprintf(out, "%s %s", text_number(value, number), record->unit);
    if ((whole > 0 || whole < 0) && percent < 1e6)
        fprintf(out, " (%.3g%%)", percent);
}

static void print_size(FILE *out, const struct calibration_record *record,
                       const struct calibration_size *size)
{
    static const char *const words[] = {[CALIBRATION_WITHIN] = "within",
                                        [CALIBRATION_BELOW] = "below",
                                        [CALIBRATION_ABOVE] = "ABOVE"};

    fprintf(out, "  %2zu  ", size->trials);
    if (!size->can_decide) {
        fprintf(out, "cannot be significant at %.3g, whatever they measure; A/A within ",
                record->figures.options.alpha);
        print_amount(out, record, size->interval);
    } else {
        fprintf(out, "%4zu of %zu (%zu to %zu: %s)  A/A within ", size->false_positives,
                record->figures.options.comparisons, size->band_lower, size->band_upper,
                words[calibration_standing(size)]);
        print_amount(out, record, size->interval);
        fputs(", MDE ", out);
        print_amount(out, record, size->detectable);
    }
    fputc('\n', out);
}

static void print_left_out(FILE *out, const struct calibration *figures)
{
    if (figures->size_count == CALIBRATION_SIZES)
        return;
    fputs("  left out: n =", out);
    for (size_t i = figures->size_count; i < CALIBRATION_SIZES; i++)
        fprintf(out, " %zu", calibration_sizes[i]);
    fprintf(out, ", for which %zu trials are too few\n", figures->summary.count);
}

void calibration_print(FILE *out, const struct calibration_record *record, size_t trials)
{
    const struct calibration *figures = &record->figures;
    char median[32];

    text_print_safe(out, record->metric);
    fprintf(out, ": %zu trials", figures->summary.count);
    if (figures->summary.count < trials)
        fprintf(out, " (%zu gave none)", trials - figures->summary.count);
    fprintf(out, ", median %s %s, ", text_number(figures->summary.median, median), record->unit);
    if (!(figures->summary.robust_scale > 0)) {
        fputs("all of them equal: whatever differs is a difference\n", out);
    } else {
        fputs("spread ", out);
        print_amount(out, record, figures->summary.robust_scale);
        fputc('\n', out);
    }
    fprintf(out, "   n  false positives at %.3g (band)\n", figures->options.alpha);
    for (size_t i = 0; i < figures->size_count; i++)
        print_size(out, record, &figures->sizes[i]);
    print_left_out(out, figures);
    fprintf(out, "  first half against second: p = %.2g%s\n\n", figures->drift_p,
            calibration_drifts(figures)
                ? ": they DIFFER, the machine or the order of the trials shows"
                : "");
}

static int put(struct calibrating *calibrating, const struct calibration_record *record,
               json_int_t *ret_id, struct culprit_error *error)
{
    json_t *json = calibration_json(record), *answer = NULL;
    _cleanup_free_ char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    struct client_request request = {.method = "POST",
                                     .path = "/calibrations",
                                     .body = text,
                                     .body_length = text ? strlen(text) : 0,
                                     .content_type = "application/json"};
    int r;

    json_decref(json);
    if (!text)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot send the calibration: no memory");
    r = client_request_json(calibrating->remote.client, &request, &answer, error);
    *ret_id = json_integer_value(json_object_get(answer, "id"));
    json_decref(answer);
    return r < 0 ? culprit_error_prefix(error, "the server does not take %s", record->metric) : 0;
}

/* What is shown with --json, or on a page as it goes. */
struct showing {
    struct cli *cli;
    json_t *list;
    size_t shown;
};

static int show(struct showing *showing, struct calibrating *calibrating,
                const struct series *series, const struct calibration_record *record,
                struct culprit_error *error)
{
    json_t *json = calibration_json(record);
    json_int_t id = 0;
    int r = 0;

    showing->shown++;
    if (!showing->cli->json)
        calibration_print(showing->cli->out, record, series->ok + series->failed);
    /* Which way is better must be known to those who are to use it. */
    if (calibrating->store && record->better != BETTER_NEITHER)
        r = put(calibrating, record, &id, error);
    if (id > 0) {
        json_object_set_new(json, "id", json_integer(id));
        if (!showing->cli->json)
            fprintf(showing->cli->out, "  kept by the server as calibration %lld\n\n",
                    (long long)id);
    }
    json_array_append_new(showing->list, json);
    return r;
}

static int show_metric(struct showing *showing, struct calibrating *calibrating,
                       const struct series *series, const struct series_metric *metric,
                       struct culprit_error *error)
{
    CULPRIT_CLEANUP(calibration_record_free) struct calibration_record *record = NULL;
    struct culprit_error why = {0};
    int r = calibrating_record(calibrating, series, metric, &record, &why);

    if (r == 0)
        return show(showing, calibrating, series, record, error);
    if (calibrating->metric || why.code != CULPRIT_INVALID) {
        if (error)
            *error = why;
        return r;
    }
    /* One of many: the others have figures. */
    fprintf(showing->cli->err, "culprit: ");
    text_print_safe(showing->cli->err, why.message);
    fputc('\n', showing->cli->err);
    return 0;
}

static int check_series(const struct calibrating *calibrating, const struct series *series,
                        struct culprit_error *error)
{
    if (series->ok < CALIBRATION_TRIALS_MINIMUM)
        return culprit_fail(error, CULPRIT_FAILED,
                            "%zu of %zu trials gave a result, and a calibration needs %d: %s",
                            series->ok, series->wanted, CALIBRATION_TRIALS_MINIMUM,
                            series->message);
    if (calibrating->metric && !series_find(series, calibrating->metric))
        return culprit_fail(error, CULPRIT_NOT_FOUND, "no trial gave the metric \"%.96s\"",
                            calibrating->metric);
    return 0;
}

static void print_head(struct cli *cli, const struct calibrating *calibrating,
                       const struct series *series)
{
    const struct attempt *attempt = &calibrating->attempt;

    fprintf(cli->out, "%s on %s, %s", attempt->workload.schema->name, attempt->topology->name,
            engine_name(attempt->engine));
    if (attempt->engine == ENGINE_DETERMINISTIC)
        fprintf(cli->out, ", shift %u", (unsigned)attempt->shift);
    fprintf(cli->out, " (%s): seeds %llu to %llu", calibrating->reason,
            (unsigned long long)attempt->seed,
            (unsigned long long)(attempt->seed + series->wanted - 1));
    if (series->failed > 0) {
        fprintf(cli->out, "; %zu trials without a result: ", series->failed);
        text_print_safe(cli->out, series->message);
    }
    fputs("\n\n", cli->out);
}

int calibrating_finish(struct cli *cli, struct calibrating *calibrating,
                       const struct series *series, struct culprit_error *error)
{
    struct showing showing = {.cli = cli, .list = json_array()};
    int r = check_series(calibrating, series, error);

    if (r == 0 && !cli->json)
        print_head(cli, calibrating, series);
    for (size_t i = 0; r == 0 && i < series->metric_count; i++)
        if (calibrating->metric ? strcmp(series->metrics[i].name, calibrating->metric) == 0
                                : calibrating_sees(calibrating, series->metrics[i].name))
            r = show_metric(&showing, calibrating, series, &series->metrics[i], error);
    if (r == 0 && showing.shown == 0)
        r = culprit_fail(error, CULPRIT_FAILED, "no metric was given by enough trials");
    if (r < 0 || !cli->json) {
        json_decref(showing.list);
        return r < 0 ? r : CLI_DONE;
    }
    return cli_print_json(cli,
                          json_pack("{s:I, s:I, s:s, s:o}", "trials", (json_int_t)series->wanted,
                                    "failed", (json_int_t)series->failed, "engine_reason",
                                    calibrating->reason, "calibrations", showing.list),
                          error);
}
