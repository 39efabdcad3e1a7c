/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A slot: a kernel source tree and its build directory, kept from build to build. At most one
 * holder at a time, in whatever process: flock() on slots/N/lock, which the kernel lets go when
 * the holder dies.
 *
 *     slots/N/source        the check-out (source.state beside it is source/'s)
 *     slots/N/build         make's O=
 *     slots/N/config        a second O=, where only configurations are made
 *     slots/N/holds         what the build directory was last used for
 *     slots/N/building      there while make runs, or was when it was cut off
 *
 * After a build that was cut off slot_claim() removes what may be half written (cut_off.h), and
 * everything after the clock was set back.
 */
#ifndef CULPRIT_BUILD_SLOT_H
#define CULPRIT_BUILD_SLOT_H

#include <stdbool.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/digest.h"
#include "base/error.h"

/* What a build directory holds; "" where nothing is known. */
struct slot_holds {
    char recipe[DIGEST_HEX_SIZE];   /* of the last build that succeeded, while it is intact */
    char image[DIGEST_HEX_SIZE];    /* of that build */
    char settings[DIGEST_HEX_SIZE]; /* of the last build begun: configuration and compiler */
};

struct slot {
    unsigned number;
    char *source;
    char *build;
    char *config;
    struct slot_holds holds;

    char *directory; /* the rest is the slot's own */
    int lock_fd;
    int held_fd; /* open for writing while the lock is held: its close wakes who waits */
};

/* Takes the free slot that is nearest to `wanted`: the one that holds that recipe, else one with
 * equal settings, else an empty one, else any; among equals the one used last (first for "any").
 * Waits while all are taken. CANCELLED; NO_SPACE, DENIED and others when it cannot be set up. */
int slot_claim(const char *cache_directory, unsigned slots, const struct slot_holds *wanted,
               struct cancel *cancel, struct slot **ret, struct culprit_error *error);

/* Frees it for others; NULL does nothing. */
void slot_release(struct slot *slot);
DEFINE_CLEANUP(struct slot *, slot_release);

/* Around make: slot_begin() says that the directories are about to change and what for;
 * slot_checkpoint() that a make came to its own end with more to come, so that what is there now
 * stays if the next is cut off; slot_end() that the last one did, and what is there now. Without
 * slot_end() the next claim cleans up. The latter two make sure that it is on the disk; IO when the
 * clock was set back meanwhile, so that make may have gone wrong. */
int slot_begin(struct slot *slot, const char *settings, struct culprit_error *error);
int slot_checkpoint(struct slot *slot, struct culprit_error *error);
int slot_end(struct slot *slot, const struct slot_holds *holds, struct culprit_error *error);

/* Empties build and config directory (the check-out stays): the next build is a clean one. */
int slot_wipe(struct slot *slot, struct culprit_error *error);

#endif
