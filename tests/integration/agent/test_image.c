/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The image `minimal`: made twice it is the same, it holds what a kernel needs, and its description
 * is true. */
#include <archive.h>
#include <archive_entry.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/file.h"

static int make_image(const char *manifest, const char *directory)
{
    _cleanup_free_ char *image = path_join(directory, "again.cpio");
    _cleanup_free_ char *description = path_join(directory, "again.json");
    int status;

    pid_t child = fork();
    if (child == 0) {
        execl(getenv("MAKE_IMAGE"), "make-image", "minimal", manifest, image, description,
              (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int begin(void **state)
{
    char *directory = strdup("/tmp/culprit-test-XXXXXX");

    *state = directory ? mkdtemp(directory) : NULL;
    return *state ? 0 : -1;
}

static int end(void **state)
{
    int result = file_remove_tree(*state, NULL);

    free(*state);
    return result;
}

static void made_again_it_is_the_same(void **state)
{
    char first[DIGEST_HEX_SIZE], second[DIGEST_HEX_SIZE];
    _cleanup_free_ char *again = path_join(*state, "again.cpio");
    uint64_t size;

    assert_int_equal(make_image(getenv("MANIFEST"), *state), 0);
    assert_int_equal(digest_file(getenv("IMAGE"), first, NULL), 0);
    assert_int_equal(digest_file(again, second, NULL), 0);
    assert_string_equal(first, second);
    /* What is appended to it begins where the kernel looks for it. */
    assert_int_equal(file_size(again, &size, NULL), 0);
    assert_int_equal(size % 512, 0);
}

static void the_description_is_true(void **state)
{
    char digest[DIGEST_HEX_SIZE];
    json_t *description = json_load_file(getenv("DESCRIPTION"), 0, NULL);
    uint64_t size;

    (void)state;
    assert_non_null(description);
    assert_int_equal(digest_file(getenv("IMAGE"), digest, NULL), 0);
    assert_int_equal(file_size(getenv("IMAGE"), &size, NULL), 0);
    assert_string_equal(json_string_value(json_object_get(description, "sha256")), digest);
    assert_int_equal(json_integer_value(json_object_get(description, "size")), size);
    json_t *components = json_object_get(description, "components");
    const char *busybox = json_string_value(json_object_get(components, "busybox"));
    assert_non_null(busybox);
    assert_memory_equal(busybox, "BusyBox v", 9);
    assert_true(json_is_string(json_object_get(components, "culprit-agent")));
    json_decref(description);
}

struct wanted {
    const char *path;
    mode_t type, permissions;
    bool found;
};

static void check_entry(struct archive_entry *entry, struct wanted *wanted, size_t count)
{
    const char *path = archive_entry_pathname(entry);

    assert_true(path[0] != '/');
    assert_int_equal(archive_entry_uid(entry), 0);
    assert_int_equal(archive_entry_gid(entry), 0);
    assert_int_equal(archive_entry_mtime(entry), 0);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(path, wanted[i].path) != 0)
            continue;
        assert_int_equal(archive_entry_filetype(entry), wanted[i].type);
        assert_int_equal(archive_entry_perm(entry), wanted[i].permissions);
        wanted[i].found = true;
    }
    if (strcmp(path, "dev/console") == 0)
        assert_true(archive_entry_rdev(entry) == makedev(5, 1));
    if (strcmp(path, "bin/sh") == 0)
        assert_string_equal(archive_entry_symlink(entry), "busybox");
}

static void it_holds_what_a_kernel_starts(void **state)
{
    struct wanted wanted[] = {
        {"init", AE_IFREG, 0755, false},       {"bin/busybox", AE_IFREG, 0755, false},
        {"bin/sh", AE_IFLNK, 0777, false},     {"dev/console", AE_IFCHR, 0600, false},
        {"proc", AE_IFDIR, 0555, false},       {"sys", AE_IFDIR, 0555, false},
        {"tmp", AE_IFDIR, 01777, false},       {"culprit", AE_IFDIR, 0700, false},
        {"etc/passwd", AE_IFREG, 0644, false},
    };
    struct archive *archive = archive_read_new();
    struct archive_entry *entry;
    size_t count = sizeof(wanted) / sizeof(wanted[0]);

    (void)state;
    assert_non_null(archive);
    archive_read_support_format_cpio(archive);
    assert_int_equal(archive_read_open_filename(archive, getenv("IMAGE"), 65536), ARCHIVE_OK);
    while (archive_read_next_header(archive, &entry) == ARCHIVE_OK)
        check_entry(entry, wanted, count);
    assert_string_equal(archive_format_name(archive), "ASCII cpio (SVR4 with no CRC)");
    archive_read_free(archive);
    for (size_t i = 0; i < count; i++)
        if (!wanted[i].found)
            fail_msg("the image lacks /%s", wanted[i].path);
}

static void a_bad_manifest_makes_no_image(void **state)
{
    static const char *const rows[] = {
        "nonsense /x 0755\n",     "directory x 0755\n",
        "directory /x 9\n",       "directory /x\n",
        "directory /../x 0755\n", "directory /x 0755\ndirectory /x 0755\n",
        "device /x 0600 5\n",     "file /x 0644 /nonexistent/source\n",
        "text /x 0644\n",         "links /bin\n",
        "component x\n",
    };
    _cleanup_free_ char *manifest = path_join(*state, "manifest");

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(file_write_atomic(manifest, rows[i], strlen(rows[i]), 0600, NULL), 0);
        int status = make_image(manifest, *state);
        if (status == 0 || status == 127)
            fail_msg("exit status %d for \"%s\"", status, rows[i]);
    }
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(made_again_it_is_the_same),
        TEST(the_description_is_true),
        TEST(it_holds_what_a_kernel_starts),
        TEST(a_bad_manifest_makes_no_image),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
