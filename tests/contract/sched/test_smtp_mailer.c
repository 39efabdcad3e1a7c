/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contract on the daemon's mailer: its configuration, libcurl, a server. */
#include <arpa/inet.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "mailer_contract.h"
#include "main/smtp_mailer.h"
#include "scratch.h"
#include "smtp_sink.h"

static struct smtp_sink sink;
static int listener = -1; /* of the server that takes connections and says nothing */
static struct config *config;
static struct mailer *mailer;

static unsigned listen_silently(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    return ntohs(address.sin_port);
}

static unsigned start_server(enum mailer_answer answer)
{
    static const char *const arguments[][3] = {
        [ANSWER_TAKEN] = {NULL},
        [ANSWER_LATER] = {"--refuse-data", "451 come back later", NULL},
        [ANSWER_REFUSED] = {"--refuse-recipient", "ada@example.org", NULL},
    };

    if (answer == ANSWER_NONE)
        return listen_silently();
    smtp_sink_start(&sink, arguments[answer]);
    return sink.port;
}

static struct mailer *open_smtp(enum mailer_answer answer)
{
    struct culprit_error error = {0};
    _cleanup_free_ char *text = text_format(
        "repositories: {linux: /srv/linux}\n"
        "state_directory: /nowhere/state\n"
        "cache_directory: /nowhere/cache\n"
        "mail: {host: 127.0.0.1, port: %u, security: plain, from: culprit@example.org}\n",
        start_server(answer));

    assert_non_null(text);
    assert_success(config_parse(text, strlen(text), &config, &error));
    assert_success(smtp_mailer_new(config, &mailer, &error));
    return mailer;
}

static unsigned arrived_for(void)
{
    const char *at = strstr(smtp_sink_message(&sink), "\"to\": [");
    unsigned count = 0;

    assert_non_null(at);
    for (size_t i = 0; at[i] && at[i] != ']'; i++)
        count += at[i] == '@';
    return count;
}

static void close_smtp(void)
{
    smtp_mailer_free(mailer);
    config_free(config);
    if (listener >= 0)
        close(listener);
    else
        smtp_sink_stop(&sink);
    listener = -1;
}

int main(void)
{
    static const struct mailer_bench bench = {open_smtp, arrived_for, close_smtp};

    signal(SIGPIPE, SIG_IGN);
    return mailer_contract("mailer contract: SMTP", &bench);
}
