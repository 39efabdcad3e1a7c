/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "main/config_rules.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "notify/envelope.h"
#include "yaml/document.h"

int config_fail(const struct config *config, const char *section, const char *key,
                struct culprit_error *error, const char *format, ...)
{
    const struct document_node *parent = document_root(config->document);
    char path[256], message[CULPRIT_MESSAGE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(path, sizeof path, "%s%s%s", section ? section : "", section ? "." : "", key);
    if (section)
        parent = document_get(parent, section);
    const struct document_node *node = document_get(parent, key);
    return culprit_fail_at(error, node ? node->line : 0, node ? node->column : 0, path, "%s",
                           message);
}

static bool is_loopback(const char *address)
{
    struct in6_addr v6;
    struct in_addr v4;

    if (inet_pton(AF_INET, address, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, address, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

static int check_exposure(const struct config *config, struct culprit_error *error)
{
    if (config->tokens || is_loopback(config->address))
        return 0;
    return config_fail(config, NULL, "listen", error,
                       "%s can be reached from other hosts, and whoever reaches it could run "
                       "kernels here: set tokens: true, or listen on 127.0.0.1 or [::1]",
                       config->address);
}

/* Of whole paths: /a/b is in /a and in /a/b, and not in /a/bc. */
static bool is_within(const char *path, const char *directory)
{
    size_t length = strlen(directory);

    while (length > 0 && directory[length - 1] == '/')
        length--;
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static int check_directories(const struct config *config, struct culprit_error *error)
{
    if (!is_within(config->state_directory, config->cache_directory))
        return 0;
    return config_fail(config, NULL, "cache_directory", error,
                       "the state_directory %s is in %s: a cache may be deleted, so it needs a "
                       "directory of its own",
                       config->state_directory, config->cache_directory);
}

static int check_login(const struct config *config, struct culprit_error *error)
{
    if (!config->mail.user)
        return 0;
    if (!config->mail.host)
        return config_fail(config, "mail", "user", error,
                           "a login is given, and no mail.host to log in at");
    if (!config->mail.password_file)
        return config_fail(config, "mail", "user", error,
                           "a login is given without its mail.password_file");
    if (!smtp_login_is_private(config->mail.host, config->mail.security))
        return config_fail(config, "mail", "security", error,
                           "a login at %s without TLS would show the password to the network: "
                           "starttls or tls is allowed, and plain on the loopback",
                           config->mail.host);
    return 0;
}

/* Where it is not given it is made of the host's name, which may be anything. */
static int check_sender(const struct config *config, struct culprit_error *error)
{
    _cleanup_free_ char *address = NULL;

    if (!config->mail.host || envelope_address(config->mail.from, &address, NULL) == 0)
        return 0;
    return config_fail(config, "mail", "from", error,
                       "\"%.200s\", made of the name of this service, is no mail address: give one "
                       "here, as in culprit <culprit@example.org>",
                       config->mail.from);
}

int config_check_rules(const struct config *config, struct culprit_error *error)
{
    static int (*const rules[])(const struct config *, struct culprit_error *) = {
        check_exposure,
        check_directories,
        check_login,
        check_sender,
    };
    int status = 0;

    for (size_t i = 0; status == 0 && i < sizeof rules / sizeof *rules; i++)
        status = rules[i](config, error);
    return status;
}
