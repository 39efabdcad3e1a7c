/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/units.h"
#include "scratch.h"

struct number_case {
    const char *text;
    bool valid;
    uint64_t value;
};

typedef int (*parser)(const char *text, uint64_t *ret, struct culprit_error *error);

static void check(parser parse, const struct number_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct culprit_error error = {0};
        uint64_t value = 77;
        int r = parse(cases[i].text, &value, &error);

        if (cases[i].valid && (r != 0 || value != cases[i].value))
            fail_msg("\"%s\" gives %d and %" PRIu64 " instead of %" PRIu64 " (%s)", cases[i].text,
                     r, value, cases[i].value, error.message);
        if (!cases[i].valid && r != -CULPRIT_INVALID)
            fail_msg("\"%s\" gives %d and %" PRIu64 " instead of an error", cases[i].text, r,
                     value);
        if (!cases[i].valid && !strstr(error.message, cases[i].text))
            fail_msg("\"%s\" is not quoted in \"%s\"", cases[i].text, error.message);
    }
}

static int parse_percent_of_a_hundred(const char *text, uint64_t *ret, struct culprit_error *error)
{
    double value;
    int r = parse_percent(text, 100, &value, error);

    if (r == 0)
        *ret = (uint64_t)llround(value * 1000);
    return r;
}

static int parse_count_to_999(const char *text, uint64_t *ret, struct culprit_error *error)
{
    return parse_count(text, 5, 999, ret, error);
}

static void counts(void **state)
{
    static const struct number_case cases[] = {
        {"5", true, 5},     {"999", true, 999},
        {"10", true, 10},   {"4", false, 0},
        {"1000", false, 0}, {"", false, 0},
        {"010", false, 0},  {"10x", false, 0},
        {" 10", false, 0},  {"10 ", false, 0},
        {"+10", false, 0},  {"-10", false, 0},
        {"1e1", false, 0},  {"0x10", false, 0},
        {"10.0", false, 0}, {"18446744073709551626", false, 0}, /* 10 modulo 2^64 */
    };

    (void)state;
    check(parse_count_to_999, cases, sizeof cases / sizeof *cases);
}

static void durations(void **state)
{
    static const struct number_case cases[] = {
        {"0", true, 0},
        {"250ns", true, 250},
        {"4us", true, 4000},
        {"30ms", true, 30000000},
        {"1.5s", true, 1500000000},
        {"0.000000001s", true, 1},
        {"2m", true, UINT64_C(120000000000)},
        {"12h", true, UINT64_C(43200000000000)},
        {"1d", true, UINT64_C(86400000000000)},
        {"0s", true, 0},
        {"30", false, 0},
        {"1.5ns", false, 0},
        {"0.0000000001s", false, 0},
        {"1e3s", false, 0},
        {"01s", false, 0},
        {".5s", false, 0},
        {"5.s", false, 0},
        {"1.2.3s", false, 0},
        {"30 s", false, 0},
        {"30S", false, 0},
        {"-1s", false, 0},
        {"1h30m", false, 0},
        {"213504d", false, 0}, /* more than 2^64 ns */
        {"99999999999999999999s", false, 0},
    };

    (void)state;
    check(parse_duration, cases, sizeof cases / sizeof *cases);
}

static void sizes(void **state)
{
    static const struct number_case cases[] = {
        {"4096", true, 4096},
        {"64KiB", true, 65536},
        {"512MiB", true, UINT64_C(512) << 20},
        {"2GiB", true, UINT64_C(2) << 30},
        {"1.5GiB", true, UINT64_C(1536) << 20},
        {"1TiB", true, UINT64_C(1) << 40},
        {"0", true, 0},
        {"1.5", false, 0},
        {"1KB", false, 0},
        {"1MB", false, 0},
        {"1M", false, 0},
        {"1kib", false, 0},
        {"16777216TiB", false, 0}, /* 2^64 */
        {"010", false, 0},
    };

    (void)state;
    check(parse_size, cases, sizeof cases / sizeof *cases);
}

static void percentages(void **state)
{
    static const struct number_case cases[] = {
        {"10%", true, 10000}, {"0.5%", true, 500}, {"0%", true, 0},    {"100%", true, 100000},
        {"101%", false, 0},   {"10", false, 0},    {"10 %", false, 0}, {"-1%", false, 0},
        {"1e1%", false, 0},   {"%", false, 0},     {"10%%", false, 0},
    };

    (void)state;
    check(parse_percent_of_a_hundred, cases, sizeof cases / sizeof *cases);
}

static void reals(void **state)
{
    static const char *const bad[] = {"",      "nan", "inf", "1e3", "1.", ".5",
                                      "0x1p3", "--1", "- 1", "1 ",  "11", "-2"};
    struct culprit_error error = {0};
    double value = 0;

    (void)state;
    assert_success(parse_real("0.99", 0, 1, &value, &error));
    assert_true(value >= 0.99 && value <= 0.99);
    assert_success(parse_real("-1", -1, 10, &value, &error));
    assert_true(value <= -1 && value >= -1);
    assert_success(parse_real("2.5", -1, 10, &value, &error));
    assert_true(value >= 2.5 && value <= 2.5);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_failure(parse_real(bad[i], -1, 10, &value, &error), CULPRIT_INVALID);
}

static void printing_reads_back(void **state)
{
    char text[UNITS_TEXT_SIZE];
    struct culprit_error error = {0};
    struct random random;
    uint64_t value;

    (void)state;
    assert_string_equal(format_duration(1500000000, text), "1500ms");
    assert_string_equal(format_duration(UINT64_C(60000000000), text), "1m");
    assert_string_equal(format_duration(0, text), "0");
    assert_string_equal(format_size(UINT64_C(1536) << 20, text), "1536MiB");
    assert_string_equal(format_size(1000, text), "1000");
    random_seed(&random, 1);
    for (int i = 0; i < 1000; i++) {
        uint64_t given = random_next(&random) >> random_below(&random, 64);

        assert_success(parse_duration(format_duration(given, text), &value, &error));
        assert_true(value == given);
        assert_success(parse_size(format_size(given, text), &value, &error));
        assert_true(value == given);
    }
    assert_success(parse_duration(format_duration(UINT64_MAX, text), &value, &error));
    assert_true(value == UINT64_MAX);
}

static void short_durations_are_for_people(void **state)
{
    static const struct {
        uint64_t ns;
        const char *text;
    } cases[] = {
        {0, "0ns"},
        {999, "999ns"},
        {1000, "1.0us"},
        {999949, "999.9us"},
        {999950, "1.0ms"},
        {UINT64_C(12340000000), "12.3s"},
        {UINT64_C(59949000000), "59.9s"},
        {UINT64_C(59960000000), "1m 00s"},
        {UINT64_C(725000000000), "12m 05s"},
        {UINT64_C(3599600000000), "1h 00m"},
        {UINT64_C(11220000000000), "3h 07m"},
        {UINT64_C(86399000000000), "1d 00h"},
        {UINT64_C(190800000000000), "2d 05h"},
        {UINT64_MAX, "213504d 00h"},
    };
    char text[UNITS_TEXT_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(format_duration_short(cases[i].ns, text), cases[i].text) != 0)
            fail_msg("%" PRIu64 " ns prints \"%s\" instead of \"%s\"", cases[i].ns, text,
                     cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(durations),
        cmocka_unit_test(sizes),
        cmocka_unit_test(percentages),
        cmocka_unit_test(reals),
        cmocka_unit_test(printing_reads_back),
        cmocka_unit_test(short_durations_are_for_people),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
