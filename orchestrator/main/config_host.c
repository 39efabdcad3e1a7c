/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "main/config_rules.h"

static bool is_executable(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* As execvp() finds it. */
static bool is_program(const char *name)
{
    /* No other thread exists yet. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *path = getenv("PATH");

    if (strchr(name, '/'))
        return name[0] == '/' && is_executable(name);
    if (!path)
        path = "/bin:/usr/bin";
    for (size_t length; *path; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        _cleanup_free_ char *file = text_format("%.*s/%s", (int)length, path, name);
        if (file && is_executable(file))
            return true;
    }
    return false;
}

static int check_programs(const struct config *config, struct culprit_error *error)
{
    static const struct {
        const char *name, *package;
    } others[] = {{"bwrap", "bubblewrap"}, {"make", "make"}, {"ld", "binutils"}};

    if (!is_program(config->builds.compiler))
        return config_fail(config, "builds", "compiler", error,
                           "there is no program \"%s\": a compiler that is on PATH, or its "
                           "absolute path, is expected",
                           config->builds.compiler);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!is_program(others[i].name))
            return culprit_fail(error, CULPRIT_UNSUPPORTED,
                                "kernels are built with %s, which is not here: install the package "
                                "%s",
                                others[i].name, others[i].package);
    }
    return 0;
}

/* Below a directory that is there, the rest can be made. */
static int check_directory(const struct config *config, const char *key, const char *path,
                           struct culprit_error *error)
{
    _cleanup_free_ char *place = strdup(path);
    struct stat status;

    while (place && stat(place, &status) < 0 && errno == ENOENT && strcmp(place, "/") != 0) {
        char *parent = path_directory(place);
        free(place);
        place = parent;
    }
    if (!place)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot look at %s: out of memory", path);
    if (stat(place, &status) < 0)
        return config_fail(config, NULL, key, error, "cannot look at %s: %s", place,
                           strerrordesc_np(errno));
    if (!S_ISDIR(status.st_mode))
        return config_fail(config, NULL, key, error, "%s is no directory, and one is expected",
                           place);
    return 0;
}

int config_check_state(const struct config *config, struct culprit_error *error)
{
    _cleanup_free_ char *store = path_join(config->state_directory, "culprit.db");
    _cleanup_free_ char *work = path_join(config->state_directory, "work");

    if (!store || !work)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot look at %s: out of memory",
                            config->state_directory);
    if (access(work, F_OK) < 0 || access(store, F_OK) == 0)
        return 0;
    return config_fail(config, NULL, "state_directory", error,
                       "%s is somebody else's: it has no culprit.db, and a directory work, which "
                       "is emptied at each start; name a directory that is empty or not there",
                       config->state_directory);
}

static int check_directories(const struct config *config, struct culprit_error *error)
{
    int status = check_directory(config, "state_directory", config->state_directory, error);

    if (status == 0)
        status = config_check_state(config, error);
    return status < 0 ? status
                      : check_directory(config, "cache_directory", config->cache_directory, error);
}

/* A bare repository, or a clone with a work tree; what else is wrong with it git will say. */
static bool is_repository(const char *path)
{
    _cleanup_free_ char *head = path_join(path, "HEAD");
    _cleanup_free_ char *git = path_join(path, ".git");

    return head && git && (access(head, F_OK) == 0 || access(git, F_OK) == 0);
}

static int check_repositories(const struct config *config, struct culprit_error *error)
{
    for (size_t i = 0; i < config->repository_count; i++) {
        const struct config_repository *repository = &config->repositories[i];
        if (repository->location[0] != '/')
            continue; /* a URL, which may be away today */
        if (access(repository->location, F_OK) < 0)
            return config_fail(config, "repositories", repository->name, error,
                               "%s cannot be reached: %s", repository->location,
                               strerrordesc_np(errno));
        if (!is_repository(repository->location))
            return config_fail(config, "repositories", repository->name, error,
                               "%s is no git repository: it has neither HEAD nor .git",
                               repository->location);
    }
    return 0;
}

static int check_mail_files(const struct config *config, struct culprit_error *error)
{
    const char *password = config->mail.password_file, *ca = config->mail.ca_file;
    struct stat status;

    if (password && (access(password, R_OK) < 0 || stat(password, &status) < 0))
        return config_fail(config, "mail", "password_file", error, "cannot read %s: %s", password,
                           strerrordesc_np(errno));
    if (password && (status.st_mode & (S_IRWXG | S_IRWXO)))
        return config_fail(config, "mail", "password_file", error,
                           "%s has mode %03o and is open to others: chmod 600 it", password,
                           (unsigned)status.st_mode & 0777);
    if (ca && access(ca, R_OK) < 0)
        return config_fail(config, "mail", "ca_file", error, "cannot read %s: %s", ca,
                           strerrordesc_np(errno));
    return 0;
}

/* On any port, for the one that is named may be this service's own already. */
static int check_address(const struct config *config, struct culprit_error *error)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    bool is_v4 = inet_pton(AF_INET, config->address, &v4.sin_addr) == 1;
    _cleanup_close_ int fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (!is_v4)
        inet_pton(AF_INET6, config->address, &v6.sin6_addr);
    int status = is_v4 ? bind(fd, (struct sockaddr *)&v4, sizeof v4)
                       : bind(fd, (struct sockaddr *)&v6, sizeof v6);
    if (status == 0)
        return 0;
    return config_fail(config, NULL, "listen", error,
                       "cannot listen on %s: %s; an address of this host is expected",
                       config->address, strerrordesc_np(errno));
}

int config_check_host(const struct config *config, struct culprit_error *error)
{
    static int (*const checks[])(const struct config *, struct culprit_error *) = {
        check_address, check_directories, check_repositories, check_programs, check_mail_files,
    };
    int status = 0;

    for (size_t i = 0; status == 0 && i < sizeof checks / sizeof *checks; i++)
        status = checks[i](config, error);
    return status;
}
