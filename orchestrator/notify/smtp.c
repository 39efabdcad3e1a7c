/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "notify/smtp.h"

#include <ctype.h>
#include <curl/curl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "notify/envelope.h"

enum { DEFAULT_TIMEOUT_S = 60, REPLY_SIZE = 400 };

DEFINE_CLEANUP(CURL *, curl_easy_cleanup);
DEFINE_CLEANUP(struct curl_slist *, curl_slist_free_all);

/* One delivery under way. */
struct delivery {
    char *message;
    size_t length, sent;
    long code;              /* of the server's last refusal; 0: none */
    char reply[REPLY_SIZE]; /* its words */
};

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

/* Keeps the server's last refusal. What goes out, the login among it, is never looked at. */
static int watch_replies(CURL *curl, curl_infotype type, char *data, size_t size, void *context)
{
    struct delivery *delivery = context;
    size_t length = 0;

    (void)curl;
    if (type != CURLINFO_HEADER_IN || size < 3 || (data[0] != '4' && data[0] != '5') ||
        !isdigit((unsigned char)data[1]) || !isdigit((unsigned char)data[2]))
        return 0;
    delivery->code = (data[0] - '0') * 100 + (data[1] - '0') * 10 + (data[2] - '0');
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

static unsigned port_of(const struct smtp_options *options)
{
    static const unsigned ports[] = {[SMTP_PLAIN] = 25, [SMTP_STARTTLS] = 587, [SMTP_TLS] = 465};

    return options->port > 0 ? options->port : ports[options->security];
}

static int check_options(const struct smtp_options *options, struct culprit_error *error)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:";

    if (!options->host || !*options->host ||
        strspn(options->host, allowed) != strlen(options->host))
        return culprit_fail(error, CULPRIT_INVALID, "\"%.200s\" is no name of an SMTP server",
                            options->host ? options->host : "");
    if (options->port > 65535)
        return culprit_fail(error, CULPRIT_INVALID, "%u is no port of an SMTP server",
                            options->port);
    if (options->user && options->security == SMTP_PLAIN && !is_loopback(options->host))
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

int smtp_deliver(const struct smtp_options *options, const char *from, const struct strv *to,
                 const char *message, struct culprit_error *error)
{
    CULPRIT_CLEANUP(curl_easy_cleanup) CURL *curl = NULL;
    CULPRIT_CLEANUP(curl_slist_free_all) struct curl_slist *recipients = NULL;
    _cleanup_free_ char *sender = NULL, *text = NULL;
    struct delivery delivery = {0};
    char words[CURL_ERROR_SIZE] = "";
    CURLcode status;
    int r = check_options(options, error);

    if (r == 0)
        r = envelope_address(from, &sender, error);
    if (r == 0)
        r = list_recipients(to, &recipients, error);
    if (r == 0)
        r = envelope_message(message, &text, &delivery.length, error);
    if (r < 0)
        return r;
    delivery.message = text;
    pthread_once(&curl_once, init_curl);
    curl = curl_easy_init();
    if (!curl)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot send mail: no memory");
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, words);
    set_connection(curl, options);
    set_delivery(curl, &delivery, sender, recipients);
    status = curl_easy_perform(curl);
    return status == CURLE_OK ? 0 : explain(options, &delivery, status, words, error);
}
