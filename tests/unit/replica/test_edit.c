/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "c_text.h"
#include "edit.h"
#include "scratch.h"

static const char source[] =
    "/* one(void) in a comment */\n"
    "static int one(void);\n"
    "#define twice(x) ((x) * 2)\n"
    "struct s {\n\tint x;\n};\n"
    "static int one(void)\n{\n\treturn 1;\n}\n"
    "\n"
    "static inline bool\n"
    "two(int a,\n    int b)\n{\n\tif (a) {\n\t\treturn 1;\n\t}\n\treturn 2;\n}\n"
    "\n"
    "void three(void)\n{\n\treturn 1;\n\treturn 1;\n}\n";

static void finds_functions(void **state)
{
    static const char *const names[] = {"one", "two", "three"};
    struct c_function function;
    size_t at = 0;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_true(c_next_function(source, at, &function));
        assert_string_equal(function.name, names[i]);
        assert_memory_equal(source + function.end - 3, "\n}\n", 3);
        at = function.end;
    }
    assert_false(c_next_function(source, at, &function));
    assert_true(c_find_function(source, "two", &function));
    assert_int_equal(strncmp(source + function.start, "two(int a,", 10), 0);
    assert_false(c_find_function(source, "twice", &function));
}

static void edits_within_a_function(void **state)
{
    static const struct {
        const char *function, *anchor, *reason; /* reason NULL: it works */
    } cases[] = {
        {"one", "\treturn 1;\n", NULL},
        {"two", "\t\treturn 1;\n", NULL},
        {"two", "\treturn 2;\n", NULL},
        {NULL, "struct s {\n", NULL},
        {"three", "\treturn 1;\n", "more than once"},
        {"one", "\treturn 2;\n", "text is gone"},
        {"four", "\treturn 1;\n", "function is gone"},
        {NULL, "\treturn 1;\n", "more than once"},
        {NULL, "nowhere", "text is gone"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *reason = "";
        _cleanup_free_ char *edited = edit_text(source, cases[i].function, cases[i].anchor, "XYZZY",
                                                &reason);

        if (cases[i].reason) {
            assert_null(edited);
            assert_contains(reason, cases[i].reason);
            continue;
        }
        assert_non_null(edited);
        assert_contains(edited, "XYZZY");
        assert_int_equal(strlen(edited), strlen(source) + 5 - strlen(cases[i].anchor));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_functions),
        cmocka_unit_test(edits_within_a_function),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
