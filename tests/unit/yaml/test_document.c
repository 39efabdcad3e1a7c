/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "yaml/document.h"

enum { MAXIMUM = 1 << 20 };

static int parse(const char *text, size_t length, struct culprit_error *error)
{
    CULPRIT_CLEANUP(document_free) struct document *document = NULL;

    return document_parse(text, length, MAXIMUM, &document, error);
}

struct refusal {
    const char *text;
    unsigned line, column;
    const char *message;
};

static const struct refusal refusals[] = {
    {"", 1, 1, "empty"},
    {"# only a comment\n", 1, 1, "empty"},
    {"a: 1\nb: 2\na: 3\n", 3, 1, "\"a\" is given twice, first at line 1"},
    {"a: {x: 1, y: 2, x: 3}\n", 1, 17, "\"x\" is given twice"},
    {"a: 1\n---\nb: 2\n", 2, 1, "second document"},
    {"a: 1\n...\n---\nb: 2\n", 3, 1, "second document"},
    {"a: !!int 1\n", 1, 4, "tag"},
    {"a: !evil {}\n", 1, 4, "tag"},
    {"!!map {}\n", 1, 1, "tag"},
    {"a: &x [*x]\n", 1, 8, "within itself"},
    {"a: *nowhere\n", 1, 4, "no anchor"},
    {"a: &x 1\nb: &x 2\n", 2, 4, "defined twice"},
    {"a: &x {b: 1}\nc:\n  <<: *x\n", 3, 3, "merge keys"},
    {"[a, b]: 1\n", 1, 1, "plain word"},
    {"? {a: 1}\n: 2\n", 1, 3, "plain word"},
    {"a: [1, 2\n", 2, 1, "not YAML"},
    {"a: 'open\n", 2, 1, "not YAML"},
    {"a:\n\tb: 1\n", 2, 1, "not YAML"},
    {"a: \"\\0\"\n", 1, 4, "U+0000"},
    {"a: \"\\x07\"\n", 1, 4, "U+0007"},
    {"a: \"\\L\"\n", 1, 4, "U+2028"},
    {"a: b\xff\n", 1, 5, "0xff is no part of UTF-8"},
    {"a: \xc0\xaf\n", 1, 4, "0xc0 is no part of UTF-8"},
    {"a: \xed\xa0\x80\n", 1, 4, "0xed is no part of UTF-8"},
    {"x: 1\na: \xe2\x82\n", 2, 4, "0xe2 is no part of UTF-8"},
    {"\xc3\xa4\xc3\xb6: \x01\n", 1, 5, "U+0001"},
    {"[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]\n", 1, 17, "deeper than 16"},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *refusal = &refusals[i];
        struct culprit_error error = {0};
        int r = parse(refusal->text, strlen(refusal->text), &error);

        if (r != -CULPRIT_INVALID || error.line != refusal->line ||
            error.column != refusal->column || !strstr(error.message, refusal->message))
            fail_msg("<%s> gave %d, %u:%u: %s", refusal->text, r, error.line, error.column,
                     error.message);
    }
}

static void test_nul_is_refused(void **state)
{
    struct culprit_error error = {0};

    (void)state;
    assert_int_equal(parse("a: 1\nb\0c: 2\n", 12, &error), -CULPRIT_INVALID);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 2);
}

static void test_length_has_a_limit(void **state)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(2 * MAXIMUM);
    struct culprit_error error = {0};

    (void)state;
    buffer_puts(&text, "a: ");
    while (text.length <= MAXIMUM)
        buffer_puts(&text, "xxxxxxxxxxxxxxxx");
    assert_int_equal(parse(text.data, text.length, &error), -CULPRIT_LIMIT);
    assert_non_null(strstr(error.message, "at most 1048576"));
    assert_int_equal(parse(text.data, MAXIMUM, &error), 0);
}

/* Nine lists of nine aliases each: 9^9 values if they were expanded. */
static void test_alias_bomb(void **state)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(MAXIMUM);
    struct culprit_error error = {0};

    (void)state;
    buffer_puts(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 10; i++) {
        buffer_printf(&text, "a%d: &a%d [*a%d", i, i, i - 1);
        for (int k = 0; k < 8; k++)
            buffer_printf(&text, ", *a%d", i - 1);
        buffer_puts(&text, "]\n");
    }
    assert_int_equal(parse(text.data, text.length, &error), -CULPRIT_INVALID);
    assert_non_null(strstr(error.message, "more than 20000 values"));
}

/* Few values, but a long one many times. */
static void test_alias_text_bomb(void **state)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(2 * MAXIMUM);
    struct culprit_error error = {0};

    (void)state;
    buffer_puts(&text, "a: &a ");
    for (int i = 0; i < 40000; i++)
        buffer_puts(&text, "0123456789");
    buffer_puts(&text, "\nb: [*a, *a, *a, *a, *a, *a]\n");
    assert_int_equal(parse(text.data, text.length, &error), -CULPRIT_INVALID);
    assert_int_equal(error.line, 2);
    assert_non_null(strstr(error.message, "longer than 2097152 bytes"));
}

static void test_many_keys(void **state)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(MAXIMUM);
    struct culprit_error error = {0};

    (void)state;
    for (int i = 0; i < DOCUMENT_MAPPING_MAXIMUM; i++)
        buffer_printf(&text, "k%d: 1\n", i);
    assert_int_equal(parse(text.data, text.length, &error), 0);
    buffer_puts(&text, "last: 1\n");
    assert_int_equal(parse(text.data, text.length, &error), -CULPRIT_INVALID);
    assert_int_equal(error.line, DOCUMENT_MAPPING_MAXIMUM + 1);
}

static void test_places_and_values(void **state)
{
    static const char text[] = "\xef\xbb\xbf%YAML 1.1\n---\n"
                               "plain: 10x\n"
                               "quoted: \"10\"\n"
                               "list: [a, {b: c}]\n"
                               "block: |\n  one\n  two\n"
                               "again: &x {k: v}\n"
                               "alias: *x\n";
    CULPRIT_CLEANUP(document_free) struct document *document = NULL;
    struct culprit_error error = {0};
    const struct document_node *root, *list;

    (void)state;
    if (document_parse(text, sizeof text - 1, MAXIMUM, &document, &error) < 0)
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    root = document_root(document);
    assert_int_equal(root->count, 6);
    assert_true(document_get(root, "plain")->plain);
    assert_string_equal(document_get(root, "plain")->text, "10x");
    assert_int_equal(document_get(root, "plain")->line, 3);
    assert_int_equal(document_get(root, "plain")->column, 8);
    assert_false(document_get(root, "quoted")->plain);
    list = document_get(root, "list");
    assert_int_equal(list->kind, DOCUMENT_SEQUENCE);
    assert_string_equal(document_get(list->values[1], "b")->text, "c");
    assert_string_equal(document_get(root, "block")->text, "one\ntwo\n");
    assert_ptr_equal(document_get(root, "alias"), document_get(root, "again"));
    assert_null(document_get(root, "nothing"));
    assert_null(document_get(NULL, "nothing"));
}

static void test_json_is_read(void **state)
{
    static const char text[] = "{\"a\":1,\"b\":[true,null,\"x\\u00e4\\n\\/\"],\n\t\"c\":{}}";
    CULPRIT_CLEANUP(document_free) struct document *document = NULL;
    struct culprit_error error = {0};

    (void)state;
    if (document_parse(text, sizeof text - 1, MAXIMUM, &document, &error) < 0)
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    assert_string_equal(document_get(document_root(document), "a")->text, "1");
    assert_string_equal(document_get(document_root(document), "b")->values[2]->text,
                        "x\xc3\xa4\n/");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),           cmocka_unit_test(test_nul_is_refused),
        cmocka_unit_test(test_length_has_a_limit), cmocka_unit_test(test_alias_bomb),
        cmocka_unit_test(test_alias_text_bomb),    cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_places_and_values),  cmocka_unit_test(test_json_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
