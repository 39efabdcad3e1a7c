/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe/kernel.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/text.h"

enum {
    NOTE_HEADER = 12,       /* three 32-bit words */
    NOTE_GNU_BUILD_ID = 3,  /* NT_GNU_BUILD_ID */
    CMDLINE_MAXIMUM = 2400, /* the kernel's limit is 2048 bytes on x86 */
    NOTES_MAXIMUM = 1024 * 1024,
    MEMINFO_MAXIMUM = 1024 * 1024,
};

static uint32_t word_at(const unsigned char *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof(word));
    return word;
}

static size_t padded(uint32_t size)
{
    return ((size_t)size + 3) & ~(size_t)3;
}

void kernel_build_id(const unsigned char *notes, size_t length, char build_id[BUILD_ID_SIZE])
{
    build_id[0] = '\0';
    while (length >= NOTE_HEADER) {
        uint32_t name_size = word_at(notes), size = word_at(notes + 4), type = word_at(notes + 8);
        size_t whole = NOTE_HEADER + padded(name_size) + padded(size);
        if (whole > length)
            return;
        const unsigned char *name = notes + NOTE_HEADER;
        const unsigned char *description = name + padded(name_size);
        if (type == NOTE_GNU_BUILD_ID && name_size == 4 && memcmp(name, "GNU", 4) == 0 &&
            size <= (BUILD_ID_SIZE - 1) / 2) {
            for (uint32_t i = 0; i < size; i++)
                snprintf(build_id + (size_t)2 * i, 3, "%02x", description[i]);
            return;
        }
        notes += whole;
        length -= whole;
    }
}

unsigned kernel_cpus(void)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    return cpus > 0 ? (unsigned)cpus : 1;
}

static void read_build_id(char build_id[BUILD_ID_SIZE])
{
    _cleanup_text_ char *notes = NULL;
    size_t length = 0;

    build_id[0] = '\0';
    if (text_read("/sys/kernel/notes", NOTES_MAXIMUM, &notes, &length) == 0)
        kernel_build_id((const unsigned char *)notes, length, build_id);
}

/* MemTotal of /proc/meminfo, whose unit is 1024 bytes; 0 if it is not there. */
static uint64_t memory_bytes(void)
{
    _cleanup_text_ char *text = NULL;
    unsigned long long kibibytes = 0;

    if (text_read("/proc/meminfo", MEMINFO_MAXIMUM, &text, NULL) < 0)
        return 0;
    char *cursor = text;
    for (char *line = text_next_line(&cursor); line; line = text_next_line(&cursor))
        if (sscanf(line, "MemTotal: %llu kB", &kibibytes) == 1)
            break;
    return (uint64_t)kibibytes * 1024;
}

void kernel_report(struct record_writer *writer, uint64_t seed)
{
    struct utsname name;
    char build_id[BUILD_ID_SIZE], cmdline[4096], clocksource[64];

    if (uname(&name) < 0)
        memset(&name, 0, sizeof(name));
    read_build_id(build_id);
    text_read_line("/proc/cmdline", cmdline, sizeof(cmdline));
    text_read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", clocksource,
                   sizeof(clocksource));

    record_begin(writer, "hello");
    record_unsigned(writer, "protocol", 1);
    record_text(writer, "agent", CULPRIT_VERSION, 64);
    record_unsigned(writer, "seed", seed);
    record_text(writer, "release", name.release, 256);
    record_text(writer, "version", name.version, 256);
    record_text(writer, "build_id", build_id, sizeof(build_id));
    record_text(writer, "cmdline", cmdline, CMDLINE_MAXIMUM);
    record_unsigned(writer, "cpus", kernel_cpus());
    record_unsigned(writer, "memory", memory_bytes());
    record_text(writer, "clocksource", clocksource, sizeof(clocksource));
    record_finish(writer);
}
