/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/domain.h"

#include <string.h>

#include "scratch.h"

#define TOPOLOGIES CULPRIT_SOURCE_DIR "/images/topologies"
#define GOLDEN     CULPRIT_SOURCE_DIR "/tests/unit/guest/golden"

static struct topology *load(const char *name)
{
    struct culprit_error error = {0};
    struct topology *topology = NULL;

    assert_success(topology_find(TOPOLOGIES, name, &topology, &error));
    return topology;
}

static struct guest_definition define(const struct topology *topology, enum engine engine)
{
    return (struct guest_definition){
        .kernel = "/k/bzImage",
        .initrd = "/t/initrd",
        .cmdline = "console=ttyS0 panic=-1",
        .topology = topology,
        .engine = engine,
        .shift = topology->shift,
        .memory = topology->memory,
        .seed = 7,
        .console_path = "/t/console.log",
        .records_path = "/t/a,b/records",
        .label = "job 12 <trial> 3",
    };
}

/* The XML stands in a file, for people to read: a change of it is a change of every guest. */
static void check_golden(const char *file, const struct guest_definition *definition,
                         const struct domain_options *options)
{
    struct culprit_error error = {0};
    _cleanup_free_ char *xml = NULL, *expected = NULL;
    _cleanup_free_ char *path = text_format(GOLDEN "/%s", file);

    assert_success(domain_xml(definition, options, &xml, &error));
    if (getenv("CULPRIT_WRITE_GOLDEN"))
        assert_success(file_write_atomic(path, xml, strlen(xml), 0644, &error));
    assert_success(file_read(path, 65536, &expected, NULL, &error));
    assert_string_equal(xml, expected);
}

static void test_golden(void **state)
{
    (void)state;
    static const unsigned pins[] = {4, 6};
    CULPRIT_CLEANUP(topology_free) struct topology *x5472 = load("x5472");
    CULPRIT_CLEANUP(topology_free) struct topology *xeon = load("xeon-gold-6252");
    CULPRIT_CLEANUP(topology_free) struct topology *pair = load("pair");
    struct domain_options options = {.name = "culprit-1-0", .owner = "test"};
    struct guest_definition definition;

    definition = define(x5472, ENGINE_DETERMINISTIC);
    check_golden("x5472-deterministic.xml", &definition, &options);
    definition = define(xeon, ENGINE_FUNCTIONAL);
    check_golden("xeon-functional.xml", &definition, &options);
    options.pins = pins;
    options.emulator_cpus = "0-3";
    options.user_label = "+1000:+1000";
    options.unconfined_model = "apparmor";
    options.emulator = "/opt/qemu & co/qemu-system-x86_64";
    definition = define(pair, ENGINE_REALTIME);
    check_golden("pair-realtime.xml", &definition, &options);
}

static void digest(const struct guest_definition *definition, char hex[DIGEST_HEX_SIZE])
{
    struct culprit_error error = {0};
    assert_success(definition_digest(definition, hex, &error));
}

/* Where the files lie and what the guest is called is not what it is. */
static void test_digest_ignores_places(void **state)
{
    (void)state;
    CULPRIT_CLEANUP(topology_free) struct topology *topology = load("pair");
    struct guest_definition one = define(topology, ENGINE_DETERMINISTIC);
    struct guest_definition other = one;
    char first[DIGEST_HEX_SIZE], second[DIGEST_HEX_SIZE];

    other.kernel = "/elsewhere/bzImage";
    other.initrd = "/elsewhere/initrd";
    other.console_path = "/elsewhere/console";
    other.records_path = "/elsewhere/records";
    other.label = "another";
    other.deadline_ns = 1;
    other.console_maximum = 1;
    digest(&one, first);
    digest(&other, second);
    assert_string_equal(first, second);
}

static void test_digest_sees_the_guest(void **state)
{
    (void)state;
    CULPRIT_CLEANUP(topology_free) struct topology *pair = load("pair");
    CULPRIT_CLEANUP(topology_free) struct topology *smp4 = load("smp4");
    struct guest_definition changed[7];
    char first[DIGEST_HEX_SIZE], other[DIGEST_HEX_SIZE];
    struct guest_definition one = define(pair, ENGINE_DETERMINISTIC);

    for (size_t i = 0; i < 7; i++)
        changed[i] = one;
    changed[0].shift++;
    changed[1].seed++;
    changed[2].memory *= 2;
    changed[3].cmdline = "console=ttyS0 panic=-1 x";
    changed[4].engine = ENGINE_FUNCTIONAL;
    changed[5].topology = smp4;
    changed[6].initrd = NULL;
    digest(&one, first);
    for (size_t i = 0; i < 7; i++) {
        digest(&changed[i], other);
        if (strcmp(first, other) == 0)
            fail_msg("change %zu leaves the digest as it is", i);
    }
}

static void test_refused(void **state)
{
    (void)state;
    CULPRIT_CLEANUP(topology_free) struct topology *topology = load("xeon-gold-6252");
    struct guest_definition good = define(topology, ENGINE_DETERMINISTIC);
    struct guest_definition bad[5];
    struct domain_options options = {.name = "culprit-1-0", .owner = "test"};

    for (size_t i = 0; i < 5; i++)
        bad[i] = good;
    bad[0].engine = ENGINE_AUTO;
    bad[1].shift = 11;
    bad[2].memory = UINT64_C(193) << 30;
    bad[3].memory = 1 << 20;
    bad[4].memory = good.memory + (1 << 20); /* odd MiB for two nodes */
    for (size_t i = 0; i < 5; i++) {
        struct culprit_error error = {0};
        char *xml = NULL;
        assert_failure(domain_xml(&bad[i], &options, &xml, &error), CULPRIT_INVALID);
    }
}

static void test_uuid(void **state)
{
    (void)state;
    char one[GUEST_UUID_SIZE], again[GUEST_UUID_SIZE], other[GUEST_UUID_SIZE];

    guest_uuid(1, one);
    guest_uuid(1, again);
    guest_uuid(2, other);
    assert_string_equal(one, again);
    assert_string_not_equal(one, other);
    assert_int_equal(strlen(one), 36);
    assert_int_equal(one[14], '4');
    assert_non_null(strchr("89ab", one[19]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_digest_ignores_places),
        cmocka_unit_test(test_digest_sees_the_guest),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_uuid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
