/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram of durations with a bounded relative error: values below 1024 have a bucket each,
 * and every further power of two has 512 buckets, so that a bucket is at most 1/512 of its value
 * wide. Fixed size, no allocation, no page fault after the first touch. Adding is thread-safe;
 * everything else wants all adding threads stopped, or accepts a picture in motion.
 */
#ifndef CULPRIT_AGENT_HISTOGRAM_H
#define CULPRIT_AGENT_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

enum {
    HISTOGRAM_LINEAR_BITS = 10,
    HISTOGRAM_VALUE_BITS = 44, /* values from 2^44 ns (4.9 hours) on share the last bucket */
    HISTOGRAM_BUCKETS = (1 << HISTOGRAM_LINEAR_BITS) +
                        (HISTOGRAM_VALUE_BITS - HISTOGRAM_LINEAR_BITS) *
                            (1 << (HISTOGRAM_LINEAR_BITS - 1)),
};

struct histogram {
    _Atomic uint64_t buckets[HISTOGRAM_BUCKETS];
};

void histogram_add(struct histogram *histogram, uint64_t value);
void histogram_clear(struct histogram *histogram);
void histogram_merge(struct histogram *into, const struct histogram *from);
uint64_t histogram_total(const struct histogram *histogram);

/* The largest value that bucket `index` holds. */
uint64_t histogram_upper_bound(unsigned index);

/* Nearest rank: the upper bound of the bucket that holds the value of rank
 * ceil(per_mille * total / 1000), at least rank 1: 0 gives the smallest, 500 the median, 1000 the
 * largest. In whole thousandths, so that no rounding moves a rank. 0 when empty. */
uint64_t histogram_quantile(const struct histogram *histogram, unsigned per_mille);

#endif
