/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build/slot/instant.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/file.h"

#define BOOT_ID_PATH "/proc/sys/kernel/random/boot_id"

enum { BOOT_ID_MAXIMUM = 64 };

static const int64_t READING_NS = 100000000; /* the two clocks are read one after the other */
/* adjtimex(2) makes a clock up to 500 ppm slower; twice that is no step yet. */
static const int64_t DRIFT_DIVISOR = 1000;

static int64_t read_clock(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int instant_now(struct instant *ret, struct culprit_error *error)
{
    _cleanup_free_ char *boot = NULL;
    int r = file_read(BOOT_ID_PATH, BOOT_ID_MAXIMUM, &boot, NULL, error);

    if (r < 0)
        return r;
    snprintf(ret->boot, sizeof ret->boot, "%.*s", (int)strcspn(boot, "\n"), boot);
    ret->wall_ns = read_clock(CLOCK_REALTIME);
    ret->since_boot_ns = read_clock(CLOCK_BOOTTIME);
    return 0;
}

void instant_write(const struct instant *instant, char text[INSTANT_TEXT_MAXIMUM])
{
    snprintf(text, INSTANT_TEXT_MAXIMUM, "%s %" PRId64 " %" PRId64 "\n", instant->boot,
             instant->wall_ns, instant->since_boot_ns);
}

bool instant_read(const char *text, struct instant *ret)
{
    char end = '\0';

    return sscanf(text, "%36s %" SCNd64 " %" SCNd64 "%c", ret->boot, &ret->wall_ns,
                  &ret->since_boot_ns, &end) == 4 &&
           end == '\n';
}

bool instant_same_boot(const struct instant *a, const struct instant *b)
{
    return strcmp(a->boot, b->boot) == 0;
}

bool instant_set_back(const struct instant *then, const struct instant *now)
{
    int64_t passed = now->since_boot_ns - then->since_boot_ns;

    if (!instant_same_boot(then, now))
        return now->wall_ns < then->wall_ns;
    return now->wall_ns - then->wall_ns < passed - READING_NS - passed / DRIFT_DIVISOR;
}
