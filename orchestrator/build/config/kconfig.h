/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel configurations as text: what a .config or a fragment says, two of them put together, and
 * whether what was asked for is what came out. Knows the syntax, not the kernel: dependencies are
 * the business of `make olddefconfig`. Pure; one thread at a time per object.
 */
#ifndef CULPRIT_BUILD_KCONFIG_H
#define CULPRIT_BUILD_KCONFIG_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/error.h"

/* A set of options in the order in which they were first named. */
struct kconfig;

int kconfig_new(struct kconfig **ret, struct culprit_error *error);
void kconfig_free(struct kconfig *config);
DEFINE_CLEANUP(struct kconfig *, kconfig_free);

/* Sets one option; the last value counts. `name` is without CONFIG_. The value is y, m, n, a
 * decimal or 0x number, or a string with or without its quotes. INVALID for anything else. */
int kconfig_set(struct kconfig *config, const char *name, const char *value,
                struct culprit_error *error);

/* Forgets an option; it is no error if it is not there. */
void kconfig_remove(struct kconfig *config, const char *name);

/* Calls `visit` for each option in order, until one call fails; returns what that returned. */
int kconfig_each(const struct kconfig *config,
                 int (*visit)(void *context, const char *name, const char *value,
                              struct culprit_error *error),
                 void *context, struct culprit_error *error);

/* The value as a .config writes it (strings quoted), "n" when the option is absent or not set.
 * Lent until the next kconfig_set(). */
const char *kconfig_get(const struct kconfig *config, const char *name);

/* Reads "CONFIG_X=v" and "# CONFIG_X is not set" lines; other comments and empty lines are passed
 * over. INVALID names `what` and the line. */
int kconfig_parse(struct kconfig *config, const char *text, const char *what,
                  struct culprit_error *error);

/* Writes `base` without the options that `asked` has, then those: an option of a choice that is
 * read last wins. `base` may be NULL. */
void kconfig_write(const struct kconfig *base, const struct kconfig *asked, struct buffer *text);

/* FAILED when an option asked for has another value in `actual`: the message names it, what was
 * asked and what it is, and how many others did not take either. ret_name (may be NULL) lends the
 * name of the first. Numbers compare by value; an option asked to be n may be absent. */
int kconfig_check(const struct kconfig *asked, const struct kconfig *actual, const char **ret_name,
                  struct culprit_error *error);

#endif
