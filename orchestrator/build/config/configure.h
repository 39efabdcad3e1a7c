/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what a recipe asks for to the .config of a build directory. Blocking. */
#ifndef CULPRIT_BUILD_CONFIGURE_H
#define CULPRIT_BUILD_CONFIGURE_H

#include "build/builder.h"
#include "build/config/kconfig.h"
#include "build/make.h"
#include "build/slot/slot.h"

/* The options of the recipe's fragments and then its single ones; later ones replace earlier ones,
 * also where both are of one choice (PREEMPT=y over PREEMPT_VOLUNTARY=y). "HZ": a number stands for
 * the choice of that number too, as CONFIG_HZ itself cannot be set. INVALID, NOT_FOUND. */
int configure_asked(const struct build_recipe *recipe, struct kconfig **ret,
                    struct culprit_error *error);

/*
 * Starts from the recipe's own .config, or from `make tinyconfig`; puts the options over it; lets
 * `make olddefconfig` complete it; and checks that each option took. Works in the slot's config
 * directory and changes the build directory's .config only if the result is another one, so that
 * make sees no change where there is none.
 *
 * FAILED names the option that did not take; else the errors of make_target().
 */
int configure(struct make *make, const struct slot *slot, const struct kconfig *asked,
              const char *config_file, struct culprit_error *error);

#endif
