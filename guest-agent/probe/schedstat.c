/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe/schedstat.h"

#include <stdio.h>
#include <string.h>

#include "core/text.h"

/* One version's columns. A name of NULL is a column that is always zero. */
struct layout {
    unsigned version;
    bool named_domains; /* the domain's name stands before its mask */
    const char *const *cpu;
    size_t cpu_count;
    const char *const *balance; /* of one kind of idleness */
    size_t balance_count;
    const char *const *idle; /* the three kinds of idleness, in order */
};

/* Version 14 counted the queue arrays of the O(1) scheduler, which was gone by then. */
static const char *const cpu_14[] = {
    NULL,     NULL,   NULL,         "yield",  "switch",  "schedule",
    "goidle", "ttwu", "ttwu_local", "run_ns", "wait_ns", "timeslices",
};
static const char *const cpu_15[] = {
    "yield", NULL, "schedule", "goidle", "ttwu", "ttwu_local", "run_ns", "wait_ns", "timeslices",
};

static const char *const balance_14[] = {
    "lb_count",  "lb_balanced",   "lb_failed",  "lb_imbalance",
    "lb_gained", "lb_hot_gained", "lb_nobusyq", "lb_nobusyg",
};
static const char *const balance_17[] = {
    "lb_count",          "lb_balanced",       "lb_failed",           "lb_imbalance_load",
    "lb_imbalance_util", "lb_imbalance_task", "lb_imbalance_misfit", "lb_gained",
    "lb_hot_gained",     "lb_nobusyq",        "lb_nobusyg",
};

/* Version 16 put the busy CPU first. */
static const char *const idle_14[] = {"idle", "busy", "newidle"};
static const char *const idle_16[] = {"busy", "idle", "newidle"};

/* After the three kinds of idleness, in all versions. The balancing at exec and fork (sbe_*,
 * sbf_*) has its columns, but nothing in the kernel counts it. */
static const char *const tail[] = {
    "alb_count",        "alb_failed",       "alb_pushed",        NULL, NULL, NULL, NULL, NULL, NULL,
    "ttwu_wake_remote", "ttwu_move_affine", "ttwu_move_balance",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct layout layouts[] = {
    {14, false, cpu_14, COUNT(cpu_14), balance_14, COUNT(balance_14), idle_14},
    {15, false, cpu_15, COUNT(cpu_15), balance_14, COUNT(balance_14), idle_14},
    {16, false, cpu_15, COUNT(cpu_15), balance_14, COUNT(balance_14), idle_16},
    {17, true, cpu_15, COUNT(cpu_15), balance_17, COUNT(balance_17), idle_16},
};

static const struct layout *layout_of(unsigned version)
{
    for (size_t i = 0; i < COUNT(layouts); i++)
        if (layouts[i].version == version)
            return &layouts[i];
    return NULL;
}

static size_t domain_fields(const struct layout *layout)
{
    return 3 * layout->balance_count + COUNT(tail);
}

/* Adds exactly `count` numbers. The kernel prints some of them signed. */
static bool add_numbers(char *cursor, uint64_t *totals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *word = text_next_word(&cursor);
        uint64_t value;
        bool negative = word && *word == '-';
        if (!word || !text_unsigned(word + negative, &value))
            return false;
        totals[i] += negative ? -value : value;
    }
    return text_next_word(&cursor) == NULL;
}

/* "PREFIX12" gives 12. */
static bool numbered(const char *word, const char *prefix, uint64_t limit, unsigned *ret)
{
    size_t length = strlen(prefix);
    uint64_t number;

    if (strncmp(word, prefix, length) != 0 || !text_unsigned(word + length, &number) ||
        number >= limit)
        return false;
    *ret = (unsigned)number;
    return true;
}

struct parser {
    const struct layout *layout;
    struct schedstat *result;
    unsigned cpu; /* whose domain lines follow */
    schedstat_visit visit;
    void *userdata;
};

static bool parse_domain(struct parser *parser, unsigned level, char *cursor)
{
    const char *name = parser->layout->named_domains ? text_next_word(&cursor) : "";
    const char *word = text_next_word(&cursor);
    struct cpu_mask span;

    if (!name || !word || !cpu_mask_parse_hexadecimal(word, &span) ||
        !add_numbers(cursor, parser->result->domains[level], domain_fields(parser->layout)))
        return false;
    if (level + 1 > parser->result->levels)
        parser->result->levels = level + 1;
    if (parser->visit)
        parser->visit(parser->cpu, level, name, &span, parser->userdata);
    return true;
}

static bool parse_line(struct parser *parser, char *line)
{
    char *cursor = line;
    const char *word = text_next_word(&cursor);
    unsigned level;

    if (!word || strcmp(word, "timestamp") == 0)
        return true;
    if (numbered(word, "cpu", CPU_MASK_MAXIMUM, &parser->cpu))
        return add_numbers(cursor, parser->result->cpu, parser->layout->cpu_count);
    if (numbered(word, "domain", SCHEDSTAT_LEVELS, &level))
        return parse_domain(parser, level, cursor);
    return false;
}

bool schedstat_parse(char *text, struct schedstat *ret, schedstat_visit visit, void *userdata,
                     char *message, size_t message_size)
{
    struct parser parser = {.result = ret, .visit = visit, .userdata = userdata};
    char *cursor = text;
    unsigned number = 1;
    char *line = text_next_line(&cursor);
    uint64_t version;

    memset(ret, 0, sizeof(*ret));
    if (!line || strncmp(line, "version ", 8) != 0 || !text_unsigned(line + 8, &version) ||
        version > 1000 || !(parser.layout = layout_of((unsigned)version))) {
        text_print(message, message_size,
                   "/proc/schedstat is of an unknown version: \"%.40s\"; versions 14 to 17 are "
                   "known",
                   line ? line : "");
        return false;
    }
    ret->version = (unsigned)version;
    while ((line = text_next_line(&cursor))) {
        number++;
        if (parse_line(&parser, line))
            continue;
        text_print(message, message_size, "/proc/schedstat, line %u is not of version %u", number,
                   ret->version);
        return false;
    }
    return true;
}

/* The kernel counts in unsigned int for each CPU and domain, and lb_imbalance does pass 2^32: the
 * difference of two sums of such counters is right modulo 2^32. */
static uint64_t domain_difference(uint64_t before, uint64_t after)
{
    return (uint32_t)(after - before);
}

static void emit_domain(const struct layout *layout, unsigned level, const uint64_t *before,
                        const uint64_t *after, schedstat_emit emit, void *userdata)
{
    char name[SCHEDSTAT_NAME_SIZE];
    size_t field = 0;

    for (size_t kind = 0; kind < 3; kind++)
        for (size_t i = 0; i < layout->balance_count; i++, field++) {
            text_print(name, sizeof(name), "schedstat.domain%u.%s_%s", level, layout->balance[i],
                       layout->idle[kind]);
            emit(name, domain_difference(before[field], after[field]), userdata);
        }
    for (size_t i = 0; i < COUNT(tail); i++, field++) {
        if (!tail[i])
            continue;
        text_print(name, sizeof(name), "schedstat.domain%u.%s", level, tail[i]);
        emit(name, domain_difference(before[field], after[field]), userdata);
    }
}

void schedstat_difference(const struct schedstat *before, const struct schedstat *after,
                          schedstat_emit emit, void *userdata)
{
    const struct layout *layout = layout_of(after->version);

    if (!layout || before->version != after->version)
        return;
    for (size_t i = 0; i < layout->cpu_count; i++) {
        char name[SCHEDSTAT_NAME_SIZE];
        if (!layout->cpu[i])
            continue;
        text_print(name, sizeof(name), "schedstat.cpu.%s", layout->cpu[i]);
        emit(name, after->cpu[i] - before->cpu[i], userdata);
    }
    for (unsigned level = 0; level < after->levels; level++)
        emit_domain(layout, level, before->domains[level], after->domains[level], emit, userdata);
}
