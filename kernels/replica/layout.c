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

/* Whether `later` has `earlier` among its ancestors. Between fork and merge the two lines know
 * nothing of each other. */
static bool descends(const struct layout *layout, unsigned later, unsigned earlier)
{
    bool parallel = layout->side_count > 0 && earlier > layout->fork && later < layout->merge;

    return later > earlier &&
           !(parallel && layout_on_side(layout, later) && !layout_on_side(layout, earlier));
}

/* How many commits may be the second fault: what descends from the first, but for the merge. */
static unsigned count_room(const struct layout *layout, unsigned first)
{
    unsigned room = 0;

    for (unsigned number = first + 1; number <= layout->count; number++)
        room += number != layout->merge && descends(layout, number, first);
    return room;
}

static bool may_be_first(const struct layout *layout, const struct layout_options *options,
                         unsigned number)
{
    return number != layout->merge &&
           (options->place != PLACE_ON_MAIN || !layout_on_side(layout, number)) &&
           (options->faults < 2 || count_room(layout, number) > 0);
}

static int draw_place(const struct layout *layout, struct random *random,
                      const struct layout_options *options, unsigned *ret,
                      struct culprit_error *error)
{
    if (options->place == PLACE_ON_SIDE && layout->side_count == 0)
        return culprit_fail(error, CULPRIT_INVALID,
                            "a history of %u commits has no side branch; it takes %d",
                            layout->count, COMMITS_FOR_SIDE);
    if (options->place == PLACE_AT_NUMBER &&
        (options->number < 1 || options->number > layout->count ||
         options->number == layout->merge))
        return culprit_fail(error, CULPRIT_INVALID,
                            "the fault cannot be put at %u: 1 to %u, and not the merge (%u)",
                            options->number, layout->count, layout->merge);
    if (options->place == PLACE_AT_NUMBER)
        *ret = options->number;
    else if (options->place == PLACE_ON_SIDE)
        *ret = layout->side_first + (unsigned)random_below(random, layout->side_count);
    else {
        do {
            *ret = 1 + (unsigned)random_below(random, layout->count);
        } while (!may_be_first(layout, options, *ret));
    }
    return 0;
}

static void put_fault(struct layout *layout, unsigned number)
{
    layout->faults[layout->fault_count++] = number;
    layout->kinds[number] = SLOT_FAULT;
}

static int place_second(struct layout *layout, struct random *random, struct culprit_error *error)
{
    unsigned first = layout->faults[0], room = count_room(layout, first), number = first, passed;

    if (room == 0)
        return culprit_fail(error, CULPRIT_INVALID,
                            "a second fault has no room after the first, which is %u of %u", first,
                            layout->count);
    passed = 1 + (unsigned)random_below(random, room);
    while (passed > 0) {
        number++;
        passed -= number != layout->merge && descends(layout, number, first);
    }
    put_fault(layout, number);
    return 0;
}

static int place_faults(struct layout *layout, struct random *random,
                        const struct layout_options *options, struct culprit_error *error)
{
    unsigned number = 0;
    int result;

    if (options->faults > LAYOUT_FAULTS_MAXIMUM)
        return culprit_fail(error, CULPRIT_INVALID, "a history has up to %d faults, not %u",
                            LAYOUT_FAULTS_MAXIMUM, options->faults);
    if (options->faults == 0 && options->place != PLACE_ANYWHERE)
        return culprit_fail(error, CULPRIT_INVALID, "there is no fault to be put anywhere");
    if (options->faults == 0)
        return 0;
    if (options->faults > 1 && layout->count == 1)
        return culprit_fail(error, CULPRIT_INVALID, "one commit cannot be two faults");
    result = draw_place(layout, random, options, &number, error);
    if (result < 0)
        return result;
    put_fault(layout, number);
    return options->faults > 1 ? place_second(layout, random, error) : 0;
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

int layout_make(const struct layout_options *options, struct layout *ret,
                struct culprit_error *error)
{
    struct layout layout = {.count = options->commits};
    struct random random;
    int result;

    if (options->commits < 1 || options->commits > LAYOUT_COMMITS_MAXIMUM)
        return culprit_fail(error, CULPRIT_INVALID, "a history has 1 to %d commits, not %u",
                            LAYOUT_COMMITS_MAXIMUM, options->commits);
    random_seed(&random, options->seed);
    place_side(&layout, &random);
    result = place_faults(&layout, &random, options, error);
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
