/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scratch.h"

static size_t entries_in(const char *directory)
{
    DIR *stream = opendir(directory);
    size_t count = 0;

    assert_non_null(stream);
    while (readdir(stream))
        count++;
    closedir(stream);
    return count - 2;
}

static void writes_and_reads_back(void **state)
{
    const char *directory = *state;
    struct culprit_error error = {0};
    _cleanup_free_ char *path = path_join(directory, "file");
    _cleanup_free_ char *first = NULL, *second = NULL;
    struct stat status;
    size_t length;
    uint64_t size;

    assert_success(file_write_atomic(path, "a\0b", 3, 0640, &error));
    assert_success(file_read(path, 3, &first, &length, &error));
    assert_int_equal(length, 3);
    assert_memory_equal(first, "a\0b", 4);
    assert_success(file_write_atomic(path, "longer than before", 18, 0600, &error));
    assert_success(file_read(path, 1000, &second, NULL, &error));
    assert_string_equal(second, "longer than before");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_success(file_size(path, &size, &error));
    assert_int_equal(size, 18);
    assert_int_equal(entries_in(directory), 1);
}

static void reading_has_a_maximum(void **state)
{
    const char *directory = *state;
    struct culprit_error error = {0};
    _cleanup_free_ char *path = path_join(directory, "file");
    char *data = NULL;

    assert_success(file_write_atomic(path, "12345", 5, 0600, &error));
    assert_failure(file_read(path, 4, &data, NULL, &error), CULPRIT_LIMIT);
    assert_null(data);
    assert_contains(error.message, "longer than 4 bytes");
    assert_failure(file_read("/dev/zero", 1 << 20, &data, NULL, &error), CULPRIT_LIMIT);
    assert_failure(file_read(directory, 10, &data, NULL, &error), CULPRIT_IO);
    assert_failure(file_read("/nonexistent", 10, &data, NULL, &error), CULPRIT_NOT_FOUND);
}

static void a_failed_write_keeps_the_old_content(void **state)
{
    const char *directory = *state;
    struct culprit_error error = {0};
    _cleanup_free_ char *path = path_join(directory, "taken");
    _cleanup_free_ char *below = path_join(directory, "taken/x");

    /* A directory in the place of the file makes the rename fail. */
    assert_success(file_make_directories(below, 0755, &error));
    assert_true(file_write_atomic(path, "new", 3, 0600, &error) < 0);
    assert_true(file_exists(below));
    assert_int_equal(entries_in(directory), 1);
    assert_failure(file_write_atomic("/nonexistent/x", "", 0, 0600, &error), CULPRIT_NOT_FOUND);
}

static void a_full_disk_is_told(void **state)
{
    const char *directory = *state;
    struct culprit_error error = {0};
    _cleanup_free_ char *source = path_join(directory, "source");

    assert_success(file_write_atomic(source, "content", 7, 0600, &error));
    assert_failure(file_copy(source, "/dev/full", 0666, &error), CULPRIT_NO_SPACE);
    assert_contains(error.message, "/dev/full");
}

static void makes_directories_with_parents(void **state)
{
    const char *directory = *state;
    struct culprit_error error = {0};
    _cleanup_free_ char *deep = path_join(directory, "a/b//c/");
    _cleanup_free_ char *file = path_join(directory, "file");
    _cleanup_free_ char *through = path_join(directory, "file/x");

    assert_success(file_make_directories(deep, 0755, &error));
    assert_success(file_make_directories(deep, 0755, &error));
    assert_true(file_exists(deep));
    assert_success(file_write_atomic(file, "", 0, 0600, &error));
    assert_true(file_make_directories(file, 0755, &error) < 0);
    assert_true(file_make_directories(through, 0755, &error) < 0);
}

static void removes_trees_and_follows_no_link(void **state)
{
    const char *directory = *state;
    struct culprit_error error = {0};
    _cleanup_free_ char *kept = path_join(directory, "kept/file");
    _cleanup_free_ char *kept_directory = path_join(directory, "kept");
    _cleanup_free_ char *tree = path_join(directory, "tree");
    _cleanup_free_ char *deep = path_join(directory, "tree/a/b");
    _cleanup_free_ char *link = path_join(directory, "tree/a/link");
    _cleanup_free_ char *link_of_tree = path_join(directory, "link");

    assert_success(file_make_directories(kept_directory, 0755, &error));
    assert_success(file_write_atomic(kept, "x", 1, 0600, &error));
    assert_success(file_make_directories(deep, 0755, &error));
    assert_int_equal(symlink(kept_directory, link), 0);
    assert_int_equal(symlink(kept_directory, link_of_tree), 0);
    assert_success(file_remove_tree(tree, &error));
    assert_success(file_remove_tree(link_of_tree, &error));
    assert_success(file_remove_tree(tree, &error));
    assert_false(file_exists(tree));
    assert_true(file_exists(kept));
    assert_int_equal(entries_in(directory), 1);
}

static void copies_content_and_mode(void **state)
{
    const char *directory = *state;
    struct culprit_error error = {0};
    _cleanup_free_ char *source = path_join(directory, "source");
    _cleanup_free_ char *target = path_join(directory, "target");
    _cleanup_free_ char *content = malloc(300000);
    _cleanup_free_ char *copy = NULL;
    struct stat status;
    size_t length;

    assert_non_null(content);
    for (size_t i = 0; i < 300000; i++)
        content[i] = (char)(i * 7 + i / 256);
    assert_success(file_write_atomic(source, content, 300000, 0600, &error));
    assert_success(file_write_atomic(target, content, 300000, 0600, &error));
    assert_success(file_write_atomic(source, content, 200000, 0600, &error));
    assert_success(file_copy(source, target, 0755, &error));
    assert_success(file_read(target, 1 << 20, &copy, &length, &error));
    assert_int_equal(length, 200000);
    assert_memory_equal(copy, content, 200000);
    assert_int_equal(stat(target, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0755);
    assert_failure(file_copy(directory, target, 0600, &error), CULPRIT_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(writes_and_reads_back),
        scratch_test(reading_has_a_maximum),
        scratch_test(a_failed_write_keeps_the_old_content),
        scratch_test(a_full_disk_is_told),
        scratch_test(makes_directories_with_parents),
        scratch_test(removes_trees_and_follows_no_link),
        scratch_test(copies_content_and_mode),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
