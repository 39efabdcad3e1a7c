/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record, written down: as a document, and as a sentence. */
#include "calibration/record.h"

#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"

void calibration_record_free(struct calibration_record *record)
{
    if (!record)
        return;
    json_decref(record->setup);
    free(record->metric);
    free(record->unit);
    free(record->kernel);
    free(record->host);
    free(record->values);
    free(record);
}

/* A share of the median in per cent, where it has any. */
static bool percent_of(const struct calibration_record *record, double value, double *ret)
{
    double whole = fabs(record->figures.summary.median);

    *ret = whole > 0 ? 100 * (value / whole) : 0;
    return whole > 0 && isfinite(*ret);
}

static json_t *percent_json(const struct calibration_record *record, double value)
{
    double percent;

    return percent_of(record, value, &percent) ? json_real(percent) : json_null();
}

static const char *standing_name(const struct calibration_size *size)
{
    static const char *const names[] = {[CALIBRATION_WITHIN] = "within",
                                        [CALIBRATION_BELOW] = "below",
                                        [CALIBRATION_ABOVE] = "above"};

    return names[calibration_standing(size)];
}

static json_t *size_json(const struct calibration_record *record,
                         const struct calibration_size *size)
{
    json_t *object = json_pack(
        "{s:I, s:f, s:o, s:b}", "n", (json_int_t)size->trials, "interval", size->interval,
        "interval_percent", percent_json(record, size->interval), "can_decide", size->can_decide);

    if (!object || !size->can_decide)
        return object;
    json_object_set_new(object, "false_positives", json_integer((json_int_t)size->false_positives));
    json_object_set_new(
        object, "band",
        json_pack("[I, I]", (json_int_t)size->band_lower, (json_int_t)size->band_upper));
    json_object_set_new(object, "standing", json_string(standing_name(size)));
    json_object_set_new(object, "detectable", json_real(size->detectable));
    json_object_set_new(object, "detectable_percent", percent_json(record, size->detectable));
    return object;
}

static json_t *figures_json(const struct calibration_record *record)
{
    const struct calibration *figures = &record->figures;
    json_t *sizes = json_array();

    for (size_t i = 0; i < figures->size_count; i++)
        json_array_append_new(sizes, size_json(record, &figures->sizes[i]));
    return json_pack("{s:f, s:f, s:I, s:I, s:I, s:f, s:f, s:o, s:f, s:b, s:o}", "alpha",
                     figures->options.alpha, "threshold", figures->options.threshold, "comparisons",
                     (json_int_t)figures->options.comparisons, "seed",
                     (json_int_t)figures->options.seed, "n", (json_int_t)figures->summary.count,
                     "median", figures->summary.median, "spread", figures->summary.robust_scale,
                     "spread_percent", percent_json(record, figures->summary.robust_scale),
                     "drift_p", figures->drift_p, "drifts", calibration_drifts(figures), "sizes",
                     sizes);
}

json_t *calibration_summary_json(const struct calibration_record *record)
{
    json_t *summary = json_pack("{s:i, s:O, s:{s:s, s:s, s:s}, s:{s:s, s:s}, s:s, s:I, s:I, s:o}",
                                "version", 1, "setup", record->setup, "metric", "name",
                                record->metric, "unit", record->unit, "better",
                                record->better == BETTER_LOWER ? "lower" : "higher", "kernel",
                                "release", record->kernel, "digest", record->kernel_digest, "host",
                                record->host, "seed", (json_int_t)record->first_seed, "failed",
                                (json_int_t)record->failed, "figures", figures_json(record));

    if (summary && record->id > 0)
        json_object_set_new(summary, "id", json_integer(record->id));
    return summary;
}

json_t *calibration_json(const struct calibration_record *record)
{
    json_t *document = calibration_summary_json(record);
    json_t *values = json_array();

    for (size_t i = 0; i < record->figures.summary.count; i++)
        json_array_append_new(values, json_real(record->values[i]));
    if (document && json_object_set_new(document, "values", values) == 0)
        return document;
    json_decref(document);
    return NULL;
}

static void write_amount(struct buffer *out, const struct calibration_record *record, double value)
{
    double percent;

    if (percent_of(record, value, &percent) && percent < 1000)
        buffer_printf(out, "%.2g%%", percent);
    else
        buffer_printf(out, "%.3g %s", value, record->unit);
}

static void write_false_positives(struct buffer *out, const struct calibration_record *record,
                                  const struct calibration_size *size)
{
    const struct calibration_options *options = &record->figures.options;

    if (!size->can_decide) {
        buffer_printf(out, "; %zu trials a side cannot be significant at a level of %.3g",
                      size->trials, options->alpha);
        return;
    }
    buffer_printf(out, "; at n = %zu false positives %zu of %zu at a level of %.3g", size->trials,
                  size->false_positives, options->comparisons, options->alpha);
    if (calibration_standing(size) == CALIBRATION_ABOVE)
        buffer_printf(out, " (more than the %zu that chance allows)", size->band_upper);
    buffer_puts(out, ", MDE ");
    write_amount(out, record, size->detectable);
}

void calibration_sentence(struct buffer *out, const struct calibration_record *record,
                          size_t trials)
{
    const struct calibration *figures = &record->figures;

    buffer_printf(out, "A/A on %s%.12s: %zu trials", record->kernel[0] ? record->kernel : "kernel ",
                  record->kernel[0] ? "" : record->kernel_digest, figures->summary.count);
    if (!(figures->summary.robust_scale > 0)) {
        buffer_puts(out, ", all of them equal");
    } else {
        buffer_puts(out, ", spread ");
        write_amount(out, record, figures->summary.robust_scale);
    }
    write_false_positives(out, record, calibration_at(figures, trials));
    if (calibration_drifts(figures))
        buffer_printf(out,
                      "; its first half differs from its second (p = %.2g), so that the machine or "
                      "the order of the trials shows in it",
                      figures->drift_p);
}
