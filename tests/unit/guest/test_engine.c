/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/probe.h"
#include "host_fixture.h"

#define TOPOLOGIES CULPRIT_SOURCE_DIR "/images/topologies"

static const struct {
    enum engine asked;
    unsigned cores; /* of the host */
    enum kvm_state kvm;
    bool needs_probe;
    enum culprit_code code;
    enum engine engine;
    const char *words; /* in the reason or the error */
} cases[] = {
    {ENGINE_DETERMINISTIC, 2, KVM_ABSENT, false, CULPRIT_OK, ENGINE_DETERMINISTIC, "asked for"},
    {ENGINE_FUNCTIONAL, 2, KVM_ABSENT, false, CULPRIT_OK, ENGINE_FUNCTIONAL, "no verdicts"},
    {ENGINE_AUTO, 8, KVM_WORKS, false, CULPRIT_OK, ENGINE_REALTIME, "has the CPUs"},
    {ENGINE_AUTO, 8, KVM_BROKEN, false, CULPRIT_OK, ENGINE_DETERMINISTIC, "the state's words"},
    {ENGINE_AUTO, 8, KVM_ABSENT, false, CULPRIT_OK, ENGINE_DETERMINISTIC, "the state's words"},
    {ENGINE_AUTO, 2, KVM_WORKS, false, CULPRIT_OK, ENGINE_DETERMINISTIC, "this host has 2"},
    /* No boot for an answer that would change nothing. */
    {ENGINE_AUTO, 2, KVM_UNPROBED, false, CULPRIT_OK, ENGINE_DETERMINISTIC, "this host has 2"},
    {ENGINE_AUTO, 8, KVM_UNPROBED, true, CULPRIT_CONFLICT, ENGINE_AUTO, "probed first"},
    {ENGINE_REALTIME, 8, KVM_UNPROBED, true, CULPRIT_CONFLICT, ENGINE_AUTO, "probed first"},
    {ENGINE_REALTIME, 8, KVM_WORKS, false, CULPRIT_OK, ENGINE_REALTIME, "has the CPUs"},
    {ENGINE_REALTIME, 8, KVM_BROKEN, false, CULPRIT_UNSUPPORTED, ENGINE_AUTO, "the state's words"},
    {ENGINE_REALTIME, 2, KVM_WORKS, false, CULPRIT_UNSUPPORTED, ENGINE_AUTO, "this host has 2"},
};

static void check_case(size_t i, const struct topology *topology, const struct host_layout *layout)
{
    struct culprit_error error = {0};
    char reason[ENGINE_REASON_SIZE] = "";
    enum engine engine = ENGINE_COUNT;
    struct host_layout copy = *layout;
    struct host_capabilities capabilities = {
        .qemu_version = "10.0.2",
        .kvm = cases[i].kvm,
        .kvm_reason = "the state's words",
        .layout = &copy,
    };

    assert_int_equal(engine_needs_probe(cases[i].asked, topology, &capabilities),
                     cases[i].needs_probe);
    int status = engine_resolve(cases[i].asked, topology, &capabilities, &engine, reason, &error);
    const char *words = status < 0 ? error.message : reason;
    if (status != -(int)cases[i].code || (status == 0 && engine != cases[i].engine))
        fail_msg("case %zu gave %s (%s)", i,
                 status < 0 ? culprit_code_name(error.code) : engine_name(engine), words);
    assert_contains(words, cases[i].words);
}

static void test_resolve(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct culprit_error error = {0};
        struct host_shape shape = {1, 1, cases[i].cores, 1};
        CULPRIT_CLEANUP(topology_free) struct topology *topology = NULL;
        CULPRIT_CLEANUP(host_layout_free) struct host_layout *layout = NULL;

        assert_success(file_remove_tree(*state, &error));
        make_host(*state, &shape);
        assert_success(host_layout_read(*state, NULL, &layout, &error));
        assert_success(topology_find(TOPOLOGIES, "pair", &topology, &error));
        check_case(i, topology, layout);
    }
}

/* This host, whatever it is: every state has a sentence, and none is given away as working. */
static void test_capabilities(void **state)
{
    struct culprit_error error = {0};
    struct host_capabilities capabilities;

    assert_success(host_capabilities_read("10.0.2", *state, &capabilities, &error));
    assert_true(capabilities.kvm == KVM_ABSENT || capabilities.kvm == KVM_UNPROBED);
    assert_string_not_equal(capabilities.kvm_reason, "");
    assert_true(capabilities.layout->count >= 1);
    host_capabilities_clear(&capabilities);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_resolve),
        scratch_test(test_capabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
