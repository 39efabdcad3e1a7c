/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "main/config.h"
#include "main/config_rules.h"
#include "main/daemon.h"
#include "store/tokens.h"

static const char usage[] =
    "usage: culpritd [--config FILE] [--check]\n"
    "       culpritd [--config FILE] --add-token NAME [--scope read|submit|admin]\n"
    "       culpritd [--config FILE] --remove-token NAME\n"
    "       culpritd [--config FILE] --list-tokens\n"
    "       culpritd --help | --version\n"
    "\n"
    "Finds the commit that made a kernel slower: takes jobs over REST, builds and boots kernels,\n"
    "and mails what it found. See docs/operations.md.\n"
    "\n"
    "  -c, --config FILE    the configuration (" CONFIG_DEFAULT_PATH ")\n"
    "      --check          read the configuration, say whether it is good, and end\n"
    "      --add-token NAME make a bearer token and print it; needs the store, so not while\n"
    "                       the daemon runs; likewise the other two\n"
    "      --scope SCOPE    what a new token may do: read, submit (the default), admin\n"
    "\n"
    "Ends with 0 after SIGTERM or SIGINT, 4 for a faulty configuration, 3 and above otherwise.\n";

enum option_code { OPTION_CHECK = 256, OPTION_ADD, OPTION_SCOPE, OPTION_REMOVE, OPTION_LIST };

struct options {
    const char *config;
    const char *add_token, *remove_token, *scope;
    bool check, list_tokens;
};

static const struct option option_table[] = {
    {"config", required_argument, NULL, 'c'},
    {"check", no_argument, NULL, OPTION_CHECK},
    {"add-token", required_argument, NULL, OPTION_ADD},
    {"scope", required_argument, NULL, OPTION_SCOPE},
    {"remove-token", required_argument, NULL, OPTION_REMOVE},
    {"list-tokens", no_argument, NULL, OPTION_LIST},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

/* One option with its value in `optarg`; false: there is none such. */
static bool take_option(int code, struct options *ret)
{
    switch (code) {
    case 'c':
        ret->config = optarg;
        return true;
    case OPTION_CHECK:
        ret->check = true;
        return true;
    case OPTION_ADD:
        ret->add_token = optarg;
        return true;
    case OPTION_SCOPE:
        ret->scope = optarg;
        return true;
    case OPTION_REMOVE:
        ret->remove_token = optarg;
        return true;
    case OPTION_LIST:
        ret->list_tokens = true;
        return true;
    default:
        return false;
    }
}

/* 0: go on; 1: all is said; -1: wrong usage. */
static int parse(int count, char **arguments, struct options *ret)
{
    int code;

    *ret = (struct options){.config = CONFIG_DEFAULT_PATH, .scope = "submit"};
    /* No other thread exists yet. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while ((code = getopt_long(count, arguments, "c:hV", option_table, NULL)) != -1) {
        if (code == 'h' || code == 'V') {
            fputs(code == 'h' ? usage : "culpritd " CULPRIT_VERSION "\n", stdout);
            return 1;
        }
        if (!take_option(code, ret))
            return -1;
    }
    return optind == count ? 0 : -1;
}

static int add_token(struct store *store, const struct options *options,
                     struct culprit_error *error)
{
    char token[TOKEN_TEXT_SIZE];
    unsigned scopes = 0;

    if (!token_scopes_from_name(options->scope, &scopes))
        return culprit_fail(error, CULPRIT_INVALID, "'%s' is not a scope: read, submit or admin",
                            options->scope);
    int status = store_token_add(store, options->add_token, scopes, token, error);
    if (status == 0)
        puts(token);
    return status;
}

static int list_tokens(struct store *store, struct culprit_error *error)
{
    _cleanup_strv_ struct strv names = {0};

    int status = store_token_names(store, &names, error);
    for (size_t i = 0; status == 0 && i < names.count; i++)
        puts(names.items[i]);
    return status;
}

static int manage_tokens(const struct config *config, const struct options *options,
                         struct culprit_error *error)
{
    CULPRIT_CLEANUP(store_close) struct store *store = NULL;
    const struct store_options store_options = {
        .directory = config->state_directory,
        .clock = &clock_system,
    };

    int status = config_check_state(config, error);
    if (status == 0)
        status = store_open(&store_options, &store, error);
    if (status < 0)
        return status;
    if (options->add_token)
        return add_token(store, options, error);
    if (options->remove_token)
        return store_token_remove(store, options->remove_token, error);
    return list_tokens(store, error);
}

static int act(const struct config *config, const struct options *options,
               struct culprit_error *error)
{
    if (options->add_token || options->remove_token || options->list_tokens)
        return manage_tokens(config, options, error);
    if (options->check) {
        int status = daemon_check(config, error);
        if (status == 0)
            printf("%s is good\n", options->config);
        return status;
    }
    log_set_level(config->log_level);
    return daemon_run(config, error);
}

/* With the place and the key, where there are any, in the form that editors jump to. */
static int fail(const char *path, const struct culprit_error *error)
{
    fputs("culpritd: ", stderr);
    if (error->line)
        fprintf(stderr, "%s:%u:%u: ", path, error->line, error->column);
    else if (error->where[0])
        fprintf(stderr, "%s: ", path);
    if (error->where[0])
        fprintf(stderr, "%s: ", error->where);
    fprintf(stderr, "%s\n", error->message);
    return culprit_code_exit_status(error->code);
}

int main(int count, char **arguments)
{
    CULPRIT_CLEANUP(config_free) struct config *config = NULL;
    struct culprit_error error = {0};
    struct options options;

    int status = parse(count, arguments, &options);
    if (status < 0)
        fputs(usage, stderr);
    if (status != 0)
        return status < 0 ? culprit_code_exit_status(CULPRIT_INVALID) : 0;
    daemon_block_signals();
    if (config_read(options.config, &config, &error) < 0)
        return fail(options.config, &error);
    if (act(config, &options, &error) < 0)
        return fail(options.config, &error);
    return 0;
}
