/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe/domains.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "probe/schedstat.h"

#define SCHED_VERBOSE "/sys/kernel/debug/sched/verbose"

enum {
    DOMAINS_MAXIMUM = CPU_MASK_MAXIMUM * 2, /* distinct ones */
    DOMAIN_NAME_SIZE = 32,
    ESCAPED_NAME_MAXIMUM = 6 * DOMAIN_NAME_SIZE,
};

struct domain {
    unsigned level;
    char name[DOMAIN_NAME_SIZE];
    struct cpu_mask span;
};

struct domains {
    struct domain *list;
    size_t count;
};

static void read_name(unsigned cpu, unsigned level, char name[DOMAIN_NAME_SIZE])
{
    char path[128];

    text_print(path, sizeof(path), "/sys/kernel/debug/sched/domains/cpu%u/domain%u/name", cpu,
               level);
    if (text_read_line(path, name, DOMAIN_NAME_SIZE) == 0)
        return;
    text_print(path, sizeof(path), "/proc/sys/kernel/sched_domain/cpu%u/domain%u/name", cpu, level);
    text_read_line(path, name, DOMAIN_NAME_SIZE);
}

static void add_domain(unsigned cpu, unsigned level, const char *name, const struct cpu_mask *span,
                       void *userdata)
{
    struct domains *domains = userdata;
    struct domain domain = {.level = level, .span = *span};

    if (*name)
        text_print(domain.name, sizeof(domain.name), "%s", name);
    else
        read_name(cpu, level, domain.name);
    for (size_t i = 0; i < domains->count; i++) {
        const struct domain *known = &domains->list[i];
        if (known->level == level && cpu_mask_equal(&known->span, span) &&
            strcmp(known->name, domain.name) == 0)
            return;
    }
    if (domains->count < DOMAINS_MAXIMUM)
        domains->list[domains->count++] = domain;
}

static int read_domains(struct domains *domains, char *message, size_t message_size)
{
    _cleanup_text_ char *text = NULL;
    struct schedstat schedstat;

    int result = text_read("/proc/schedstat", SCHEDSTAT_MAXIMUM, &text, NULL);
    if (result < 0) {
        text_print(message, message_size, "cannot read /proc/schedstat: %s", strerror(-result));
        return result;
    }
    if (!schedstat_parse(text, &schedstat, add_domain, domains, message, message_size))
        return -EINVAL;
    return 0;
}

static void report_domain(struct record_writer *writer, const struct domain *domain)
{
    char list[CPU_MASK_LIST_SIZE];

    cpu_mask_print(&domain->span, list);
    record_begin(writer, "domain");
    record_unsigned(writer, "level", domain->level);
    record_text(writer, "name", domain->name, ESCAPED_NAME_MAXIMUM);
    record_text(writer, "span", list, sizeof(list));
    record_finish(writer);
}

/* Kernels since v6.7 fill the debugfs folder only while they are verbose. */
static int read_verbosely(struct domains *domains, char *message, size_t message_size)
{
    char verbose[8];
    bool changed = text_read_line(SCHED_VERBOSE, verbose, sizeof(verbose)) == 0 &&
                   strcmp(verbose, "N") == 0 && text_write(SCHED_VERBOSE, "Y") == 0;

    int result = read_domains(domains, message, message_size);
    if (changed)
        text_write(SCHED_VERBOSE, "N");
    return result;
}

int domains_report(struct record_writer *writer, char *message, size_t message_size)
{
    struct domains domains = {calloc(DOMAINS_MAXIMUM, sizeof(*domains.list)), 0};

    if (!domains.list) {
        text_print(message, message_size, "no memory for scheduler domains");
        return -ENOMEM;
    }
    int result = read_verbosely(&domains, message, message_size);
    if (result == -ENOENT) {
        record_log(writer,
                   "this kernel has no /proc/schedstat: its scheduler domains are not seen");
        result = 0;
    }
    for (size_t i = 0; i < domains.count; i++)
        report_domain(writer, &domains.list[i]);
    free(domains.list);
    return result;
}
