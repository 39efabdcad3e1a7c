/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/posterior.h"

#include <math.h>
#include <stdlib.h>

#include "plan/dag.h"
#include "plan/label.h"

/* Count, mean and sum of squares around it, of any set of trials; sets can be joined. */
struct moments {
    double n, mean, rss;
};

static void join(struct moments *into, const struct moments *other)
{
    double n = into->n + other->n, distance = other->mean - into->mean;

    if (!(other->n > 0))
        return;
    into->rss += other->rss + distance * distance * into->n * other->n / n;
    into->mean += distance * other->n / n;
    into->n = n;
}

static void add_values(struct moments *moments, struct evidence_values values)
{
    for (size_t i = 0; i < values.count; i++)
        join(moments, &(struct moments){.n = 1, .mean = values.values[i]});
}

/* One measured image. */
struct image {
    unsigned class;
    struct moments moments;
    bool *suspects;   /* [count]: hypotheses that make this image bad… */
    bool *consistent; /* [count]: …and those that put it on one side only */
};

struct model {
    const struct planner *planner;
    struct image *images;
    size_t image_count;
    double width, log_width; /* R and L */
    double floor;            /* least deviation */
};

static void model_free(struct model *model)
{
    for (size_t i = 0; i < model->image_count; i++) {
        free(model->images[i].suspects);
        free(model->images[i].consistent);
    }
    free(model->images);
}

static inline void model_free_cleanup(struct model *model)
{
    model_free(model);
}

static double log_evidence(const struct model *model, const struct moments *side)
{
    double degrees = side->n - 1;
    double rss = side->rss + side->n * model->floor * model->floor;

    if (side->n < 2)
        return side->n < 1 ? 0 : -log(model->width);
    return lgamma(degrees / 2) - 0.5 * log(side->n) - degrees / 2 * log(M_PI * rss) -
           log(2 * model->width * model->log_width);
}

/* Which hypotheses make the image's commits bad: their ancestors. All of them must agree. */
static int place_image(const struct model *model, struct image *image, struct culprit_error *error)
{
    const struct bisect_problem *problem = model->planner->problem;
    _cleanup_free_ bool *reach = calloc(problem->count, sizeof *reach);
    bool first = true;

    image->suspects = calloc(problem->count, sizeof *image->suspects);
    image->consistent = calloc(problem->count, sizeof *image->consistent);
    if (!reach || !image->suspects || !image->consistent)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot hold the hypotheses: no memory");
    for (unsigned c = 0; c < problem->count; c++) {
        if (evidence_class(model->planner->evidence, c) != image->class)
            continue;
        for (unsigned h = 0; h < problem->count; h++)
            reach[h] = false;
        dag_add_ancestors(problem, c, reach);
        for (unsigned h = 0; h < problem->count; h++) {
            image->consistent[h] = first ||
                                   (image->consistent[h] && reach[h] == image->suspects[h]);
            image->suspects[h] = first ? reach[h] : image->suspects[h];
        }
        first = false;
    }
    return 0;
}

static int collect_images(struct model *model, struct culprit_error *error)
{
    const struct evidence *evidence = model->planner->evidence;
    unsigned count = model->planner->problem->count;

    model->images = calloc(count, sizeof *model->images);
    if (!model->images)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot hold the images: no memory");
    for (unsigned c = 0; c < count; c++) {
        struct image image = {.class = c};
        int r;

        if (evidence_class(evidence, c) != c)
            continue;
        add_values(&image.moments, evidence_search(evidence, c));
        add_values(&image.moments, evidence_verify(evidence, c));
        if (!(image.moments.n > 0))
            continue;
        model->images[model->image_count++] = image;
        r = place_image(model, &model->images[model->image_count - 1], error);
        if (r < 0)
            return r;
    }
    return 0;
}

/* Widths of the priors, from the values themselves: shifting or scaling all of them changes no
 * probability. */
static void set_widths(struct model *model)
{
    double least = HUGE_VAL, most = -HUGE_VAL;

    for (unsigned c = 0; c < model->planner->problem->count; c++) {
        struct evidence_values values[] = {evidence_search(model->planner->evidence, c),
                                           evidence_verify(model->planner->evidence, c)};
        for (size_t s = 0; s < 2; s++)
            for (size_t i = 0; i < values[s].count; i++) {
                least = fmin(least, values[s].values[i]);
                most = fmax(most, values[s].values[i]);
            }
    }
    model->width = most > least ? 1.5 * (most - least) : 1;
    model->floor = LABEL_SPREAD_FLOOR / 2 * model->width;
    model->log_width = log(model->width / model->floor);
}

static double log_single_change(const struct model *model, unsigned hypothesis)
{
    struct moments good = {0}, bad = {0};

    for (size_t i = 0; i < model->image_count; i++) {
        const struct image *image = &model->images[i];
        if (!image->consistent[hypothesis])
            return -HUGE_VAL;
        join(image->suspects[hypothesis] ? &bad : &good, &image->moments);
    }
    if (!(bad.n > 0) || !(good.n > 0) || bad.mean <= good.mean)
        return -HUGE_VAL;
    return log_evidence(model, &good) + log_evidence(model, &bad);
}

static double log_nothing_differs(const struct model *model)
{
    struct moments all = {0};

    for (size_t i = 0; i < model->image_count; i++)
        join(&all, &model->images[i].moments);
    return log_evidence(model, &all);
}

/* Every image with a mean of its own, around which all vary alike. With a variance each it would
 * win wherever a few trials of a wide distribution happen to agree. */
static double log_many_changes(const struct model *model)
{
    double n = 0, rss = 0, logs = 0, degrees;

    for (size_t i = 0; i < model->image_count; i++) {
        const struct moments *moments = &model->images[i].moments;
        n += moments->n;
        rss += moments->rss;
        logs -= 0.5 * log(moments->n) + log(model->width);
    }
    degrees = n - (double)model->image_count;
    if (model->image_count < 3 || degrees < 1) /* two images differ by one change at most */
        return -HUGE_VAL;
    rss += n * model->floor * model->floor;
    return logs + lgamma(degrees / 2) - degrees / 2 * log(M_PI * rss) - log(2 * model->log_width);
}

/* Turns logarithms into probabilities that sum to 1; the alternatives' stand after the commits'. */
static void normalise(double *logs, size_t count)
{
    double most = -HUGE_VAL, sum = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, logs[i]);
    for (size_t i = 0; i < count; i++) {
        logs[i] = exp(logs[i] - most);
        sum += logs[i];
    }
    for (size_t i = 0; i < count; i++)
        logs[i] /= sum;
}

int posterior_compute(const struct planner *planner, double *ret_by_commit, double *ret_no_single,
                      struct culprit_error *error)
{
    unsigned count = planner->problem->count, possible = 0;
    CULPRIT_CLEANUP(model_free) struct model model = {.planner = planner};
    _cleanup_free_ double *logs = calloc(count + 2, sizeof *logs);
    int r;

    if (!logs)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot weigh hypotheses: no memory");
    r = collect_images(&model, error);
    if (r < 0)
        return r;
    set_widths(&model);
    for (unsigned h = 1; h < count; h++)
        possible += !evidence_changes_nothing(planner->evidence, h);
    for (unsigned h = 0; h < count; h++)
        logs[h] = -HUGE_VAL;
    for (unsigned h = 1; h < count; h++)
        if (!evidence_changes_nothing(planner->evidence, h))
            logs[h] = log((1 - POSTERIOR_PRIOR_NO_SINGLE) / possible) +
                      log_single_change(&model, h);
    logs[count] = log(POSTERIOR_PRIOR_NO_SINGLE / 2) + log_nothing_differs(&model);
    logs[count + 1] = log(POSTERIOR_PRIOR_NO_SINGLE / 2) + log_many_changes(&model);
    normalise(logs, count + 2);
    for (unsigned h = 0; h < count; h++)
        ret_by_commit[h] = logs[h];
    *ret_no_single = logs[count] + logs[count + 1];
    return 0;
}
