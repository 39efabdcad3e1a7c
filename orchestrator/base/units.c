/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/units.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A decimal number as written: digits * 10^-decimals, and what follows it. */
struct decimal {
    uint64_t digits;
    unsigned decimals;
    const char *rest;
};

struct unit {
    const char *name;
    uint64_t factor;
};

static const struct unit durations[] = {
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000000},
    {"s", 1000000000},
    {"m", UINT64_C(60000000000)},
    {"h", UINT64_C(3600000000000)},
    {"d", UINT64_C(86400000000000)},
};

static const struct unit sizes[] = {
    {"", 1},
    {"KiB", UINT64_C(1) << 10},
    {"MiB", UINT64_C(1) << 20},
    {"GiB", UINT64_C(1) << 30},
    {"TiB", UINT64_C(1) << 40},
};

enum { DURATION_COUNT = sizeof durations / sizeof *durations };
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };

/* Long input is cut in messages, so that they stay sentences. */
#define QUOTED "\"%.60s\""

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads digits into *value, after what is there already. False when they do not fit. */
static bool read_digits(const char **at, uint64_t *value)
{
    for (; is_digit(**at); (*at)++) {
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(**at - '0'), value))
            return false;
    }
    return true;
}

/* Reads "12" or "12.5". False for no digits, a leading zero, a dot without digits on both sides,
 * and what does not fit into 64 bits. */
static bool read_decimal(const char *text, struct decimal *ret)
{
    struct decimal number = {.rest = text};

    if (!is_digit(text[0]) || (text[0] == '0' && is_digit(text[1])))
        return false;
    if (!read_digits(&number.rest, &number.digits))
        return false;
    if (number.rest[0] == '.' && is_digit(number.rest[1])) {
        const char *point = number.rest++;

        if (!read_digits(&number.rest, &number.digits))
            return false;
        number.decimals = (unsigned)(number.rest - point - 1);
    }
    *ret = number;
    return true;
}

int parse_count(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *ret,
                struct culprit_error *error)
{
    struct decimal number;

    if (!read_decimal(text, &number) || number.decimals > 0 || *number.rest != '\0' ||
        number.digits < minimum || number.digits > maximum)
        return culprit_fail(error, CULPRIT_INVALID,
                            QUOTED " is not a whole number from %" PRIu64 " to %" PRIu64, text,
                            minimum, maximum);
    *ret = number.digits;
    return 0;
}

/* number * factor, if that is a whole number that fits. */
static bool scale(const struct decimal *number, uint64_t factor, uint64_t *ret)
{
    unsigned __int128 product = (unsigned __int128)number->digits * factor;

    for (unsigned i = 0; i < number->decimals; i++) {
        if (product % 10 != 0)
            return false;
        product /= 10;
    }
    *ret = (uint64_t)product;
    return product <= UINT64_MAX;
}

/* Reads a number and one of `units`. */
static bool read_with_unit(const char *text, const struct unit *units, size_t count, uint64_t *ret)
{
    struct decimal number;

    if (!read_decimal(text, &number))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(number.rest, units[i].name) == 0)
            return scale(&number, units[i].factor, ret);
    }
    return false;
}

int parse_duration(const char *text, uint64_t *ret_ns, struct culprit_error *error)
{
    if (strcmp(text, "0") == 0) {
        *ret_ns = 0;
        return 0;
    }
    if (!read_with_unit(text, durations, DURATION_COUNT, ret_ns))
        return culprit_fail(error, CULPRIT_INVALID,
                            QUOTED " is not a duration: a number and ns, us, ms, s, m, h or d, "
                                   "such as 30s or 1.5h, of whole nanoseconds",
                            text);
    return 0;
}

int parse_size(const char *text, uint64_t *ret_bytes, struct culprit_error *error)
{
    if (!read_with_unit(text, sizes, SIZE_COUNT, ret_bytes))
        return culprit_fail(error, CULPRIT_INVALID,
                            QUOTED " is not a size: a number of bytes, or of KiB, MiB, GiB or TiB, "
                                   "such as 512MiB",
                            text);
    return 0;
}

/* Exact powers and digits below 2^53 make the quotient the nearest double (Clinger, "How to read
 * floating point numbers accurately", 1990, fast path). */
static bool to_real(const struct decimal *number, double *ret)
{
    double power = 1.0;

    if (number->decimals > 22 || number->digits > (UINT64_C(1) << 53))
        return false;
    for (unsigned i = 0; i < number->decimals; i++)
        power *= 10.0;
    *ret = (double)number->digits / power;
    return true;
}

int parse_percent(const char *text, double maximum, double *ret, struct culprit_error *error)
{
    struct decimal number;
    double value;

    if (!read_decimal(text, &number) || strcmp(number.rest, "%") != 0 ||
        !to_real(&number, &value) || value > maximum)
        return culprit_fail(error, CULPRIT_INVALID,
                            QUOTED " is not a percentage from 0%% to %g%%, such as 10%%", text,
                            maximum);
    *ret = value;
    return 0;
}

int parse_real(const char *text, double minimum, double maximum, double *ret,
               struct culprit_error *error)
{
    struct decimal number;
    bool negative = text[0] == '-';
    bool valid = read_decimal(text + negative, &number) && *number.rest == '\0';
    double value;

    valid = valid && to_real(&number, &value);
    if (valid && negative)
        value = 0.0 - value;
    if (!valid || value < minimum || value > maximum)
        return culprit_fail(error, CULPRIT_INVALID, QUOTED " is not a number from %g to %g", text,
                            minimum, maximum);
    *ret = value;
    return 0;
}

/* The largest unit that leaves a whole number. */
static const char *format_exact(uint64_t value, const struct unit *units, size_t count,
                                char text[UNITS_TEXT_SIZE])
{
    const struct unit *unit = &units[0];

    if (value == 0) {
        snprintf(text, UNITS_TEXT_SIZE, "0");
        return text;
    }
    for (size_t i = 1; i < count && value % units[i].factor == 0; i++)
        unit = &units[i];
    snprintf(text, UNITS_TEXT_SIZE, "%" PRIu64 "%s", value / unit->factor, unit->name);
    return text;
}

const char *format_duration(uint64_t ns, char text[UNITS_TEXT_SIZE])
{
    return format_exact(ns, durations, DURATION_COUNT, text);
}

const char *format_size(uint64_t bytes, char text[UNITS_TEXT_SIZE])
{
    return format_exact(bytes, sizes, SIZE_COUNT, text);
}

static uint64_t divide_rounded(uint64_t value, uint64_t divisor)
{
    return value / divisor + (value % divisor >= divisor - divisor / 2);
}

/* Two units at the most: below a minute one with a decimal, above it the next smaller one in full
 * width. Each step rounds first, so that 59.96 s reads "1m 00s" and never "60.0s". */
const char *format_duration_short(uint64_t ns, char text[UNITS_TEXT_SIZE])
{
    uint64_t seconds = divide_rounded(ns, 1000000000);
    uint64_t minutes = divide_rounded(ns, UINT64_C(60000000000));
    uint64_t hours = divide_rounded(ns, UINT64_C(3600000000000));

    if (ns < 1000)
        snprintf(text, UNITS_TEXT_SIZE, "%" PRIu64 "ns", ns);
    else if (divide_rounded(ns, 100) < 10000)
        snprintf(text, UNITS_TEXT_SIZE, "%.1fus", (double)divide_rounded(ns, 100) / 10);
    else if (divide_rounded(ns, 100000) < 10000)
        snprintf(text, UNITS_TEXT_SIZE, "%.1fms", (double)divide_rounded(ns, 100000) / 10);
    else if (divide_rounded(ns, 100000000) < 600)
        snprintf(text, UNITS_TEXT_SIZE, "%.1fs", (double)divide_rounded(ns, 100000000) / 10);
    else if (seconds < 3600)
        snprintf(text, UNITS_TEXT_SIZE, "%" PRIu64 "m %02" PRIu64 "s", seconds / 60, seconds % 60);
    else if (minutes < 1440)
        snprintf(text, UNITS_TEXT_SIZE, "%" PRIu64 "h %02" PRIu64 "m", minutes / 60, minutes % 60);
    else
        snprintf(text, UNITS_TEXT_SIZE, "%" PRIu64 "d %02" PRIu64 "h", hours / 24, hours % 24);
    return text;
}
