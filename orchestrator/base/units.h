/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers with units, read strictly: the whole text must be the number, nothing is guessed, and
 * what does not fit is refused ("10x", "010", "1e3" and " 1" are errors). Messages give what was
 * found and what is allowed. Printing gives the shortest exact form, which reads back equal.
 */
#ifndef CULPRIT_BASE_UNITS_H
#define CULPRIT_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Decimal digits without a leading zero, minimum <= value <= maximum. */
int parse_count(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *ret,
                struct culprit_error *error);

/* "250ns" "4us" "30ms" "1.5s" "2m" "12h" "1d" -> nanoseconds. A bare "0" is allowed. */
int parse_duration(const char *text, uint64_t *ret_ns, struct culprit_error *error);

/* "4096" (bytes) "64KiB" "512MiB" "2GiB" "1TiB" -> bytes. KB and MB are refused as ambiguous. */
int parse_size(const char *text, uint64_t *ret_bytes, struct culprit_error *error);

/* "10%" or "0.5%" -> 10.0, 0.5; 0 <= value <= maximum. */
int parse_percent(const char *text, double maximum, double *ret, struct culprit_error *error);

/* A finite decimal number ("0.99", "-1", "2.5"); minimum <= value <= maximum. */
int parse_real(const char *text, double minimum, double maximum, double *ret,
               struct culprit_error *error);

enum { UNITS_TEXT_SIZE = 32 };
const char *format_duration(uint64_t ns, char text[UNITS_TEXT_SIZE]);       /* exact: "1500ms" */
const char *format_duration_short(uint64_t ns, char text[UNITS_TEXT_SIZE]); /* human: "12m 05s" */
const char *format_size(uint64_t bytes, char text[UNITS_TEXT_SIZE]);

#endif
