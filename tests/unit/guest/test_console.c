/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/console.h"

#include <string.h>

#include "scratch.h"

/* Lines as kernels from 3.10 to 6.12 write them, with and without time stamps. */
static const struct {
    const char *line;
    enum console_kind kind;
} lines[] = {
    {"Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)",
     CONSOLE_PANIC},
    {"[    1.234567] Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000100",
     CONSOLE_PANIC},
    {"[    1.234567][    T1] Kernel panic - not syncing: Fatal exception", CONSOLE_PANIC},
    {"<0>[    1.234567] Kernel panic - not syncing: Fatal exception", CONSOLE_PANIC},
    {"[   28.019373] watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [stress:97]",
     CONSOLE_LOCKUP},
    {"NMI watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [kworker/0:1:45]", CONSOLE_LOCKUP},
    {"BUG: soft lockup - CPU#0 stuck for 67s! [swapper/0:1]", CONSOLE_LOCKUP},
    {"[  120.1] NMI watchdog: Watchdog detected hard LOCKUP on cpu 2", CONSOLE_LOCKUP},
    {"BUG: workqueue lockup - pool cpus=1 node=0 flags=0x0 nice=0 stuck for 36s!", CONSOLE_LOCKUP},
    {"INFO: task kworker/u8:2:73 blocked for more than 120 seconds.", CONSOLE_HUNG_TASK},
    {"INFO: task cat:99 blocked in I/O wait for more than 122 seconds.", CONSOLE_HUNG_TASK},
    {"BUG: unable to handle page fault for address: ffffffffdeadbeef", CONSOLE_BUG},
    {"BUG: kernel NULL pointer dereference, address: 0000000000000008", CONSOLE_BUG},
    {"kernel BUG at kernel/sched/core.c:3241!", CONSOLE_BUG},
    {"general protection fault, probably for non-canonical address 0xdead: 0000 [#1] SMP",
     CONSOLE_BUG},
    {"Oops: 0002 [#1] PREEMPT SMP NOPTI", CONSOLE_BUG},
    {"BUG: scheduling while atomic: swapper/0/0/0x00000002", CONSOLE_BUG},
    {"WARNING: CPU: 1 PID: 12 at kernel/sched/fair.c:4500 update_blocked_averages+0x1/0x2",
     CONSOLE_WARNING},
    {"WARNING: possible circular locking dependency detected", CONSOLE_WARNING},
    {"rcu: INFO: rcu_sched self-detected stall on CPU", CONSOLE_WARNING},
    {"INFO: rcu_sched detected stalls on CPUs/tasks: { 1} (detected by 0, t=60002 jiffies)",
     CONSOLE_WARNING},
    {"reboot: Restarting system", CONSOLE_RESTART},
    {"[    9.911111] reboot: Power down", CONSOLE_POWER_OFF},
    {"Power down.", CONSOLE_POWER_OFF},
    /* What only looks like it. */
    {"", CONSOLE_PLAIN},
    {"[", CONSOLE_PLAIN},
    {"<", CONSOLE_PLAIN},
    {"[    0.000000]", CONSOLE_PLAIN},
    {"Command line: console=ttyS0 softlockup_panic=1 oops=panic", CONSOLE_PLAIN},
    {"usage: prints Kernel panic - not syncing on a panic", CONSOLE_PLAIN},
    {"smpboot: CPU0: Intel Core i7 9xx (Nehalem Class Core i7)", CONSOLE_PLAIN},
    {"ACPI: PM: Preparing to enter system sleep state S5", CONSOLE_PLAIN},
    {"Spectre V2 : WARNING: the mitigations are off", CONSOLE_PLAIN},
    {"debug: BUG: not at the start", CONSOLE_PLAIN},
};

static void test_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        enum console_kind kind = console_classify(lines[i].line);
        if (kind != lines[i].kind)
            fail_msg("\"%s\" is of kind %d and not %d", lines[i].line, kind, lines[i].kind);
    }
}

static const char oops[] = "[    2.000000] Run /init as init process\r\n"
                           "[    2.100000] WARNING: CPU: 0 PID: 1 at lib/x.c:1 f+0x1/0x2\r\n"
                           "[    2.110000] WARNING: CPU: 0 PID: 1 at lib/y.c:2 g+0x1/0x2\r\n"
                           "[    2.200000] BUG: kernel NULL pointer dereference, address: 0\r\n"
                           "[    2.210000] Oops: 0002 [#1] SMP NOPTI\r\n"
                           "[    2.300000] Kernel panic - not syncing: Fatal exception";

static void check_oops(const struct console_scanner *scanner)
{
    assert_int_equal(scanner->first_fatal, CONSOLE_BUG);
    assert_string_equal(scanner->findings[CONSOLE_BUG].line,
                        "BUG: kernel NULL pointer dereference, address: 0");
    assert_int_equal(scanner->findings[CONSOLE_BUG].count, 2);
    assert_int_equal(scanner->findings[CONSOLE_WARNING].count, 2);
    assert_string_equal(scanner->findings[CONSOLE_WARNING].line,
                        "WARNING: CPU: 0 PID: 1 at lib/x.c:1 f+0x1/0x2");
    assert_string_equal(scanner->findings[CONSOLE_PANIC].line,
                        "Kernel panic - not syncing: Fatal exception");
}

/* The pieces in which the bytes come make no difference. */
static void test_pieces(void **state)
{
    (void)state;
    for (size_t piece = 1; piece <= sizeof oops; piece += 3) {
        struct console_scanner scanner;
        size_t length = sizeof oops - 1;
        console_scanner_init(&scanner);
        for (size_t at = 0; at < length; at += piece)
            console_scanner_feed(&scanner, oops + at, at + piece < length ? piece : length - at);
        console_scanner_finish(&scanner);
        check_oops(&scanner);
    }
}

static void test_hostile_bytes(void **state)
{
    (void)state;
    struct console_scanner scanner;

    console_scanner_init(&scanner);
    for (unsigned i = 0; i < 100000; i++)
        console_scanner_feed(&scanner, "\0\x1b[2J\xff", 6);
    console_scanner_feed(&scanner, "Kernel panic - not syncing: too far behind\n", 43);
    assert_int_equal(scanner.first_fatal, CONSOLE_PLAIN);

    const char escape[] = "Kernel panic - not syncing: \x1b]0;title\x07\n";
    console_scanner_feed(&scanner, escape, sizeof escape - 1);
    assert_int_equal(scanner.first_fatal, CONSOLE_PANIC);
    for (const char *at = scanner.findings[CONSOLE_PANIC].line; *at; at++)
        assert_in_range((unsigned char)*at, ' ', '~');
}

static void test_lockup_before_panic(void **state)
{
    (void)state;
    struct console_scanner scanner;
    const char text[] = "watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [x:1]\n"
                        "Kernel panic - not syncing: softlockup: hung tasks\n";

    console_scanner_init(&scanner);
    console_scanner_feed(&scanner, text, sizeof text - 1);
    assert_int_equal(scanner.first_fatal, CONSOLE_LOCKUP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_hostile_bytes),
        cmocka_unit_test(test_lockup_before_panic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
