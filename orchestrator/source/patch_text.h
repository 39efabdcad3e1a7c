/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patches as people send them: unified diffs by git, diff or quilt, single mails and mboxes of
 * git format-patch. Reads such a text into parts that can be applied one after the other, each a
 * plain git diff in which no file appears twice. What is not diff (headers, messages, diffstats,
 * signatures) is left out. Pure; internal to source/.
 */
#ifndef CULPRIT_SOURCE_PATCH_TEXT_H
#define CULPRIT_SOURCE_PATCH_TEXT_H

#include <stddef.h>

#include "base/error.h"
#include "base/strv.h"

enum {
    PATCH_TEXT_MAXIMUM = 16 << 20, /* bytes of one patch */
    PATCH_PARTS_MAXIMUM = 256,
};

/* FAILED when the text has no diff, or a hunk is cut short (the message names file and hunk);
 * LIMIT when it is too long or has too many parts. */
int patch_text_split(const char *text, struct strv *ret_parts, struct culprit_error *error);

#endif
