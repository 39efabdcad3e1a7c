/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "main/config_values.h"

#include <arpa/inet.h>
#include <limits.h>
#include <string.h>
#include <syslog.h>

#include "base/units.h"
#include "main/config.h"
#include "notify/envelope.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { OWNER_MAXIMUM = 32, URI_MAXIMUM = 1023 };

static int keep_text(struct reader *reader, const char *text, char **target)
{
    char *copy = strdup(text);
    if (!copy)
        return reader_fail_memory(reader);
    free(*target);
    *target = copy;
    return 0;
}

READER_TYPE(read_absolute_path)
{
    const char *text = reader_scalar(reader, node, "an absolute path");

    (void)field;
    if (!text)
        return -(int)reader->error->code;
    if (text[0] != '/' || strlen(text) >= PATH_MAX)
        return reader_fail(reader, node, "an absolute path is expected, found \"%.64s\"", text);
    return keep_text(reader, text, target);
}

/* --- where to listen ------------------------------------------------------------------------ */

static bool is_address(const char *text, bool bracketed)
{
    unsigned char address[16];

    return inet_pton(bracketed ? AF_INET6 : AF_INET, text, address) == 1;
}

/* "127.0.0.1:8470", "[::1]:8470". */
READER_TYPE(read_listen)
{
    struct config *config = target;
    const char *text = reader_scalar(reader, node, "an address and a port");
    const char *colon = text ? strrchr(text, ':') : NULL;
    uint64_t port = 0;

    (void)field;
    if (!text)
        return -(int)reader->error->code;
    size_t length = colon ? (size_t)(colon - text) : 0;
    bool bracketed = length > 2 && text[0] == '[' && text[length - 1] == ']';
    _cleanup_free_ char *address = strndup(text + bracketed, bracketed ? length - 2 : length);
    if (!address)
        return reader_fail_memory(reader);
    if (!is_address(address, bracketed) || parse_count(colon + 1, 0, UINT16_MAX, &port, NULL) < 0)
        return reader_fail(reader, node,
                           "a numeric address and a port are expected, as in 127.0.0.1:8470 or "
                           "[::1]:8470, found \"%.64s\"",
                           text);
    config->port = (uint16_t)port;
    return keep_text(reader, address, &config->address);
}

/* --- words ---------------------------------------------------------------------------------- */

READER_TYPE(read_log_level)
{
    static const char *const words[] = {"error", "warning", "info", "debug"};
    static const int levels[] = {LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};
    size_t place;

    (void)field;
    int status = reader_choice(reader, node, "log level", words, COUNT(words), &place);
    if (status == 0)
        *(int *)target = levels[place];
    return status;
}

READER_TYPE(read_security)
{
    static const char *const words[] = {
        [SMTP_PLAIN] = "plain", [SMTP_STARTTLS] = "starttls", [SMTP_TLS] = "tls"};
    size_t place;

    (void)field;
    int status = reader_choice(reader, node, "way to secure SMTP", words, COUNT(words), &place);
    if (status == 0)
        *(enum smtp_security *)target = (enum smtp_security)place;
    return status;
}

/* --- repositories --------------------------------------------------------------------------- */

/* "https://…", "git@host:path": with a colon before the first slash it is no path. */
static bool is_url(const char *location)
{
    return location[strcspn(location, ":/")] == ':';
}

static int check_location(struct reader *reader, const struct document_node *node)
{
    static const char *const schemes[] = {"https", "http", "ssh", "git", "file"};
    const char *location = node->text, *end = strstr(location, "://");

    if (!is_url(location) && location[0] != '/')
        return reader_fail(reader, node,
                           "an absolute path or a URL is expected, found \"%.200s\": a relative "
                           "path would depend on where culpritd is started",
                           location);
    if (!is_url(location) || !end)
        return 0;
    for (size_t i = 0; i < COUNT(schemes); i++) {
        if (strlen(schemes[i]) == (size_t)(end - location) &&
            strncmp(location, schemes[i], strlen(schemes[i])) == 0)
            return 0;
    }
    return reader_fail(reader, node,
                       "a URL of git is expected (https, http, ssh, git or file), found \"%.200s\"",
                       location);
}

static int read_repository(struct reader *reader, const struct document_node *key,
                           const struct document_node *value, struct config_repository *ret)
{
    static const struct reader_field word = {.minimum = 1, .maximum = PATH_MAX - 1};
    int status = keep_text(reader, key->text, &ret->name);

    if (status == 0)
        status = read_word(reader, value, &word, &ret->location);
    return status < 0 ? status : check_location(reader, value);
}

READER_TYPE(read_repositories)
{
    struct config *config = target;

    (void)field;
    if (node->kind != DOCUMENT_MAPPING)
        return reader_fail(reader, node,
                           "a mapping of names to paths or URLs is expected, found %s",
                           document_describe(node));
    config->repositories = calloc(node->count + 1, sizeof *config->repositories);
    if (!config->repositories)
        return reader_fail_memory(reader);
    for (size_t i = 0; i < node->count; i++) {
        struct config_repository *repository = &config->repositories[config->repository_count++];
        size_t mark = reader_enter(reader, node->keys[i]->text);
        int status = read_repository(reader, node->keys[i], node->values[i], repository);
        reader_leave(reader, mark);
        if (status < 0)
            return status;
    }
    return 0;
}

/* --- hosts and mail ------------------------------------------------------------------------- */

READER_TYPE(read_host)
{
    int status = read_word(reader, node, field, target);

    if (status == 0 && !smtp_host_valid(node->text))
        return reader_fail(reader, node,
                           "a host's name or address is expected, without a scheme or a path, "
                           "found \"%.200s\"",
                           node->text);
    return status;
}

READER_TYPE(read_hosts)
{
    int status = read_words(reader, node, field, target);

    for (size_t i = 0; status == 0 && i < node->count; i++) {
        const struct document_node *item = node->values[i];
        size_t mark = reader_enter_item(reader, i);
        if (!smtp_host_valid(item->text) || strchr(item->text, ':'))
            status = reader_fail(reader, item,
                                 "a host's name is expected, without a scheme, a port or a path, "
                                 "found \"%.200s\"",
                                 item->text);
        reader_leave(reader, mark);
    }
    return status;
}

READER_TYPE(read_mailbox)
{
    _cleanup_free_ char *address = NULL;
    int status = read_line(reader, node, field, target);

    if (status == 0 && envelope_address(node->text, &address, NULL) < 0)
        return reader_fail(reader, node,
                           "a mail address is expected, as in culprit <culprit@example.org>, "
                           "found \"%.200s\"",
                           node->text);
    return status;
}

/* --- guests --------------------------------------------------------------------------------- */

/* The driver of this host is reached at one of three paths; of another host's, what comes after the
 * driver's name is libvirt's to judge. */
static bool is_qemu_uri(const char *uri)
{
    static const char local[] = "qemu:///";
    static const char *const paths[] = {"system", "session", "embed"};

    if (strncmp(uri, local, strlen(local)) != 0)
        return strncmp(uri, "qemu+", strlen("qemu+")) == 0 && strstr(uri, "://");
    uri += strlen(local);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        size_t length = strcspn(uri, "?#");

        if (length == strlen(paths[i]) && strncmp(uri, paths[i], length) == 0)
            return true;
    }
    return false;
}

READER_TYPE(read_guest_uri)
{
    static const struct reader_field word = {.minimum = 1, .maximum = URI_MAXIMUM};
    int status = read_word(reader, node, &word, target);

    (void)field;
    if (status == 0 && !is_qemu_uri(node->text))
        return reader_fail(reader, node,
                           "a URI of libvirt's QEMU driver is expected, as in qemu:///system or "
                           "qemu+ssh://host/system, found \"%.200s\"",
                           node->text);
    return status;
}

READER_TYPE(read_guest_owner)
{
    static const struct reader_field word = {.minimum = 1, .maximum = OWNER_MAXIMUM};
    int status = read_word(reader, node, &word, target);

    (void)field;
    if (status == 0 &&
        strspn(node->text, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(node->text))
        return reader_fail(reader, node, "1 to %d of a-z, 0-9 and '-' are expected, found \"%s\"",
                           OWNER_MAXIMUM, node->text);
    return status;
}
