/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Server-sent events: the same events come out in whatever pieces the bytes come in. */
#include "scratch.h"

#include <string.h>

#include "cli/sse.h"

struct collected {
    char text[4096]; /* "type:data;" for each event */
    unsigned count;
    int answer;
};

static int collect(const struct sse_event *event, void *context, struct culprit_error *error)
{
    struct collected *collected = context;
    size_t length = strlen(collected->text);

    snprintf(collected->text + length, sizeof collected->text - length, "%s:%s;", event->type,
             event->data);
    collected->count++;
    if (collected->answer < 0)
        return culprit_fail(error, (enum culprit_code) - collected->answer, "no more");
    return collected->answer;
}

static void sse_clear_cleanup(struct sse *sse)
{
    sse_clear(sse);
}

#define _cleanup_sse_ __attribute__((cleanup(sse_clear_cleanup)))

static const struct {
    const char *stream, *events, *last_id;
} streams[] = {
    {"data: a\n\n", "message:a;", ""},
    {"event: state\nid: 7\ndata: {}\n\n", "state:{};", "7"},
    {"data: a\ndata: b\n\n", "message:a\nb;", ""},
    {"data:a\n\ndata:  b\n\n", "message:a;message: b;", ""},
    {"data\n\n", "message:;", ""},
    {"event: end\n\n", "", ""},
    {": alive\n\n: alive\n\n", "", ""},
    {"data: a\r\n\r\ndata: b\r\rdata: c\n\n", "message:a;message:b;message:c;", ""},
    {"event: x\ndata: a\n\ndata: b\n\n", "x:a;message:b;", ""},
    {"id: 1\ndata: a\n\nid: 2\ndata: cut off", "message:a;", "1"},
    {"id: 1\n\nid: 2\n", "", "1"},
    {"unknown: a\nretry: 5x\ndata: b\n\n", "message:b;", ""},
    {"retry: 2000\n\n", "", ""},
};

static void test_streams_in_any_pieces(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        size_t length = strlen(streams[i].stream);

        for (size_t piece = 1; piece <= length; piece++) {
            _cleanup_sse_ struct sse sse;
            struct collected collected = {0};
            struct culprit_error error = {0};

            sse_init(&sse, collect, &collected);
            for (size_t at = 0; at < length; at += piece)
                assert_success(sse_feed(&sse, streams[i].stream + at,
                                        length - at < piece ? length - at : piece, &error));
            if (strcmp(collected.text, streams[i].events) != 0 ||
                strcmp(sse.last_id, streams[i].last_id) != 0)
                fail_msg("stream %zu in pieces of %zu: \"%s\", last id \"%s\"", i, piece,
                         collected.text, sse.last_id);
        }
    }
}

static void test_retry(void **state)
{
    _cleanup_sse_ struct sse sse;
    const char *stream = "retry: 2000\nretry: x\n\nretry: 99999999999999999999\n";

    (void)state;
    sse_init(&sse, collect, NULL);
    assert_int_equal(sse_feed(&sse, stream, 12, NULL), 0);
    assert_int_equal(sse.retry_ms, 2000);
    assert_int_equal(sse_feed(&sse, stream + 12, strlen(stream) - 12, NULL), 0);
    assert_int_equal(sse.retry_ms, 60000);
}

/* What a broken connection cut off is not joined with what the next one brings. */
static void test_restart(void **state)
{
    _cleanup_sse_ struct sse sse;
    struct collected collected = {0};
    const char *cut = "id: 1\ndata: a\n\nid: 2\nevent: x\ndata: b\nda";
    const char *next = "id: 2\ndata: c\n\n";

    (void)state;
    sse_init(&sse, collect, &collected);
    assert_int_equal(sse_feed(&sse, cut, strlen(cut), NULL), 0);
    sse_restart(&sse);
    assert_string_equal(sse.last_id, "1");
    assert_int_equal(sse_feed(&sse, next, strlen(next), NULL), 0);
    assert_string_equal(collected.text, "message:a;message:c;");
    assert_string_equal(sse.last_id, "2");
}

static void test_handler_stops(void **state)
{
    static const int answers[] = {1, -CULPRIT_CANCELLED};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        _cleanup_sse_ struct sse sse;
        struct collected collected = {.answer = answers[i]};
        const char *stream = "data: a\n\ndata: b\n\n";

        sse_init(&sse, collect, &collected);
        assert_int_equal(sse_feed(&sse, stream, strlen(stream), NULL), answers[i]);
        assert_int_equal(collected.count, 1);
    }
}

static void test_bounds(void **state)
{
    static char line[64 * 1024];
    _cleanup_sse_ struct sse one_line;
    _cleanup_sse_ struct sse many_lines;
    int r = 0;

    (void)state;
    memset(line, 'x', sizeof line);
    sse_init(&one_line, collect, NULL);
    for (int i = 0; i < 32 && r == 0; i++)
        r = sse_feed(&one_line, line, sizeof line, NULL);
    assert_int_equal(r, -CULPRIT_LIMIT);
    memcpy(line, "\ndata:", 6);
    sse_init(&many_lines, collect, NULL);
    r = 0;
    for (int i = 0; i < 32 && r == 0; i++)
        r = sse_feed(&many_lines, line, sizeof line, NULL);
    assert_int_equal(r, -CULPRIT_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams_in_any_pieces),
        cmocka_unit_test(test_retry),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_handler_stops),
        cmocka_unit_test(test_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
