/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "main/config.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"
#include "main/config_rules.h"
#include "main/config_values.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#define HOUR_NS (3600ull * 1000000000)

void config_free(struct config *config)
{
    if (!config)
        return;
    for (size_t i = 0; i < config->repository_count; i++) {
        free(config->repositories[i].name);
        free(config->repositories[i].location);
    }
    free(config->repositories);
    strv_free(&config->hosts);
    free(config->name);
    free(config->address);
    free(config->state_directory);
    free(config->cache_directory);
    free(config->builds.compiler);
    free(config->guests.uri);
    free(config->guests.owner);
    free(config->mail.host);
    free(config->mail.user);
    free(config->mail.password_file);
    free(config->mail.ca_file);
    free(config->mail.from);
    free(config->mail.domain);
    document_free(config->document);
    free(config);
}

/* --- reading ------------------------------------------------------------------------------- */

/* Names of members and functions. NOLINTBEGIN(bugprone-macro-parentheses) */
#define FIELD(key_, read_, member_, minimum_, maximum_)                         \
    {                                                                           \
        .key = key_, .read = read_, .offset = offsetof(struct config, member_), \
        .minimum = minimum_, .maximum = maximum_,                               \
    }

/* A key whose value is a mapping into the same struct. */
#define SECTION(name, ...)                                                  \
    static READER_TYPE(read_##name)                                         \
    {                                                                       \
        static const struct reader_field fields[] = {__VA_ARGS__};          \
        (void)field;                                                        \
        return reader_mapping(reader, node, fields, COUNT(fields), target); \
    }                                                                       \
    struct culprit_require_semicolon_
/* NOLINTEND(bugprone-macro-parentheses) */

SECTION(builds, FIELD("slots", read_unsigned, builds.slots, 1, 64),
        FIELD("jobs", read_unsigned, builds.jobs, 1, 1024),
        FIELD("compiler", read_word, builds.compiler, 1, 255),
        FIELD("timeout", read_duration, builds.timeout_ns, 60000000000, 24 * HOUR_NS),
        FIELD("nice", read_unsigned, builds.nice, 0, 19));

SECTION(guests, FIELD("slots", read_unsigned, guests.slots, 1, 128),
        FIELD("uri", read_guest_uri, guests.uri, 0, 0),
        FIELD("owner", read_guest_owner, guests.owner, 0, 0));

SECTION(jobs, FIELD("active", read_unsigned, jobs.active, 1, 64),
        FIELD("waiting", read_unsigned, jobs.waiting, 1, 1000000));

SECTION(mail, FIELD("host", read_host, mail.host, 1, 253),
        FIELD("port", read_unsigned, mail.port, 1, UINT16_MAX),
        FIELD("security", read_security, mail.security, 0, 0),
        FIELD("user", read_word, mail.user, 1, 255),
        FIELD("password_file", read_absolute_path, mail.password_file, 0, 0),
        FIELD("ca_file", read_absolute_path, mail.ca_file, 0, 0),
        FIELD("from", read_mailbox, mail.from, 1, 320),
        FIELD("domain", read_host, mail.domain, 1, 253));

SECTION(keep, FIELD("size", read_size, keep.size, 1 << 20, UINT64_MAX / 2),
        FIELD("age", read_duration, keep.age_ns, HOUR_NS, UINT64_MAX / 2));

static int read_document(struct config *config, struct reader *reader,
                         const struct document_node *root)
{
    static const struct reader_field fields[] = {
        FIELD("name", read_word, name, 1, 253),
        {.key = "listen", .read = read_listen},
        FIELD("hosts", read_hosts, hosts, 0, 64),
        FIELD("tokens", read_boolean, tokens, 0, 0),
        FIELD("state_directory", read_absolute_path, state_directory, 0, 0),
        FIELD("cache_directory", read_absolute_path, cache_directory, 0, 0),
        FIELD("log_level", read_log_level, log_level, 0, 0),
        FIELD("store_maximum", read_size, store_maximum, 1 << 20, UINT64_MAX / 2),
        {.key = "repositories", .read = read_repositories, .required = true},
        {.key = "builds", .read = read_builds},
        {.key = "guests", .read = read_guests},
        {.key = "jobs", .read = read_jobs},
        {.key = "mail", .read = read_mail},
        {.key = "keep", .read = read_keep},
    };
    return reader_mapping(reader, root, fields, COUNT(fields), config);
}

/* --- defaults ------------------------------------------------------------------------------ */

static unsigned host_cpus(void)
{
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return (unsigned)CPU_COUNT(&allowed);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

/* systemd says where; else root has the system's places, and everybody else their own. */
static char *default_directory(const char *variable, const char *system, char *(*own)(void))
{
    /* No other thread exists yet. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *given = getenv(variable);

    if (given && given[0] == '/' && !strchr(given, ':'))
        return strdup(given);
    return geteuid() == 0 ? strdup(system) : own();
}

static bool set_default(char **text, const char *value)
{
    if (!*text)
        *text = strdup(value);
    return *text != NULL;
}

static bool fill_names(struct config *config)
{
    char host[256] = "localhost";

    gethostname(host, sizeof host - 1);
    if (!set_default(&config->name, host) || !set_default(&config->address, "127.0.0.1") ||
        !set_default(&config->builds.compiler, "gcc") ||
        !set_default(&config->guests.owner, "culprit") ||
        !set_default(&config->mail.domain, config->name))
        return false;
    if (!config->mail.from)
        config->mail.from = text_format("culprit <culprit@%s>", config->mail.domain);
    if (!config->state_directory)
        config->state_directory = default_directory("STATE_DIRECTORY", "/var/lib/culprit",
                                                    path_state_home);
    if (!config->cache_directory)
        config->cache_directory = default_directory("CACHE_DIRECTORY", "/var/cache/culprit",
                                                    path_cache_home);
    return config->mail.from && config->state_directory && config->cache_directory;
}

static void set_numbers(struct config *config)
{
    config->port = 8470;
    config->log_level = LOG_INFO;
    config->builds.slots = 1;
    config->builds.jobs = host_cpus();
    config->builds.timeout_ns = HOUR_NS;
    config->builds.nice = 5;
    config->jobs.active = 2;
    config->jobs.waiting = 1000;
    config->mail.security = SMTP_STARTTLS;
    config->keep.size = UINT64_C(20) << 30;
    config->keep.age_ns = HOUR_NS * 24 * 90;
}

static int parse(struct config *config, const char *text, size_t length,
                 struct culprit_error *error)
{
    struct culprit_error own = {0};
    struct reader reader = {.error = error ? error : &own};

    set_numbers(config);
    int status = document_parse(text, length, CONFIG_MAXIMUM, &config->document, reader.error);
    if (status == 0)
        status = read_document(config, &reader, document_root(config->document));
    if (status < 0)
        return status;
    if (!config->guests.slots)
        config->guests.slots = host_cpus() < 128 ? host_cpus() : 128;
    if (!fill_names(config))
        return culprit_fail(error, CULPRIT_NOT_FOUND,
                            "there is no home directory to keep state in: give state_directory and "
                            "cache_directory");
    return config_check_rules(config, error);
}

int config_parse(const char *text, size_t length, struct config **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(config_free) struct config *config = calloc(1, sizeof *config);

    if (!config)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read the configuration");
    int status = parse(config, text, length, error);
    if (status < 0)
        return status;
    *ret = take(config);
    return 0;
}

int config_read(const char *path, struct config **ret, struct culprit_error *error)
{
    _cleanup_free_ char *text = NULL;
    size_t length = 0;

    int status = file_read(path, CONFIG_MAXIMUM, &text, &length, error);
    if (status < 0)
        return status;
    return config_parse(text, length, ret, error);
}
