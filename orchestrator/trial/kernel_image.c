/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial/kernel_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"

/* Offsets in the file, and what stands there: Linux, Documentation/arch/x86/boot.rst (in older
 * trees Documentation/x86/boot.txt), "The Real-Mode Kernel Header". */
enum {
    BOOT_FLAG = 0x1fe,
    MAGIC = 0x202,
    HEADER_SIZE = 0x206,
    VERSION_POINTER = 0x20e, /* 16 bits, little-endian, counted from 0x200; 0: none */
    VERSION_BASE = 0x200,
};

static const char boot_flag[] = "\x55\xaa"; /* 0xAA55, little-endian */
static const char magic[] = "HdrS";
static const char elf_magic[] = "\177ELF";

static bool stands(const char *bytes, size_t length, size_t offset, const char *expected)
{
    size_t size = strlen(expected);

    return offset + size <= length && memcmp(bytes + offset, expected, size) == 0;
}

int kernel_image_check(const char *path, struct culprit_error *error)
{
    _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    char header[HEADER_SIZE];
    ssize_t got = fd < 0 ? -1 : read(fd, header, sizeof header);

    if (got < 0)
        return culprit_fail_errno(error, errno, "cannot read the kernel %s", path);
    if (stands(header, (size_t)got, BOOT_FLAG, boot_flag) &&
        stands(header, (size_t)got, MAGIC, magic))
        return 0;
    if (stands(header, (size_t)got, 0, elf_magic))
        return culprit_fail(error, CULPRIT_INVALID,
                            "cannot boot %s: it is an ELF file, as vmlinux is; a bzImage is "
                            "needed (arch/x86/boot/bzImage)",
                            path);
    return culprit_fail(error, CULPRIT_INVALID,
                        "cannot boot %s: it is no x86 kernel image (bzImage)", path);
}

/* "6.1.192 (user@host) #1 SMP …" ends for us at the first blank. */
void kernel_image_release(const char *path, char ret[KERNEL_RELEASE_SIZE])
{
    _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    unsigned char pointer[2];
    ssize_t got = 0;
    size_t length = 0;

    ret[0] = '\0';
    if (fd < 0 || pread(fd, pointer, sizeof pointer, VERSION_POINTER) != (ssize_t)sizeof pointer ||
        (pointer[0] == 0 && pointer[1] == 0))
        return;
    got = pread(fd, ret, KERNEL_RELEASE_SIZE - 1, VERSION_BASE + pointer[0] + 256 * pointer[1]);
    while (got > 0 && length < (size_t)got && ret[length] > 0x20 && ret[length] < 0x7f)
        length++;
    ret[length] = '\0';
}
