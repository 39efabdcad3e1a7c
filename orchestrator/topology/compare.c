/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "topology/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

enum {
    LEVELS_MAXIMUM = 256,
    LEVEL_TEXT_SHOWN = 64 * 1024,                /* bytes of a guest's lists that are kept */
    LEVEL_TEXT_MAXIMUM = LEVEL_TEXT_SHOWN + 512, /* and the names of a domain */
    HIGHEST_CACHE = 8
};

static unsigned first_cpu(const char *list)
{
    return (unsigned)strtoul(list, NULL, 10);
}

static int by_first_cpu(const void *left, const void *right)
{
    const char *a = *(char *const *)left;
    const char *b = *(char *const *)right;
    unsigned first_a = first_cpu(a);
    unsigned first_b = first_cpu(b);

    if (first_a != first_b)
        return first_a < first_b ? -1 : 1;
    return strcmp(a, b);
}

/* The distinct lists in order of their first CPU, as one text; NULL without memory. What a topology
 * asks for is never cut: a guest whose text is has reported something else. */
static char *join_lists(struct strv *lists)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(LEVEL_TEXT_MAXIMUM);

    if (lists->failed)
        return NULL;
    if (lists->count == 0)
        return strdup("none");
    qsort(lists->items, lists->count, sizeof *lists->items, by_first_cpu);
    for (size_t i = 0; i < lists->count; i++) {
        const char *list = lists->items[i];

        if (i > 0 && strcmp(list, lists->items[i - 1]) == 0)
            continue;
        if (text.length + strlen(list) > LEVEL_TEXT_SHOWN) {
            buffer_puts(&text, " …");
            break;
        }
        buffer_printf(&text, "%s%s", i > 0 ? " " : "", list);
    }
    return buffer_take(&text);
}

static char *join_asked(const struct strv *lists)
{
    _cleanup_strv_ struct strv copy = {0};

    return strv_copy(lists, &copy) ? join_lists(&copy) : NULL;
}

/* Takes both texts. */
static int add_level(struct topology_comparison *comparison, const char *name, char *asked,
                     char *seen, struct culprit_error *error)
{
    struct topology_level *levels = reallocarray(comparison->levels, comparison->count + 1,
                                                 sizeof *levels);
    struct topology_level *level;

    if (levels)
        comparison->levels = levels;
    if (!levels || !asked || !seen || comparison->count >= LEVELS_MAXIMUM) {
        free(asked);
        free(seen);
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot compare the topologies: no memory");
    }
    level = &levels[comparison->count++];
    memset(level, 0, sizeof *level);
    strncpy(level->name, name, sizeof level->name - 1);
    level->asked = asked;
    level->seen = seen;
    level->same = strcmp(asked, seen) == 0;
    return 0;
}

static char *count_text(size_t count)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(64);

    buffer_printf(&text, "%zu", count);
    return buffer_take(&text);
}

static size_t seen_packages(const struct seen_topology *seen)
{
    size_t packages = 0;

    for (size_t i = 0; i < seen->cpu_count; i++) {
        size_t before = 0;

        while (before < i && seen->cpus[before].package != seen->cpus[i].package)
            before++;
        packages += before == i;
    }
    return packages;
}

static int compare_cpus(const struct topology_expectation *expect, const struct seen_topology *seen,
                        struct topology_comparison *ret, struct culprit_error *error)
{
    _cleanup_strv_ struct strv siblings = {0};
    int r;

    r = add_level(ret, "CPUs", count_text(expect->cpus), count_text(seen->cpu_count), error);
    if (r < 0)
        return r;
    r = add_level(ret, "packages", count_text(expect->packages), count_text(seen_packages(seen)),
                  error);
    if (r < 0)
        return r;
    for (size_t i = 0; i < seen->cpu_count; i++)
        strv_append(&siblings, seen->cpus[i].siblings);
    return add_level(ret, "SMT siblings", join_asked(&expect->siblings), join_lists(&siblings),
                     error);
}

/* A cache of which there is one kind a level is called by its level alone. */
static void cache_name(unsigned level, const char *type, char name[64])
{
    if (strcmp(type, "Unified") == 0)
        snprintf(name, 64, "L%u caches", level);
    else
        snprintf(name, 64, "L%u %s caches", level, type);
}

static int compare_cache(const struct topology_expectation *expect,
                         const struct seen_topology *seen, unsigned level, const char *type,
                         struct topology_comparison *ret, struct culprit_error *error)
{
    _cleanup_strv_ struct strv shared = {0};
    const struct topology_cache *asked = NULL;
    char name[64];

    for (size_t i = 0; i < expect->cache_count; i++) {
        if (expect->caches[i].level == level && strcmp(expect->caches[i].type, type) == 0)
            asked = &expect->caches[i];
    }
    for (size_t i = 0; i < seen->cache_count; i++) {
        if (seen->caches[i].level == level && strcmp(seen->caches[i].type, type) == 0)
            strv_append(&shared, seen->caches[i].shared);
    }
    if (!asked && (shared.count == 0 || level < 2))
        return 0;
    cache_name(level, type, name);
    return add_level(ret, name, asked ? join_asked(&asked->shared) : strdup("none"),
                     join_lists(&shared), error);
}

static int compare_caches(const struct topology_expectation *expect,
                          const struct seen_topology *seen, struct topology_comparison *ret,
                          struct culprit_error *error)
{
    static const char *const types[] = {"Data", "Instruction", "Unified"};

    for (unsigned level = 1; level <= HIGHEST_CACHE; level++) {
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            int r = compare_cache(expect, seen, level, types[i], ret, error);
            if (r < 0)
                return r;
        }
    }
    return 0;
}

static int compare_nodes(const struct topology_expectation *expect,
                         const struct seen_topology *seen, struct topology_comparison *ret,
                         struct culprit_error *error)
{
    _cleanup_strv_ struct strv nodes = {0};

    if (expect->nodes.count == 0)
        return 0;
    for (size_t i = 0; i < seen->node_count; i++)
        strv_append(&nodes, seen->nodes[i].cpus);
    if (seen->node_count == 0 && expect->nodes.count == 1)
        strv_append(&nodes, expect->nodes.items[0]); /* a kernel without NUMA */
    return add_level(ret, "NUMA nodes", join_asked(&expect->nodes), join_lists(&nodes), error);
}

/* "0-1 2-3 (MC)": the name stands where the expectation has one. */
static char *with_names(char *spans, const char *names)
{
    _cleanup_free_ char *plain = spans;
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(LEVEL_TEXT_MAXIMUM);

    if (!plain || !names || !*names)
        return take(plain);
    buffer_printf(&text, "%s (%s)", plain, names);
    return buffer_take(&text);
}

/* The names that the guest gives a level, each once; where the kernel says none, the first of
 * those allowed. */
static void domain_names(const struct strv *allowed, const struct seen_topology *seen,
                         unsigned level, struct strv *ret)
{
    for (size_t i = 0; i < seen->domain_count; i++) {
        const struct seen_domain *domain = &seen->domains[i];
        const char *name = *domain->name ? domain->name : allowed->items[0];

        if (domain->level == level && !strv_contains(ret, name))
            strv_append(ret, name);
    }
}

static void join_names(const struct strv *names, char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < names->count && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i ? "/" : "",
                                   names->items[i]);
}

static int compare_domain(const struct topology_domain *asked, unsigned level,
                          const struct seen_topology *seen, struct topology_comparison *ret,
                          struct culprit_error *error)
{
    _cleanup_strv_ struct strv spans = {0};
    _cleanup_strv_ struct strv names = {0};
    const char *wanted;
    char text[256];
    char title[64];

    for (size_t i = 0; i < seen->domain_count; i++) {
        if (seen->domains[i].level == level)
            strv_append(&spans, seen->domains[i].span);
    }
    snprintf(title, sizeof title, "scheduler domain %u", level);
    if (!asked)
        return add_level(ret, title, strdup("none"), join_lists(&spans), error);
    if (asked->names.count == 0)
        return add_level(ret, title, join_asked(&asked->spans), join_lists(&spans), error);
    domain_names(&asked->names, seen, level, &names);
    join_names(&names, text, sizeof text);
    /* Kernels call the same level by different names: whichever is allowed is the one asked for. */
    wanted = names.count == 1 && strv_contains(&asked->names, text) ? text : asked->names.items[0];
    return add_level(ret, title, with_names(join_asked(&asked->spans), wanted),
                     with_names(join_lists(&spans), text), error);
}

static int compare_domains(const struct topology_expectation *expect,
                           const struct seen_topology *seen, struct topology_comparison *ret,
                           struct culprit_error *error)
{
    unsigned highest = 0;

    if (expect->domain_count == 0)
        return 0;
    for (size_t i = 0; i < expect->domain_count; i++)
        highest = expect->domains[i].level > highest ? expect->domains[i].level : highest;
    for (size_t i = 0; i < seen->domain_count; i++)
        highest = seen->domains[i].level > highest ? seen->domains[i].level : highest;
    for (unsigned level = 0; level <= highest; level++) {
        const struct topology_domain *asked = NULL;
        int r;

        for (size_t i = 0; i < expect->domain_count; i++) {
            if (expect->domains[i].level == level)
                asked = &expect->domains[i];
        }
        r = compare_domain(asked, level, seen, ret, error);
        if (r < 0)
            return r;
    }
    return 0;
}

int topology_compare(const struct topology *asked, const struct seen_topology *seen,
                     struct topology_comparison *ret, struct culprit_error *error)
{
    static int (*const steps[])(const struct topology_expectation *, const struct seen_topology *,
                                struct topology_comparison *, struct culprit_error *) = {
        compare_cpus,
        compare_caches,
        compare_nodes,
        compare_domains,
    };
    struct topology_comparison comparison = {0};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        int r = steps[i](&asked->expect, seen, &comparison, error);
        if (r < 0) {
            topology_comparison_clear(&comparison);
            return r;
        }
    }
    *ret = comparison;
    return 0;
}
