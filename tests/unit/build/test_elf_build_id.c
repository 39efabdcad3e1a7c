/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <string.h>

#include "base/process.h"
#include "build/elf_build_id.h"
#include "scratch.h"

/* A small ELF file: header, one PT_NOTE program header, and two notes. */
struct image {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    Elf64_Nhdr other;
    char other_name[8];
    char other_text[4];
    Elf64_Nhdr note;
    char note_name[4];
    unsigned char id[20];
};

static struct image sound_image(void)
{
    struct image image = {
        .header =
            {
                .e_phentsize = sizeof(Elf64_Phdr),
                .e_phnum = 1,
                .e_phoff = offsetof(struct image, segment),
            },
        .segment =
            {
                .p_type = PT_NOTE,
                .p_offset = offsetof(struct image, other),
                .p_filesz = sizeof(struct image) - offsetof(struct image, other),
            },
        .other = {.n_namesz = 6, .n_descsz = 1, .n_type = NT_GNU_BUILD_ID},
        .other_name = "Linux",
        .note = {.n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID},
        .note_name = "GNU",
    };

    memcpy(image.header.e_ident, ELFMAG, SELFMAG);
    image.header.e_ident[EI_CLASS] = ELFCLASS64;
    image.header.e_ident[EI_DATA] = ELFDATA2LSB;
    for (unsigned char i = 0; i < sizeof image.id; i++)
        image.id[i] = (unsigned char)(i * 11);
    return image;
}

static int read_image(const char *directory, const struct image *image, size_t length, char *hex,
                      struct culprit_error *error)
{
    _cleanup_free_ char *path = path_join(directory, "vmlinux");

    assert_int_equal(file_write_atomic(path, image, length, 0644, NULL), 0);
    return elf_build_id(path, hex, error);
}

static void finds_the_note(void **state)
{
    struct image image = sound_image();
    struct culprit_error error = {0};
    char hex[ELF_BUILD_ID_SIZE];

    assert_success(read_image(*state, &image, sizeof image, hex, &error));
    assert_string_equal(hex, "000b16212c37424d58636e79848f9aa5b0bbc6d1");
}

static void refuses_torn_and_hostile_files(void **state)
{
    struct culprit_error error = {0};
    char hex[ELF_BUILD_ID_SIZE];
    struct image image = sound_image();

    for (size_t length = 0; length < sizeof image; length++) {
        if (read_image(*state, &image, length, hex, &error) >= 0)
            fail_msg("%zu bytes of %zu pass", length, sizeof image);
    }
    image.header.e_ident[EI_CLASS] = ELFCLASS32;
    assert_failure(read_image(*state, &image, sizeof image, hex, &error), CULPRIT_INVALID);
    image = sound_image();
    image.header.e_phoff = UINT64_MAX - 8;
    assert_failure(read_image(*state, &image, sizeof image, hex, &error), CULPRIT_INVALID);
    image = sound_image();
    image.header.e_phnum = 60000;
    assert_failure(read_image(*state, &image, sizeof image, hex, &error), CULPRIT_INVALID);
    image = sound_image();
    image.segment.p_offset = INT64_MAX;
    assert_failure(read_image(*state, &image, sizeof image, hex, &error), CULPRIT_INVALID);
    image = sound_image();
    image.other.n_namesz = UINT32_MAX;
    assert_failure(read_image(*state, &image, sizeof image, hex, &error), CULPRIT_NOT_FOUND);
    image = sound_image();
    image.note.n_descsz = UINT32_MAX;
    assert_failure(read_image(*state, &image, sizeof image, hex, &error), CULPRIT_NOT_FOUND);
    image = sound_image();
    image.note.n_type = NT_GNU_ABI_TAG;
    assert_failure(read_image(*state, &image, sizeof image, hex, &error), CULPRIT_NOT_FOUND);
}

/* What the GNU linker writes, read by binutils too. */
static void agrees_with_the_linker(void **state)
{
    const char *directory = *state;
    _cleanup_free_ char *path = path_join(directory, "program");
    _cleanup_free_ char *script = text_format(
        "echo 'int main(void) { return 0; }' | gcc -Wl,--build-id=0x0123456789abcdef -x c -o %s -",
        path);
    _cleanup_strv_ struct strv argv = {0};
    _cleanup_free_ char *output = NULL;
    struct culprit_error error = {0};
    char hex[ELF_BUILD_ID_SIZE];

    strv_append(&argv, "/bin/sh");
    strv_append(&argv, "-c");
    strv_append(&argv, script);
    assert_success(process_capture(&argv, NULL, 1000, &output, &error));
    assert_success(elf_build_id(path, hex, &error));
    assert_string_equal(hex, "0123456789abcdef");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(finds_the_note),
        scratch_test(refuses_torn_and_hostile_files),
        scratch_test(agrees_with_the_linker),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
