/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/histogram.h"

enum {
    LINEAR = 1 << HISTOGRAM_LINEAR_BITS,
    PER_OCTAVE = LINEAR / 2,
};

static unsigned bucket_of(uint64_t value)
{
    if (value < LINEAR)
        return (unsigned)value;
    if (value >> HISTOGRAM_VALUE_BITS)
        return HISTOGRAM_BUCKETS - 1;
    unsigned octave = 63 - (unsigned)__builtin_clzll(value) - HISTOGRAM_LINEAR_BITS;
    /* The top HISTOGRAM_LINEAR_BITS bits of the value, without the leading one. */
    unsigned within = (unsigned)(value >> (octave + 1)) - PER_OCTAVE;
    return LINEAR + octave * PER_OCTAVE + within;
}

uint64_t histogram_upper_bound(unsigned index)
{
    if (index < LINEAR)
        return index;
    unsigned octave = (index - LINEAR) / PER_OCTAVE;
    uint64_t within = (index - LINEAR) % PER_OCTAVE;
    return ((PER_OCTAVE + within + 1) << (octave + 1)) - 1;
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
    atomic_fetch_add_explicit(&histogram->buckets[bucket_of(value)], 1, memory_order_relaxed);
}

static uint64_t count_of(const struct histogram *histogram, unsigned index)
{
    return atomic_load_explicit(&histogram->buckets[index], memory_order_relaxed);
}

void histogram_clear(struct histogram *histogram)
{
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        atomic_store_explicit(&histogram->buckets[i], 0, memory_order_relaxed);
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        atomic_fetch_add_explicit(&into->buckets[i], count_of(from, i), memory_order_relaxed);
}

uint64_t histogram_total(const struct histogram *histogram)
{
    uint64_t total = 0;

    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        total += count_of(histogram, i);
    return total;
}

uint64_t histogram_quantile(const struct histogram *histogram, unsigned per_mille)
{
    uint64_t total = histogram_total(histogram);
    /* In two parts, so that the product does not overflow. */
    uint64_t rank = total / 1000 * per_mille + (total % 1000 * per_mille + 999) / 1000;
    uint64_t passed = 0;

    if (rank < 1)
        rank = 1;
    for (unsigned i = 0; total > 0 && i < HISTOGRAM_BUCKETS; i++) {
        passed += count_of(histogram, i);
        if (passed >= rank)
            return histogram_upper_bound(i);
    }
    return 0;
}
