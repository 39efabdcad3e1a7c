/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mark of a build under way. A make that is killed can leave half a file that is newer than its
 * sources, and the next make would take it for done. So where the mark is found, what came after
 * it is removed, but for the objects that are known to be finished (finished.h). What make makes of
 * the rest is then what it would have made of nothing, and a cold build that was cut off does not
 * begin anew.
 *
 * Nothing is known of files that a crash of the host may have kept from the disk: after one nothing
 * newer than the mark stays. And where the clock was set back since the mark, nothing is newer or
 * older than it for certain: then nothing stays at all.
 */
#ifndef CULPRIT_BUILD_CUT_OFF_H
#define CULPRIT_BUILD_CUT_OFF_H

#include <stdbool.h>

#include "base/error.h"

/* Says that what is there now is whole, and that the build goes on from here. Whoever says so has
 * it on the disk. */
int cut_off_mark(const char *mark, struct culprit_error *error);

/* IO when the clock was set back since the mark: what was made after that may be made of stale
 * files. */
int cut_off_check_clock(const char *mark, struct culprit_error *error);

/* Cleans up if the mark is there (*ret_was) and leaves it, for the caller to remove: until then
 * this can be done again. */
int cut_off_recover(const char *mark, const char *build, const char *config, bool *ret_was,
                    struct culprit_error *error);

#endif
