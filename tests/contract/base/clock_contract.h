/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every clock keeps (base/clock.h). */
#ifndef CULPRIT_TESTS_CLOCK_CONTRACT_H
#define CULPRIT_TESTS_CLOCK_CONTRACT_H

#include "base/clock.h"

/* Gives the number of failed checks. */
int clock_contract(const char *name, const struct clock *clock);

#endif
