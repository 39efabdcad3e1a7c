/* SPDX-License-Identifier: GPL-2.0-or-later */
/* culpritd's configuration file: strict YAML, every key described in docs/culpritd.conf.yaml.
 * Immutable once read. */
#ifndef CULPRIT_MAIN_CONFIG_H
#define CULPRIT_MAIN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/strv.h"
#include "notify/smtp.h"

#define CONFIG_DEFAULT_PATH "/etc/culprit/culpritd.yaml"

struct config_repository {
    char *name;
    char *location; /* path or URL */
};

struct document;

struct config {
    struct document *document; /* what was read, for the places of its keys */
    char *name;                /* this service's name for itself */
    char *address;             /* numeric */
    uint16_t port;
    struct strv hosts;
    bool tokens;
    char *state_directory;
    char *cache_directory;
    int log_level;
    uint64_t store_maximum; /* bytes; 0: no limit */

    struct config_repository *repositories;
    size_t repository_count;

    struct {
        unsigned slots, jobs;
        char *compiler;
        uint64_t timeout_ns;
        unsigned nice;
    } builds;

    struct {
        unsigned slots; /* 0: one a CPU of the host */
        char *uri;      /* NULL: libvirt's embedded driver */
        char *owner;
    } guests;

    struct {
        unsigned active, waiting;
    } jobs;

    struct {
        char *host; /* NULL: reports are not mailed */
        unsigned port;
        enum smtp_security security;
        char *user, *password_file, *ca_file;
        char *from, *domain;
    } mail;

    struct {
        uint64_t size; /* bytes; 0: no limit */
        uint64_t age_ns;
    } keep;
};

enum { CONFIG_MAXIMUM = 256 * 1024 };

/* Checks each value and what they must agree on, and looks at nothing but the text. Errors carry
 * the line, the column and the key. */
int config_read(const char *path, struct config **ret, struct culprit_error *error);
int config_parse(const char *text, size_t length, struct config **ret, struct culprit_error *error);
void config_free(struct config *config);
DEFINE_CLEANUP(struct config *, config_free);

#endif
