/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <unistd.h>

#include "build/config/kconfig.h"
#include "build/config/kconfig_tree.h"
#include "scratch.h"

static struct kconfig *parse(const char *text)
{
    struct culprit_error error = {0};
    struct kconfig *config = NULL;

    assert_success(kconfig_new(&config, &error));
    assert_success(kconfig_parse(config, text, "text", &error));
    return config;
}

static void reads_what_kconfig_writes(void **state)
{
    CULPRIT_CLEANUP(kconfig_free)
    struct kconfig *config = parse(
        "#\n# Automatically generated file; DO NOT EDIT.\n#\n"
        "CONFIG_SMP=y\nCONFIG_E1000=m\n\nCONFIG_NR_CPUS=256\r\n"
        "CONFIG_PHYSICAL_START=0x1000000\nCONFIG_LOCALVERSION=\"a \\\"b\\\" \\\\\"\n"
        "# CONFIG_NUMA is not set\nCONFIG_TOGGLED=y\n# CONFIG_TOGGLED is not set\n"
        "# CONFIG_SMP is a comment here\nCONFIG_LAST=y");

    (void)state;
    assert_string_equal(kconfig_get(config, "SMP"), "y");
    assert_string_equal(kconfig_get(config, "E1000"), "m");
    assert_string_equal(kconfig_get(config, "NR_CPUS"), "256");
    assert_string_equal(kconfig_get(config, "PHYSICAL_START"), "0x1000000");
    assert_string_equal(kconfig_get(config, "LOCALVERSION"), "\"a \\\"b\\\" \\\\\"");
    assert_string_equal(kconfig_get(config, "NUMA"), "n");
    assert_string_equal(kconfig_get(config, "TOGGLED"), "n");
    assert_string_equal(kconfig_get(config, "LAST"), "y");
    assert_string_equal(kconfig_get(config, "ABSENT"), "n");
}

static void refuses_what_it_cannot_read(void **state)
{
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"CONFIG_A=y\nCONFIG_B\n", "fragment, line 2"},
        {"A=y\n", "neither CONFIG_NAME=value nor a comment"},
        {"CONFIG_=y\n", "not the name of an option"},
        {"CONFIG_A B=y\n", "not the name of an option"},
        {"CONFIG_A-B=y\n", "not the name of an option"},
        {"CONFIG_A=\"open\n", "uneven quotes"},
        {"CONFIG_A=\"a\"b\"\n", "uneven quotes"},
        {"CONFIG_A=\"a\\\"\n", "uneven quotes"},
        {"CONFIG_A=\"\n", "uneven quotes"},
        {"CONFIG_A=a\x01z\n", "control character"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CULPRIT_CLEANUP(kconfig_free) struct kconfig *config = NULL;
        struct culprit_error error = {0};

        assert_success(kconfig_new(&config, &error));
        assert_failure(kconfig_parse(config, cases[i].text, "fragment", &error), CULPRIT_INVALID);
        assert_contains(error.message, cases[i].message);
        assert_contains(error.message, "fragment, line ");
    }
}

static void quotes_strings_only(void **state)
{
    static const struct {
        const char *given;
        const char *kept;
    } cases[] = {
        {"y", "y"},           {"250", "250"},
        {"-5", "-5"},         {"0x1F", "0x1F"},
        {"text", "\"text\""}, {"\"text\"", "\"text\""},
        {"", "\"\""},         {"0x", "\"0x\""},
        {"yes", "\"yes\""},   {"a\"b\\", "\"a\\\"b\\\\\""},
    };
    struct culprit_error error = {0};
    CULPRIT_CLEANUP(kconfig_free) struct kconfig *config = NULL;

    (void)state;
    assert_success(kconfig_new(&config, &error));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_success(kconfig_set(config, "X", cases[i].given, &error));
        assert_string_equal(kconfig_get(config, "X"), cases[i].kept);
    }
    assert_failure(kconfig_set(config, "X\nCONFIG_Y", "y", &error), CULPRIT_INVALID);
    assert_failure(kconfig_set(config, "X", "y\nCONFIG_Y=y", &error), CULPRIT_INVALID);
}

/* Kconfig takes the last option of a choice that it reads: what is asked must come last. */
static void writes_what_is_asked_last(void **state)
{
    CULPRIT_CLEANUP(kconfig_free)
    struct kconfig *base = parse(
        "CONFIG_HZ_1000=y\nCONFIG_SMP=y\n# CONFIG_HZ_250 is not set\nCONFIG_NUMA=y\n");
    CULPRIT_CLEANUP(kconfig_free)
    struct kconfig *asked = parse("CONFIG_HZ_250=y\n# CONFIG_NUMA is not set\n");
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(1000);

    (void)state;
    kconfig_write(base, asked, &text);
    assert_string_equal(text.data, "CONFIG_HZ_1000=y\nCONFIG_SMP=y\n"
                                   "CONFIG_HZ_250=y\n# CONFIG_NUMA is not set\n");
    buffer_reset(&text);
    kconfig_write(NULL, asked, &text);
    assert_string_equal(text.data, "CONFIG_HZ_250=y\n# CONFIG_NUMA is not set\n");
}

static void forgets_what_is_removed(void **state)
{
    CULPRIT_CLEANUP(kconfig_free) struct kconfig *base = parse("CONFIG_A=m\n");
    CULPRIT_CLEANUP(kconfig_free) struct kconfig *asked = parse("CONFIG_A=y\nCONFIG_B=y\n");
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(1000);
    struct culprit_error error = {0};

    (void)state;
    kconfig_remove(asked, "A");
    kconfig_remove(asked, "ABSENT");
    assert_string_equal(kconfig_get(asked, "A"), "n");
    kconfig_write(base, asked, &text);
    assert_string_equal(text.data, "CONFIG_A=m\nCONFIG_B=y\n");
    assert_success(kconfig_set(asked, "A", "y", &error));
    assert_string_equal(kconfig_get(asked, "A"), "y");
}

static void checks_that_options_took(void **state)
{
    static const struct {
        const char *asked;
        const char *actual;
        const char *message; /* NULL: it took */
    } cases[] = {
        {"CONFIG_A=y\n", "CONFIG_A=y\n", NULL},
        {"CONFIG_A=n\n", "", NULL},
        {"# CONFIG_A is not set\n", "# CONFIG_A is not set\n", NULL},
        {"CONFIG_A=0x10\n", "CONFIG_A=0x00000010\n", NULL},
        {"CONFIG_A=16\n", "CONFIG_A=0x10\n", NULL},
        {"CONFIG_A=text\n", "CONFIG_A=\"text\"\n", NULL},
        {"CONFIG_A=y\n", "", "CONFIG_A was asked to be y and is not set"},
        {"CONFIG_A=y\n", "CONFIG_A=m\n", "CONFIG_A was asked to be y and is m"},
        {"CONFIG_A=n\n", "CONFIG_A=y\n", "CONFIG_A was asked to be off and is y"},
        {"CONFIG_A=300\n", "CONFIG_A=250\n", "CONFIG_A was asked to be 300 and is 250"},
        {"CONFIG_A=-1\n", "CONFIG_A=1\n", "CONFIG_A was asked to be -1 and is 1"},
        {"CONFIG_A=\"x\"\n", "CONFIG_A=\"y\"\n", "CONFIG_A was asked to be \"x\" and is \"y\""},
        {"CONFIG_A=y\nCONFIG_B=y\nCONFIG_C=y\n", "CONFIG_B=y\n",
         "CONFIG_A was asked to be y and is not set; nor did these take: CONFIG_C"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CULPRIT_CLEANUP(kconfig_free) struct kconfig *asked = parse(cases[i].asked);
        CULPRIT_CLEANUP(kconfig_free) struct kconfig *actual = parse(cases[i].actual);
        struct culprit_error error = {0};
        const char *name = NULL;
        int r = kconfig_check(asked, actual, &name, &error);

        if (!cases[i].message && r != 0)
            fail_msg("case %zu: %s", i, error.message);
        if (cases[i].message) {
            assert_int_equal(r, -CULPRIT_FAILED);
            assert_string_equal(error.message, cases[i].message);
            assert_string_equal(name, "A");
        }
    }
}

static void many_options_stay_quick(void **state)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(4 << 20);
    CULPRIT_CLEANUP(kconfig_free) struct kconfig *config = NULL;

    (void)state;
    for (int i = 0; i < 50000; i++)
        buffer_printf(&text, "CONFIG_OPTION_%d=%d\n", i, i);
    config = parse(text.data);
    assert_string_equal(kconfig_get(config, "OPTION_49999"), "49999");
    assert_string_equal(kconfig_get(config, "OPTION_0"), "0");
}

static void finds_definitions_in_a_tree(void **state)
{
    static const char text[] = "menuconfig NET\n\tbool \"Networking\"\n\nconfig INET\n\tbool\n"
                               "\tselect OTHER\n# config COMMENTED\n";
    const char *directory = *state;
    struct culprit_error error = {0};
    _cleanup_free_ char *below = path_join(directory, "net/core");
    _cleanup_free_ char *file = path_join(directory, "net/core/Kconfig.debug");
    static const struct {
        const char *name;
        bool known;
    } cases[] = {{"NET", true}, {"INET", true},       {"OTHER", false},
                 {"IN", false}, {"COMMENTED", false}, {"NETX", false}};

    assert_success(file_make_directories(below, 0755, &error));
    assert_success(file_write_atomic(file, text, strlen(text), 0644, &error));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool known = !cases[i].known;

        assert_success(kconfig_tree_knows(directory, cases[i].name, &known, &error));
        if (known != cases[i].known)
            fail_msg("CONFIG_%s is %s", cases[i].name, known ? "known" : "not known");
    }
}

/* The fragments that culprit ships can be read, and say of themselves what determinism needs. */
static void shipped_fragments_are_sound(void **state)
{
    static const char *const names[] = {"guest-x86_64", "sched"};
    struct culprit_error error = {0};
    CULPRIT_CLEANUP(kconfig_free) struct kconfig *config = NULL;

    (void)state;
    assert_success(kconfig_new(&config, &error));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        _cleanup_free_ char *path = text_format("%s/kernels/fragments/%s.config",
                                                CULPRIT_SOURCE_DIR, names[i]);
        _cleanup_free_ char *text = NULL;

        assert_success(file_read(path, 1 << 20, &text, NULL, &error));
        assert_success(kconfig_parse(config, text, names[i], &error));
    }
    assert_string_equal(kconfig_get(config, "LOCALVERSION_AUTO"), "n");
    assert_string_equal(kconfig_get(config, "IKCONFIG"), "n");
    assert_string_equal(kconfig_get(config, "SCHEDSTATS"), "y");
    assert_string_equal(kconfig_get(config, "SERIAL_8250_CONSOLE"), "y");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_kconfig_writes),
        cmocka_unit_test(refuses_what_it_cannot_read),
        cmocka_unit_test(quotes_strings_only),
        cmocka_unit_test(writes_what_is_asked_last),
        cmocka_unit_test(forgets_what_is_removed),
        cmocka_unit_test(checks_that_options_took),
        cmocka_unit_test(many_options_stay_quick),
        scratch_test(finds_definitions_in_a_tree),
        cmocka_unit_test(shipped_fragments_are_sound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
