/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest of a few instructions, so that hypervisors are tested without a kernel: a multiboot
 * image for QEMU's -kernel. The word after "mode=" on its command line says what it does; first it
 * writes "payload MODE\n" to the console and one record line to the second port.
 *
 * Multiboot 0.6.96: header within the first 8 KiB; EBX points at the information structure, whose
 * word 4 is the command line when bit 2 of its flags is set.
 */
#include <stdint.h>

enum { CONSOLE = 0x3f8, RECORDS = 0x2f8, PVPANIC = 0x505, PM1A_CONTROL = 0x604, RESET = 0xcf9 };

__asm__(".text\n"
        ".align 4\n"
        ".long 0x1badb002, 0, -0x1badb002\n"
        ".globl _start\n"
        "_start:\n"
        "    cli\n"
        "    mov $stack_top, %esp\n"
        "    push %ebx\n"
        "    call payload\n"
        "    .bss\n"
        "    .skip 4096\n"
        "stack_top:\n"
        "    .text\n");

static void out8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static void out16(uint16_t port, uint16_t value)
{
    __asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

static uint8_t in8(uint16_t port)
{
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static uint32_t time_stamp(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return low;
}

static void put(uint16_t port, const char *text)
{
    for (; *text; text++) {
        while (!(in8((uint16_t)(port + 5)) & 0x20)) /* transmitter empty */
            ;
        out8(port, (uint8_t)*text);
    }
}

static void put_number(uint16_t port, uint32_t value)
{
    char digits[12];
    char *at = digits + sizeof digits;

    *--at = '\0';
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    put(port, at);
}

static int is_mode(const char *mode, const char *name)
{
    while (*name && *mode == *name) {
        mode++;
        name++;
    }
    return !*name && (*mode == ' ' || !*mode);
}

static void put_word(uint16_t port, const char *word)
{
    for (; *word && *word != ' '; word++) {
        char text[2] = {*word, '\0'};
        put(port, text);
    }
}

static const char *find_mode(const uint32_t *information)
{
    const char *at = information[0] & 4 ? (const char *)(uintptr_t)information[4] : "";

    for (; *at; at++)
        if (at[0] == 'm' && at[1] == 'o' && at[2] == 'd' && at[3] == 'e' && at[4] == '=')
            return at + 5;
    return "none";
}

static void halt(void)
{
    for (;;)
        __asm__ volatile("hlt");
}

static void power_off(void)
{
    out16(PM1A_CONTROL, 0x2000); /* S5 as SeaBIOS sets the q35 up */
}

/* Time stamps apart by work that differs: equal in two runs only if time is the guest's own. */
static void report_times(void)
{
    for (uint32_t round = 0; round < 50; round++) {
        for (volatile uint32_t work = 0; work < round * 1000; work++)
            ;
        put_number(RECORDS, time_stamp());
        put(RECORDS, "\n");
    }
    power_off();
}

static void flood(uint16_t port)
{
    for (;;)
        put(port, "the same line again and again and again and again and again\n");
}

void payload(const uint32_t *information);

void payload(const uint32_t *information)
{
    const char *mode = find_mode(information);

    put(CONSOLE, "payload ");
    put_word(CONSOLE, mode);
    put(CONSOLE, "\n");
    put(RECORDS, "{\"t\":\"hello\"}\n");
    if (is_mode(mode, "poweroff"))
        power_off();
    if (is_mode(mode, "times"))
        report_times();
    if (is_mode(mode, "panic")) {
        put(CONSOLE, "[    1.000000] Kernel panic - not syncing: made up\r\n");
        out8(PVPANIC, 1);
    }
    if (is_mode(mode, "pvpanic"))
        out8(PVPANIC, 1);
    if (is_mode(mode, "lockup")) {
        put(CONSOLE, "watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [payload:1]\n");
        put(CONSOLE, "Kernel panic - not syncing: softlockup: hung tasks\n");
        out8(PVPANIC, 1);
    }
    if (is_mode(mode, "warning")) {
        put(CONSOLE, "[    0.500000] WARNING: CPU: 0 PID: 1 at kernel/sched/core.c:1 made_up\n");
        power_off();
    }
    if (is_mode(mode, "reboot")) {
        put(CONSOLE, "reboot: Restarting system\n");
        out8(RESET, 6);
    }
    if (is_mode(mode, "reset"))
        out8(RESET, 6);
    if (is_mode(mode, "flood-console"))
        flood(CONSOLE);
    if (is_mode(mode, "flood-records"))
        flood(RECORDS);
    for (;;)
        if (!is_mode(mode, "spin"))
            halt();
}
