/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/topology_decode.h"

#include <string.h>

#include "guest/cpulist.h"
#include "guest/document.h"
#include "guest/domain.h"

enum { CACHES_MAXIMUM = 8, DOMAINS_MAXIMUM = 8, DESCRIPTION_MAXIMUM = 400 };

static int no_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a topology");
}

static int take_text(const struct place *map, const char *key, char **ret,
                     struct culprit_error *error)
{
    struct place place;
    const char *text;
    int status = place_get(map, key, true, &place, error);
    if (status == 0)
        status = place_text(&place, &text, error);
    if (status < 0)
        return status;
    if (!*text || strlen(text) > DESCRIPTION_MAXIMUM)
        return place_fail(&place, error, "expected 1 to %d characters", DESCRIPTION_MAXIMUM);
    *ret = strdup(text);
    return *ret ? 0 : no_memory(error);
}

static int take_number(const struct place *map, const char *key, unsigned minimum, unsigned maximum,
                       unsigned *ret, struct culprit_error *error)
{
    struct place place;
    int status = place_get(map, key, true, &place, error);
    return status < 0 ? status : place_number(&place, minimum, maximum, ret, error);
}

/* A word of letters, digits, '-', '_' and '.': it becomes part of QEMU's command line. */
static int take_word(const struct place *place, char **ret, struct culprit_error *error)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const char *text;
    int status = place_text(place, &text, error);
    if (status < 0)
        return status;
    size_t length = strlen(text);
    if (length == 0 || length > 64 || strspn(text, allowed) != length)
        return place_fail(place, error, "expected one word, found \"%.64s\"", text);
    *ret = strdup(text);
    return *ret ? 0 : no_memory(error);
}

/* {groups_of: 2} stands for "0-1", "2-3", …: CPUs in order, the whole of them. */
static int take_groups(const struct place *map, unsigned cpus, struct strv *ret,
                       struct culprit_error *error)
{
    static const char *const keys[] = {"groups_of", NULL};
    struct place place;
    unsigned size;

    int status = place_check_keys(map, keys, error);
    if (status == 0)
        status = place_get(map, "groups_of", true, &place, error);
    if (status == 0)
        status = place_number(&place, 1, cpus, &size, error);
    if (status < 0)
        return status;
    if (cpus % size)
        return place_fail(&place, error, "%u CPUs do not make groups of %u", cpus, size);
    for (unsigned first = 0; first < cpus; first += size) {
        if (size == 1)
            strv_appendf(ret, "%u", first);
        else
            strv_appendf(ret, "%u-%u", first, first + size - 1);
    }
    return ret->failed ? no_memory(error) : 0;
}

static int take_list(const struct place *item, unsigned cpus, struct cpu_set *seen,
                     struct strv *ret, struct culprit_error *error)
{
    const char *text;
    struct cpu_set set;
    struct culprit_error cause = {0};

    int status = place_text(item, &text, error);
    if (status < 0)
        return status;
    if (cpu_set_parse(text, cpus, &set, &cause) < 0)
        return place_fail(item, error, "%s", cause.message);
    if (cpu_set_overlap(seen, &set))
        return place_fail(item, error, "\"%.64s\" names a CPU that an item before it has", text);
    cpu_set_merge(seen, &set);
    _cleanup_free_ char *canonical = cpu_set_format(&set);
    return canonical && strv_append(ret, canonical) ? 0 : no_memory(error);
}

/* Groups that hold every CPU exactly once, in the kernel's own writing of CPU lists. */
static int take_partition(const struct place *map, const char *key, unsigned cpus, struct strv *ret,
                          struct culprit_error *error)
{
    struct place place;
    struct cpu_set seen = {0};
    size_t count;

    int status = place_get(map, key, true, &place, error);
    if (status < 0)
        return status;
    if (place_is_mapping(&place))
        return take_groups(&place, cpus, ret, error);
    status = place_count(&place, &count, error);
    for (size_t i = 0; status == 0 && i < count; i++) {
        struct place item;
        status = place_item(&place, i, &item, error);
        if (status == 0)
            status = take_list(&item, cpus, &seen, ret, error);
    }
    if (status == 0 && cpu_set_count(&seen) != cpus)
        return place_fail(&place, error, "names %u of %u CPUs", cpu_set_count(&seen), cpus);
    return status;
}

static int decode_cpus(const struct place *root, struct topology *topology,
                       struct culprit_error *error)
{
    static const char *const keys[] = {"sockets", "dies", "cores", "threads", "nodes", NULL};
    struct place cpus;

    int status = place_get(root, "cpus", true, &cpus, error);
    if (status == 0)
        status = place_check_keys(&cpus, keys, error);
    if (status == 0)
        status = take_number(&cpus, "sockets", 1, 8, &topology->sockets, error);
    if (status == 0)
        status = take_number(&cpus, "dies", 1, 16, &topology->dies, error);
    if (status == 0)
        status = take_number(&cpus, "cores", 1, 128, &topology->cores, error);
    if (status == 0)
        status = take_number(&cpus, "threads", 1, 2, &topology->threads, error);
    if (status == 0)
        status = take_number(&cpus, "nodes", 1, 8, &topology->nodes, error);
    if (status < 0)
        return status;
    if (topology_cpus(topology) > GUEST_CPUS_MAXIMUM)
        return place_fail(&cpus, error, "%u CPUs are more than the %d that a guest may have",
                          topology_cpus(topology), GUEST_CPUS_MAXIMUM);
    if (topology_cpus(topology) % topology->nodes)
        return place_fail(&cpus, error, "%u CPUs do not divide into %u nodes",
                          topology_cpus(topology), topology->nodes);
    return 0;
}

static int decode_sharing(const struct place *model, struct topology *topology,
                          struct culprit_error *error)
{
    static const char *const levels[] = {"thread", "core", "module", "cluster", "die", "socket"};
    struct place place;

    int status = place_get(model, "l2_shared_by", false, &place, error);
    if (status < 0 || !place.node)
        return status;
    status = take_word(&place, &topology->l2_shared_by, error);
    if (status < 0)
        return status;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcmp(levels[i], topology->l2_shared_by) == 0)
            return 0;
    return place_fail(&place, error,
                      "expected thread, core, module, cluster, die or socket, found \"%s\"",
                      topology->l2_shared_by);
}

static int decode_model(const struct place *root, struct topology *topology,
                        struct culprit_error *error)
{
    static const char *const keys[] = {"name", "cpuid_level", "l3_cache", "l2_shared_by", NULL};
    struct place model, place;

    int status = place_get(root, "model", true, &model, error);
    if (status == 0)
        status = place_check_keys(&model, keys, error);
    if (status == 0)
        status = place_get(&model, "name", true, &place, error);
    if (status == 0)
        status = take_word(&place, &topology->cpu_model, error);
    if (status == 0)
        status = place_get(&model, "cpuid_level", false, &place, error);
    if (status == 0 && place.node)
        status = place_number(&place, 1, 64, &topology->cpuid_level, error);
    topology->l3_cache = true;
    if (status == 0)
        status = place_get(&model, "l3_cache", false, &place, error);
    if (status == 0 && place.node)
        status = place_flag(&place, &topology->l3_cache, error);
    return status < 0 ? status : decode_sharing(&model, topology, error);
}

static int decode_memory(const struct place *root, struct topology *topology,
                         struct culprit_error *error)
{
    static const char *const keys[] = {"default", "maximum", NULL};
    const uint64_t step = UINT64_C(1) << 20;
    struct place memory, smallest, largest;

    int status = place_get(root, "memory", true, &memory, error);
    if (status == 0)
        status = place_check_keys(&memory, keys, error);
    if (status == 0)
        status = place_get(&memory, "default", true, &smallest, error);
    if (status == 0)
        status = place_size(&smallest, &topology->memory, error);
    if (status == 0)
        status = place_get(&memory, "maximum", true, &largest, error);
    if (status == 0)
        status = place_size(&largest, &topology->memory_maximum, error);
    if (status < 0)
        return status;
    if (topology->memory < 128 * step || topology->memory % (step * topology->nodes))
        return place_fail(&smallest, error, "expected at least 128MiB, in whole MiB for each node");
    if (topology->memory_maximum < topology->memory)
        return place_fail(&largest, error, "the maximum is less than the default");
    return 0;
}

static int decode_engine(const struct place *root, struct topology *topology,
                         struct culprit_error *error)
{
    static const char *const keys[] = {"shift", "second_shift", "boot_deadline", NULL};
    struct place engine, place;

    int status = place_get(root, "deterministic", true, &engine, error);
    if (status == 0)
        status = place_check_keys(&engine, keys, error);
    if (status == 0)
        status = take_number(&engine, "shift", 0, 10, &topology->shift, error);
    if (status == 0)
        status = place_get(&engine, "second_shift", true, &place, error);
    if (status == 0)
        status = place_number(&place, 0, 10, &topology->second_shift, error);
    if (status == 0 && topology->second_shift == topology->shift)
        return place_fail(&place, error, "a second shift that equals the first confirms nothing");
    if (status == 0)
        status = place_get(&engine, "boot_deadline", true, &place, error);
    return status < 0 ? status : place_duration(&place, &topology->boot_deadline_ns, error);
}

static int decode_cache(const struct place *place, unsigned cpus, struct topology_cache *cache,
                        struct culprit_error *error)
{
    static const char *const keys[] = {"level", "type", "shared", NULL};
    static const char *const types[] = {"Data", "Instruction", "Unified"};
    struct place type;
    const char *text;

    int status = place_check_keys(place, keys, error);
    if (status == 0)
        status = take_number(place, "level", 1, 4, &cache->level, error);
    if (status == 0)
        status = place_get(place, "type", true, &type, error);
    if (status == 0)
        status = place_text(&type, &text, error);
    if (status < 0)
        return status;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i], text) == 0)
            snprintf(cache->type, sizeof cache->type, "%s", text);
    if (!*cache->type)
        return place_fail(&type, error, "expected Data, Instruction or Unified, found \"%.32s\"",
                          text);
    return take_partition(place, "shared", cpus, &cache->shared, error);
}

static int decode_caches(const struct place *sees, struct topology_expectation *expect,
                         struct culprit_error *error)
{
    struct place list, item;
    size_t count;

    int status = place_get(sees, "caches", true, &list, error);
    if (status == 0)
        status = place_count(&list, &count, error);
    if (status < 0)
        return status;
    if (count == 0 || count > CACHES_MAXIMUM)
        return place_fail(&list, error, "expected 1 to %d caches", CACHES_MAXIMUM);
    expect->caches = calloc(count, sizeof *expect->caches);
    if (!expect->caches)
        return no_memory(error);
    expect->cache_count = count;
    for (size_t i = 0; status == 0 && i < count; i++) {
        status = place_item(&list, i, &item, error);
        if (status == 0)
            status = decode_cache(&item, expect->cpus, &expect->caches[i], error);
    }
    return status;
}

static int decode_domain(const struct place *place, unsigned cpus, struct topology_domain *domain,
                         struct culprit_error *error)
{
    static const char *const keys[] = {"names", "spans", NULL};
    struct place names, item;
    size_t count;

    int status = place_check_keys(place, keys, error);
    if (status == 0)
        status = place_get(place, "names", true, &names, error);
    if (status == 0)
        status = place_count(&names, &count, error);
    for (size_t i = 0; status == 0 && i < count; i++) {
        _cleanup_free_ char *name = NULL;
        status = place_item(&names, i, &item, error);
        if (status == 0)
            status = take_word(&item, &name, error);
        if (status == 0 && !strv_append(&domain->names, name))
            status = no_memory(error);
    }
    return status < 0 ? status : take_partition(place, "spans", cpus, &domain->spans, error);
}

static int decode_domains(const struct place *sees, struct topology_expectation *expect,
                          struct culprit_error *error)
{
    struct place list, item;
    size_t count;

    int status = place_get(sees, "domains", true, &list, error);
    if (status == 0)
        status = place_count(&list, &count, error);
    if (status < 0)
        return status;
    if (count > DOMAINS_MAXIMUM)
        return place_fail(&list, error, "expected at most %d domains", DOMAINS_MAXIMUM);
    expect->domains = calloc(count ? count : 1, sizeof *expect->domains);
    if (!expect->domains)
        return no_memory(error);
    expect->domain_count = count;
    for (size_t i = 0; status == 0 && i < count; i++) {
        expect->domains[i].level = (unsigned)i;
        status = place_item(&list, i, &item, error);
        if (status == 0)
            status = decode_domain(&item, expect->cpus, &expect->domains[i], error);
    }
    return status;
}

static int decode_expectation(const struct place *root, struct topology *topology,
                              struct culprit_error *error)
{
    static const char *const keys[] = {"packages", "siblings", "caches", "nodes", "domains", NULL};
    struct topology_expectation *expect = &topology->expect;
    struct place sees;

    expect->cpus = topology_cpus(topology);
    int status = place_get(root, "guest_sees", true, &sees, error);
    if (status == 0)
        status = place_check_keys(&sees, keys, error);
    if (status == 0)
        status = take_number(&sees, "packages", 1, 8, &expect->packages, error);
    if (status == 0)
        status = take_partition(&sees, "siblings", expect->cpus, &expect->siblings, error);
    if (status == 0)
        status = take_partition(&sees, "nodes", expect->cpus, &expect->nodes, error);
    if (status == 0)
        status = decode_caches(&sees, expect, error);
    return status < 0 ? status : decode_domains(&sees, expect, error);
}

static int decode(const struct place *root, struct topology *topology, struct culprit_error *error)
{
    static const char *const keys[] = {"name",   "description",   "cpus",       "model",
                                       "memory", "deterministic", "guest_sees", NULL};
    struct place place;

    int status = place_check_keys(root, keys, error);
    if (status == 0)
        status = place_get(root, "name", true, &place, error);
    if (status == 0)
        status = take_word(&place, &topology->name, error);
    if (status == 0)
        status = take_text(root, "description", &topology->description, error);
    if (status == 0)
        status = decode_cpus(root, topology, error);
    if (status == 0)
        status = decode_model(root, topology, error);
    if (status == 0)
        status = decode_memory(root, topology, error);
    if (status == 0)
        status = decode_engine(root, topology, error);
    return status < 0 ? status : decode_expectation(root, topology, error);
}

int topology_decode(const char *text, size_t length, struct topology **ret,
                    struct culprit_error *error)
{
    CULPRIT_CLEANUP(guest_document_free) struct document document = {0};
    CULPRIT_CLEANUP(topology_free) struct topology *topology = calloc(1, sizeof *topology);
    struct place root;

    if (!topology)
        return no_memory(error);
    int status = guest_document_parse(&document, text, length, &root, error);
    if (status == 0)
        status = decode(&root, topology, error);
    if (status < 0)
        return status;
    *ret = take(topology);
    return 0;
}
