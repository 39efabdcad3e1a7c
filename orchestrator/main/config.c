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
#include "base/units.h"
#include "yaml/reader.h"

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
    free(config);
}

/* --- reading ------------------------------------------------------------------------------- */

static int keep_text(struct reader *reader, const char *text, char **target)
{
    char *copy = strdup(text);
    if (!copy)
        return reader_fail_memory(reader);
    free(*target);
    *target = copy;
    return 0;
}

static READER_TYPE(read_absolute_path)
{
    const char *text = reader_scalar(reader, node, "an absolute path");

    (void)field;
    if (!text)
        return -(int)reader->error->code;
    if (text[0] != '/' || strlen(text) >= PATH_MAX)
        return reader_fail(reader, node, "an absolute path is expected, found \"%.64s\"", text);
    return keep_text(reader, text, target);
}

/* "127.0.0.1:8470", "[::1]:8470". */
static READER_TYPE(read_listen)
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
    if (!length || parse_count(colon + 1, 0, UINT16_MAX, &port, NULL) < 0)
        return reader_fail(reader, node,
                           "a numeric address and a port are expected, as in 127.0.0.1:8470 or "
                           "[::1]:8470, found \"%.64s\"",
                           text);
    _cleanup_free_ char *address = strndup(text + bracketed, bracketed ? length - 2 : length);
    if (!address)
        return reader_fail_memory(reader);
    config->port = (uint16_t)port;
    return keep_text(reader, address, &config->address);
}

static READER_TYPE(read_log_level)
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

static READER_TYPE(read_security)
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

static READER_TYPE(read_repositories)
{
    struct config *config = target;
    const struct reader_field word = {.minimum = 1, .maximum = PATH_MAX - 1};

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
        int status = keep_text(reader, node->keys[i]->text, &repository->name);
        if (status == 0)
            status = read_word(reader, node->values[i], &word, &repository->location);
        reader_leave(reader, mark);
        if (status < 0)
            return status;
    }
    return 0;
}

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
        FIELD("uri", read_word, guests.uri, 1, 1023),
        FIELD("owner", read_word, guests.owner, 1, 32));

SECTION(jobs, FIELD("active", read_unsigned, jobs.active, 1, 64),
        FIELD("waiting", read_unsigned, jobs.waiting, 1, 1000000));

SECTION(mail, FIELD("host", read_word, mail.host, 1, 253),
        FIELD("port", read_unsigned, mail.port, 1, UINT16_MAX),
        FIELD("security", read_security, mail.security, 0, 0),
        FIELD("user", read_word, mail.user, 1, 255),
        FIELD("password_file", read_absolute_path, mail.password_file, 0, 0),
        FIELD("ca_file", read_absolute_path, mail.ca_file, 0, 0),
        FIELD("from", read_line, mail.from, 1, 320),
        FIELD("domain", read_word, mail.domain, 1, 253));

SECTION(keep, FIELD("size", read_size, keep.size, 1 << 20, UINT64_MAX / 2),
        FIELD("age", read_duration, keep.age_ns, HOUR_NS, UINT64_MAX / 2));

static int read_document(struct config *config, struct reader *reader,
                         const struct document_node *root)
{
    static const struct reader_field fields[] = {
        FIELD("name", read_word, name, 1, 253),
        {.key = "listen", .read = read_listen},
        FIELD("hosts", read_words, hosts, 0, 64),
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

/* --- defaults and what must agree ------------------------------------------------------------ */

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

static int check(const struct config *config, struct culprit_error *error)
{
    if (config->mail.user && !config->mail.password_file)
        return culprit_fail(error, CULPRIT_INVALID,
                            "mail.user is given without mail.password_file");
    if (config->mail.user && !config->mail.host)
        return culprit_fail(error, CULPRIT_INVALID, "mail.user is given without mail.host");
    return 0;
}

int config_parse(const char *text, size_t length, struct config **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(config_free) struct config *config = calloc(1, sizeof *config);
    CULPRIT_CLEANUP(document_free) struct document *document = NULL;
    struct culprit_error own = {0};
    struct reader reader = {.error = error ? error : &own};

    if (!config)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read the configuration");
    set_numbers(config);
    int status = document_parse(text, length, CONFIG_MAXIMUM, &document, reader.error);
    if (status == 0)
        status = read_document(config, &reader, document_root(document));
    if (status == 0)
        status = check(config, reader.error);
    if (status < 0)
        return status;
    if (!config->guests.slots)
        config->guests.slots = host_cpus() < 128 ? host_cpus() : 128;
    if (!fill_names(config))
        return culprit_fail(error, CULPRIT_NOT_FOUND,
                            "there is no home directory to keep state in: give state_directory and "
                            "cache_directory");
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
