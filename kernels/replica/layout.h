/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which kind of commit stands where in a history: a pure function of the number of commits, the
 * seed, how many faults there are, and the place asked for. Number 0 is the imported source (good),
 * the last is the tip (bad); parents come before children, a side branch in one piece before its
 * merge:
 *
 *                    s1--s2--s3            fork = 4, parallel = 2, side = 3:
 *                   /          \           main 1 … 6, side 7 8 9, merge 10, main 11 …
 *     0--1--2--3--4--5--6------10--11--12
 *
 * These are the numbers that culprit's own walk over the range gives too.
 */
#ifndef CULPRIT_REPLICA_LAYOUT_H
#define CULPRIT_REPLICA_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { LAYOUT_COMMITS_MAXIMUM = 256, LAYOUT_FAULTS_MAXIMUM = 2 };

enum slot_kind {
    SLOT_NONE = 0,
    SLOT_UNBUILT,  /* drivers and architectures that the guest does not have */
    SLOT_DOCUMENT, /* documentation */
    SLOT_BUILT,    /* a clean-up in mm, fs, net, lib, … */
    SLOT_SCHED,    /* scheduler, without effect on the metric */
    SLOT_FAULT,
    SLOT_BROKEN, /* does not compile */
    SLOT_FIX,    /* repairs the one before */
    SLOT_REVERT, /* takes an earlier scheduler change back */
    SLOT_REAPPLY,
    SLOT_MERGE,
};

const char *slot_kind_name(enum slot_kind kind);

struct layout {
    unsigned count;                                   /* commits; numbered 1 … count */
    enum slot_kind kinds[LAYOUT_COMMITS_MAXIMUM + 1]; /* by number */
    unsigned fork;                   /* the commit that the side branch starts at */
    unsigned side_first, side_count; /* side_count 0: no side branch */
    unsigned merge;
    unsigned faults[LAYOUT_FAULTS_MAXIMUM]; /* numbers, in the order of the case's faults */
    unsigned fault_count;
    unsigned reverted; /* the SLOT_SCHED commit that is reverted and applied again; 0: none */
};

enum place_wanted { PLACE_ANYWHERE, PLACE_ON_MAIN, PLACE_ON_SIDE, PLACE_AT_NUMBER };

struct layout_options {
    unsigned commits; /* 1 to LAYOUT_COMMITS_MAXIMUM */
    uint64_t seed;
    unsigned faults;         /* 0 to LAYOUT_FAULTS_MAXIMUM */
    enum place_wanted place; /* of the first fault; the second is anywhere that descends from it */
    unsigned number;         /* PLACE_AT_NUMBER */
};

/* INVALID when a place cannot be had: no side branch in so short a history, number out of range or
 * taken by the merge, nothing after it to be the second fault, nothing to place. */
int layout_make(const struct layout_options *options, struct layout *ret,
                struct culprit_error *error);

bool layout_on_side(const struct layout *layout, unsigned number);

#endif
