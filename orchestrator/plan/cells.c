/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cells_clear(struct cells *cells)
{
    free(cells->items);
    free(cells->of_commit);
    free(cells->images);
    free(cells->bits);
    *cells = (struct cells){0};
}

double cells_prior_of(const struct bisect_problem *problem, unsigned commit)
{
    return commit == 0 ? 0 : problem->prior_weights ? problem->prior_weights[commit] : 1;
}

/* A built commit that says something: its image was measured, or others have the same. */
struct witness {
    unsigned commit, class;
};

/* What is needed while the cells are found. */
struct division {
    const struct bisect_problem *problem;
    const struct evidence *evidence;
    struct witness *witnesses; /* by class, then commit */
    size_t witness_count, words;
    uint64_t *marks; /* [count × words]: which witnesses descend from a commit, or are it */
};

static void division_clear(struct division *division)
{
    free(division->witnesses);
    free(division->marks);
}

static inline void division_clear_cleanup(struct division *division)
{
    division_clear(division);
}

static int no_memory(const struct bisect_problem *problem, struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot divide %u commits: no memory",
                        problem->count);
}

static void sum_up(struct moments *moments, struct evidence_values from,
                   const struct cells_values *values)
{
    for (size_t i = 0; i < from.count; i++)
        moments_add(moments, fmin(fmax(from.values[i], values->low), values->high));
}

static struct moments measure(const struct evidence *evidence, unsigned commit,
                              const struct cells_values *values)
{
    struct moments moments = {0};

    sum_up(&moments, evidence_search(evidence, commit), values);
    if (values->with_verification)
        sum_up(&moments, evidence_verify(evidence, commit), values);
    return moments;
}

static int compare_witnesses(const void *left, const void *right)
{
    const struct witness *a = left, *b = right;

    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    return (a->commit > b->commit) - (a->commit < b->commit);
}

static int find_witnesses(struct division *division, struct culprit_error *error)
{
    unsigned count = division->problem->count;

    division->witnesses = calloc(count, sizeof *division->witnesses);
    if (!division->witnesses)
        return no_memory(division->problem, error);
    for (unsigned c = 0; c < count; c++) {
        unsigned class = evidence_class(division->evidence, c);
        bool shared = class != c || evidence_shared(division->evidence, c);

        if (evidence_built(division->evidence, c) &&
            (shared || evidence_search(division->evidence, c).count > 0 ||
             evidence_verify(division->evidence, c).count > 0))
            division->witnesses[division->witness_count++] = (struct witness){c, class};
    }
    qsort(division->witnesses, division->witness_count, sizeof *division->witnesses,
          compare_witnesses);
    return 0;
}

static int mark_ancestors(struct division *division, struct culprit_error *error)
{
    const struct bisect_problem *problem = division->problem;
    size_t words = division->witness_count / 64 + 1;
    uint64_t *marks = calloc(problem->count, words * sizeof *marks);

    if (!marks)
        return no_memory(problem, error);
    for (size_t i = 0; i < division->witness_count; i++)
        marks[division->witnesses[i].commit * words + i / 64] |= UINT64_C(1) << i % 64;
    for (unsigned c = problem->count; c-- > 1;)
        for (unsigned p = 0; p < problem->commits[c].parent_count; p++)
            for (size_t w = 0; w < words; w++)
                marks[problem->commits[c].parents[p] * words + w] |= marks[c * words + w];
    division->marks = marks;
    division->words = words;
    return 0;
}

/* The variance of a value is that around its image's mean, which no hypothesis touches. */
static void weigh_images(const struct cells_values *values, struct cells *cells)
{
    double rss = 0, degrees = 0, variance = values->floor * values->floor;

    for (size_t i = 0; i < cells->image_count; i++) {
        rss += cells->images[i].moments.rss;
        degrees += cells->images[i].moments.n - 1;
    }
    if (degrees > 0)
        variance += rss / degrees;
    cells->image_ratio = values->offset > 0 ? values->offset * values->offset / variance : 0;
    for (size_t i = 0; i < cells->image_count; i++) {
        struct moments *moments = &cells->images[i].moments;
        moments->weight = moments_worth(moments->n, cells->image_ratio);
    }
}

/* The images with values; *ret_image[i]: that of witness i, or SIZE_MAX. */
static int list_images(const struct division *division, const struct cells_values *values,
                       struct cells *cells, size_t **ret_image, struct culprit_error *error)
{
    size_t count = division->witness_count;

    cells->images = calloc(count + 1, sizeof *cells->images);
    *ret_image = calloc(count + 1, sizeof **ret_image);
    if (!cells->images || !*ret_image)
        return no_memory(division->problem, error);
    for (size_t i = 0; i < count; i++) {
        unsigned class = division->witnesses[i].class;
        struct moments moments;

        if (i > 0 && division->witnesses[i - 1].class == class) {
            (*ret_image)[i] = (*ret_image)[i - 1];
            continue;
        }
        moments = measure(division->evidence, class, values);
        (*ret_image)[i] = moments.n > 0 ? cells->image_count : SIZE_MAX;
        if (moments.n > 0)
            cells->images[cells->image_count++] = (struct cell_image){class, moments};
    }
    cells->words = cells->image_count / 64 + 1;
    weigh_images(values, cells);
    return 0;
}

/* The images that a candidate makes bad; false where it puts one on both sides. */
static bool place_images(const struct division *division, const uint64_t *marks,
                         const size_t *image_of, uint64_t *ret)
{
    for (size_t i = 0; i < division->witness_count; i++) {
        bool bad = marks[i / 64] >> i % 64 & 1;
        bool before = i > 0 && marks[(i - 1) / 64] >> (i - 1) % 64 & 1;

        if (i > 0 && division->witnesses[i].class == division->witnesses[i - 1].class &&
            bad != before)
            return false;
        if (bad && image_of[i] != SIZE_MAX)
            ret[image_of[i] / 64] |= UINT64_C(1) << image_of[i] % 64;
    }
    return true;
}

static uint64_t hash(const uint64_t *words, size_t count)
{
    uint64_t value = UINT64_C(0x9e3779b97f4a7c15);

    for (size_t w = 0; w < count; w++) {
        value ^= words[w];
        value *= UINT64_C(0xff51afd7ed558ccd);
        value ^= value >> 32;
    }
    return value;
}

/* Slots of an open hash table: the lowest commit with each set of marks. */
struct slots {
    uint32_t *commits;
    size_t mask;
};

static uint32_t find_alike(const struct division *division, struct slots *slots, unsigned commit)
{
    const uint64_t *marks = division->marks + commit * division->words;
    size_t at = hash(marks, division->words) & slots->mask;

    while (slots->commits[at] != CELL_NONE &&
           memcmp(division->marks + slots->commits[at] * division->words, marks,
                  division->words * sizeof *marks) != 0)
        at = (at + 1) & slots->mask;
    if (slots->commits[at] == CELL_NONE)
        slots->commits[at] = commit;
    return slots->commits[at];
}

static void slots_clear(struct slots *slots)
{
    free(slots->commits);
}

static inline void slots_clear_cleanup(struct slots *slots)
{
    slots_clear(slots);
}

static int slots_new(const struct bisect_problem *problem, struct slots *ret,
                     struct culprit_error *error)
{
    size_t size = 64;

    while (size < 2 * (size_t)problem->count)
        size *= 2;
    ret->commits = malloc(size * sizeof *ret->commits);
    if (!ret->commits)
        return no_memory(problem, error);
    memset(ret->commits, 0xff, size * sizeof *ret->commits);
    ret->mask = size - 1;
    return 0;
}

/* Numbers the cells in the order of their lowest candidates. */
static int number_cells(const struct division *division, struct cells *cells,
                        struct culprit_error *error)
{
    const struct bisect_problem *problem = division->problem;
    CULPRIT_CLEANUP(slots_clear) struct slots slots = {0};
    int r = slots_new(problem, &slots, error);

    cells->of_commit = malloc(problem->count * sizeof *cells->of_commit);
    cells->items = calloc(problem->count, sizeof *cells->items);
    if (r < 0 || !cells->of_commit || !cells->items)
        return no_memory(problem, error);
    for (unsigned c = 0; c < problem->count; c++) {
        uint32_t alike;

        cells->of_commit[c] = CELL_NONE;
        if (!(cells_prior_of(problem, c) > 0))
            continue;
        alike = find_alike(division, &slots, c);
        cells->of_commit[c] = alike == c ? cells->count++ : cells->of_commit[alike];
        if (alike == c)
            cells->items[cells->of_commit[c]].first = c;
        cells->items[cells->of_commit[c]].size++;
        cells->items[cells->of_commit[c]].weight += cells_prior_of(problem, c);
    }
    return 0;
}

/* Drops the cells that put an image on both sides, and closes the gaps. */
static int place_cells(const struct division *division, const size_t *image_of, struct cells *cells,
                       struct culprit_error *error)
{
    _cleanup_free_ uint32_t *kept = malloc((cells->count + 1) * sizeof *kept);
    unsigned left = 0;
    double sum = 0;

    cells->bits = calloc(cells->count + 1, cells->words * sizeof *cells->bits);
    if (!kept || !cells->bits)
        return no_memory(division->problem, error);
    for (unsigned k = 0; k < cells->count; k++) {
        struct cell cell = cells->items[k];

        cell.images = cells->bits + left * cells->words;
        memset(cell.images, 0, cells->words * sizeof *cell.images);
        kept[k] = CELL_NONE;
        if (!place_images(division, division->marks + cell.first * division->words, image_of,
                          cell.images))
            continue;
        kept[k] = left;
        cells->items[left++] = cell;
        sum += cell.weight;
    }
    cells->count = left;
    for (unsigned k = 0; k < left; k++)
        cells->items[k].prior = cells->items[k].weight / sum;
    for (unsigned c = 0; c < division->problem->count; c++)
        if (cells->of_commit[c] != CELL_NONE)
            cells->of_commit[c] = kept[cells->of_commit[c]];
    return 0;
}

int cells_divide(const struct bisect_problem *problem, const struct evidence *evidence,
                 const struct cells_values *values, struct cells *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(division_clear)
    struct division division = {.problem = problem, .evidence = evidence};
    _cleanup_free_ size_t *image_of = NULL;
    int r = find_witnesses(&division, error);

    *ret = (struct cells){0};
    if (r == 0)
        r = mark_ancestors(&division, error);
    if (r == 0)
        r = list_images(&division, values, ret, &image_of, error);
    if (r == 0)
        r = number_cells(&division, ret, error);
    if (r == 0)
        r = place_cells(&division, image_of, ret, error);
    if (r < 0)
        cells_clear(ret);
    return r;
}
