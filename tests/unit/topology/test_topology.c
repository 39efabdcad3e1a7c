/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "topology/topology.h"

#include <string.h>

#include "scratch.h"

#define TOPOLOGIES CULPRIT_SOURCE_DIR "/images/topologies"

static const struct {
    const char *name;
    unsigned cpus, packages;
    size_t cores, caches, nodes, domains, last_caches;
} shipped[] = {
    {"pair", 2, 1, 2, 4, 1, 1, 1},
    {"smp4", 4, 1, 4, 4, 1, 1, 1},
    {"smp8", 8, 1, 8, 4, 1, 1, 1},
    {"vm-40cpu-smt", 40, 1, 20, 4, 1, 2, 1},
    {"vm-8cpu-smt", 8, 1, 4, 4, 1, 2, 1},
    {"x5472", 8, 2, 8, 3, 1, 2, 4},
    {"xeon-gold-6252", 96, 2, 48, 4, 2, 3, 2},
};

static void test_shipped(void **state)
{
    (void)state;
    struct culprit_error error = {0};
    _cleanup_strv_ struct strv names = {0};

    assert_success(topology_list(TOPOLOGIES, &names, &error));
    assert_int_equal(names.count, sizeof shipped / sizeof *shipped);
    for (size_t i = 0; i < names.count; i++) {
        CULPRIT_CLEANUP(topology_free) struct topology *topology = NULL;
        assert_string_equal(names.items[i], shipped[i].name);
        assert_success(topology_find(TOPOLOGIES, names.items[i], &topology, &error));
        const struct topology_expectation *expect = &topology->expect;
        assert_int_equal(topology_cpus(topology), shipped[i].cpus);
        assert_int_equal(expect->cpus, shipped[i].cpus);
        assert_int_equal(expect->packages, shipped[i].packages);
        assert_int_equal(expect->siblings.count, shipped[i].cores);
        assert_int_equal(expect->cache_count, shipped[i].caches);
        assert_int_equal(expect->nodes.count, shipped[i].nodes);
        assert_int_equal(expect->domain_count, shipped[i].domains);
        assert_int_equal(expect->caches[expect->cache_count - 1].shared.count,
                         shipped[i].last_caches);
        assert_true(topology->boot_deadline_ns > 0);
        assert_int_not_equal(topology->shift, topology->second_shift);
    }
}

static void test_x5472(void **state)
{
    (void)state;
    struct culprit_error error = {0};
    CULPRIT_CLEANUP(topology_free) struct topology *topology = NULL;

    assert_success(topology_find(TOPOLOGIES, "x5472", &topology, &error));
    assert_string_equal(topology->cpu_model, "Penryn");
    assert_int_equal(topology->cpuid_level, 11);
    assert_false(topology->l3_cache);
    assert_string_equal(topology->l2_shared_by, "die");
    const struct topology_cache *l2 = &topology->expect.caches[2];
    assert_int_equal(l2->level, 2);
    assert_string_equal(l2->type, "Unified");
    assert_string_equal(l2->shared.items[0], "0-1");
    assert_string_equal(l2->shared.items[3], "6-7");
    assert_string_equal(topology->expect.domains[0].names.items[0], "MC");
    assert_int_equal(topology->expect.domains[1].level, 1);
    assert_string_equal(topology->expect.domains[1].spans.items[0], "0-7");
}

static void test_unknown(void **state)
{
    (void)state;
    static const char *const names[] = {"x5427", "", "../x5472", ".hidden", "pair.yaml"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct culprit_error error = {0};
        struct topology *topology = NULL;
        assert_failure(topology_find(TOPOLOGIES, names[i], &topology, &error), CULPRIT_NOT_FOUND);
        assert_contains(error.message,
                        "there are: pair, smp4, smp8, vm-40cpu-smt, vm-8cpu-smt, x5472");
        if (i == 0)
            assert_contains(error.message, "did you mean \"x5472\"?");
    }
}

/* The keys may stand in any order, although what the guest sees hangs on its CPUs. */
static void test_order(void **state)
{
    static const char text[] =
        "guest_sees:\n"
        "  {domains: [], caches: [{level: 2, type: Unified, shared: {groups_of: 2}}],\n"
        "   nodes: [\"0-3\"], siblings: {groups_of: 1}, packages: 1}\n"
        "deterministic: {boot_deadline: 2m, second_shift: 0, shift: 1}\n"
        "memory: {maximum: 1GiB, default: 512MiB}\n"
        "model: {name: Nehalem}\n"
        "cpus: {nodes: 1, threads: 1, cores: 4, dies: 1, sockets: 1}\n"
        "description: four CPUs\n"
        "name: small\n";
    CULPRIT_CLEANUP(topology_free) struct topology *topology = NULL;
    struct culprit_error error = {0};
    _cleanup_free_ char *path = path_join(*state, "small.yaml");

    assert_success(file_write_atomic(path, text, strlen(text), 0600, &error));
    assert_success(topology_load(path, &topology, &error));
    assert_int_equal(topology->expect.siblings.count, 4);
    assert_string_equal(topology->expect.caches[0].shared.items[1], "2-3");
    assert_true(topology->l3_cache);
}

/* A complete file, in which each case of the table replaces one piece by another. */
static const char whole[] = "name: small\n"
                            "description: two CPUs\n"
                            "cpus: {sockets: 1, dies: 1, cores: 2, threads: 1, nodes: 1}\n"
                            "model: {name: Nehalem}\n"
                            "memory: {default: 512MiB, maximum: 1GiB}\n"
                            "deterministic: {shift: 1, second_shift: 0, boot_deadline: 2m}\n"
                            "guest_sees:\n"
                            "  packages: 1\n"
                            "  siblings: [\"0\", \"1\"]\n"
                            "  nodes: [\"0-1\"]\n"
                            "  caches:\n"
                            "    - {level: 3, type: Unified, shared: [\"0-1\"]}\n"
                            "  domains:\n"
                            "    - {names: [MC], spans: [\"0-1\"]}\n";

static const struct {
    const char *from, *to;
    unsigned line, column;
    const char *message;
} faults[] = {
    {"name: small\n", "nmae: small\n", 1, 1, "did you mean \"name\"?"},
    {"name: small\n", "", 1, 1, "\"name\" is missing"},
    {"name: small\n", "name: [a]\n", 1, 7, "a word is expected, found a list"},
    {"name: small\n", "name: a/b\n", 1, 7, "one word of letters"},
    {"cores: 2", "cores: 2x", 3, 36, "2x"},
    {"cores: 2", "cores: 02", 3, 36, "02"},
    {"cores: 2", "cores: 0", 3, 36, "0"},
    {"cores: 2", "cores: 2, cores: 2", 3, 39, "is given twice"},
    {"cores: 2", "cors: 2", 3, 29, "did you mean \"cores\"?"},
    {"nodes: 1}", "nodes: 3}", 3, 7, "do not divide into 3 nodes"},
    {"cpus: {sockets: 1, dies: 1, cores: 2, threads: 1, nodes: 1}", "cpus: 2", 3, 7,
     "a mapping of keys is expected, found a text"},
    {"{name: Nehalem}", "{name: Nehalem, l3_cache: maybe}", 4, 34, "allowed: true, false"},
    {"{name: Nehalem}", "{name: Nehalem, l2_shared_by: room}", 4, 38,
     "allowed: thread, core, module, cluster, die, socket"},
    {"{name: Nehalem}", "{name: \"Nehalem,-rdrand\"}", 4, 15, "one word of letters"},
    {"default: 512MiB", "default: 512MB", 5, 19, "512MB"},
    {"default: 512MiB", "default: 64MiB", 5, 19, "is not between 128MiB"},
    {"maximum: 1GiB", "maximum: 500MiB", 5, 36, "less than the default"},
    {"second_shift: 0", "second_shift: 1", 6, 41, "confirms nothing"},
    {"shift: 1,", "shift: 11,", 6, 24, "11"},
    {"boot_deadline: 2m", "boot_deadline: 2", 6, 59, "2"},
    {"[\"0\", \"1\"]", "[\"0\"]", 9, 13, "names 1 of 2 CPUs"},
    {"[\"0\", \"1\"]", "[\"0\", \"0-1\"]", 9, 19, "an item before it has"},
    {"[\"0\", \"1\"]", "[\"0\", \"2\"]", 9, 19, "list of CPUs below 2"},
    {"[\"0\", \"1\"]", "{groups_of: 3}", 9, 25, "3"},
    {"[\"0\", \"1\"]", "{group_of: 1}", 9, 14, "did you mean \"groups_of\"?"},
    {"type: Unified", "type: unified", 12, 24, "did you mean \"Unified\"?"},
    {"shared: [\"0-1\"]}\n",
     "shared: [\"0-1\"]}\n    - {level: 3, type: Unified, shared: [\"0-1\"]}\n", 13, 7,
     "stands twice"},
    {"[MC]", "MC", 14, 15, "a list is expected, found a text"},
    {"  packages: 1\n", "  packages: 1\n\tx: 1\n", 9, 1, "not YAML"},
    {"    - {names: [MC], spans: [\"0-1\"]}\n",
     "    - {names: [MC], spans: [\"0-1\"]}\n---\na: b\n", 15, 1, "a second document"},
};

static int load_changed(const char *directory, const char *from, const char *to,
                        struct topology **ret, struct culprit_error *error)
{
    const char *at = strstr(whole, from);
    _cleanup_free_ char *path = path_join(directory, "small.yaml");

    assert_non_null(at);
    _cleanup_free_ char *text = text_format("%.*s%s%s", (int)(at - whole), whole, to,
                                            at + strlen(from));
    assert_int_equal(file_write_atomic(path, text, strlen(text), 0600, error), 0);
    return topology_load(path, ret, error);
}

static void test_faults(void **state)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct culprit_error error = {0};
        struct topology *topology = NULL;
        if (load_changed(*state, faults[i].from, faults[i].to, &topology, &error) == 0)
            fail_msg("\"%s\" was taken", faults[i].to);
        if (!strstr(error.message, "small.yaml:") || !strstr(error.message, faults[i].message))
            fail_msg("\"%s\" gave \"%s\" without \"%s\"", faults[i].to, error.message,
                     faults[i].message);
        if (error.line != faults[i].line || error.column != faults[i].column)
            fail_msg("\"%s\" was put down to %u:%u and not %u:%u (%s)", faults[i].to, error.line,
                     error.column, faults[i].line, faults[i].column, error.message);
    }
}

static void test_whole_and_hostile(void **state)
{
    struct culprit_error error = {0};
    static const char bomb[] = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\n"
                               "c: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nname: &n [*n]\n";
    struct topology *topology = NULL;

    assert_success(load_changed(*state, "name", "name", &topology, &error));
    assert_string_equal(topology->expect.siblings.items[1], "1");
    topology_free(topology);

    _cleanup_free_ char *path = path_join(*state, "bomb.yaml");
    assert_success(file_write_atomic(path, bomb, strlen(bomb), 0600, &error));
    assert_failure(topology_load(path, &topology, &error), CULPRIT_INVALID);

    _cleanup_free_ char *large = calloc(1, 300 * 1024);
    memset(large, ' ', 300 * 1024 - 1);
    assert_success(file_write_atomic(path, large, 300 * 1024 - 1, 0600, &error));
    assert_failure(topology_load(path, &topology, &error), CULPRIT_LIMIT);

    assert_failure(topology_load("/nonexistent.yaml", &topology, &error), CULPRIT_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped), cmocka_unit_test(test_x5472),
        cmocka_unit_test(test_unknown), scratch_test(test_order),
        scratch_test(test_faults),      scratch_test(test_whole_and_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
