/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <string.h>

#include "notify/smtp.h"
#include "scratch.h"
#include "smtp_sink.h"

static char directory[] = "/tmp/culprit-smtp-XXXXXX";

static void expect_word(const char *text, const char *word)
{
    if (!strstr(text, word))
        fail_msg("\"%s\" is not in: %s", word, text);
}

static struct smtp_options options_of(const struct smtp_sink *sink)
{
    return (struct smtp_options){
        .host = "127.0.0.1",
        .port = sink->port,
        .timeout_ns = UINT64_C(20000000000),
    };
}

static int deliver(const struct smtp_options *options, const char *message,
                   struct culprit_error *error)
{
    char *items[] = {(char *)(uintptr_t) "Sched <sched@example.org>",
                     (char *)(uintptr_t) "perf@example.org", NULL};
    struct strv to = {.items = items, .count = 2};

    return smtp_deliver(options, "culprit <culprit@bench.example.org>", &to, message, NULL, error);
}

static void expect_delivered(const struct smtp_options *options, const char *message)
{
    struct culprit_error error = {0};
    int r = deliver(options, message, &error);

    if (r < 0)
        fail_msg("delivery failed with %d: %s", r, error.message);
}

static void expect_refused(const struct smtp_options *options, enum culprit_code code,
                           const char *word)
{
    struct culprit_error error = {0};
    int r = deliver(options, "Subject: x\r\n\r\ny\r\n", &error);

    if (r != -(int)code)
        fail_msg("delivery returned %d (%s), want -%d", r, error.message, (int)code);
    expect_word(error.message, word);
    if (strstr(error.message, "sesame"))
        fail_msg("the password is in the message: %s", error.message);
}

/* Base64 of what must arrive, worked out with coreutils. Dots at line starts, LF and CRLF mixed:
 * "Subject: dots\r\n\r\n.one\r\n..two\r\n.\r\nlast\r\n". */
static const char dots_arrived[] = "U3ViamVjdDogZG90cw0KDQoub25lDQouLnR3bw0KLg0KbGFzdA0K";

static void test_plain(void **state)
{
    const char *const arguments[] = {NULL};
    struct smtp_sink sink;
    struct smtp_options options;
    const char *line;

    (void)state;
    smtp_sink_start(&sink, arguments);
    options = options_of(&sink);
    expect_delivered(&options, "Subject: dots\n\n.one\r\n..two\n.\nlast");
    line = smtp_sink_message(&sink);
    expect_word(line, "\"from\": \"culprit@bench.example.org\"");
    expect_word(line, "[\"sched@example.org\", \"perf@example.org\"]");
    expect_word(line, dots_arrived);
    smtp_sink_stop(&sink);
}

static void test_refusals_are_told_apart(void **state)
{
    static const struct {
        const char *arguments[3];
        enum culprit_code code;
        const char *word;
    } cases[] = {
        {{"--refuse-mail", "451 greylisted, come back later"}, CULPRIT_UNAVAILABLE, "greylisted"},
        {{"--refuse-mail", "550 we take nothing from you"}, CULPRIT_FAILED, "nothing from you"},
        {{"--refuse-data", "452 disk is full"}, CULPRIT_UNAVAILABLE, "disk is full"},
        {{"--refuse-data", "554 looks like spam"}, CULPRIT_FAILED, "looks like spam"},
        {{"--refuse-recipient", "perf@example.org"}, CULPRIT_FAILED, "no such user"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smtp_sink sink;
        struct smtp_options options;

        smtp_sink_start(&sink, cases[i].arguments);
        options = options_of(&sink);
        expect_refused(&options, cases[i].code, cases[i].word);
        smtp_sink_stop(&sink);
    }
}

/* A refusal that the dialogue outlived is not what ended it. */
static void test_a_survived_refusal_is_no_reason(void **state)
{
    const char *const arguments[] = {"--refuse-ehlo", "502 never heard of it", "--hang-up", NULL};
    struct smtp_sink sink;
    struct smtp_options options;

    (void)state;
    smtp_sink_start(&sink, arguments);
    options = options_of(&sink);
    expect_refused(&options, CULPRIT_UNAVAILABLE, "cannot send mail by 127.0.0.1");
    smtp_sink_stop(&sink);
}

static void test_nobody_there(void **state)
{
    const char *const arguments[] = {NULL};
    struct smtp_sink sink;
    struct smtp_options options;

    (void)state;
    smtp_sink_start(&sink, arguments);
    options = options_of(&sink);
    smtp_sink_stop(&sink); /* the port was free a moment ago, and is again */
    expect_refused(&options, CULPRIT_UNAVAILABLE, "cannot send mail by 127.0.0.1");
    options.host = "no-such-host.invalid";
    expect_refused(&options, CULPRIT_UNAVAILABLE, "no-such-host.invalid");
}

static int make_certificate(void **state)
{
    char command[1024];

    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(command, sizeof command,
             "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 "
             "-subj /CN=sink -addext subjectAltName=IP:127.0.0.1,DNS:localhost "
             "-keyout %s/key.pem -out %s/ca.pem >/dev/null 2>&1",
             directory, directory);
    return system(command) == 0 ? 0 : -1;
}

static int remove_certificate(void **state)
{
    (void)state;
    return file_remove_tree(directory, NULL);
}

static void test_tls(void **state)
{
    _cleanup_free_ char *certificate = path_join(directory, "ca.pem");
    _cleanup_free_ char *key = path_join(directory, "key.pem");
    const char *const arguments[] = {"--certificate", certificate, "--key", key, NULL};
    const char *const from_the_start[] = {"--certificate", certificate, "--key", key,
                                          "--tls",         NULL};

    (void)state;
    for (int tls = 0; tls < 2; tls++) {
        struct smtp_sink sink;
        struct smtp_options options;

        smtp_sink_start(&sink, tls ? from_the_start : arguments);
        options = options_of(&sink);
        options.security = tls ? SMTP_TLS : SMTP_STARTTLS;
        expect_refused(&options, CULPRIT_UNAVAILABLE, "certificate");
        options.ca_file = certificate;
        expect_delivered(&options, "Subject: x\n\ny\n");
        expect_word(smtp_sink_message(&sink), "\"tls\": true");
        smtp_sink_stop(&sink);
    }
}

static void test_starttls_is_insisted_on(void **state)
{
    const char *const arguments[] = {NULL};
    struct smtp_sink sink;
    struct smtp_options options;

    (void)state;
    smtp_sink_start(&sink, arguments);
    options = options_of(&sink);
    options.security = SMTP_STARTTLS;
    expect_refused(&options, CULPRIT_UNAVAILABLE, "does not offer STARTTLS");
    smtp_sink_stop(&sink);
}

static void test_login(void **state)
{
    const char *const arguments[] = {"--login", NULL};
    struct smtp_sink sink;
    struct smtp_options options;

    (void)state;
    smtp_sink_start(&sink, arguments);
    options = options_of(&sink);
    expect_refused(&options, CULPRIT_FAILED, "530");
    options.user = "culprit";
    options.password = "sesame without open";
    expect_refused(&options, CULPRIT_FAILED, "535");
    options.password = "open sesame";
    expect_delivered(&options, "Subject: x\n\ny\n");
    expect_word(smtp_sink_message(&sink), "\"authenticated\": true");
    smtp_sink_stop(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_refusals_are_told_apart),
        cmocka_unit_test(test_nobody_there),
        cmocka_unit_test(test_a_survived_refusal_is_no_reason),
        cmocka_unit_test_setup_teardown(test_tls, make_certificate, remove_certificate),
        cmocka_unit_test(test_starttls_is_insisted_on),
        cmocka_unit_test(test_login),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
