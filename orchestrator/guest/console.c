/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/console.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/*
 * What kernels from 3.x on print, by the place in the line where it stands. Wordings: panic() in
 * kernel/panic.c, watchdog_timer_fn() in kernel/watchdog.c, check_hung_task() in
 * kernel/hung_task.c, print_cpu_stall() in kernel/rcu/tree_stall.h, kernel/reboot.c.
 */
struct pattern {
    enum console_kind kind;
    bool at_start; /* after time stamp and caller prefix; else anywhere in the line */
    const char *first;
    const char *then; /* must follow somewhere behind `first`; NULL: nothing */
};

static const struct pattern patterns[] = {
    {CONSOLE_PANIC, true, "Kernel panic - not syncing", NULL},
    {CONSOLE_LOCKUP, true, "watchdog: BUG: soft lockup - CPU#", NULL},
    {CONSOLE_LOCKUP, true, "NMI watchdog: BUG: soft lockup - CPU#", NULL},
    {CONSOLE_LOCKUP, true, "BUG: soft lockup - CPU#", NULL},
    {CONSOLE_LOCKUP, false, "Watchdog detected hard LOCKUP on cpu", NULL},
    {CONSOLE_LOCKUP, true, "BUG: workqueue lockup", NULL},
    {CONSOLE_HUNG_TASK, true, "INFO: task ", " blocked for more than "},
    {CONSOLE_HUNG_TASK, true, "INFO: task ", " blocked in I/O wait for more than "},
    {CONSOLE_BUG, true, "BUG: ", NULL},
    {CONSOLE_BUG, true, "kernel BUG at ", NULL},
    {CONSOLE_BUG, true, "general protection fault", NULL},
    {CONSOLE_BUG, true, "Oops: ", NULL},
    {CONSOLE_BUG, true, "double fault: ", NULL},
    {CONSOLE_BUG, true, "Internal error: ", NULL},
    {CONSOLE_WARNING, true, "WARNING: ", NULL},
    {CONSOLE_WARNING, true, "INFO: rcu_", "detected"},
    {CONSOLE_WARNING, true, "rcu: INFO: rcu_", "detected"},
    {CONSOLE_WARNING, true, "INFO: possible ", NULL}, /* lockdep */
    {CONSOLE_RESTART, true, "reboot: Restarting system", NULL},
    {CONSOLE_POWER_OFF, true, "reboot: Power down", NULL},
    {CONSOLE_POWER_OFF, true, "reboot: System halted", NULL},
    /* Before 3.11 without the prefix; "Power down." is the whole line there. */
    {CONSOLE_RESTART, true, "Restarting system.", NULL},
    {CONSOLE_POWER_OFF, true, "Power down.", NULL},
};

const char *console_text(const char *line)
{
    while (*line == ' ')
        line++;
    if (line[0] == '<' && isdigit((unsigned char)line[1]) && strchr(line, '>'))
        line = strchr(line, '>') + 1;
    for (unsigned i = 0; i < 2 && *line == '['; i++) {
        const char *end = line + 1 + strspn(line + 1, " 0123456789.TC");
        if (*end != ']')
            break;
        line = end + 1;
        while (*line == ' ')
            line++;
    }
    return line;
}

static bool matches(const struct pattern *pattern, const char *line)
{
    const char *found = strstr(line, pattern->first);
    if (!found || (pattern->at_start && found != line))
        return false;
    return !pattern->then || strstr(found + strlen(pattern->first), pattern->then);
}

enum console_kind console_classify(const char *line)
{
    line = console_text(line);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (matches(&patterns[i], line))
            return patterns[i].kind;
    return CONSOLE_PLAIN;
}

void console_scanner_init(struct console_scanner *scanner)
{
    memset(scanner, 0, sizeof *scanner);
}

static bool is_fatal(enum console_kind kind)
{
    return kind >= CONSOLE_BUG && kind <= CONSOLE_PANIC;
}

bool console_line_feed(char line[CONSOLE_LINE_MAXIMUM], size_t *length, unsigned char byte)
{
    if (byte == '\n') {
        line[*length] = '\0';
        *length = 0;
        return true;
    }
    if (byte != '\r' && *length < CONSOLE_LINE_MAXIMUM - 1)
        line[(*length)++] = byte >= ' ' && byte < 0x7f ? (char)byte : '?';
    return false;
}

static void end_line(struct console_scanner *scanner)
{
    enum console_kind kind = console_classify(scanner->line);
    if (kind == CONSOLE_PLAIN)
        return;
    struct console_finding *finding = &scanner->findings[kind];
    if (finding->count == 0)
        snprintf(finding->line, sizeof finding->line, "%s", console_text(scanner->line));
    if (finding->count < 1000000)
        finding->count++;
    if (is_fatal(kind) && scanner->first_fatal == CONSOLE_PLAIN)
        scanner->first_fatal = kind;
}

void console_scanner_feed(struct console_scanner *scanner, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < length; i++)
        if (console_line_feed(scanner->line, &scanner->length, at[i]))
            end_line(scanner);
}

void console_scanner_finish(struct console_scanner *scanner)
{
    if (scanner->length && console_line_feed(scanner->line, &scanner->length, '\n'))
        end_line(scanner);
}
