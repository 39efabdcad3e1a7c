/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/comparison_table.h"

#include <math.h>
#include <stdio.h>

#include "report/layout.h"

enum { SENTENCE_MAXIMUM = 16 * 1024 };

const char *figure_number(double value, char text[FIGURE_TEXT_SIZE])
{
    double size = fabs(value);
    int decimals;

    if (!isfinite(value))
        return "-";
    if (size >= 1e12 || (size > 0 && size < 1e-4)) {
        snprintf(text, FIGURE_TEXT_SIZE, "%.3e", value);
        return text;
    }
    decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 3;
    if (value >= floor(value) && value <= floor(value))
        decimals = 0; /* a whole number has none */
    snprintf(text, FIGURE_TEXT_SIZE, "%.*f", decimals, size > 0 ? value : 0.0);
    return text;
}

const char *figure_signed_percent(double percent, char text[FIGURE_TEXT_SIZE])
{
    double size = fabs(percent);

    if (!isfinite(percent))
        return "-";
    if (size < 0.05)
        percent = 0;
    if (size >= 1e6)
        snprintf(text, FIGURE_TEXT_SIZE, "%+.2e%%", percent);
    else
        snprintf(text, FIGURE_TEXT_SIZE, "%+.*f%%", size < 999.95 ? 1 : 0, percent);
    return text;
}

const char *figure_p(double p, char text[FIGURE_TEXT_SIZE])
{
    if (!isfinite(p))
        return "-";
    if (p < 0.0001)
        snprintf(text, FIGURE_TEXT_SIZE, "<0.0001");
    else
        snprintf(text, FIGURE_TEXT_SIZE, "%.*f", p < 0.0995 ? 4 : 2, p);
    return text;
}

/* In at most five characters where figure_number() would take more than that before the point. */
static const char *short_number(double value, char text[FIGURE_TEXT_SIZE])
{
    static const char prefixes[] = "kMGT";
    double scaled = value / 1000;
    size_t prefix = 0;

    if (fabs(value) < 99999.5 || fabs(value) >= 1e16)
        return figure_number(value, text);
    for (; fabs(scaled) >= 9999.5 && prefixes[prefix + 1]; prefix++)
        scaled /= 1000;
    snprintf(text, FIGURE_TEXT_SIZE, "%.*f%c", fabs(scaled) < 99.95 ? 1 : 0, scaled,
             prefixes[prefix]);
    return text;
}

const char *figure_side(const struct sample_summary *side, char text[2 * FIGURE_TEXT_SIZE])
{
    char median[FIGURE_TEXT_SIZE], spread[FIGURE_TEXT_SIZE];
    double share = 100 * side->robust_scale / fabs(side->median);

    if (side->count == 1)
        snprintf(text, 2 * FIGURE_TEXT_SIZE, "%.24s +-   -", short_number(side->median, median));
    else if (!(fabs(side->median) > 0) || !isfinite(share) || share > 999)
        snprintf(text, 2 * FIGURE_TEXT_SIZE, "%.24s +-%.24s", short_number(side->median, median),
                 short_number(side->robust_scale, spread));
    else
        snprintf(text, 2 * FIGURE_TEXT_SIZE, "%.24s +-%3.0f%%", short_number(side->median, median),
                 share);
    return text;
}

const char *figure_change(const struct comparison *comparison, double difference,
                          char text[FIGURE_TEXT_SIZE])
{
    char number[FIGURE_TEXT_SIZE];

    if (comparison->relative)
        return figure_signed_percent(100 * difference / fabs(comparison->base.median), text);
    snprintf(text, FIGURE_TEXT_SIZE, "%s%.24s", difference < 0 ? "" : "+",
             figure_number(difference, number));
    return text;
}

void comparison_columns(struct buffer *out, const struct sample_summary *base,
                        const struct sample_summary *other, const struct comparison *comparison)
{
    char sides[2][2 * FIGURE_TEXT_SIZE], change[FIGURE_TEXT_SIZE], p[FIGURE_TEXT_SIZE];
    char low[FIGURE_TEXT_SIZE], high[FIGURE_TEXT_SIZE], interval[3 * FIGURE_TEXT_SIZE] = "-";

    if (comparison && comparison->shift.bounded)
        snprintf(interval, sizeof interval, "[%s, %s]",
                 figure_change(comparison, comparison->shift.lower, low),
                 figure_change(comparison, comparison->shift.upper, high));
    buffer_printf(out, "%12s %12s %9s %18s %7s  ", base ? figure_side(base, sides[0]) : "-",
                  other ? figure_side(other, sides[1]) : "-",
                  comparison ? figure_change(comparison, comparison->shift.shift, change) : "-",
                  interval, comparison ? figure_p(comparison->p, p) : "-");
}

void comparison_heading(struct buffer *out, const char *base, const char *other, double confidence,
                        const char *last, const char *rule)
{
    char interval[FIGURE_TEXT_SIZE];

    snprintf(interval, sizeof interval, "%.4g%% interval", 100 * confidence);
    buffer_printf(out, "%12s %12s %9s %18s %7s  %s\n", base, other, "change", interval, "p", last);
    buffer_printf(out, "------------ ------------ --------- ------------------ -------  %s\n",
                  rule);
}

const char *comparison_word(const struct comparison *comparison, char text[FIGURE_TEXT_SIZE])
{
    switch (comparison->verdict) {
    case COMPARISON_WORSE:
        return "worse";
    case COMPARISON_BETTER:
        return "better";
    case COMPARISON_DIFFERS:
        return comparison_direction(comparison) > 0 ? "higher" : "lower";
    case COMPARISON_NEEDS_MORE:
        snprintf(text, FIGURE_TEXT_SIZE, "needs %zu more", comparison->more);
        return text;
    case COMPARISON_NO_DIFFERENCE:
        break;
    }
    return comparison->significant ? "too small" : "no difference";
}

/* "p = 0.0079 of 5 and 5 trials" */
static void write_p(struct buffer *out, const struct comparison *comparison)
{
    char p[FIGURE_TEXT_SIZE];
    const char *value = figure_p(comparison->p, p);

    buffer_printf(out, "p %s%s of %zu and %zu trials", *value == '<' ? "" : "= ", value,
                  comparison->base.count, comparison->other.count);
    if (comparison->family > 1)
        buffer_printf(out, ", corrected for %zu comparisons", comparison->family);
}

static void write_change(struct buffer *out, const struct comparison *comparison)
{
    char change[FIGURE_TEXT_SIZE], low[FIGURE_TEXT_SIZE], high[FIGURE_TEXT_SIZE];

    buffer_printf(out, ", by %s", figure_change(comparison, comparison->shift.shift, change));
    if (comparison->shift.bounded)
        buffer_printf(out, " (%.4g%% interval %s to %s)", 100 * (1 - comparison->options.alpha),
                      figure_change(comparison, comparison->shift.lower, low),
                      figure_change(comparison, comparison->shift.upper, high));
    buffer_puts(out, "; ");
    write_p(out, comparison);
    if (comparison->has_ratio)
        buffer_printf(out, "; %s times the base's median (bootstrap %s to %s)",
                      figure_number(comparison->ratio.ratio, change),
                      figure_number(comparison->ratio.lower, low),
                      figure_number(comparison->ratio.upper, high));
    buffer_puts(out, ".");
}

static void write_found(struct buffer *out, const struct comparison *comparison, const char *base,
                        const char *other)
{
    char word[FIGURE_TEXT_SIZE];

    layout_clean(out, other);
    buffer_printf(out, " is %s than ", comparison_word(comparison, word));
    layout_clean(out, base);
    write_change(out, comparison);
}

static void write_small(struct buffer *out, const struct comparison *comparison, const char *base,
                        const char *other)
{
    const struct comparison_options *options = &comparison->options;
    bool noise = options->noise > options->threshold;

    layout_clean(out, other);
    buffer_printf(out, " is %s than ", comparison_direction(comparison) > 0 ? "higher" : "lower");
    layout_clean(out, base);
    write_change(out, comparison);
    buffer_printf(out, " That is no more than the %.4g%% %s.",
                  100 * (noise ? options->noise : options->threshold),
                  noise ? "by which identical builds differ" : "that were to count");
}

static void write_nothing(struct buffer *out, const struct comparison *comparison, const char *base,
                          const char *other)
{
    char size[FIGURE_TEXT_SIZE];

    buffer_puts(out, "No difference was shown between ");
    layout_clean(out, base);
    buffer_puts(out, " and ");
    layout_clean(out, other);
    buffer_puts(out, ": ");
    write_p(out, comparison);
    buffer_puts(out, ".");
    if (!comparison->has_detectable || !(comparison->detectable > 0))
        return;
    if (comparison->relative)
        buffer_printf(out, " So many trials show a difference of %.3g%% nine times in ten",
                      100 * comparison->detectable / fabs(comparison->base.median));
    else
        buffer_printf(out, " So many trials show a difference of %s nine times in ten",
                      figure_number(comparison->detectable, size));
    if (comparison->wanted > 0)
        buffer_printf(
            out, "; one of %.4g%% takes %s%zu trials a side", 100 * comparison->options.threshold,
            comparison->wanted < COMPARISON_TRIALS_MAXIMUM ? "" : "more than ", comparison->wanted);
    buffer_puts(out, ".");
}

static void write_lack(struct buffer *out, const struct comparison *comparison, const char *base,
                       const char *other)
{
    layout_clean(out, base);
    buffer_puts(out, " and ");
    layout_clean(out, other);
    buffer_printf(out,
                  " cannot be told apart by %zu and %zu trials, whatever they measure: at a level "
                  "of %.4g",
                  comparison->base.count, comparison->other.count, comparison->options.alpha);
    if (comparison->family > 1)
        buffer_printf(out, " over %zu comparisons", comparison->family);
    buffer_printf(out, " it takes %zu more a side.", comparison->more);
}

void comparison_sentence(struct buffer *out, const struct comparison *comparison, const char *base,
                         const char *other)
{
    if (comparison->verdict == COMPARISON_NEEDS_MORE)
        write_lack(out, comparison, base, other);
    else if (comparison->verdict != COMPARISON_NO_DIFFERENCE)
        write_found(out, comparison, base, other);
    else if (comparison->significant)
        write_small(out, comparison, base, other);
    else
        write_nothing(out, comparison, base, other);
}

void comparison_table(struct buffer *out, const char *base, const struct comparison_entry *entries,
                      size_t count)
{
    if (count == 0)
        return;
    comparison_heading(out, "base", "other", 1 - entries[0].comparison->options.alpha,
                       "        n  verdict        other", "---------  -------------  -----");
    for (size_t i = 0; i < count; i++) {
        const struct comparison *comparison = entries[i].comparison;
        char word[FIGURE_TEXT_SIZE], trials[FIGURE_TEXT_SIZE];

        comparison_columns(out, &comparison->base, &comparison->other, comparison);
        snprintf(trials, sizeof trials, "%zu/%zu", comparison->base.count, comparison->other.count);
        buffer_printf(out, "%9s  %-13s  ", trials, comparison_word(comparison, word));
        layout_clean(out, entries[i].name);
        buffer_puts(out, "\n");
    }
    for (size_t i = 0; i < count; i++) {
        _cleanup_buffer_ struct buffer sentence = BUFFER_INIT(SENTENCE_MAXIMUM);

        comparison_sentence(&sentence, entries[i].comparison, base, entries[i].name);
        buffer_puts(out, "\n");
        layout_wrap(out, "", "", sentence.data ? sentence.data : "");
    }
}

/* What passes the range of a double is not known. */
static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *ratio_json(const struct comparison *comparison)
{
    const struct bootstrap_interval *ratio = &comparison->ratio;

    if (!comparison->has_ratio)
        return json_null();
    return json_pack("{s:o, s:o, s:o}", "value", real(ratio->ratio), "lower", real(ratio->lower),
                     "upper", real(ratio->upper));
}

json_t *comparison_json(const struct comparison *comparison)
{
    const struct hodges_lehmann *shift = &comparison->shift;

    return json_pack(
        "{s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:s, s:I, s:I}", "shift",
        real(shift->shift), "percent",
        comparison->relative ? real(100 * comparison->share) : json_null(), "lower",
        shift->bounded ? real(shift->lower) : json_null(), "upper",
        shift->bounded ? real(shift->upper) : json_null(), "confidence",
        1 - comparison->options.alpha, "p", real(comparison->test.p_two_sided), "p_holm",
        real(comparison->p), "ratio", ratio_json(comparison), "detectable",
        comparison->has_detectable ? real(comparison->detectable) : json_null(), "noise_percent",
        comparison->options.noise > 0 ? real(100 * comparison->options.noise) : json_null(),
        "verdict", comparison_verdict_name(comparison->verdict), "needs_more",
        (json_int_t)comparison->more, "trials_wanted", (json_int_t)comparison->wanted);
}

json_t *comparison_side_json(const struct sample_summary *side)
{
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "n", (json_int_t)side->count, "median",
                     real(side->median), "mean", real(side->mean), "spread",
                     real(side->robust_scale), "min", real(side->minimum), "max",
                     real(side->maximum));
}
