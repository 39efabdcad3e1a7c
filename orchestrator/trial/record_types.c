/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each type of record must hold, when it may come, and what it adds to the report. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/digest.h"
#include "trial/record_reader.h"

enum {
    INDEX_MAXIMUM = 1024,
    CACHE_LEVEL_MAXIMUM = 8,
    DOMAIN_LEVEL_MAXIMUM = 31,
    IDENTIFIER_MAXIMUM = 1 << 20, /* of a package, die or core: kernels leave gaps */
    HISTOGRAM_BUCKETS_MAXIMUM = 512
};

static bool is_hexadecimal(const char *text)
{
    return text[strspn(text, "0123456789abcdef")] == '\0';
}

static bool out_of_memory(struct record_reader *reader)
{
    reader->no_memory = true;
    return record_refuse(reader, "no memory");
}

/* A layout has more of something than any machine: not ours to store. */
static bool add_seen(struct record_reader *reader, bool added, const char *what)
{
    return added || record_refuse(reader, "no room for more %s", what);
}

static bool take_hello(struct record_reader *reader, const json_t *record)
{
    struct guest_hello *hello = &reader->report->hello;
    bool good =
        record_get_unsigned(reader, record, "protocol", 1000, &hello->protocol) &&
        record_get_shown(reader, record, "agent", hello->agent, sizeof hello->agent) &&
        record_get_count(reader, record, "seed", INT64_MAX, &hello->seed) &&
        record_get_shown(reader, record, "release", hello->release, sizeof hello->release) &&
        record_get_shown(reader, record, "version", hello->version, sizeof hello->version) &&
        record_get_text(reader, record, "build_id", hello->build_id, sizeof hello->build_id) &&
        record_get_shown(reader, record, "cmdline", hello->cmdline, sizeof hello->cmdline) &&
        record_get_unsigned(reader, record, "cpus", SEEN_CPUS_MAXIMUM, &hello->cpus) &&
        record_get_count(reader, record, "memory", INT64_MAX, &hello->memory) &&
        record_get_shown(reader, record, "clocksource", hello->clocksource,
                         sizeof hello->clocksource);

    if (!good)
        return false;
    if (!is_hexadecimal(hello->build_id))
        return record_refuse(reader, "\"build_id\" must be hexadecimal");
    reader->report->stage = STAGE_HELLO;
    return true;
}

static bool take_cpu(struct record_reader *reader, const json_t *record)
{
    char siblings[CPU_LIST_SIZE];
    struct seen_cpu cpu = {.siblings = siblings};

    return record_get_unsigned(reader, record, "cpu", SEEN_CPUS_MAXIMUM - 1, &cpu.cpu) &&
           record_get_unsigned(reader, record, "package", IDENTIFIER_MAXIMUM, &cpu.package) &&
           record_get_unsigned(reader, record, "die", IDENTIFIER_MAXIMUM, &cpu.die) &&
           record_get_unsigned(reader, record, "core", IDENTIFIER_MAXIMUM, &cpu.core) &&
           record_get_unsigned(reader, record, "node", SEEN_NODES_MAXIMUM, &cpu.node) &&
           record_get_cpu_list(reader, record, "siblings", siblings) &&
           add_seen(reader, seen_add_cpu(&reader->report->seen, &cpu), "CPUs");
}

static bool take_cache(struct record_reader *reader, const json_t *record)
{
    char shared[CPU_LIST_SIZE];
    struct seen_cache cache = {.shared = shared};

    if (!record_get_unsigned(reader, record, "level", CACHE_LEVEL_MAXIMUM, &cache.level) ||
        !record_get_text(reader, record, "type", cache.type, sizeof cache.type) ||
        !record_get_count(reader, record, "size", INT64_MAX, &cache.size) ||
        !record_get_cpu_list(reader, record, "shared", shared))
        return false;
    if (strcmp(cache.type, "Data") != 0 && strcmp(cache.type, "Instruction") != 0 &&
        strcmp(cache.type, "Unified") != 0)
        return record_refuse(reader, "\"type\" must be Data, Instruction or Unified");
    return add_seen(reader, seen_add_cache(&reader->report->seen, &cache), "caches");
}

static bool take_node(struct record_reader *reader, const json_t *record)
{
    char cpus[CPU_LIST_SIZE];
    struct seen_node node = {.cpus = cpus};

    return record_get_unsigned(reader, record, "node", SEEN_NODES_MAXIMUM, &node.node) &&
           record_get_cpu_list(reader, record, "cpus", cpus) &&
           record_get_count(reader, record, "memory", INT64_MAX, &node.memory) &&
           add_seen(reader, seen_add_node(&reader->report->seen, &node), "NUMA nodes");
}

static bool take_domain(struct record_reader *reader, const json_t *record)
{
    char span[CPU_LIST_SIZE];
    struct seen_domain domain = {.span = span};

    return record_get_unsigned(reader, record, "level", DOMAIN_LEVEL_MAXIMUM, &domain.level) &&
           record_get_shown(reader, record, "name", domain.name, sizeof domain.name) &&
           record_get_cpu_list(reader, record, "span", span) &&
           add_seen(reader, seen_add_domain(&reader->report->seen, &domain), "scheduler domains");
}

static bool take_ready(struct record_reader *reader, const json_t *record)
{
    (void)record;
    reader->report->stage = STAGE_READY;
    reader->report->described = true;
    return true;
}

/* The record speaks of the workload that runs now. */
static bool of_running(struct record_reader *reader, const json_t *record, unsigned *ret_index)
{
    if (!record_get_unsigned(reader, record, "index", INDEX_MAXIMUM, ret_index))
        return false;
    if (!reader->running || *ret_index != reader->report->finished)
        return record_refuse(reader, "workload %u is not running", *ret_index);
    return true;
}

static bool take_start(struct record_reader *reader, const json_t *record)
{
    struct guest_report *report = reader->report;
    char workload[97];
    unsigned index;

    if (!record_get_shown(reader, record, "workload", workload, sizeof workload) ||
        !record_get_unsigned(reader, record, "index", INDEX_MAXIMUM, &index))
        return false;
    if (reader->running || report->failed || index != report->finished)
        return record_refuse(reader, "workload %u should not start now", index);
    if (!strv_append(&report->started, workload))
        return out_of_memory(reader);
    reader->running = true;
    return true;
}

static bool take_finish(struct record_reader *reader, const json_t *record)
{
    struct guest_report *report = reader->report;
    char workload[97];
    unsigned index;

    if (!record_get_shown(reader, record, "workload", workload, sizeof workload) ||
        !of_running(reader, record, &index))
        return false;
    if (strcmp(workload, report->started.items[index]) != 0)
        return record_refuse(reader, "workload %u started under another name", index);
    reader->running = false;
    report->finished++;
    return true;
}

static bool add_metric(struct record_reader *reader, const struct metric_value *metric)
{
    struct guest_report *report = reader->report;

    if (report->metric_count == reader->metric_capacity) {
        size_t capacity = reader->metric_capacity ? reader->metric_capacity * 2 : 64;
        struct metric_value *metrics = reallocarray(report->metrics, capacity, sizeof *metrics);

        if (!metrics)
            return out_of_memory(reader);
        report->metrics = metrics;
        reader->metric_capacity = capacity;
    }
    report->metrics[report->metric_count++] = *metric;
    reader->measured = crc32c(reader->measured, reader->line, reader->line_length);
    return true;
}

static bool get_better(struct record_reader *reader, const json_t *record,
                       enum metric_direction *ret)
{
    static const struct {
        const char *word;
        enum metric_direction better;
    } words[] = {{"lower", BETTER_LOWER}, {"higher", BETTER_HIGHER}, {"neither", BETTER_NEITHER}};
    const char *given = json_string_value(json_object_get(record, "better"));

    for (size_t i = 0; given && i < sizeof words / sizeof *words; i++) {
        if (strcmp(given, words[i].word) == 0) {
            *ret = words[i].better;
            return true;
        }
    }
    return record_refuse(reader, "\"better\" must be lower, higher or neither");
}

static bool take_sample(struct record_reader *reader, const json_t *record)
{
    struct metric_value metric = {0};

    return of_running(reader, record, &metric.index) &&
           record_get_name(reader, record, false, metric.name) &&
           record_get_value(reader, record, &metric.value) &&
           record_get_shown(reader, record, "unit", metric.unit, sizeof metric.unit) &&
           get_better(reader, record, &metric.better) && add_metric(reader, &metric);
}

static bool take_counter(struct record_reader *reader, const json_t *record)
{
    struct metric_value metric = {.better = BETTER_NEITHER, .counter = true, .unit = "count"};

    return of_running(reader, record, &metric.index) &&
           record_get_name(reader, record, true, metric.name) &&
           record_get_value(reader, record, &metric.value) && add_metric(reader, &metric);
}

static bool is_bucket(const json_t *bucket)
{
    const json_t *bound = json_array_get(bucket, 0);
    const json_t *count = json_array_get(bucket, 1);

    return json_array_size(bucket) == 2 && json_is_number(bound) &&
           isfinite(json_number_value(bound)) && json_is_integer(count) &&
           json_integer_value(count) >= 0;
}

/* Kept in the record file as evidence; here it is only checked. */
static bool take_histogram(struct record_reader *reader, const json_t *record)
{
    const json_t *buckets = json_object_get(record, "buckets");
    char name[97];
    char unit[16];
    unsigned index;

    if (!of_running(reader, record, &index) || !record_get_name(reader, record, false, name) ||
        !record_get_shown(reader, record, "unit", unit, sizeof unit))
        return false;
    if (!json_is_array(buckets) || json_array_size(buckets) > HISTOGRAM_BUCKETS_MAXIMUM)
        return record_refuse(reader, "\"buckets\" must be an array of at most %d",
                             (int)HISTOGRAM_BUCKETS_MAXIMUM);
    for (size_t i = 0; i < json_array_size(buckets); i++) {
        if (!is_bucket(json_array_get(buckets, i)))
            return record_refuse(reader, "bucket %zu must be [upper bound, count]", i);
    }
    reader->measured = crc32c(reader->measured, reader->line, reader->line_length);
    return true;
}

static bool take_log(struct record_reader *reader, const json_t *record)
{
    struct guest_report *report = reader->report;
    char text[RECORD_LINE_MAXIMUM];

    if (!record_get_shown(reader, record, "text", text, sizeof text))
        return false;
    text[RECORD_LOG_MAXIMUM] = '\0';
    if (report->logs.count < RECORD_LOGS_KEPT && !strv_append(&report->logs, text))
        return out_of_memory(reader);
    return true;
}

static bool take_failure(struct record_reader *reader, const json_t *record)
{
    struct guest_report *report = reader->report;

    if (report->failed)
        return record_refuse(reader, "a second failure");
    report->failure_index = FAILURE_IN_SETUP;
    if (json_object_get(record, "index") &&
        !record_get_unsigned(reader, record, "index", INDEX_MAXIMUM, &report->failure_index))
        return false;
    if (!record_get_shown(reader, record, "reason", report->failure, sizeof report->failure))
        return false;
    report->failed = true;
    reader->running = false;
    return true;
}

static bool take_end(struct record_reader *reader, const json_t *record)
{
    struct guest_report *report = reader->report;
    uint64_t records;
    char digest[9];
    char expected[9];

    if (reader->running)
        return record_refuse(reader, "the end comes while workload %zu runs", report->finished);
    if (!report->described && !report->failed)
        return record_refuse(reader, "the end comes before the description is complete");
    if (!record_get_count(reader, record, "records", RECORD_COUNT_MAXIMUM, &records) ||
        !record_get_text(reader, record, "digest", digest, sizeof digest))
        return false;
    if (records != report->record_count)
        return record_refuse(reader, "it counts %llu records before it, and there are %zu",
                             (unsigned long long)records, report->record_count);
    snprintf(expected, sizeof expected, "%08x", reader->measured);
    if (strcmp(digest, expected) != 0)
        return record_refuse(reader, "its digest does not fit the measured values");
    report->stage = STAGE_END;
    return true;
}

/* Each type with the stages in which it may come. */
static const struct {
    const char *name;
    enum guest_stage from, to;
    bool (*add)(struct record_reader *reader, const json_t *record);
} types[] = {
    {"hello", STAGE_NOTHING, STAGE_NOTHING, take_hello},
    {"cpu", STAGE_HELLO, STAGE_HELLO, take_cpu},
    {"cache", STAGE_HELLO, STAGE_HELLO, take_cache},
    {"node", STAGE_HELLO, STAGE_HELLO, take_node},
    {"domain", STAGE_HELLO, STAGE_HELLO, take_domain},
    {"ready", STAGE_HELLO, STAGE_HELLO, take_ready},
    {"start", STAGE_READY, STAGE_READY, take_start},
    {"sample", STAGE_READY, STAGE_READY, take_sample},
    {"counter", STAGE_READY, STAGE_READY, take_counter},
    {"histogram", STAGE_READY, STAGE_READY, take_histogram},
    {"finish", STAGE_READY, STAGE_READY, take_finish},
    {"log", STAGE_HELLO, STAGE_READY, take_log},
    {"failure", STAGE_HELLO, STAGE_READY, take_failure},
    {"end", STAGE_HELLO, STAGE_READY, take_end},
};

bool record_take(struct record_reader *reader, const char *type, const json_t *record)
{
    enum guest_stage stage = reader->report->stage;
    char shown[64];

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(type, types[i].name) != 0)
            continue;
        if (stage < types[i].from || stage > types[i].to)
            return record_refuse(reader, "a %s record at the wrong place", type);
        return types[i].add(reader, record);
    }
    record_escape(type, shown, sizeof shown);
    return record_refuse(reader, "unknown type \"%s\"", shown);
}
