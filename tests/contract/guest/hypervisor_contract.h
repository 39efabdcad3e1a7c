/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every hypervisor keeps. The guests are the modes of tests/support/payload.c; a scripted
 * hypervisor answers the same modes with the same bytes.
 */
#ifndef CULPRIT_TESTS_HYPERVISOR_CONTRACT_H
#define CULPRIT_TESTS_HYPERVISOR_CONTRACT_H

#include "guest/hypervisor.h"
#include "scratch.h"

/* Runs all checks against a hypervisor whose port files go below `directory`. Gives cmocka's
 * result: the number of failed checks. */
int hypervisor_contract(const char *name, struct hypervisor *hypervisor, const char *directory);

#endif
