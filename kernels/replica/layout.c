/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout.h"

#include "base/random.h"

/* Histories shorter than these have no room for the thing and a believable rest. */
enum {
    COMMITS_FOR_SIDE = 8,
    COMMITS_FOR_BROKEN = 12,
    COMMITS_FOR_REVERT = 24,
    SIDE_SHARE = 8, /* one commit in so many */
    SIDE_MINIMUM = 2,
    SIDE_MAXIMUM = 12,
    DRAWS = 1000,
};

/* Of the ordinary commits, in 93rds; the rest of 100 are the special ones of a history of 100. */
static const struct {
    enum slot_kind kind;
    unsigned share;
} shares[] = {
    {SLOT_UNBUILT, 45},
    {SLOT_DOCUMENT, 8},
    {SLOT_BUILT, 25},
    {SLOT_SCHED, 15},
};
enum { SHARE_COUNT = sizeof(shares) / sizeof(shares[0]), SHARE_TOTAL = 45 + 8 + 25 + 15 };

bool layout_on_side(const struct layout *layout, unsigned number)
{
    return number >= layout->side_first && number < layout->side_first + layout->side_count;
}

static void place_side(struct layout *layout, struct random *random)
{
    unsigned parallel, room;

    if (layout->count < COMMITS_FOR_SIDE)
        return;
    layout->side_count = layout->count / SIDE_SHARE;
    if (layout->side_count < SIDE_MINIMUM)
        layout->side_count = SIDE_MINIMUM;
    if (layout->side_count > SIDE_MAXIMUM)
        layout->side_count = SIDE_MAXIMUM;
    room = layout->count - layout->side_count - 1;
    parallel = 1 + (unsigned)random_below(random, room / 4 + 1);
    layout->fork = (unsigned)random_below(random, room - parallel + 1);
    layout->side_first = layout->fork + parallel + 1;
    layout->merge = layout->side_first + layout->side_count;
    layout->kinds[layout->merge] = SLOT_MERGE;
}

static int place_fault(struct layout *layout, struct random *random, enum place_wanted place,
                       unsigned number, struct culprit_error *error)
{
    if (place == PLACE_ON_SIDE && layout->side_count == 0)
        return culprit_fail(error, CULPRIT_INVALID,
                            "a history of %u commits has no side branch; it takes %d",
                            layout->count, COMMITS_FOR_SIDE);
    if (place == PLACE_AT_NUMBER) {
        if (number < 1 || number > layout->count || number == layout->merge)
            return culprit_fail(error, CULPRIT_INVALID,
                                "the fault cannot be put at %u: 1 to %u, and not the merge (%u)",
                                number, layout->count, layout->merge);
    } else if (place == PLACE_ON_SIDE) {
        number = layout->side_first + (unsigned)random_below(random, layout->side_count);
    } else {
        do {
            number = 1 + (unsigned)random_below(random, layout->count);
        } while (number == layout->merge ||
                 (place == PLACE_ON_MAIN && layout_on_side(layout, number)));
    }
    layout->fault = number;
    layout->kinds[number] = SLOT_FAULT;
    return 0;
}

static bool is_free_on_main(const struct layout *layout, unsigned number)
{
    return number >= 1 && number <= layout->count && layout->kinds[number] == SLOT_NONE &&
           !layout_on_side(layout, number);
}

/* Two commits in a row on the main line, the second a child of the first, and no branch from the
 * first: what is broken stays broken for one commit. */
static void place_broken(struct layout *layout, struct random *random)
{
    if (layout->count < COMMITS_FOR_BROKEN)
        return;
    for (unsigned i = 0; i < DRAWS; i++) {
        unsigned number = 1 + (unsigned)random_below(random, layout->count - 1);

        if (!is_free_on_main(layout, number) || !is_free_on_main(layout, number + 1) ||
            (layout->side_count > 0 && number == layout->fork))
            continue;
        layout->kinds[number] = SLOT_BROKEN;
        layout->kinds[number + 1] = SLOT_FIX;
        return;
    }
}

static void place_revert(struct layout *layout, struct random *random)
{
    if (layout->count < COMMITS_FOR_REVERT)
        return;
    for (unsigned i = 0; i < DRAWS; i++) {
        unsigned first = 1 + (unsigned)random_below(random, layout->count - 2);
        unsigned second = first + 1 + (unsigned)random_below(random, layout->count - first);
        unsigned third = second + 1 + (unsigned)random_below(random, layout->count - second + 1);

        if (!is_free_on_main(layout, first) || !is_free_on_main(layout, second) ||
            !is_free_on_main(layout, third))
            continue;
        layout->reverted = first;
        layout->kinds[first] = SLOT_SCHED;
        layout->kinds[second] = SLOT_REVERT;
        layout->kinds[third] = SLOT_REAPPLY;
        return;
    }
}

/* The ordinary kinds by their shares, largest remainders first, then shuffled. */
static void fill(struct layout *layout, struct random *random)
{
    unsigned places[LAYOUT_COMMITS_MAXIMUM], free_count = 0, given = 0;

    for (unsigned number = 1; number <= layout->count; number++)
        if (layout->kinds[number] == SLOT_NONE)
            places[free_count++] = number;
    for (unsigned i = free_count; i > 1; i--) {
        unsigned j = (unsigned)random_below(random, i), swapped = places[i - 1];

        places[i - 1] = places[j];
        places[j] = swapped;
    }
    for (unsigned i = 0, sum = 0; i < SHARE_COUNT; i++) {
        sum += shares[i].share;
        /* Rounded up: what cannot change the image is never short of its share. */
        for (; given < (free_count * sum + SHARE_TOTAL - 1) / SHARE_TOTAL; given++)
            layout->kinds[places[given]] = shares[i].kind;
    }
}

int layout_make(unsigned commits, uint64_t seed, enum place_wanted place, unsigned number,
                struct layout *ret, struct culprit_error *error)
{
    struct layout layout = {.count = commits};
    struct random random;
    int result;

    if (commits < 1 || commits > LAYOUT_COMMITS_MAXIMUM)
        return culprit_fail(error, CULPRIT_INVALID, "a history has 1 to %d commits, not %u",
                            LAYOUT_COMMITS_MAXIMUM, commits);
    random_seed(&random, seed);
    place_side(&layout, &random);
    result = place_fault(&layout, &random, place, number, error);
    if (result < 0)
        return result;
    place_broken(&layout, &random);
    place_revert(&layout, &random);
    fill(&layout, &random);
    *ret = layout;
    return 0;
}

const char *slot_kind_name(enum slot_kind kind)
{
    static const char *const names[] = {
        [SLOT_NONE] = "none",       [SLOT_UNBUILT] = "unbuilt", [SLOT_DOCUMENT] = "documentation",
        [SLOT_BUILT] = "subsystem", [SLOT_SCHED] = "scheduler", [SLOT_FAULT] = "fault",
        [SLOT_BROKEN] = "broken",   [SLOT_FIX] = "fix",         [SLOT_REVERT] = "revert",
        [SLOT_REAPPLY] = "reapply", [SLOT_MERGE] = "merge",
    };

    return names[kind];
}
