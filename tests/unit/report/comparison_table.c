/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/comparison_table.h"

#define COUNT(array_) (sizeof(array_) / sizeof *(array_))

static const double good[] = {7288, 12880, 2516, 8880, 5120};
static const double bad[] = {15984, 16080, 15792, 16144, 15936};
static const double same[] = {7300, 12000, 2600, 8700, 5300};
static const double zeros[] = {0, 0, 0, 0, 0}, counts[] = {3, 4, 5, 6, 7};
static const double flat[] = {1000, 1001, 1002, 1003, 1004};
static const double raised[] = {1005, 1006, 1007, 1008, 1009};
static const double three[] = {1, 2, 3};

static struct comparison compare(const double *base, const double *other, size_t count,
                                 enum comparison_better better, double alpha, double noise)
{
    struct comparison_options options = COMPARISON_OPTIONS_DEFAULT;
    struct comparison comparison;
    struct culprit_error error = {0};

    options.better = better;
    options.alpha = alpha;
    options.noise = noise;
    if (comparison_make(base, count, other, count, &options, &comparison, &error) < 0)
        fail_msg("%s", error.message);
    return comparison;
}

static void test_words_and_sentences(void **state)
{
    const struct {
        const double *base, *other;
        size_t count;
        enum comparison_better better;
        double noise;
        const char *word, *sentence;
    } cases[] = {
        {good, bad, 5, COMPARISON_LOWER, 0, "worse",
         "B is worse than A, by +119.3% (99% interval +40.0% to +187.0%); p = 0.0079 of 5 and 5 "
         "trials; 2.19 times the base's median (bootstrap 1.24 to 6.39)."},
        {good, bad, 5, COMPARISON_HIGHER, 0, "better", "B is better than A, by +119.3% "},
        {good, bad, 5, COMPARISON_NEITHER, 0, "higher", "B is higher than A, by +119.3% "},
        {bad, good, 5, COMPARISON_NEITHER, 0, "lower", "B is lower than A, by -54.4% "},
        {zeros, counts, 5, COMPARISON_LOWER, 0, "worse",
         "B is worse than A, by +5 (99% interval +3 to +7); p = 0.0079 of 5 and 5 trials."},
        {good, same, 5, COMPARISON_LOWER, 0, "no difference",
         "No difference was shown between A and B: p = 1.00 of 5 and 5 trials. So many trials show "
         "a difference of 167% nine times in ten; one of 1% takes 138619 trials a side."},
        {zeros, zeros, 5, COMPARISON_LOWER, 0, "no difference",
         "No difference was shown between A and B: p = 1.00 of 5 and 5 trials."},
        {flat, raised, 5, COMPARISON_LOWER, 0, "too small",
         "B is higher than A, by +0.5% (99% interval +0.1% to +0.9%); p = 0.0079 of 5 and 5 "
         "trials; "
         "1.00 times the base's median (bootstrap 1.00 to 1.01). That is no more than the 1% that "
         "were to count."},
        {flat, raised, 5, COMPARISON_LOWER, 0.02, "too small",
         " That is no more than the 2% by which identical builds differ."},
        {three, three, 3, COMPARISON_LOWER, 0, "needs 2 more",
         "A and B cannot be told apart by 3 and 3 trials, whatever they measure: at a level of "
         "0.01 "
         "it takes 2 more a side."},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct comparison it = compare(cases[i].base, cases[i].other, cases[i].count,
                                       cases[i].better, 0.01, cases[i].noise);
        _cleanup_buffer_ struct buffer text = BUFFER_INIT(4096);
        char word[FIGURE_TEXT_SIZE];

        comparison_sentence(&text, &it, "A", "B");
        if (strcmp(comparison_word(&it, word), cases[i].word) != 0 ||
            !strstr(text.data, cases[i].sentence))
            fail_msg("case %zu: \"%s\", \"%s\"\nwant \"%s\", \"%s\"", i, comparison_word(&it, word),
                     text.data, cases[i].word, cases[i].sentence);
        assert_null(strstr(text.data, "nan"));
        assert_null(strstr(text.data, "inf"));
    }
}

static void test_table(void **state)
{
    struct comparison items[] = {compare(good, bad, 5, COMPARISON_LOWER, 0.05, 0),
                                 compare(good, same, 5, COMPARISON_LOWER, 0.05, 0)};
    const struct comparison_entry entries[] = {{"bad\x1b[2J", &items[0]}, {"same", &items[1]}};
    static const char *const wanted[] = {
        "        base        other    change       95% interval       p          n  verdict        "
        "other\n"
        "------------ ------------ --------- ------------------ -------  ---------  -------------  "
        "-----\n",
        " 7288 +- 67% 15984 +-  1%   +119.3%  [+42.6%, +184.8%]  0.0159        5/5  worse         "
        " ",
        "bad?[2J\n",
        "no difference  same\n",
        "\nNo difference was shown between good and same: p = 1.00 of 5 and 5 trials,\ncorrected",
    };
    struct culprit_error error = {0};
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(16384);

    (void)state;
    assert_int_equal(comparison_correct(items, 2, &error), 0);
    comparison_table(&text, "good", entries, 2);
    for (size_t i = 0; i < COUNT(wanted); i++)
        if (!strstr(text.data, wanted[i]))
            fail_msg("no \"%s\" in\n%s", wanted[i], text.data);
}

/* Medians of any size keep to the column, and say of which size they are. */
static void test_sides(void **state)
{
    static const struct {
        double median, scale;
        const char *text;
    } cases[] = {
        {0, 0.752, "0 +-0.752"},           {7123, 12, "7123 +-  0%"},
        {99999, 5000, "99999 +-  5%"},     {99999.6, 5000, "100k +-  5%"},
        {473979, 28000, "474k +-  6%"},    {9999499, 0, "9999k +-  0%"},
        {9999500, 0, "10.0M +-  0%"},      {-12345678, 1234568, "-12.3M +- 10%"},
        {99949999, 0, "99.9M +-  0%"},     {99950000, 0, "100M +-  0%"},
        {4635221152, 4e8, "4635M +-  9%"}, {8392308968e3, 4e11, "8392G +-  5%"},
        {9e15, 0, "9000T +-  0%"},         {2e16, 0, "2.000e+16 +-  0%"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct sample_summary side = {.median = cases[i].median,
                                            .robust_scale = cases[i].scale};
        char text[2 * FIGURE_TEXT_SIZE];

        assert_string_equal(figure_side(&side, text), cases[i].text);
    }
    const struct sample_summary single = {.count = 1, .median = 9338.88};
    char text[2 * FIGURE_TEXT_SIZE];
    assert_string_equal(figure_side(&single, text), "9339 +-   -");
}

/* The members are all there, and what is not known is null. */
static void test_json(void **state)
{
    static const char *const unknown[] = {"percent", "ratio", "noise_percent"};
    struct comparison it = compare(zeros, counts, 5, COMPARISON_LOWER, 0.01, 0);
    json_t *json = comparison_json(&it);

    (void)state;
    assert_non_null(json);
    assert_int_equal(json_object_size(json), 13);
    for (size_t i = 0; i < COUNT(unknown); i++)
        assert_true(json_is_null(json_object_get(json, unknown[i])));
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), "worse");
    assert_true(fabs(json_number_value(json_object_get(json, "confidence")) - 0.99) < 1e-12);
    json_decref(json);
    it = compare(three, three, 3, COMPARISON_LOWER, 0.01, 0);
    json = comparison_json(&it);
    assert_true(json_is_null(json_object_get(json, "lower")));
    assert_int_equal(json_integer_value(json_object_get(json, "needs_more")), 2);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_and_sentences),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
