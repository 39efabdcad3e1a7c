/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "topology/expectation.h"

#include <string.h>

#include "topology/cpulist.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { CACHES_MAXIMUM = 8, DOMAINS_MAXIMUM = 8, NAMES_MAXIMUM = 16 };

/* What the reader's context is: the guest's CPUs. */
static unsigned cpus_of(const struct reader *reader)
{
    return *(const unsigned *)reader->context;
}

/* {groups_of: 2} stands for "0-1", "2-3", …: CPUs in order, the whole of them. */
static int read_groups(struct reader *reader, const struct document_node *node, struct strv *ret)
{
    unsigned cpus = cpus_of(reader), size = 0;
    const struct reader_field fields[] = {
        {"groups_of", read_unsigned, .minimum = 1, .maximum = cpus, .required = true},
    };

    int status = reader_mapping(reader, node, fields, COUNT(fields), &size);
    if (status < 0)
        return status;
    if (cpus % size)
        return reader_fail(reader, node->values[0], "%u CPUs do not make groups of %u", cpus, size);
    for (unsigned first = 0; first < cpus; first += size) {
        if (size == 1)
            strv_appendf(ret, "%u", first);
        else
            strv_appendf(ret, "%u-%u", first, first + size - 1);
    }
    return ret->failed ? reader_fail_memory(reader) : 0;
}

/* One CPU list of a partition, in the kernel's own writing. */
static int read_list(struct reader *reader, const struct document_node *node, struct cpu_set *seen,
                     struct strv *ret)
{
    struct culprit_error inner = {0};
    struct cpu_set set;
    const char *text = reader_scalar(reader, node, "a list of CPUs such as 0-3,8");

    if (!text)
        return -(int)CULPRIT_INVALID;
    if (cpu_set_parse(text, cpus_of(reader), &set, &inner) < 0)
        return reader_fail_with(reader, node, &inner);
    if (cpu_set_overlap(seen, &set))
        return reader_fail(reader, node, "\"%.64s\" names a CPU that an item before it has", text);
    cpu_set_merge(seen, &set);
    _cleanup_free_ char *canonical = cpu_set_format(&set);
    return canonical && strv_append(ret, canonical) ? 0 : reader_fail_memory(reader);
}

/* struct strv: groups that hold every CPU exactly once. */
static READER_TYPE(read_partition)
{
    struct cpu_set seen = {0};
    unsigned cpus = cpus_of(reader);

    (void)field;
    if (node->kind == DOCUMENT_MAPPING)
        return read_groups(reader, node, target);
    int status = reader_check_list(reader, node, 1, cpus);
    for (size_t i = 0; status == 0 && i < node->count; i++) {
        size_t mark = reader_enter_item(reader, i);
        status = read_list(reader, node->values[i], &seen, target);
        reader_leave(reader, mark);
    }
    if (status == 0 && cpu_set_count(&seen) != cpus)
        return reader_fail(reader, node, "names %u of %u CPUs", cpu_set_count(&seen), cpus);
    return status;
}

static READER_TYPE(read_cache_type)
{
    static const char *const types[] = {"Data", "Instruction", "Unified"};
    size_t place;

    (void)field;
    int status = reader_choice(reader, node, "type of cache", types, COUNT(types), &place);
    if (status == 0)
        snprintf(target, sizeof((struct topology_cache *)NULL)->type, "%s", types[place]);
    return status;
}

/* Is a cache of this level and type among those before it? */
static bool is_described(const struct topology_expectation *expect,
                         const struct topology_cache *cache)
{
    for (const struct topology_cache *other = expect->caches; other < cache; other++)
        if (other->level == cache->level && strcmp(other->type, cache->type) == 0)
            return true;
    return false;
}

static READER_TYPE(read_caches)
{
    static const struct reader_field fields[] = {
        {"level", read_unsigned, offsetof(struct topology_cache, level), 1, 4, true},
        {"type", read_cache_type, offsetof(struct topology_cache, type), .required = true},
        {"shared", read_partition, offsetof(struct topology_cache, shared), .required = true},
    };
    struct topology_expectation *expect = target;

    (void)field;
    int status = reader_check_list(reader, node, 1, CACHES_MAXIMUM);
    if (status < 0)
        return status;
    expect->caches = calloc(node->count, sizeof *expect->caches);
    if (!expect->caches)
        return reader_fail_memory(reader);
    for (size_t i = 0; status == 0 && i < node->count; i++) {
        struct topology_cache *cache = &expect->caches[expect->cache_count++];
        size_t mark = reader_enter_item(reader, i);
        status = reader_mapping(reader, node->values[i], fields, COUNT(fields), cache);
        if (status == 0 && is_described(expect, cache))
            status = reader_fail(reader, node->values[i], "the %s cache of level %u stands twice",
                                 cache->type, cache->level);
        reader_leave(reader, mark);
    }
    return status;
}

static READER_TYPE(read_domains)
{
    static const struct reader_field fields[] = {
        {"names", read_words, offsetof(struct topology_domain, names), 0, NAMES_MAXIMUM, true},
        {"spans", read_partition, offsetof(struct topology_domain, spans), .required = true},
    };
    struct topology_expectation *expect = target;

    (void)field;
    int status = reader_check_list(reader, node, 0, DOMAINS_MAXIMUM);
    if (status < 0)
        return status;
    expect->domains = calloc(node->count + 1, sizeof *expect->domains);
    if (!expect->domains)
        return reader_fail_memory(reader);
    for (size_t i = 0; status == 0 && i < node->count; i++) {
        struct topology_domain *domain = &expect->domains[expect->domain_count++];
        size_t mark = reader_enter_item(reader, i);
        domain->level = (unsigned)i;
        status = reader_mapping(reader, node->values[i], fields, COUNT(fields), domain);
        reader_leave(reader, mark);
    }
    return status;
}

int expectation_read(struct reader *reader, const struct document_node *node, unsigned cpus,
                     struct topology_expectation *ret)
{
    static const struct reader_field fields[] = {
        {"packages", read_unsigned, offsetof(struct topology_expectation, packages), 1, 8, true},
        {"siblings", read_partition, offsetof(struct topology_expectation, siblings),
         .required = true},
        {"caches", read_caches, .required = true},
        {"nodes", read_partition, offsetof(struct topology_expectation, nodes), .required = true},
        {"domains", read_domains, .required = true},
    };

    ret->cpus = cpus;
    reader->context = &cpus;
    int status = reader_mapping(reader, node, fields, COUNT(fields), ret);
    reader->context = NULL;
    return status;
}
