/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/topology.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"

/* CPUs in a kernel list like "0-3,8". */
static unsigned list_size(const char *list)
{
    unsigned size = 0;

    while (list && *list) {
        char *end;
        unsigned long first = strtoul(list, &end, 10), last = first;

        if (end == list)
            break;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        size += last >= first && last - first < 65536 ? (unsigned)(last - first + 1) : 0;
        list = *end == ',' ? end + 1 : "";
    }
    return size;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* Whether an earlier item of the array has the same text or number there. */
static bool seen_before(const json_t *array, size_t index, const char *key)
{
    const json_t *mine = json_object_get(json_array_get(array, index), key);

    for (size_t i = 0; i < index; i++)
        if (json_equal(json_object_get(json_array_get(array, i), key), mine))
            return true;
    return false;
}

static unsigned count_distinct(const json_t *array, const char *key)
{
    unsigned count = 0;

    for (size_t i = 0; i < json_array_size(array); i++)
        count += !seen_before(array, i, key);
    return count;
}

static void describe_cpus(struct buffer *out, const json_t *cpus)
{
    unsigned packages = count_distinct(cpus, "package"), cores = count_distinct(cpus, "siblings");
    size_t count = json_array_size(cpus);

    buffer_printf(out, "%zu CPU%s", count, count == 1 ? "" : "s");
    if (packages == 0 || cores == 0)
        return;
    buffer_printf(out, ": %u package%s, %u core%s", packages, packages == 1 ? "" : "s", cores,
                  cores == 1 ? "" : "s");
    if (count % cores == 0)
        buffer_printf(out, " x %zu thread%s", count / cores, count / cores == 1 ? "" : "s");
}

static bool same_cache(const json_t *a, const json_t *b)
{
    return json_equal(json_object_get(a, "level"), json_object_get(b, "level")) &&
           strcmp(text_of(a, "type"), text_of(b, "type")) == 0;
}

/* Each level once: how many there are, and how many CPUs share one. Instruction caches are as the
 * data caches beside them. */
static void describe_caches(struct buffer *out, const json_t *caches)
{
    for (size_t i = 0; i < json_array_size(caches); i++) {
        const json_t *cache = json_array_get(caches, i);
        size_t alike = 0;
        bool first = true;

        for (size_t j = 0; j < json_array_size(caches); j++) {
            if (!same_cache(cache, json_array_get(caches, j)))
                continue;
            first = first && j >= i;
            alike++;
        }
        if (!first || strcmp(text_of(cache, "type"), "Instruction") == 0)
            continue;
        buffer_printf(out, ", L%d %zu x %u CPU%s",
                      (int)json_integer_value(json_object_get(cache, "level")), alike,
                      list_size(text_of(cache, "shared")),
                      list_size(text_of(cache, "shared")) == 1 ? "" : "s");
    }
}

static void describe_domains(struct buffer *out, const json_t *domains)
{
    bool any = false;

    for (size_t i = 0; i < json_array_size(domains); i++) {
        const json_t *domain = json_array_get(domains, i);

        if (seen_before(domains, i, "level"))
            continue;
        buffer_puts(out, any ? ", " : "; scheduler domains ");
        if (*text_of(domain, "name"))
            layout_clean(out, text_of(domain, "name"));
        else
            buffer_printf(out, "%d", (int)json_integer_value(json_object_get(domain, "level")));
        buffer_printf(out, " (%u CPUs)", list_size(text_of(domain, "span")));
        any = true;
    }
}

void topology_describe(struct buffer *out, const json_t *seen)
{
    const json_t *cpus = json_object_get(seen, "cpus"), *nodes = json_object_get(seen, "nodes");

    if (json_array_size(cpus) == 0)
        return;
    describe_cpus(out, cpus);
    describe_caches(out, json_object_get(seen, "caches"));
    if (json_array_size(nodes) > 0)
        buffer_printf(out, "; %zu NUMA node%s", json_array_size(nodes),
                      json_array_size(nodes) == 1 ? "" : "s");
    describe_domains(out, json_object_get(seen, "domains"));
}
