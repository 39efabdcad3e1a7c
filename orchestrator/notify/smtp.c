/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "notify/smtp.h"

#include <ctype.h>
#include <curl/curl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "notify/envelope.h"

enum { DEFAULT_TIMEOUT_S = 60, REPLY_SIZE = 400 };

DEFINE_CLEANUP(struct curl_slist *, curl_slist_free_all);

/* One delivery under way. */
struct delivery {
    char *message;
    size_t length, sent;
    long code;              /* of the server's last refusal; 0: none */
    char reply[REPLY_SIZE]; /* its words */
};

/* What libcurl needs for it. */
struct transfer {
    CURLM *multi;
    CURL *easy;
};

static void transfer_finish_cleanup(struct transfer *transfer)
{
    if (transfer->multi && transfer->easy)
        curl_multi_remove_handle(transfer->multi, transfer->easy);
    curl_easy_cleanup(transfer->easy);
    curl_multi_cleanup(transfer->multi);
}

static pthread_once_t curl_once = PTHREAD_ONCE_INIT;

static void init_curl(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

static size_t read_message(char *into, size_t size, size_t count, void *context)
{
    struct delivery *delivery = context;
    size_t room = size * count, left = delivery->length - delivery->sent;
    size_t length = left < room ? left : room;

    memcpy(into, delivery->message + delivery->sent, length);
    delivery->sent += length;
    return length;
}

enum { REPLY_CLOSING = 221 }; /* to QUIT, with which a refused mail ends too (RFC 5321) */

/* Keeps the server's last word if it is a refusal: libcurl lives through some, an EHLO that is not
 * known among them. What goes out, the login among it, is never looked at. */
static int watch_replies(CURL *curl, curl_infotype type, char *data, size_t size, void *context)
{
    struct delivery *delivery = context;
    size_t length = 0;
    long code;

    (void)curl;
    if (type != CURLINFO_HEADER_IN || size < 3 || data[0] < '2' || data[0] > '5' ||
        !isdigit((unsigned char)data[1]) || !isdigit((unsigned char)data[2]))
        return 0;
    code = (data[0] - '0') * 100 + (data[1] - '0') * 10 + (data[2] - '0');
    if (code == REPLY_CLOSING)
        return 0;
    delivery->code = code >= 400 ? code : 0;
    while (length < size && length < REPLY_SIZE - 1 && data[length] != '\r' &&
           data[length] != '\n') {
        bool plain = (unsigned char)data[length] >= 0x20 && (unsigned char)data[length] < 0x7f;
        delivery->reply[length] = plain ? data[length] : '?';
        length++;
    }
    delivery->reply[length] = '\0';
    return 0;
}

static bool is_loopback(const char *host)
{
    return strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
           strcmp(host, "::1") == 0;
}

bool smtp_host_valid(const char *host)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:";

    return host && *host && strspn(host, allowed) == strlen(host);
}

bool smtp_login_is_private(const char *host, enum smtp_security security)
{
    return security != SMTP_PLAIN || is_loopback(host);
}

static unsigned port_of(const struct smtp_options *options)
{
    static const unsigned ports[] = {[SMTP_PLAIN] = 25, [SMTP_STARTTLS] = 587, [SMTP_TLS] = 465};

    return options->port > 0 ? options->port : ports[options->security];
}

static int check_options(const struct smtp_options *options, struct culprit_error *error)
{
    if (!smtp_host_valid(options->host))
        return culprit_fail(error, CULPRIT_INVALID, "\"%.200s\" is no name of an SMTP server",
                            options->host ? options->host : "");
    if (options->port > 65535)
        return culprit_fail(error, CULPRIT_INVALID, "%u is no port of an SMTP server",
                            options->port);
    if (options->user && !smtp_login_is_private(options->host, options->security))
        return culprit_fail(error, CULPRIT_INVALID,
                            "a login at %s without TLS would show the password to the network: use "
                            "starttls or tls",
                            options->host);
    return 0;
}

/* libcurl copies strings, but neither the list nor the buffers. */
static void set_connection(CURL *curl, const struct smtp_options *options)
{
    bool literal = strchr(options->host, ':') != NULL;
    char url[512];

    snprintf(url, sizeof url, "%s://%s%.255s%s:%u",
             options->security == SMTP_TLS ? "smtps" : "smtp", literal ? "[" : "", options->host,
             literal ? "]" : "", port_of(options));
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* whatever the environment says */
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
                     options->timeout_ns > 0 ? (long)(options->timeout_ns / 1000000) + 1
                                             : DEFAULT_TIMEOUT_S * 1000L);
    curl_easy_setopt(curl, CURLOPT_USE_SSL,
                     options->security == SMTP_PLAIN ? (long)CURLUSESSL_NONE
                                                     : (long)CURLUSESSL_ALL);
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (options->ca_file)
        curl_easy_setopt(curl, CURLOPT_CAINFO, options->ca_file);
    if (options->user) {
        curl_easy_setopt(curl, CURLOPT_USERNAME, options->user);
        curl_easy_setopt(curl, CURLOPT_PASSWORD, options->password ? options->password : "");
    }
}

static void set_delivery(CURL *curl, struct delivery *delivery, const char *from,
                         struct curl_slist *recipients)
{
    curl_easy_setopt(curl, CURLOPT_MAIL_FROM, from);
    curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, recipients);
    curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, read_message);
    curl_easy_setopt(curl, CURLOPT_READDATA, delivery);
    curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)delivery->length);
    curl_easy_setopt(curl, CURLOPT_VERBOSE, 1L);
    curl_easy_setopt(curl, CURLOPT_DEBUGFUNCTION, watch_replies);
    curl_easy_setopt(curl, CURLOPT_DEBUGDATA, delivery);
}

/* All recipients or none: the message counts as delivered when the server took it for everyone. */
static int list_recipients(const struct strv *to, struct curl_slist **ret,
                           struct culprit_error *error)
{
    if (to->count == 0)
        return culprit_fail(error, CULPRIT_INVALID, "a mail needs a recipient");
    for (size_t i = 0; i < to->count; i++) {
        _cleanup_free_ char *address = NULL;
        struct curl_slist *longer;
        int r = envelope_address(to->items[i], &address, error);

        if (r < 0)
            return r;
        longer = curl_slist_append(*ret, address);
        if (!longer)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot list recipients: no memory");
        *ret = longer;
    }
    return 0;
}

/* A refusal with 5xx will be the same next time; everything else may have another answer then. */
static int explain(const struct smtp_options *options, const struct delivery *delivery,
                   CURLcode status, const char *words, struct culprit_error *error)
{
    unsigned port = port_of(options);

    if (status == CURLE_OUT_OF_MEMORY)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot send mail: no memory");
    if (delivery->code > 0)
        return culprit_fail(error, delivery->code >= 500 ? CULPRIT_FAILED : CULPRIT_UNAVAILABLE,
                            "%s:%u refuses the mail: %s", options->host, port, delivery->reply);
    if (status == CURLE_USE_SSL_FAILED)
        return culprit_fail(error, CULPRIT_UNAVAILABLE, "%s:%u does not offer STARTTLS",
                            options->host, port);
    return culprit_fail(error, CULPRIT_UNAVAILABLE, "cannot send mail by %s:%u: %s", options->host,
                        port, words[0] ? words : curl_easy_strerror(status));
}

/* After the last word libcurl sends QUIT and waits two minutes for the answer. Nobody needs it:
 * with this there is none to wait for, and the server still gets its QUIT. */
static void expect_nothing_more(const struct transfer *transfer)
{
    curl_socket_t fd = CURL_SOCKET_BAD;

    if (curl_easy_getinfo(transfer->easy, CURLINFO_ACTIVESOCKET, &fd) == CURLE_OK &&
        fd != CURL_SOCKET_BAD)
        shutdown(fd, SHUT_RD);
}

static CURLcode result_of(const struct transfer *transfer)
{
    int left = 0;
    const CURLMsg *message = curl_multi_info_read(transfer->multi, &left);

    return message && message->msg == CURLMSG_DONE ? message->data.result : CURLE_OUT_OF_MEMORY;
}

/* Called at every step of the transfer; not 0 ends it. libcurl then leaves the message without its
 * end, which it would send if the transfer were just taken away from it. */
static int on_progress(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    (void)a;
    (void)b;
    (void)c;
    (void)d;
    return cancel_requested(context);
}

static void set_cancel(const struct transfer *transfer, struct cancel *cancel)
{
    curl_easy_setopt(transfer->easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(transfer->easy, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(transfer->easy, CURLOPT_XFERINFODATA, cancel);
}

/* Sleeps in poll() until the server, one of libcurl's timers or the cancellation has something to
 * say. */
static int perform(const struct transfer *transfer, struct cancel *cancel, CURLcode *ret,
                   struct culprit_error *error)
{
    struct curl_waitfd wake = {.fd = cancel_fd(cancel), .events = CURL_WAIT_POLLIN};
    int running = 1;
    CURLMcode status = curl_multi_add_handle(transfer->multi, transfer->easy);

    if (status == CURLM_OK)
        status = curl_multi_perform(transfer->multi, &running);
    while (status == CURLM_OK && running) {
        status = curl_multi_poll(transfer->multi, &wake, cancel ? 1 : 0, INT_MAX, NULL);
        if (status == CURLM_OK)
            status = curl_multi_perform(transfer->multi, &running);
    }
    if (status != CURLM_OK)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot send mail: %s",
                            curl_multi_strerror(status));
    expect_nothing_more(transfer);
    *ret = result_of(transfer);
    if (*ret != CURLE_ABORTED_BY_CALLBACK)
        return 0;
    /* Nor is a name server waited for that does not answer. */
    curl_easy_setopt(transfer->easy, CURLOPT_QUICK_EXIT, 1L);
    return culprit_fail(error, CULPRIT_CANCELLED, "the delivery was cancelled");
}

static int open_transfer(struct transfer *transfer, struct culprit_error *error)
{
    pthread_once(&curl_once, init_curl);
    transfer->multi = curl_multi_init();
    transfer->easy = curl_easy_init();
    if (!transfer->multi || !transfer->easy)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot send mail: no memory");
    return 0;
}

int smtp_deliver(const struct smtp_options *options, const char *from, const struct strv *to,
                 const char *message, struct cancel *cancel, struct culprit_error *error)
{
    CULPRIT_CLEANUP(curl_slist_free_all) struct curl_slist *recipients = NULL;
    _cleanup_free_ char *sender = NULL, *text = NULL;
    struct delivery delivery = {0};
    char words[CURL_ERROR_SIZE] = "";
    /* Goes before what it refers to. */
    CULPRIT_CLEANUP(transfer_finish) struct transfer transfer = {0};
    CURLcode status = CURLE_OK;
    int r = check_options(options, error);

    if (r == 0)
        r = envelope_address(from, &sender, error);
    if (r == 0)
        r = list_recipients(to, &recipients, error);
    if (r == 0)
        r = envelope_message(message, &text, &delivery.length, error);
    if (r == 0)
        r = open_transfer(&transfer, error);
    if (r < 0)
        return r;
    delivery.message = text;
    curl_easy_setopt(transfer.easy, CURLOPT_ERRORBUFFER, words);
    set_connection(transfer.easy, options);
    set_delivery(transfer.easy, &delivery, sender, recipients);
    set_cancel(&transfer, cancel);
    r = perform(&transfer, cancel, &status, error);
    if (r < 0)
        return r;
    return status == CURLE_OK ? 0 : explain(options, &delivery, status, words, error);
}
