/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build/elf_build_id.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

/* A vmlinux has about ten program headers and a few kilobytes of notes. */
enum { HEADERS_MAXIMUM = 256, NOTES_MAXIMUM = 1 << 20, ID_MAXIMUM = (ELF_BUILD_ID_SIZE - 1) / 2 };

static bool read_exactly(int fd, void *to, size_t length, uint64_t offset)
{
    char *at = to;

    while (length > 0) {
        ssize_t got;

        if (offset > INT64_MAX - length)
            return false;
        got = pread(fd, at, length, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
    return true;
}

static bool header_valid(const Elf64_Ehdr *header)
{
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
           header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phnum <= HEADERS_MAXIMUM;
}

static void to_hex(const unsigned char *bytes, size_t length, char *hex)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < length; i++) {
        hex[2 * i] = digits[bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    hex[2 * length] = '\0';
}

/* Notes are a name and a description, each padded to four bytes (gABI, "Note Section"). */
static bool find_in_notes(const unsigned char *notes, size_t length,
                          char ret_hex[ELF_BUILD_ID_SIZE])
{
    size_t at = 0;

    while (length - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        uint64_t name, description, next;

        memcpy(&note, notes + at, sizeof note);
        name = at + sizeof note;
        description = name + (((uint64_t)note.n_namesz + 3) & ~UINT64_C(3));
        next = description + (((uint64_t)note.n_descsz + 3) & ~UINT64_C(3));
        if (description + note.n_descsz > length)
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
            memcmp(notes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0 && note.n_descsz > 0 &&
            note.n_descsz <= ID_MAXIMUM) {
            to_hex(notes + description, note.n_descsz, ret_hex);
            return true;
        }
        if (next > length)
            return false;
        at = (size_t)next;
    }
    return false;
}

/* 1 found, 0 not here, negative: the segment cannot be read. */
static int search_segment(int fd, const Elf64_Phdr *segment, char ret_hex[ELF_BUILD_ID_SIZE])
{
    _cleanup_free_ unsigned char *notes = NULL;

    if (segment->p_type != PT_NOTE || segment->p_filesz > NOTES_MAXIMUM)
        return 0;
    notes = malloc(segment->p_filesz + 1);
    if (!notes || !read_exactly(fd, notes, segment->p_filesz, segment->p_offset))
        return -1;
    return find_in_notes(notes, segment->p_filesz, ret_hex);
}

int elf_build_id(const char *path, char ret_hex[ELF_BUILD_ID_SIZE], struct culprit_error *error)
{
    _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    Elf64_Ehdr header;

    if (fd < 0)
        return culprit_fail_errno(error, errno, "cannot open %s", path);
    if (!read_exactly(fd, &header, sizeof header, 0) || !header_valid(&header))
        return culprit_fail(error, CULPRIT_INVALID, "%s is not a 64-bit ELF file", path);
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        int found;

        if (header.e_phoff > INT64_MAX / 2 ||
            !read_exactly(fd, &segment, sizeof segment, header.e_phoff + i * sizeof segment))
            return culprit_fail(error, CULPRIT_INVALID, "%s is torn", path);
        found = search_segment(fd, &segment, ret_hex);
        if (found > 0)
            return 0;
        if (found < 0)
            return culprit_fail(error, CULPRIT_INVALID, "%s is torn", path);
    }
    return culprit_fail(error, CULPRIT_NOT_FOUND, "%s has no build id", path);
}
