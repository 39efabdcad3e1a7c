/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/room.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/units.h"

/* Of a small kernel that was built here before, vmlinux alone is written anew. */
static const uint64_t BUILD_MINIMUM = UINT64_C(64) << 20;

bool room_is_missing(const char *message)
{
    static const int numbers[] = {ENOSPC, EDQUOT};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strstr(message, strerrordesc_np(numbers[i])))
            return true;
    }
    return false;
}

/* Bytes that this user may still write; UINT64_MAX when that cannot be told. */
static uint64_t room_left(const char *directory)
{
    struct statvfs disk;

    if (statvfs(directory, &disk) < 0)
        return UINT64_MAX;
    return (uint64_t)(geteuid() == 0 ? disk.f_bfree : disk.f_bavail) * disk.f_frsize;
}

int room_fail(const struct room *room, const char *message, struct culprit_error *error)
{
    char copy[600];

    /* Cut where the whole still fits. */
    snprintf(copy, sizeof copy, "%s", message);
    if (room_left(room->state_directory) < room_left(room->cache_directory))
        return culprit_fail(error, CULPRIT_NO_SPACE,
                            "the disk of the state directory %s is full: make room on it, or lower "
                            "keep.size, which bounds what is kept there; the work goes on by "
                            "itself (%s)",
                            room->state_directory, copy);
    return culprit_fail(error, CULPRIT_NO_SPACE,
                        "the disk of the cache directory %s is full: make room on it, for example "
                        "by deleting that directory while culpritd is stopped; the work goes on "
                        "by itself (%s)",
                        room->cache_directory, copy);
}

int room_check_build(const struct room *room, struct culprit_error *error)
{
    uint64_t left = room_left(room->cache_directory);
    char has[UNITS_TEXT_SIZE], needs[UNITS_TEXT_SIZE], message[160];

    if (left >= BUILD_MINIMUM)
        return 0;
    snprintf(message, sizeof message, "%s are left, and no kernel is built in less than %s",
             format_size(left, has), format_size(BUILD_MINIMUM, needs));
    return room_fail(&(struct room){room->cache_directory, room->cache_directory}, message, error);
}
