/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/commands/samples_set.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4096, FIRST_ROOM = 1024 }; /* over twice as many slots as trials */

struct entry {
    unsigned trial;
    double value;
};

struct samples_builder {
    struct entry *entries;
    size_t count, room;
    char *names[SAMPLES_TRIALS_MAXIMUM];
    unsigned trials;
    unsigned slots[SLOTS]; /* trial + 1 by hash of its name; 0: free */
};

_Static_assert(SLOTS >= 2 * SAMPLES_TRIALS_MAXIMUM, "the table of names must not fill up");

int samples_builder_new(struct samples_builder **ret, struct culprit_error *error)
{
    *ret = calloc(1, sizeof **ret);
    return *ret ? 0 : culprit_fail(error, CULPRIT_NO_MEMORY, "cannot hold samples: no memory");
}

void samples_builder_free(struct samples_builder *builder)
{
    if (!builder)
        return;
    for (unsigned i = 0; i < builder->trials; i++)
        free(builder->names[i]);
    free(builder->entries);
    free(builder);
}

/* FNV-1a of 64 bits (Fowler, Noll and Vo). */
static uint64_t hash_name(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return hash;
}

static int new_trial(struct samples_builder *builder, const char *name, unsigned *ret,
                     struct culprit_error *error)
{
    if (builder->trials == SAMPLES_TRIALS_MAXIMUM)
        return culprit_fail(error, CULPRIT_LIMIT,
                            "more than %d trials; values of one trial need its name before them",
                            SAMPLES_TRIALS_MAXIMUM);
    if (name) {
        builder->names[builder->trials] = strdup(name);
        if (!builder->names[builder->trials])
            return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot hold samples: no memory");
    }
    *ret = builder->trials++;
    return 0;
}

static int find_trial(struct samples_builder *builder, const char *name, unsigned *ret,
                      struct culprit_error *error)
{
    size_t slot;
    int r;

    if (!*name || strlen(name) > SAMPLES_NAME_MAXIMUM)
        return culprit_fail(error, CULPRIT_INVALID, "a trial's name has 1 to %d bytes, not %zu",
                            SAMPLES_NAME_MAXIMUM, strlen(name));
    for (slot = hash_name(name) % SLOTS; builder->slots[slot]; slot = (slot + 1) % SLOTS) {
        *ret = builder->slots[slot] - 1;
        if (strcmp(builder->names[*ret], name) == 0)
            return 0;
    }
    r = new_trial(builder, name, ret, error);
    if (r == 0)
        builder->slots[slot] = *ret + 1;
    return r;
}

static int make_room(struct samples_builder *builder, struct culprit_error *error)
{
    size_t room = builder->room ? 2 * builder->room : FIRST_ROOM;
    struct entry *entries;

    if (builder->count == SAMPLES_VALUES_MAXIMUM)
        return culprit_fail(error, CULPRIT_LIMIT, "more than %d values", SAMPLES_VALUES_MAXIMUM);
    if (builder->count < builder->room)
        return 0;
    entries = reallocarray(builder->entries, room, sizeof *entries);
    if (!entries)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot hold samples: no memory");
    builder->entries = entries;
    builder->room = room;
    return 0;
}

int samples_builder_add(struct samples_builder *builder, const char *trial, double value,
                        struct culprit_error *error)
{
    unsigned number = 0;
    int r = make_room(builder, error);

    if (r == 0)
        r = trial ? find_trial(builder, trial, &number, error)
                  : new_trial(builder, NULL, &number, error);
    if (r == 0)
        builder->entries[builder->count++] = (struct entry){.trial = number, .value = value};
    return r;
}

/* The values, those of one trial side by side; ret_first[t] is where those of trial t begin. */
static void group(const struct samples_builder *builder, double *ret, size_t *ret_first)
{
    for (size_t i = 0; i < builder->count; i++)
        ret_first[builder->entries[i].trial + 1]++;
    for (unsigned t = 0; t < builder->trials; t++)
        ret_first[t + 1] += ret_first[t];
    for (size_t i = builder->count; i-- > 0;)
        ret[--ret_first[builder->entries[i].trial + 1]] = builder->entries[i].value;
    /* Each place now holds the beginning of the trial before it. */
    memmove(ret_first, ret_first + 1, builder->trials * sizeof *ret_first);
    ret_first[builder->trials] = builder->count;
}

int samples_builder_finish(struct samples_builder *builder, enum samples_aggregate aggregate,
                           struct samples_set *ret, struct culprit_error *error)
{
    _cleanup_free_ size_t *first = calloc(builder->trials + 1, sizeof *first);
    _cleanup_free_ double *values = calloc(builder->count + 1, sizeof *values);
    _cleanup_free_ double *samples = calloc(builder->trials + 1, sizeof *samples);
    int r = 0;

    if (!first || !values || !samples)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot hold samples: no memory");
    if (builder->count == 0)
        return culprit_fail(error, CULPRIT_INVALID, "no samples");
    group(builder, values, first);
    for (unsigned t = 0; r == 0 && t < builder->trials; t++) {
        size_t count = first[t + 1] - first[t];

        r = aggregate == SAMPLES_MEAN
                ? iterations_mean(values + first[t], count, &samples[t], error)
                : iterations_median(values + first[t], count, &samples[t], error);
        if (r < 0)
            return builder->names[t] ? culprit_error_prefix(error, "trial %s", builder->names[t])
                                     : culprit_error_prefix(error, "trial %u", t + 1);
    }
    *ret = (struct samples_set){
        .values = take(samples), .count = builder->trials, .read = builder->count};
    return 0;
}

void samples_set_free(struct samples_set *set)
{
    free(set->values);
    *set = (struct samples_set){0};
}
