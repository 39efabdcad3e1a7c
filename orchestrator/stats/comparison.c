/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/comparison.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "stats/distribution.h"
#include "stats/inference.h"

static int check_options(const struct comparison_options *options, struct culprit_error *error)
{
    if (!(options->alpha >= 0.001 && options->alpha <= 0.5))
        return culprit_fail(error, CULPRIT_INVALID, "level %g is not from 0.001 to 0.5",
                            options->alpha);
    if (!(options->threshold >= 0 && options->threshold <= 10))
        return culprit_fail(error, CULPRIT_INVALID, "threshold %g is not from 0 to 10",
                            options->threshold);
    if (!(options->noise >= 0 && options->noise <= 10))
        return culprit_fail(error, CULPRIT_INVALID, "noise %g is not from 0 to 10", options->noise);
    return 0;
}

static int summarise(const double *values, size_t count, const char *side,
                     struct sample_summary *ret, struct culprit_error *error)
{
    int r = samples_check(values, count, 1, side, error);

    return r < 0 ? r : samples_summarise(values, count, ret, error);
}

/* Shares of the base's median, where all of them are numbers, in per cent too. */
static void make_shares(struct comparison *comparison)
{
    const struct hodges_lehmann *shift = &comparison->shift;
    double whole = fabs(comparison->base.median);

    if (!(whole > 0) || !isfinite(100 * (shift->shift / whole)) ||
        !isfinite(100 * (shift->lower / whole)) || !isfinite(100 * (shift->upper / whole)))
        return;
    comparison->relative = true;
    comparison->share = shift->shift / whole;
    comparison->share_lower = shift->lower / whole;
    comparison->share_upper = shift->upper / whole;
}

/* What one standard deviation of the difference of the sides is worth for two sides of n trials:
 * √((σ_base² + σ_other²) / 2), without squaring large numbers. */
static double common_scale(const struct comparison *comparison)
{
    return hypot(comparison->base.robust_scale, comparison->other.robust_scale) * M_SQRT1_2;
}

static void plan_trials(struct comparison *comparison)
{
    double alpha = comparison->options.alpha / (double)comparison->family;
    double distance = normal_quantile(1 - alpha / 2) + normal_quantile(COMPARISON_POWER);
    double wanted = comparison->options.threshold * fabs(comparison->base.median);
    double scale = common_scale(comparison);
    size_t n = comparison->base.count < comparison->other.count ? comparison->base.count
                                                                : comparison->other.count;

    comparison->detectable =
        distance * hypot(comparison->base.robust_scale / sqrt((double)comparison->base.count),
                         comparison->other.robust_scale / sqrt((double)comparison->other.count));
    comparison->has_detectable = n >= 2 && isfinite(comparison->detectable);
    if (!comparison->has_detectable)
        comparison->detectable = 0;
    comparison->wanted = 0;
    if (!comparison->has_detectable || !(wanted > 0) || !(scale > 0))
        return;
    if (trials_needed(wanted / scale, alpha, COMPARISON_POWER, &comparison->wanted, NULL) < 0)
        comparison->wanted = COMPARISON_TRIALS_MAXIMUM;
    if (comparison->wanted <= n)
        comparison->wanted = 0;
}

/* How many trials both sides must grow by before any result can be significant. */
static size_t lacking(const struct comparison *comparison)
{
    double level = comparison->options.alpha * (1 + 1e-9);
    size_t more = 0;

    while (more < SAMPLES_MAXIMUM &&
           2 * (double)comparison->family *
                   mann_whitney_smallest_p(comparison->base.count + more,
                                           comparison->other.count + more) >
               level)
        more++;
    return more;
}

int comparison_direction(const struct comparison *comparison)
{
    const struct mann_whitney *test = &comparison->test;

    return (test->p_greater < test->p_less) - (test->p_greater > test->p_less);
}

static void decide(struct comparison *comparison)
{
    const struct comparison_options *options = &comparison->options;
    bool worse = (comparison_direction(comparison) > 0) == (options->better == COMPARISON_LOWER);

    plan_trials(comparison);
    comparison->significant = comparison->p <= options->alpha * (1 + 1e-9);
    comparison->beyond = !comparison->relative ||
                         fabs(comparison->share) > fmax(options->threshold, options->noise);
    comparison->more = comparison->significant ? 0 : lacking(comparison);
    if (comparison->more > 0)
        comparison->verdict = COMPARISON_NEEDS_MORE;
    else if (!comparison->significant || !comparison->beyond)
        comparison->verdict = COMPARISON_NO_DIFFERENCE;
    else if (options->better == COMPARISON_NEITHER)
        comparison->verdict = COMPARISON_DIFFERS;
    else
        comparison->verdict = worse ? COMPARISON_WORSE : COMPARISON_BETTER;
}

static void make_ratio(const double *base, const double *other, struct comparison *comparison)
{
    const struct bootstrap_options bootstrap = {
        .location = BOOTSTRAP_MEDIANS,
        .resamples = comparison->options.resamples,
        .seed = comparison->options.seed,
        .confidence = 1 - comparison->options.alpha,
    };

    if (bootstrap.resamples > 0)
        comparison->has_ratio = bootstrap_ratio(other, comparison->other.count, base,
                                                comparison->base.count, &bootstrap,
                                                &comparison->ratio, NULL) == 0;
}

int comparison_make(const double *base, size_t base_count, const double *other, size_t other_count,
                    const struct comparison_options *options, struct comparison *ret,
                    struct culprit_error *error)
{
    struct comparison comparison = {.options = *options, .family = 1};
    int r = check_options(options, error);

    if (r == 0)
        r = summarise(base, base_count, "base", &comparison.base, error);
    if (r == 0)
        r = summarise(other, other_count, "other side", &comparison.other, error);
    if (r == 0)
        r = mann_whitney(other, other_count, base, base_count, &comparison.test, error);
    if (r == 0)
        r = hodges_lehmann(other, other_count, base, base_count, 1 - options->alpha,
                           &comparison.shift, error);
    if (r < 0)
        return r;
    comparison.p = comparison.test.p_two_sided;
    make_shares(&comparison);
    make_ratio(base, other, &comparison);
    decide(&comparison);
    *ret = comparison;
    return 0;
}

int comparison_correct(struct comparison *items, size_t count, struct culprit_error *error)
{
    _cleanup_free_ double *p = calloc(count + 1, sizeof *p);
    int r;

    if (!p)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot correct %zu p values: no memory",
                            count);
    for (size_t i = 0; i < count; i++)
        p[i] = items[i].test.p_two_sided;
    r = holm_adjust(p, count, error);
    if (r < 0)
        return r;
    for (size_t i = 0; i < count; i++) {
        items[i].p = p[i];
        items[i].family = count;
        decide(&items[i]);
    }
    return 0;
}

const char *comparison_verdict_name(enum comparison_verdict verdict)
{
    static const char *const names[] = {
        [COMPARISON_NO_DIFFERENCE] = "no_difference",
        [COMPARISON_BETTER] = "better",
        [COMPARISON_WORSE] = "worse",
        [COMPARISON_DIFFERS] = "differs",
        [COMPARISON_NEEDS_MORE] = "needs_more",
    };

    return (size_t)verdict < sizeof names / sizeof *names ? names[verdict] : "no_difference";
}
