/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libFuzzer, or mutate.c, calls with each input; it aborts where a promise is broken. */
#ifndef CULPRIT_TESTS_FUZZ_H
#define CULPRIT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
