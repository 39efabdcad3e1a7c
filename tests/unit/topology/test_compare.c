/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asked and seen, level by level: what is a difference, and how it is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "topology/compare.h"

static void seen_clear_cleanup(struct seen_topology *seen)
{
    seen_topology_clear(seen);
}

static void comparison_clear_cleanup(struct topology_comparison *comparison)
{
    topology_comparison_clear(comparison);
}

#define _cleanup_seen_       __attribute__((cleanup(seen_clear_cleanup)))
#define _cleanup_comparison_ __attribute__((cleanup(comparison_clear_cleanup)))

static struct topology *load(const char *name)
{
    struct topology *topology = NULL;
    struct culprit_error error = {0};

    if (topology_find(CULPRIT_SOURCE_DIR "/images/topologies", name, &topology, &error) < 0)
        fail_msg("%s", error.message);
    return topology;
}

/* A guest that sees exactly what the topology expects, reported out of order and with doubles, as
 * a kernel may. */
static void see_as_asked(const struct topology *topology, struct seen_topology *seen)
{
    const struct topology_expectation *expect = &topology->expect;
    unsigned threads = topology->threads;
    unsigned a_package = expect->cpus / expect->packages;

    for (unsigned cpu = expect->cpus; cpu-- > 0;)
        assert_true(seen_add_cpu(seen, &(struct seen_cpu){
                                           .cpu = cpu,
                                           .package = cpu / a_package,
                                           .core = cpu / threads,
                                           .siblings = expect->siblings.items[cpu / threads],
                                       }));
    for (size_t i = expect->cache_count; i-- > 0;) {
        struct seen_cache cache = {.level = expect->caches[i].level};

        strcpy(cache.type, expect->caches[i].type);
        for (size_t k = expect->caches[i].shared.count; k-- > 0;) {
            cache.shared = expect->caches[i].shared.items[k];
            assert_true(seen_add_cache(seen, &cache));
        }
    }
    for (size_t i = 0; i < expect->nodes.count; i++)
        assert_true(seen_add_node(
            seen, &(struct seen_node){.node = (unsigned)i, .cpus = expect->nodes.items[i]}));
    for (size_t i = 0; i < expect->domain_count; i++) {
        struct seen_domain domain = {.level = expect->domains[i].level};
        const struct strv *names = &expect->domains[i].names;

        if (names->count)
            strcpy(domain.name, names->items[names->count - 1]);
        for (size_t k = 0; k < expect->domains[i].spans.count; k++) {
            domain.span = expect->domains[i].spans.items[k];
            assert_true(seen_add_domain(seen, &domain));
            assert_true(seen_add_domain(seen, &domain));
        }
    }
}

static void describe(const struct topology *topology, const struct seen_topology *seen, char *text,
                     size_t size)
{
    _cleanup_comparison_ struct topology_comparison comparison = {0};
    struct culprit_error error = {0};

    if (topology_compare(topology, seen, &comparison, &error) < 0)
        fail_msg("%s", error.message);
    topology_comparison_describe(&comparison, text, size);
    assert_int_equal(topology_comparison_same(&comparison), *text == '\0');
}

static void test_every_topology_equals_itself(void **state)
{
    _cleanup_strv_ struct strv names = {0};
    struct culprit_error error = {0};

    (void)state;
    if (topology_list(CULPRIT_SOURCE_DIR "/images/topologies", &names, &error) < 0)
        fail_msg("%s", error.message);
    assert_true(names.count >= 6);
    for (size_t i = 0; i < names.count; i++) {
        CULPRIT_CLEANUP(topology_free) struct topology *topology = load(names.items[i]);
        _cleanup_seen_ struct seen_topology seen = {0};
        char text[512];

        see_as_asked(topology, &seen);
        describe(topology, &seen, text, sizeof text);
        if (*text)
            fail_msg("%s: %s", names.items[i], text);
    }
}

static void expect_difference(const struct topology *topology, const struct seen_topology *seen,
                              const char *sentence)
{
    char text[512];

    describe(topology, seen, text, sizeof text);
    if (strcmp(text, sentence) != 0)
        fail_msg("should say \"%s\", and says \"%s\"", sentence, text);
}

static void replace_lists(struct seen_topology *seen, unsigned level, const char *list)
{
    for (size_t i = 0; i < seen->cache_count; i++) {
        if (seen->caches[i].level != level)
            continue;
        free(seen->caches[i].shared);
        seen->caches[i].shared = strdup(list);
    }
}

static void test_shared_cache_differs(void **state)
{
    CULPRIT_CLEANUP(topology_free) struct topology *topology = load("x5472");
    _cleanup_seen_ struct seen_topology seen = {0};

    (void)state;
    see_as_asked(topology, &seen);
    replace_lists(&seen, 2, "0-7");
    expect_difference(topology, &seen, "L2 caches: asked 0-1 2-3 4-5 6-7, seen 0-7");
}

/* A guest may report as much as its records hold; what it says too much is a difference. */
static void test_flood(void **state)
{
    CULPRIT_CLEANUP(topology_free) struct topology *topology = load("pair");
    _cleanup_seen_ struct seen_topology seen = {0};
    _cleanup_comparison_ struct topology_comparison comparison = {0};
    struct culprit_error error = {0};
    char list[CPU_LIST_SIZE];

    (void)state;
    for (unsigned cpu = 0; cpu < SEEN_CPUS_MAXIMUM; cpu++) {
        snprintf(list, sizeof list, "%u,%0900u", cpu, 1);
        assert_true(seen_add_cpu(&seen, &(struct seen_cpu){.cpu = cpu, .siblings = list}));
    }
    if (topology_compare(topology, &seen, &comparison, &error) < 0)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < comparison.count; i++)
        assert_true(strlen(comparison.levels[i].seen) < 66 * 1024);
    assert_false(topology_comparison_same(&comparison));
    assert_false(comparison.levels[2].same);
}

static void test_cache_that_was_not_asked_for(void **state)
{
    CULPRIT_CLEANUP(topology_free) struct topology *topology = load("x5472");
    _cleanup_seen_ struct seen_topology seen = {0};
    char list[] = "0-7";

    (void)state;
    see_as_asked(topology, &seen);
    assert_true(
        seen_add_cache(&seen, &(struct seen_cache){.level = 3, .type = "Unified", .shared = list}));
    expect_difference(topology, &seen, "L3 caches: asked none, seen 0-7");
}

static void test_missing_cpu_and_domains(void **state)
{
    CULPRIT_CLEANUP(topology_free) struct topology *topology = load("pair");
    _cleanup_seen_ struct seen_topology seen = {0};

    (void)state;
    see_as_asked(topology, &seen);
    free(seen.cpus[--seen.cpu_count].siblings); /* CPU 0: reported last */
    for (size_t i = 0; i < seen.domain_count; i++)
        free(seen.domains[i].span);
    seen.domain_count = 0;
    expect_difference(topology, &seen,
                      "CPUs: asked 2, seen 1; SMT siblings: asked 0 1, seen 1; "
                      "scheduler domain 0: asked 0-1 (MC), seen none");
}

static void test_domain_names(void **state)
{
    static const struct {
        const char *name, *sentence;
    } names[] = {
        {"MC", ""},
        {"", ""},
        {"CLS", "scheduler domain 0: asked 0-1 (MC), seen 0-1 (CLS)"},
    };
    CULPRIT_CLEANUP(topology_free) struct topology *topology = load("pair");

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        _cleanup_seen_ struct seen_topology seen = {0};

        see_as_asked(topology, &seen);
        for (size_t k = 0; k < seen.domain_count; k++)
            strcpy(seen.domains[k].name, names[i].name);
        expect_difference(topology, &seen, names[i].sentence);
    }
}

static void test_further_domain(void **state)
{
    CULPRIT_CLEANUP(topology_free) struct topology *topology = load("pair");
    _cleanup_seen_ struct seen_topology seen = {0};
    char span[] = "0-1";

    (void)state;
    see_as_asked(topology, &seen);
    assert_true(
        seen_add_domain(&seen, &(struct seen_domain){.level = 1, .name = "PKG", .span = span}));
    expect_difference(topology, &seen, "scheduler domain 1: asked none, seen 0-1");
}

static void test_kernel_without_numa_has_one_node(void **state)
{
    CULPRIT_CLEANUP(topology_free) struct topology *one = load("pair");
    CULPRIT_CLEANUP(topology_free) struct topology *two = load("xeon-gold-6252");
    _cleanup_seen_ struct seen_topology seen_one = {0};
    _cleanup_seen_ struct seen_topology seen_two = {0};

    (void)state;
    see_as_asked(one, &seen_one);
    for (size_t i = 0; i < seen_one.node_count; i++)
        free(seen_one.nodes[i].cpus);
    seen_one.node_count = 0;
    expect_difference(one, &seen_one, "");
    see_as_asked(two, &seen_two);
    for (size_t i = 0; i < seen_two.node_count; i++)
        free(seen_two.nodes[i].cpus);
    seen_two.node_count = 0;
    expect_difference(two, &seen_two, "NUMA nodes: asked 0-47 48-95, seen none");
}

/* The sentence shows where two long lists part, not their equal beginnings. */
static void test_long_lists_are_shortened(void **state)
{
    CULPRIT_CLEANUP(topology_free) struct topology *topology = load("xeon-gold-6252");
    _cleanup_seen_ struct seen_topology seen = {0};
    char text[512];

    (void)state;
    see_as_asked(topology, &seen);
    free(seen.cpus[0].siblings); /* the last CPU: reported first */
    seen.cpus[0].siblings = strdup("95");
    describe(topology, &seen, text, sizeof text);
    if (!strstr(text, "SMT siblings: asked … ") || !strstr(text, "95, seen … ") ||
        strlen(text) > 200)
        fail_msg("the sentence is \"%s\"", text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_topology_equals_itself),
        cmocka_unit_test(test_shared_cache_differs),
        cmocka_unit_test(test_flood),
        cmocka_unit_test(test_cache_that_was_not_asked_for),
        cmocka_unit_test(test_missing_cpu_and_domains),
        cmocka_unit_test(test_domain_names),
        cmocka_unit_test(test_further_domain),
        cmocka_unit_test(test_kernel_without_numa_has_one_node),
        cmocka_unit_test(test_long_lists_are_shortened),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
