/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/cleanup.h"
#include "methods.h"
#include "stats/inference.h"
#include "stats/rank.h"

static const double alpha = 0.01, power = 0.99;
enum { ATTEMPTS = 10 };

/* A commit that was built, with its samples. */
struct measured {
    unsigned commit, count, boots;
    double *samples; /* [most] */
};

struct pinpoint {
    const struct history *history;
    struct measured *items; /* by commit, in the order of their numbers */
    unsigned count;
    size_t most; /* samples at which two that do not differ are the same */
    struct outcome_of_method *outcome;
};

static void pinpoint_clear(struct pinpoint *pinpoint)
{
    for (unsigned i = 0; i < pinpoint->count; i++)
        free(pinpoint->items[i].samples);
    free(pinpoint->items);
}

static inline void pinpoint_clear_cleanup(struct pinpoint *pinpoint)
{
    pinpoint_clear(pinpoint);
}

/* Each round of attempts is a boot. */
static void sample(struct pinpoint *pinpoint, struct measured *measured, size_t wanted)
{
    struct outcome_of_method *outcome = pinpoint->outcome;

    if (measured->count >= wanted)
        return;
    outcome->seconds += BOOT_SECONDS;
    for (unsigned i = 0; measured->count < wanted; i++) {
        measured->samples[measured->count++] = history_sample(pinpoint->history, measured->commit,
                                                              measured->boots, i);
        outcome->samples++;
        outcome->seconds += SAMPLE_SECONDS;
    }
    measured->boots++;
}

static int insert(struct pinpoint *pinpoint, unsigned place, unsigned commit,
                  struct culprit_error *error)
{
    double *samples = calloc(pinpoint->most, sizeof *samples);

    if (!samples)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for samples");
    for (unsigned i = pinpoint->count; i > place; i--)
        pinpoint->items[i] = pinpoint->items[i - 1];
    pinpoint->items[place] = (struct measured){.commit = commit, .samples = samples};
    pinpoint->count++;
    pinpoint->outcome->builds++;
    pinpoint->outcome->seconds += BUILD_SECONDS;
    sample(pinpoint, &pinpoint->items[place], ATTEMPTS);
    return 0;
}

/* Neighbours `left` and the next: do they differ? Takes samples until that is clear. */
static int compare(struct pinpoint *pinpoint, unsigned left, bool *ret, struct culprit_error *error)
{
    struct measured *a = &pinpoint->items[left], *b = &pinpoint->items[left + 1];

    for (size_t wanted = ATTEMPTS;; wanted += ATTEMPTS) {
        struct mann_whitney test;
        int r;

        if (wanted > pinpoint->most)
            wanted = pinpoint->most;
        sample(pinpoint, a, wanted);
        sample(pinpoint, b, wanted);
        r = mann_whitney(a->samples, a->count, b->samples, b->count, &test, error);
        if (r < 0)
            return r;
        *ret = test.p_two_sided < alpha;
        if (*ret || wanted == pinpoint->most)
            return 0;
    }
}

/* The buildable commit nearest to the middle between two neighbours; 0 when there is none. */
static unsigned middle_of(struct pinpoint *pinpoint, unsigned low, unsigned high)
{
    unsigned middle = low + (high - low) / 2;

    for (unsigned off = 0; off < high - low; off++)
        for (int side = 0; side < 2; side++) {
            unsigned commit = side ? middle + off : middle - off;

            if (commit <= low || commit >= high || (off > middle))
                continue;
            if (!pinpoint->history->broken[commit])
                return commit;
            if (side == 0 || off > 0) { /* the attempt is paid for */
                pinpoint->outcome->builds++;
                pinpoint->outcome->seconds += BUILD_SECONDS;
            }
        }
    return 0;
}

/* All that differ are found: whoever follows the only pair that does is the culprit. */
static void judge(struct pinpoint *pinpoint, const unsigned *ends, unsigned end_count)
{
    struct outcome_of_method *outcome = pinpoint->outcome;
    unsigned culprit = pinpoint->history->culprit;

    outcome->inconclusive = true;
    for (unsigned i = 0; i < end_count; i++) {
        unsigned low = ends[2 * i], high = ends[2 * i + 1];

        outcome->in_set = outcome->in_set || (low < culprit && culprit <= high);
        if (end_count == 1 && high == low + 1) {
            outcome->inconclusive = false;
            outcome->exact = high == culprit;
        }
    }
}

enum { PAIRS_MAXIMUM = 256 };

static int search(struct pinpoint *pinpoint, struct culprit_error *error)
{
    unsigned ends[2 * PAIRS_MAXIMUM], end_count = 0;

    for (unsigned left = 0; left + 1 < pinpoint->count;) {
        unsigned low = pinpoint->items[left].commit, high = pinpoint->items[left + 1].commit;
        unsigned middle;
        bool differ;
        int r = compare(pinpoint, left, &differ, error);

        if (r < 0)
            return r;
        middle = differ && high > low + 1 ? middle_of(pinpoint, low, high) : 0;
        if (middle > 0) {
            r = insert(pinpoint, left + 1, middle, error);
            if (r < 0)
                return r;
            continue;
        }
        if (differ && end_count < PAIRS_MAXIMUM) {
            ends[2 * end_count] = low;
            ends[2 * end_count++ + 1] = high;
        }
        left++;
    }
    judge(pinpoint, ends, end_count);
    return 0;
}

int run_pinpoint(const struct history *history, struct outcome_of_method *ret,
                 struct culprit_error *error)
{
    CULPRIT_CLEANUP(pinpoint_clear)
    struct pinpoint pinpoint = {.history = history, .outcome = ret};
    int r = trials_needed(history_effect(history->options), alpha, power, &pinpoint.most, error);

    *ret = (struct outcome_of_method){0};
    if (r < 0)
        return r;
    if (pinpoint.most < ATTEMPTS)
        pinpoint.most = ATTEMPTS;
    pinpoint.items = calloc(history->count, sizeof *pinpoint.items);
    if (!pinpoint.items)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for %u commits", history->count);
    r = insert(&pinpoint, 0, 0, error);
    if (r == 0)
        r = insert(&pinpoint, 1, history->count - 1, error);
    return r < 0 ? r : search(&pinpoint, error);
}
