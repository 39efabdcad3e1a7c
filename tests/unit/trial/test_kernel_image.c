/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "scratch.h"
#include "trial/kernel_image.h"

enum { IMAGE_SIZE = 4096 };

/* What the boot protocol wants of a file, and nothing else. */
static void make_image(char image[IMAGE_SIZE])
{
    memset(image, 0x90, IMAGE_SIZE);
    memcpy(image + 0x1fe, "\x55\xaa", 2);
    memcpy(image + 0x202, "HdrS", 4);
}

static void told_from_other_files(void **state)
{
    static const struct {
        const char *name;
        size_t length;
        size_t place; /* where `bytes` replace what stands there */
        const char *bytes;
        const char *message; /* NULL: it is one */
    } cases[] = {
        {"a kernel", IMAGE_SIZE, 0, "MZ", NULL},
        {"no more than a header", 0x206, 0, "", NULL},
        {"cut in the header", 0x205, 0, "", "it is no x86 kernel image"},
        {"no boot flag", IMAGE_SIZE, 0x1fe, "\xaa\x55", "it is no x86 kernel image"},
        {"no magic", IMAGE_SIZE, 0x202, "hdrs", "it is no x86 kernel image"},
        {"a boot sector", 512, 0, "", "it is no x86 kernel image"},
        {"text", 10, 0, "no kernel\n", "it is no x86 kernel image"},
        {"nothing", 0, 0, "", "it is no x86 kernel image"},
    };
    _cleanup_free_ char *path = path_join(*state, "bzImage");
    struct culprit_error error = {0};
    char image[IMAGE_SIZE];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_image(image);
        memcpy(image + cases[i].place, cases[i].bytes, strlen(cases[i].bytes));
        assert_success(file_write_atomic(path, image, cases[i].length, 0644, &error));
        if (!cases[i].message) {
            assert_success(kernel_image_check(path, &error));
            continue;
        }
        if (kernel_image_check(path, &error) != -CULPRIT_INVALID)
            fail_msg("%s passes for a kernel", cases[i].name);
        assert_contains(error.message, path);
        assert_contains(error.message, cases[i].message);
    }
}

static void an_elf_file_is_named(void **state)
{
    _cleanup_free_ char *path = path_join(*state, "vmlinux");
    struct culprit_error error = {0};

    assert_success(file_write_atomic(path, "\177ELF\2\1\1", 7, 0644, &error));
    assert_failure(kernel_image_check(path, &error), CULPRIT_INVALID);
    assert_contains(error.message, "vmlinux");
    assert_contains(error.message, "arch/x86/boot/bzImage");
}

static void what_cannot_be_read_is_told(void **state)
{
    _cleanup_free_ char *path = path_join(*state, "nowhere");
    struct culprit_error error = {0};

    assert_failure(kernel_image_check(path, &error), CULPRIT_NOT_FOUND);
    assert_contains(error.message, path);
    assert_true(kernel_image_check(*state, &error) < 0); /* a directory */
    assert_contains(error.message, "irectory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(told_from_other_files),
        scratch_test(an_elf_file_is_named),
        scratch_test(what_cannot_be_read_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
