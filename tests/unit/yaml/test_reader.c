/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables that read a document into a struct, and what they say of one that does not fit. */
#include "yaml/reader.h"

#include <string.h>

#include "scratch.h"

enum colour { RED, GREEN, BLUE };

struct sample {
    unsigned number;
    uint64_t large, bytes, duration;
    bool flag;
    char *word, *line, *block;
    struct strv words;
    enum colour colour;
    struct {
        unsigned depth;
    } inner;
};

static READER_TYPE(read_colour)
{
    static const char *const words[] = {[RED] = "red", [GREEN] = "green", [BLUE] = "blue"};
    size_t place;

    (void)field;
    int status = reader_choice(reader, node, "colour", words, 3, &place);
    if (status == 0)
        *(enum colour *)target = (enum colour)place;
    return status;
}

static READER_TYPE(read_inner)
{
    static const struct reader_field fields[] = {
        {"depth", read_unsigned, offsetof(struct sample, inner.depth), 1, 9, true},
    };

    (void)field;
    return reader_mapping(reader, node, fields, 1, target);
}

static const struct reader_field fields[] = {
    {"number", read_unsigned, offsetof(struct sample, number), 2, 10, true},
    {"large", read_u64, offsetof(struct sample, large), 0, UINT64_MAX, false},
    {"bytes", read_size, offsetof(struct sample, bytes), 1024, 1 << 20, false},
    {"duration", read_duration, offsetof(struct sample, duration), 1000, 60000000000, false},
    {"flag", read_boolean, offsetof(struct sample, flag), 0, 0, false},
    {"word", read_word, offsetof(struct sample, word), 2, 8, false},
    {"line", read_line, offsetof(struct sample, line), 1, 16, false},
    {"block", read_block, offsetof(struct sample, block), 1, 64, false},
    {"words", read_words, offsetof(struct sample, words), 1, 3, false},
    {"colour", read_colour, offsetof(struct sample, colour), 0, 0, false},
    {"inner", read_inner, 0, 0, 0, false},
};

static void sample_clear(struct sample *sample)
{
    free(sample->word);
    free(sample->line);
    free(sample->block);
    strv_free(&sample->words);
}

static void sample_clear_cleanup(struct sample *sample)
{
    sample_clear(sample);
}

static int read_sample(const char *text, struct sample *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(document_free) struct document *document = NULL;
    struct reader reader = {.error = error};

    int status = document_parse(text, strlen(text), 4096, &document, error);
    if (status < 0)
        return status;
    return reader_mapping(&reader, document_root(document), fields, sizeof fields / sizeof *fields,
                          ret);
}

static void test_values(void **state)
{
    static const char text[] = "number: 10\n"
                               "large: 18446744073709551615\n"
                               "bytes: 64KiB\n"
                               "duration: 1.5s\n"
                               "flag: true\n"
                               "word: a-b\n"
                               "line: two words\n"
                               "block: |\n  one\n  two\n"
                               "words: [x, y]\n"
                               "colour: blue\n"
                               "inner: {depth: 3}\n";
    CULPRIT_CLEANUP(sample_clear) struct sample sample = {0};
    struct culprit_error error = {0};

    (void)state;
    assert_success(read_sample(text, &sample, &error));
    assert_int_equal(sample.number, 10);
    assert_true(sample.large == UINT64_MAX);
    assert_int_equal(sample.bytes, 65536);
    assert_int_equal(sample.duration, 1500000000);
    assert_true(sample.flag);
    assert_string_equal(sample.word, "a-b");
    assert_string_equal(sample.line, "two words");
    assert_string_equal(sample.block, "one\ntwo\n");
    assert_int_equal(sample.words.count, 2);
    assert_string_equal(sample.words.items[1], "y");
    assert_int_equal(sample.colour, BLUE);
    assert_int_equal(sample.inner.depth, 3);
}

/* What is not named keeps the value it had. */
static void test_defaults(void **state)
{
    CULPRIT_CLEANUP(sample_clear) struct sample sample = {.flag = true, .colour = GREEN};
    struct culprit_error error = {0};

    (void)state;
    assert_success(read_sample("{number: 2}", &sample, &error));
    assert_true(sample.flag);
    assert_int_equal(sample.colour, GREEN);
    assert_null(sample.word);
}

static const struct {
    const char *text;
    unsigned line, column;
    const char *where, *message;
} faults[] = {
    {"flag: true\n", 1, 1, "", "the key \"number\" is missing"},
    {"number: 2\ninner: {}\n", 2, 8, "inner", "the key \"depth\" is missing in inner"},
    {"number: 2\nnumbre: 3\n", 2, 1, "numbre",
     "unknown key \"numbre\", did you mean \"number\"?; allowed: number, large"},
    {"number: 2\ninner: {deep: 3}\n", 2, 9, "inner.deep", "unknown key in inner \"deep\""},
    {"[1]\n", 1, 1, "", "a mapping of keys is expected, found a list"},
    {"number:\n", 1, 8, "number", "a whole number is expected, found nothing"},
    {"number: ~\n", 1, 9, "number", "found ~, which stands for nothing"},
    {"number: \"2\"\n", 1, 9, "number", "found the quoted text \"2\""},
    {"number: 11\n", 1, 9, "number", "11"},
    {"number: 010\n", 1, 9, "number", "010"},
    {"number: 10x\n", 1, 9, "number", "10x"},
    {"number: 2\nbytes: 2MiB\n", 2, 8, "bytes", "2MiB is not between 1KiB and 1MiB"},
    {"number: 2\nbytes: 2MB\n", 2, 8, "bytes", "2MB"},
    {"number: 2\nduration: 2m\n", 2, 11, "duration", "2m is not between 1us and 1m"},
    {"number: 2\nflag: yes\n", 2, 7, "flag", "unknown truth value \"yes\""},
    {"number: 2\nword: a\n", 2, 7, "word", "the text is 1 bytes long, but 2 to 8 are allowed"},
    {"number: 2\nword: \"a b\"\n", 2, 7, "word", "byte 2 is 0x20"},
    {"number: 2\nline: \"a\\tb\"\n", 2, 7, "line", "a single line of text is expected"},
    {"number: 2\nline: [a]\n", 2, 7, "line", "a line of text is expected, found a list"},
    {"number: 2\nwords: [a, b, a]\n", 2, 15, "words[2]", "\"a\" stands in the list twice"},
    {"number: 2\nwords: []\n", 2, 8, "words", "the list has 0 items, but 1 to 3 are allowed"},
    {"number: 2\nwords: a\n", 2, 8, "words", "a list is expected, found a text"},
    {"number: 2\ncolour: gren\n", 2, 9, "colour",
     "unknown colour \"gren\", did you mean \"green\"?; allowed: red, green, blue"},
    {"number: 2\ncolour: {}\n", 2, 9, "colour",
     "one of red, green, blue is expected, found a mapping"},
};

static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        CULPRIT_CLEANUP(sample_clear) struct sample sample = {0};
        struct culprit_error error = {0};

        if (read_sample(faults[i].text, &sample, &error) == 0)
            fail_msg("<%s> was taken", faults[i].text);
        if (error.code != CULPRIT_INVALID || error.line != faults[i].line ||
            error.column != faults[i].column || strcmp(error.where, faults[i].where) != 0 ||
            !strstr(error.message, faults[i].message))
            fail_msg("<%s> gave %s, %u:%u, %s: %s", faults[i].text, culprit_code_name(error.code),
                     error.line, error.column, error.where, error.message);
    }
}

/* Who asked for a choice wrongly is given the words for a program to show. */
static void test_allowed_words(void **state)
{
    CULPRIT_CLEANUP(sample_clear) struct sample sample = {0};
    struct culprit_error error = {0};

    (void)state;
    assert_failure(read_sample("{number: 2, colour: x}", &sample, &error), CULPRIT_INVALID);
    assert_string_equal(error.allowed, "red, green, blue");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_allowed_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
