/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/kernel_parameter.h"

#include "scratch.h"

static const struct {
    const char *text;
    bool word, reserved;
} parameters[] = {
    {"mitigations=off", true, false},
    {"initcall_debug", true, false},
    {"consoleblank=0", true, false},
    {"dyndbg=\"file x +p\"", true, false},
    {"rootflags=x", true, false},
    {"-", true, false},
    {"", false, false},
    {"two words", false, false},
    {"x=\"y", false, false},
    {"\"", false, false},
    {"a\nb", false, false},
    {"\x7f", false, false},
    {"\x80", false, false},
    {"console=tty0", true, true},
    {"console", true, true},
    {"init=/bin/sh", true, true},
    {"panic=5", true, true},
    {"nokaslr", true, true},
    {"reboot=t", true, true},
    {"softlockup_panic=0", true, true},
    {"softlockup-panic=0", true, true},
    {"random.trust-cpu=on", true, true},
    {"\"console=tty0\"", true, true},
    {"\"nokaslr\"", true, true},
    {"--", true, true},
};

static void test_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        bool word = kernel_parameter_is_word(parameters[i].text);
        bool reserved = kernel_parameter_is_reserved(parameters[i].text);

        if (word != parameters[i].word || reserved != parameters[i].reserved)
            fail_msg("<%s>: a word: %d, reserved: %d", parameters[i].text, word, reserved);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
