/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A moment by two clocks, kept in a file to be compared with later ones. make goes by the times
 * that the wall clock gave to files, so after that clock was set back a file can pass for older or
 * newer than it is. The time since boot tells: nothing sets that one. Private to this folder; pure
 * but for instant_now().
 */
#ifndef CULPRIT_BUILD_INSTANT_H
#define CULPRIT_BUILD_INSTANT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { INSTANT_BOOT_SIZE = 37, INSTANT_TEXT_MAXIMUM = 128 };

struct instant {
    char boot[INSTANT_BOOT_SIZE]; /* another one after each start of the host */
    int64_t wall_ns, since_boot_ns;
};

int instant_now(struct instant *ret, struct culprit_error *error);

/* One line and its end. */
void instant_write(const struct instant *instant, char text[INSTANT_TEXT_MAXIMUM]);
/* False: it is none. */
bool instant_read(const char *text, struct instant *ret);

bool instant_same_boot(const struct instant *a, const struct instant *b);
/* Whether the wall clock was set back between the two: within one boot by more than it may drift
 * (0.1 s, and a thousandth of the time between); over a boot, by more than the time between. */
bool instant_set_back(const struct instant *then, const struct instant *now);

#endif
