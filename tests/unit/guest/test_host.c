/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/host.h"

#include <stdlib.h>

#include "host_fixture.h"
#include "topology/cpulist.h"

#define TOPOLOGIES CULPRIT_SOURCE_DIR "/images/topologies"

static struct topology *load(const char *name)
{
    struct culprit_error error = {0};
    struct topology *topology = NULL;

    assert_success(topology_find(TOPOLOGIES, name, &topology, &error));
    return topology;
}

static struct host_layout *read_host(const char *root, const struct host_shape *shape,
                                     const char *allowed)
{
    struct culprit_error error = {0};
    struct host_layout *layout = NULL;

    assert_success(file_remove_tree(root, &error));
    make_host(root, shape);
    assert_success(host_layout_read(root, allowed, &layout, &error));
    return layout;
}

static const struct host_cpu *find_cpu(const struct host_layout *layout, unsigned cpu)
{
    for (size_t i = 0; i < layout->count; i++)
        if (layout->cpus[i].cpu == cpu)
            return &layout->cpus[i];
    fail_msg("the guest was given CPU %u, which the host does not have", cpu);
    abort(); /* not reached */
}

static void test_layout(void **state)
{
    static const struct host_shape shape = {2, 2, 4, 2};
    CULPRIT_CLEANUP(host_layout_free) struct host_layout *layout = read_host(*state, &shape, NULL);
    CULPRIT_CLEANUP(host_layout_free) struct host_layout *part = NULL;
    struct culprit_error error = {0};

    assert_int_equal(layout->count, 32);
    const struct host_cpu *cpu = find_cpu(layout, 27);
    assert_int_equal(cpu->core, 26);
    assert_int_equal(cpu->cache, 24);
    assert_int_equal(cpu->node, 1);
    assert_success(host_layout_read(*state, "1-3,9", &part, &error));
    assert_int_equal(part->count, 4);
    assert_failure(host_layout_read("/nonexistent", NULL, &part, &error), CULPRIT_NOT_FOUND);
}

/* CPUs that share something in the guest share it on the host, others do not. */
static void check_pins(const struct topology *topology, const struct host_layout *layout,
                       const unsigned *pins)
{
    const struct topology_cache *last = &topology->expect.caches[topology->expect.cache_count - 1];
    struct cpu_set used = {0};

    for (unsigned i = 0; i < topology_cpus(topology); i++) {
        if (cpu_set_contains(&used, pins[i]))
            fail_msg("host CPU %u is used twice", pins[i]);
        cpu_set_add(&used, pins[i]);
    }
    for (size_t group = 0; group < last->shared.count; group++) {
        struct cpu_set set;
        assert_int_equal(cpu_set_parse(last->shared.items[group], CPU_SET_SIZE, &set, NULL), 0);
        unsigned home = find_cpu(layout, pins[cpu_set_first(&set)])->cache;
        for (unsigned i = 0; i < topology_cpus(topology); i++) {
            bool inside = find_cpu(layout, pins[i])->cache == home;
            if (inside != cpu_set_contains(&set, i))
                fail_msg("guest CPU %u is %s cache %s's host cache", i, inside ? "in" : "outside",
                         last->shared.items[group]);
        }
    }
    for (unsigned i = 0; topology->threads == 2 && i < topology_cpus(topology); i += 2)
        assert_int_equal(find_cpu(layout, pins[i])->core, find_cpu(layout, pins[i + 1])->core);
}

static void test_fitting(void **state)
{
    static const struct {
        const char *topology;
        struct host_shape host;
        const char *allowed;
    } cases[] = {
        {"pair", {1, 1, 4, 1}, NULL},          {"pair", {1, 1, 4, 2}, NULL},
        {"smp8", {2, 1, 8, 2}, NULL},          {"smp8", {1, 4, 8, 2}, "16-63"},
        {"x5472", {1, 8, 2, 1}, NULL},         {"x5472", {2, 4, 4, 2}, NULL},
        {"vm-40cpu-smt", {2, 1, 21, 2}, NULL}, {"xeon-gold-6252", {2, 1, 25, 2}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct culprit_error error = {0};
        CULPRIT_CLEANUP(topology_free) struct topology *topology = load(cases[i].topology);
        CULPRIT_CLEANUP(host_layout_free)
        struct host_layout *layout = read_host(*state, &cases[i].host, cases[i].allowed);
        _cleanup_free_ unsigned *pins = NULL;
        _cleanup_free_ char *rest = NULL;
        struct cpu_set free_cpus;

        assert_success(host_pin(topology, layout, &pins, &rest, &error));
        check_pins(topology, layout, pins);
        assert_success(cpu_set_parse(rest, CPU_SET_SIZE, &free_cpus, &error));
        assert_int_equal(cpu_set_count(&free_cpus), layout->count - topology_cpus(topology));
    }
}

static void test_not_fitting(void **state)
{
    static const struct {
        const char *topology;
        struct host_shape host;
        const char *message;
    } cases[] = {
        {"pair", {1, 1, 2, 1}, "needs 2 host CPUs for its own and one for QEMU; this host has 2"},
        {"vm-40cpu-smt", {1, 1, 48, 1}, "20 cores with 2 threads"},
        {"vm-40cpu-smt", {2, 4, 8, 2}, "1 last-level caches of 20 cores"},
        {"x5472", {1, 2, 16, 1}, "4 last-level caches of 2 cores"},
        {"xeon-gold-6252", {1, 2, 25, 2}, "in 2 nodes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct culprit_error error = {0};
        CULPRIT_CLEANUP(topology_free) struct topology *topology = load(cases[i].topology);
        CULPRIT_CLEANUP(host_layout_free)
        struct host_layout *layout = read_host(*state, &cases[i].host, NULL);
        unsigned *pins = NULL;
        char *rest = NULL;

        assert_failure(host_pin(topology, layout, &pins, &rest, &error), CULPRIT_UNSUPPORTED);
        assert_contains(error.message, cases[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_layout),
        scratch_test(test_fitting),
        scratch_test(test_not_fitting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
