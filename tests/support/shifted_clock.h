/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A clock whose time of day a test can set; it goes on at the pace of the real one. */
#ifndef CULPRIT_TESTS_SHIFTED_CLOCK_H
#define CULPRIT_TESTS_SHIFTED_CLOCK_H

#include "base/clock.h"

/* *offset_ns is added to the time of day at each reading, and outlives the clock. */
struct clock shifted_clock(int64_t *offset_ns);

#endif
