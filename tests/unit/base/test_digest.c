/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/digest.h"
#include "scratch.h"

/* FIPS 180-4 examples. */
static void sha256_known_answers(void **state)
{
    static const struct {
        const char *text;
        const char *hex;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char hex[DIGEST_HEX_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        digest_bytes(cases[i].text, strlen(cases[i].text), hex);
        assert_string_equal(hex, cases[i].hex);
    }
}

static void pieces_equal_the_whole(void **state)
{
    struct digest digest;
    char whole[DIGEST_HEX_SIZE], pieces[DIGEST_HEX_SIZE];

    (void)state;
    digest_bytes("one two three", 13, whole);
    digest_init(&digest);
    digest_update(&digest, "one ", 4);
    digest_update(&digest, "two three", 9);
    digest_finish(&digest, pieces);
    assert_string_equal(whole, pieces);
}

static void field_digest(const char *const fields[][2], size_t count, char hex[DIGEST_HEX_SIZE])
{
    struct digest digest;

    digest_init(&digest);
    for (size_t i = 0; i < count; i++)
        digest_field(&digest, fields[i][0], fields[i][1]);
    digest_finish(&digest, hex);
}

static void fields_do_not_run_together(void **state)
{
    static const char *const variants[][2][2] = {
        {{"ab", "c"}, {"d", ""}}, {{"a", "bc"}, {"d", ""}},   {{"ab", "c"}, {"d", NULL}},
        {{"ab", ""}, {"cd", ""}}, {{"ab", NULL}, {"cd", ""}}, {{"ab", "cd"}, {"", ""}},
    };
    enum { COUNT = sizeof variants / sizeof *variants };
    char hex[COUNT][DIGEST_HEX_SIZE];

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        field_digest(variants[i], 2, hex[i]);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(hex[i], hex[j]) == 0)
                fail_msg("variants %zu and %zu have one digest", j, i);
        }
    }
}

static void files_are_digested_whole(void **state)
{
    const char *directory = *state;
    struct culprit_error error = {0};
    _cleanup_free_ char *path = path_join(directory, "file");
    _cleanup_free_ char *content = calloc(200001, 1);
    char expected[DIGEST_HEX_SIZE], got[DIGEST_HEX_SIZE];

    memset(content, 'k', 200001);
    digest_bytes(content, 200001, expected);
    assert_success(file_write_atomic(path, content, 200001, 0600, &error));
    assert_success(digest_file(path, got, &error));
    assert_string_equal(got, expected);
    assert_failure(digest_file("/nonexistent/file", got, &error), CULPRIT_NOT_FOUND);
    assert_contains(error.message, "/nonexistent/file");
}

/* RFC 3720, appendix B.4. */
static void crc32c_known_answers(void **state)
{
    unsigned char bytes[32];

    (void)state;
    assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
    memset(bytes, 0, sizeof bytes);
    assert_int_equal(crc32c(0, bytes, sizeof bytes), 0x8a9136aa);
    memset(bytes, 0xff, sizeof bytes);
    assert_int_equal(crc32c(0, bytes, sizeof bytes), 0x62a8ab43);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    assert_int_equal(crc32c(0, bytes, sizeof bytes), 0x46dd794e);
    assert_int_equal(crc32c(crc32c(0, bytes, 13), bytes + 13, sizeof bytes - 13), 0x46dd794e);
    assert_int_equal(crc32c(0, "", 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_known_answers),       cmocka_unit_test(pieces_equal_the_whole),
        cmocka_unit_test(fields_do_not_run_together), scratch_test(files_are_digested_whole),
        cmocka_unit_test(crc32c_known_answers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
