/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bubblewrap command line that kernel builds run under: no network, no processes but their
 * own, nothing of the host but its programs and libraries (read-only), a clean environment, and
 * the slot at paths that are the same for every slot and every host, so that they leave no trace
 * in the image. Works for root and, where user namespaces are allowed, for any user.
 */
#ifndef CULPRIT_BUILD_SANDBOX_H
#define CULPRIT_BUILD_SANDBOX_H

#include "base/error.h"
#include "base/strv.h"

/* Where the slot's directories lie inside. */
#define SANDBOX_SOURCE "/culprit/source" /* read-only */
#define SANDBOX_BUILD  "/culprit/build"
#define SANDBOX_CONFIG "/culprit/config"

struct sandbox {
    const char *source;
    const char *build;
    const char *config;
    const char *compiler; /* an absolute path outside /usr brings its installation along */
};

/* Appends bwrap with its options, up to where the program and its arguments follow. */
int sandbox_append(struct strv *argv, const struct sandbox *sandbox, struct culprit_error *error);

#endif
