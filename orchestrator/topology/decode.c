/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "topology/decode.h"

#include <string.h>

#include "topology/expectation.h"
#include "yaml/reader.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#define MEBIBYTE    (UINT64_C(1) << 20)
#define TEBIBYTE    (UINT64_C(1) << 40)
#define SECOND_NS   UINT64_C(1000000000)
#define FIELD(name) offsetof(struct topology, name)

/* char *: it becomes part of a path and of QEMU's command line. */
static READER_TYPE(read_name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

    int status = read_word(reader, node, field, target);
    if (status == 0 && node->text[strspn(node->text, allowed)])
        return reader_fail(reader, node,
                           "one word of letters, digits, '-', '_' and '.' is expected, found "
                           "\"%.64s\"",
                           node->text);
    return status;
}

static READER_TYPE(read_cpus)
{
    static const struct reader_field fields[] = {
        {"sockets", read_unsigned, FIELD(sockets), 1, 8, true},
        {"dies", read_unsigned, FIELD(dies), 1, 16, true},
        {"cores", read_unsigned, FIELD(cores), 1, 128, true},
        {"threads", read_unsigned, FIELD(threads), 1, 2, true},
        {"nodes", read_unsigned, FIELD(nodes), 1, 8, true},
    };
    struct topology *topology = target;

    (void)field;
    int status = reader_mapping(reader, node, fields, COUNT(fields), topology);
    if (status < 0)
        return status;
    unsigned cpus = topology_cpus(topology);
    if (cpus > TOPOLOGY_CPUS_MAXIMUM)
        return reader_fail(reader, node, "%u CPUs are more than the %d that a guest may have", cpus,
                           TOPOLOGY_CPUS_MAXIMUM);
    if (cpus % topology->nodes)
        return reader_fail(reader, node, "%u CPUs do not divide into %u nodes", cpus,
                           topology->nodes);
    return 0;
}

/* A level of QEMU's -smp. */
static READER_TYPE(read_level)
{
    static const char *const levels[] = {"thread", "core", "module", "cluster", "die", "socket"};
    char **name = target;
    size_t place;

    (void)field;
    int status = reader_choice(reader, node, "level of the topology", levels, COUNT(levels),
                               &place);
    if (status < 0)
        return status;
    *name = strdup(levels[place]);
    return *name ? 0 : reader_fail_memory(reader);
}

static READER_TYPE(read_model)
{
    static const struct reader_field fields[] = {
        {"name", read_name, FIELD(cpu_model), 1, 64, true},
        {"cpuid_level", read_unsigned, FIELD(cpuid_level), 1, 64, false},
        {"l3_cache", read_boolean, FIELD(l3_cache), 0, 0, false},
        {"l2_shared_by", read_level, FIELD(l2_shared_by), 0, 0, false},
    };

    (void)field;
    return reader_mapping(reader, node, fields, COUNT(fields), target);
}

static READER_TYPE(read_memory)
{
    static const struct reader_field fields[] = {
        {"default", read_size, FIELD(memory), 128 * MEBIBYTE, 64 * TEBIBYTE, true},
        {"maximum", read_size, FIELD(memory_maximum), 128 * MEBIBYTE, 64 * TEBIBYTE, true},
    };

    (void)field;
    return reader_mapping(reader, node, fields, COUNT(fields), target);
}

static READER_TYPE(read_deterministic)
{
    static const struct reader_field fields[] = {
        {"shift", read_unsigned, FIELD(shift), 0, 10, true},
        {"second_shift", read_unsigned, FIELD(second_shift), 0, 10, true},
        {"boot_deadline", read_duration, FIELD(boot_deadline_ns), SECOND_NS, 86400 * SECOND_NS,
         true},
    };
    struct topology *topology = target;

    (void)field;
    int status = reader_mapping(reader, node, fields, COUNT(fields), topology);
    if (status == 0 && topology->second_shift == topology->shift)
        return reader_fail(reader, document_get(node, "second_shift"),
                           "a second shift that equals the first confirms nothing");
    return status;
}

/* What hangs on the CPUs is read after them, wherever it stands. */
static READER_TYPE(read_later)
{
    (void)reader;
    (void)node;
    (void)field;
    (void)target;
    return 0;
}

static const struct reader_field fields[] = {
    {"name", read_name, FIELD(name), 1, 64, true},
    {"description", read_line, FIELD(description), 1, 400, true},
    {"cpus", read_cpus, .required = true},
    {"model", read_model, .required = true},
    {"memory", read_memory, .required = true},
    {"deterministic", read_deterministic, .required = true},
    {"guest_sees", read_later, .required = true},
};

static int check_memory(struct reader *reader, const struct document_node *node,
                        const struct topology *topology)
{
    reader_enter(reader, "memory");
    if (topology->memory % (MEBIBYTE * topology->nodes))
        return reader_fail(reader, document_get(node, "default"),
                           "the default is not in whole MiB for each node");
    if (topology->memory_maximum < topology->memory)
        return reader_fail(reader, document_get(node, "maximum"),
                           "the maximum is less than the default");
    reader_leave(reader, 0);
    return 0;
}

static int read_root(struct reader *reader, const struct document_node *root,
                     struct topology *topology)
{
    topology->l3_cache = true;
    int status = reader_mapping(reader, root, fields, COUNT(fields), topology);
    if (status == 0)
        status = check_memory(reader, document_get(root, "memory"), topology);
    if (status < 0)
        return status;
    reader_enter(reader, "guest_sees");
    return expectation_read(reader, document_get(root, "guest_sees"), topology_cpus(topology),
                            &topology->expect);
}

int topology_decode(const char *text, size_t length, struct topology **ret,
                    struct culprit_error *error)
{
    CULPRIT_CLEANUP(document_free) struct document *document = NULL;
    CULPRIT_CLEANUP(topology_free) struct topology *topology = calloc(1, sizeof *topology);
    struct reader reader = {.error = error};

    if (!topology)
        return reader_fail_memory(&reader);
    int status = document_parse(text, length, TOPOLOGY_FILE_MAXIMUM, &document, error);
    if (status == 0)
        status = read_root(&reader, document_root(document), topology);
    if (status < 0)
        return status;
    *ret = take(topology);
    return 0;
}
