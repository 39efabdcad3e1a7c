/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/random.h"
#include "scratch.h"
#include "store/blobs.h"

static struct culprit_error error;

#define DAY_NS (24ull * 3600 * 1000000000)

static struct blobs *open_blobs(const char *scratch)
{
    _cleanup_free_ char *directory = path_join(scratch, "blobs");
    struct blobs *blobs = NULL;

    assert_success(blobs_open(directory, &blobs, &error));
    return blobs;
}

static void put(struct blobs *blobs, const char *scratch, const void *bytes, size_t length,
                bool compress, char digest[DIGEST_HEX_SIZE])
{
    _cleanup_free_ char *path = path_join(scratch, "in");

    assert_success(file_write_atomic(path, bytes, length, 0600, &error));
    assert_success(blobs_put(blobs, path, compress, digest, &error));
}

static char *read_whole(struct blobs *blobs, const char *digest, size_t chunk, size_t *ret_length)
{
    CULPRIT_CLEANUP(blob_reader_free) struct blob_reader *reader = NULL;
    char *bytes = malloc(1 << 20);
    ssize_t length;

    assert_success(blobs_reader(blobs, digest, &reader, &error));
    for (*ret_length = 0;; *ret_length += (size_t)length) {
        length = blob_reader_read(reader, bytes + *ret_length, chunk, &error);
        assert_success(length);
        if (length == 0)
            return bytes;
    }
}

/* Sizes about the chunks that are worked in, and content that does and does not compress. */
static void what_goes_in_comes_out(void **state)
{
    CULPRIT_CLEANUP(blobs_close) struct blobs *blobs = open_blobs(*state);
    static const size_t sizes[] = {0, 1, 1000, 65535, 65536, 131072, 131073, 500000};
    static unsigned char bytes[500000];
    struct random random;

    random_seed(&random, 1);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = i % 200000 < 100000 ? (unsigned char)random_next(&random) : 'x';
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int compress = 0; compress < 2; compress++) {
            char digest[DIGEST_HEX_SIZE], expected[DIGEST_HEX_SIZE];
            size_t length = 0;
            put(blobs, *state, bytes, sizes[i], compress, digest);
            digest_bytes(bytes, sizes[i], expected);
            assert_string_equal(digest, expected);
            _cleanup_free_ char *read = read_whole(blobs, digest, 777 + i, &length);
            if (length != sizes[i] || memcmp(read, bytes, length) != 0)
                fail_msg("%zu bytes came out as %zu others", sizes[i], length);
        }
    }
}

static void plain_ones_have_a_path(void **state)
{
    CULPRIT_CLEANUP(blobs_close) struct blobs *blobs = open_blobs(*state);
    char digest[DIGEST_HEX_SIZE], again[DIGEST_HEX_SIZE];
    _cleanup_free_ char *path = NULL;
    struct stat status;

    put(blobs, *state, "image", 5, false, digest);
    put(blobs, *state, "image", 5, false, again);
    assert_string_equal(digest, again);
    assert_success(blobs_path(blobs, digest, &path, &error));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0644);
}

static void faults_are_told(void **state)
{
    CULPRIT_CLEANUP(blobs_close) struct blobs *blobs = open_blobs(*state);
    CULPRIT_CLEANUP(blob_reader_free) struct blob_reader *reader = NULL;
    char digest[DIGEST_HEX_SIZE];
    static char text[100000], buffer[100000];
    char *path = NULL;

    assert_failure(blobs_put(blobs, "/does/not/exist", true, digest, &error), CULPRIT_NOT_FOUND);
    assert_failure(blobs_path(blobs, "../../etc/passwd", &path, &error), CULPRIT_INVALID);
    digest_bytes("y", 1, digest);
    assert_failure(blobs_path(blobs, digest, &path, &error), CULPRIT_NOT_FOUND);
    assert_contains(error.message, "removed as old");

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * i % 251);
    put(blobs, *state, text, sizeof text, true, digest);
    _cleanup_free_ char *kept = text_format("%s/blobs/%.2s/%s.zst", (char *)*state, digest,
                                            digest + 2);
    assert_int_equal(truncate(kept, 200), 0);
    assert_success(blobs_reader(blobs, digest, &reader, &error));
    ssize_t length;
    do
        length = blob_reader_read(reader, buffer, sizeof buffer, &error);
    while (length > 0);
    assert_int_equal(length, -CULPRIT_IO);
}

static bool there(struct blobs *blobs, const char *digest)
{
    _cleanup_free_ char *path = NULL;
    return blobs_path(blobs, digest, &path, NULL) == 0;
}

/* Four blobs of 1000 bytes, used 40, 30, 20 and 10 days ago. */
static void put_aged(struct blobs *blobs, const char *scratch, uint64_t now_ns,
                     char digests[4][DIGEST_HEX_SIZE])
{
    for (unsigned i = 0; i < 4; i++) {
        char bytes[1000];
        _cleanup_free_ char *path = NULL;
        time_t used = (time_t)((now_ns - (4 - i) * 10 * DAY_NS) / 1000000000);
        const struct timespec times[2] = {{.tv_sec = used}, {.tv_sec = used}};
        memset(bytes, 'a' + (int)i, sizeof bytes);
        put(blobs, scratch, bytes, sizeof bytes, false, digests[i]);
        assert_success(blobs_path(blobs, digests[i], &path, &error));
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    }
}

static void old_ones_are_swept(void **state)
{
    uint64_t now = clock_realtime(&clock_system);
    static const struct {
        uint64_t maximum, age_days;
        int keep;
        const char *left; /* a digit for each that must be there */
    } cases[] = {
        {0, 0, -1, "0123"}, {0, 25, -1, "23"},        {0, 25, 0, "023"}, {2500, 0, -1, "23"},
        {2500, 0, 1, "13"}, {1000000, 0, -1, "0123"}, {1, 0, -1, ""},    {1, 1, 3, "3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        _cleanup_free_ char *scratch = text_format("%s/%zu", (char *)*state, i);
        assert_success(file_make_directories(scratch, 0700, &error));
        CULPRIT_CLEANUP(blobs_close) struct blobs *blobs = open_blobs(scratch);
        _cleanup_strv_ struct strv keep = {0};
        char digests[4][DIGEST_HEX_SIZE];
        const struct blobs_limits limits = {
            .maximum = cases[i].maximum, .age_ns = cases[i].age_days * DAY_NS, .now_ns = now};
        struct blobs_swept swept = {0};

        put_aged(blobs, scratch, now, digests);
        if (cases[i].keep >= 0)
            strv_append(&keep, digests[cases[i].keep]);
        assert_success(blobs_sweep(blobs, &limits, &keep, &swept, &error));
        assert_int_equal(swept.removed, 4 - strlen(cases[i].left));
        assert_int_equal(swept.kept, strlen(cases[i].left));
        for (unsigned blob = 0; blob < 4; blob++) {
            bool expected = strchr(cases[i].left, '0' + (int)blob) != NULL;
            if (there(blobs, digests[blob]) != expected)
                fail_msg("case %zu: blob %u is %s", i, blob, expected ? "gone" : "there");
        }
    }
}

/* What is being written takes room as well: 4000 bytes are kept, and 1500 on their way. */
static void what_is_being_written_counts(void **state)
{
    uint64_t now = clock_realtime(&clock_system);
    CULPRIT_CLEANUP(blobs_close) struct blobs *blobs = open_blobs(*state);
    const struct blobs_limits limits = {.maximum = 3500, .now_ns = now};
    _cleanup_free_ char *path = path_join(*state, "blobs/tmp/abcdef");
    char digests[4][DIGEST_HEX_SIZE], bytes[1500] = "";
    struct blobs_swept swept = {0};

    put_aged(blobs, *state, now, digests);
    assert_success(file_write_atomic(path, bytes, sizeof bytes, 0600, &error));
    assert_success(blobs_sweep(blobs, &limits, NULL, &swept, &error));
    assert_int_equal(swept.removed, 2);
    assert_int_equal(swept.removed_bytes, 2000);
    assert_int_equal(swept.kept_bytes, 3500);
}

static void set_mode(const char *scratch, const char *name, mode_t mode)
{
    _cleanup_free_ char *path = path_join(scratch, name);
    assert_int_equal(chmod(path, mode), 0);
}

/* The oldest cannot be removed, for its directory may not be written to; root may do everything, so
 * it becomes somebody else meanwhile. Its room is not free: the next one has to go. */
static void only_what_is_gone_makes_room(void **state)
{
    enum { NOBODY = 65534 };
    uint64_t now = clock_realtime(&clock_system);
    CULPRIT_CLEANUP(blobs_close) struct blobs *blobs = open_blobs(*state);
    const struct blobs_limits limits = {.maximum = 3500, .now_ns = now};
    char digests[4][DIGEST_HEX_SIZE], name[32];
    struct blobs_swept swept = {0};

    put_aged(blobs, *state, now, digests);
    set_mode(*state, "", 0755);
    set_mode(*state, "blobs", 0755);
    set_mode(*state, "blobs/tmp", 0755);
    for (unsigned i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "blobs/%.2s", digests[i]);
        set_mode(*state, name, i ? 0777 : 0555);
    }
    bool root = geteuid() == 0;
    assert_true(!root || seteuid(NOBODY) == 0);
    int status = blobs_sweep(blobs, &limits, NULL, &swept, &error);
    assert_true(!root || seteuid(0) == 0);
    snprintf(name, sizeof name, "blobs/%.2s", digests[0]);
    set_mode(*state, name, 0755);
    if (status == -CULPRIT_DENIED)
        skip(); /* the directory for temporary files is closed to others */
    assert_success(status);
    assert_int_equal(swept.removed, 1);
    assert_true(there(blobs, digests[0]));
    assert_false(there(blobs, digests[1]));
    assert_int_equal(swept.kept_bytes, 3000);
}

/* What a worker has just put may not be in the store yet. */
static void new_ones_have_grace(void **state)
{
    CULPRIT_CLEANUP(blobs_close) struct blobs *blobs = open_blobs(*state);
    const struct blobs_limits limits = {
        .maximum = 1, .age_ns = 1, .now_ns = clock_realtime(&clock_system)};
    struct blobs_swept swept = {0};
    char digest[DIGEST_HEX_SIZE];

    put(blobs, *state, "fresh", 5, false, digest);
    assert_success(blobs_sweep(blobs, &limits, NULL, &swept, &error));
    assert_true(there(blobs, digest));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(what_goes_in_comes_out),
        scratch_test(plain_ones_have_a_path),
        scratch_test(faults_are_told),
        scratch_test(old_ones_are_swept),
        scratch_test(new_ones_have_grace),
        scratch_test(what_is_being_written_counts),
        scratch_test(only_what_is_gone_makes_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
