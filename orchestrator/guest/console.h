/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a guest's console for what a kernel says when it is in trouble. Pure: bytes in, findings
 * out; works in constant memory whatever the guest writes. Lines longer than the scanner's are
 * looked at up to there. Not thread-safe: one scanner, one thread.
 */
#ifndef CULPRIT_GUEST_CONSOLE_H
#define CULPRIT_GUEST_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

enum console_kind {
    CONSOLE_PLAIN = 0,
    CONSOLE_WARNING,   /* WARNING:, RCU stall: noted, the guest goes on */
    CONSOLE_BUG,       /* oops, BUG:, general protection fault */
    CONSOLE_HUNG_TASK, /* blocked for more than N seconds */
    CONSOLE_LOCKUP,    /* soft or hard lockup */
    CONSOLE_PANIC,     /* Kernel panic - not syncing */
    CONSOLE_RESTART,   /* the guest's own restart: reboot: Restarting system */
    CONSOLE_POWER_OFF, /* reboot: Power down, System halted */
    CONSOLE_KIND_COUNT
};

enum { CONSOLE_LINE_MAXIMUM = 512 };

struct console_finding {
    unsigned count;
    char line[CONSOLE_LINE_MAXIMUM]; /* the first one, printable ASCII, without its time stamp */
};

struct console_scanner {
    struct console_finding findings[CONSOLE_KIND_COUNT];
    enum console_kind first_fatal; /* BUG, HUNG_TASK, LOCKUP or PANIC, whichever came first */
    char line[CONSOLE_LINE_MAXIMUM];
    size_t length;
};

void console_scanner_init(struct console_scanner *scanner);

/* Takes the next bytes, in pieces of any size. */
void console_scanner_feed(struct console_scanner *scanner, const void *bytes, size_t length);

/* The last line need not end in a newline: call once when no more will come. */
void console_scanner_finish(struct console_scanner *scanner);

/* Takes one byte of a line under way: what is not printable ASCII becomes '?', and what passes the
 * maximum is dropped. True at the line's end: `line` is a string then, and the next byte begins
 * another. */
bool console_line_feed(char line[CONSOLE_LINE_MAXIMUM], size_t *length, unsigned char byte);

/* A line past "<4>" of a raw record, "[    1.234567]" and the caller that PRINTK_CALLER adds. */
const char *console_text(const char *line);

/* What one line says, without its newline; time stamp and level prefix allowed. */
enum console_kind console_classify(const char *line);

#endif
