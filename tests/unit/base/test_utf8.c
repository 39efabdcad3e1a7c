/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"

static void only_faulty_bytes_are_replaced(void **state)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"\xe2\x80\x98x\xe2\x80\x99", "\xe2\x80\x98x\xe2\x80\x99"},
        {"M\xfcller", "M?ller"},      /* Latin-1 */
        {"cut \xe2\x80", "cut ??"},   /* within a character */
        {"\xc0\xaf", "??"},           /* overlong */
        {"\xe0\x80\x80", "???"},      /* overlong */
        {"\xed\xa0\x80", "???"},      /* surrogate */
        {"\xf4\x90\x80\x80", "????"}, /* beyond U+10FFFF */
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"\xf0\x9f\x98", "???"},
        {"\x80\xff", "??"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", cases[i].from);
        utf8_repair(text);
        if (strcmp(text, cases[i].to) != 0)
            fail_msg("case %zu became \"%s\"", i, text);
    }
    utf8_repair(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_faulty_bytes_are_replaced)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
