/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make-history: a git history on Debian's kernel source with an old regression planted in it. */
#include <errno.h>
#include <getopt.h>
#include <git2.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "archive_source.h"
#include "base/file.h"
#include "base/units.h"
#include "base_import.h"
#include "truth.h"

enum { COMMITS_DEFAULT = 32 };

struct options {
    const char *case_name, *source, *out, *truth, *cache;
    uint64_t commits, seed, faults, number;
    enum place_wanted place;
    bool no_cache, where;
};

static const char usage[] =
    "usage: make-history --case NAME --source PACKAGE|PATH --out DIRECTORY [options]\n"
    "\n"
    "Makes a bare git repository with kernel source and N commits on it, one of which (or none, "
    "or\n"
    "two) brings an old regression back. Branch main, tags good and bad.\n"
    "\n"
    "  --case NAME         the regression to plant (see --list-cases)\n"
    "  --source WHAT       a package of kernel source (linux-source-6.1), an archive or a tree\n"
    "  --out DIRECTORY     the repository to make; must not exist or be empty\n"
    "  --commits N         commits after the import, 1 to 256 (32)\n"
    "  --seed S            what is drawn by lot: equal seeds give equal commits (1)\n"
    "  --faults 0|1|2      none: nothing got worse; two: a later one makes it worse still (1)\n"
    "  --place WHERE       of the (first) fault: any, main, side, or a number from 1 to N (any)\n"
    "  --truth FILE        write what is true of the history there, as JSON\n"
    "  --base-cache DIR    keep imported sources there (~/.cache/culprit/replica)\n"
    "  --no-base-cache     import anew and keep nothing\n"
    "  --where             only say where the fault would be; make nothing\n"
    "  --list-cases        list the regressions\n"
    "  --help              show this\n"
    "\n"
    "Exit status: 0 done, 4 wrong usage, 5 no such source, 3 any other error.\n";

static void list_cases(void)
{
    for (size_t i = 0; i < replica_case_count; i++)
        printf("%-20s %-20s %s\n", replica_cases[i].name, replica_cases[i].metric,
               replica_cases[i].summary);
}

static int parse_place(const char *text, struct options *options, struct culprit_error *error)
{
    if (strcmp(text, "any") == 0)
        options->place = PLACE_ANYWHERE;
    else if (strcmp(text, "main") == 0)
        options->place = PLACE_ON_MAIN;
    else if (strcmp(text, "side") == 0)
        options->place = PLACE_ON_SIDE;
    else {
        options->place = PLACE_AT_NUMBER;
        return parse_count(text, 1, LAYOUT_COMMITS_MAXIMUM, &options->number, error);
    }
    return 0;
}

enum {
    OPTION_CASE = 256,
    OPTION_SOURCE,
    OPTION_OUT,
    OPTION_COMMITS,
    OPTION_SEED,
    OPTION_FAULTS,
    OPTION_PLACE,
    OPTION_TRUTH,
    OPTION_BASE_CACHE,
    OPTION_NO_BASE_CACHE,
    OPTION_WHERE,
    OPTION_LIST_CASES,
    OPTION_HELP,
};

static const struct option long_options[] = {
    {"case", required_argument, NULL, OPTION_CASE},
    {"source", required_argument, NULL, OPTION_SOURCE},
    {"out", required_argument, NULL, OPTION_OUT},
    {"commits", required_argument, NULL, OPTION_COMMITS},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"faults", required_argument, NULL, OPTION_FAULTS},
    {"place", required_argument, NULL, OPTION_PLACE},
    {"truth", required_argument, NULL, OPTION_TRUTH},
    {"base-cache", required_argument, NULL, OPTION_BASE_CACHE},
    {"no-base-cache", no_argument, NULL, OPTION_NO_BASE_CACHE},
    {"where", no_argument, NULL, OPTION_WHERE},
    {"list-cases", no_argument, NULL, OPTION_LIST_CASES},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

static int take_option(int option, const char *argument, struct options *options,
                       struct culprit_error *error)
{
    switch (option) {
    case OPTION_CASE:
        options->case_name = argument;
        return 0;
    case OPTION_SOURCE:
        options->source = argument;
        return 0;
    case OPTION_OUT:
        options->out = argument;
        return 0;
    case OPTION_COMMITS:
        return parse_count(argument, 1, LAYOUT_COMMITS_MAXIMUM, &options->commits, error);
    case OPTION_SEED:
        return parse_count(argument, 0, INT64_MAX, &options->seed, error);
    case OPTION_FAULTS:
        return parse_count(argument, 0, LAYOUT_FAULTS_MAXIMUM, &options->faults, error);
    case OPTION_PLACE:
        return parse_place(argument, options, error);
    case OPTION_TRUTH:
        options->truth = argument;
        return 0;
    case OPTION_BASE_CACHE:
        options->cache = argument;
        return 0;
    case OPTION_NO_BASE_CACHE:
        options->no_cache = true;
        return 0;
    case OPTION_WHERE:
        options->where = true;
        return 0;
    default:
        return culprit_fail(error, CULPRIT_INVALID, "see make-history --help");
    }
}

static int print_where(const struct layout *layout, uint64_t seed)
{
    if (layout->fault_count == 0)
        printf("seed %llu: there is no fault\n", (unsigned long long)seed);
    for (unsigned i = 0; i < layout->fault_count; i++)
        printf("seed %llu: the %sfault is commit %u of %u, on the %s\n", (unsigned long long)seed,
               i ? "second " : "", layout->faults[i], layout->count,
               layout_on_side(layout, layout->faults[i]) ? "side branch" : "main line");
    return 0;
}

static int write_truth(const struct truth *truth, const char *path, struct culprit_error *error)
{
    return path ? truth_write(truth, path, error) : 0;
}

/* The repository is made whole or not at all; what lay there before stays. */
static int make(const struct options *options, const struct replica_case *which,
                const struct layout *layout, struct culprit_error *error)
{
    CULPRIT_CLEANUP(history_result_clear) struct history_result history = {0};
    const struct truth truth = {which, options->source, layout, &history, options->seed};
    _cleanup_free_ char *path = NULL;
    _cleanup_free_ char *home = path_cache_home();
    _cleanup_free_ char *own_cache = home ? path_join(home, "replica") : NULL;
    const char *cache = options->cache ? options->cache : own_cache;
    int result = archive_source_path(options->source, &path, error);

    if (result < 0)
        return result;
    result = base_repository(path, options->no_cache ? NULL : cache, options->out, error);
    if (result == -CULPRIT_CONFLICT)
        return result;
    if (result == 0)
        result = history_write(options->out, which, layout, options->seed, &history, error);
    if (result == 0)
        result = write_truth(&truth, options->truth, error);
    if (result < 0) {
        file_remove_tree(options->out, NULL);
        return result;
    }
    printf("%s: %u commits from %.12s (good) to %.12s (bad)\n", options->out, layout->count,
           history.records[0].id, history.records[layout->count].id);
    return 0;
}

static bool is_within(const char *path, const char *directory)
{
    size_t length = strlen(directory);

    while (length > 1 && directory[length - 1] == '/')
        length--;
    return strncmp(path, directory, length) == 0 && path[length] == '/';
}

static int run(const struct options *options, struct culprit_error *error)
{
    const struct replica_case *which;
    struct layout layout;
    int result;

    if (!options->case_name)
        return culprit_fail(error, CULPRIT_INVALID, "--case is missing; see make-history --help");
    which = replica_case_find(options->case_name);
    if (!which)
        return culprit_fail(error, CULPRIT_INVALID,
                            "there is no case \"%s\"; see make-history --list-cases",
                            options->case_name);
    result = layout_make(&(struct layout_options){.commits = (unsigned)options->commits,
                                                  .seed = options->seed,
                                                  .faults = (unsigned)options->faults,
                                                  .place = options->place,
                                                  .number = (unsigned)options->number},
                         &layout, error);
    if (result < 0)
        return result;
    if (options->where)
        return print_where(&layout, options->seed);
    if (!options->source || !options->out)
        return culprit_fail(error, CULPRIT_INVALID,
                            "--source and --out are needed; see make-history --help");
    if (options->truth && is_within(options->truth, options->out))
        return culprit_fail(error, CULPRIT_INVALID,
                            "the truth belongs outside the repository: %s is in it",
                            options->truth);
    return make(options, which, &layout, error);
}

static int fail(const struct culprit_error *error)
{
    fprintf(stderr, "make-history: %s\n", error->message);
    return culprit_code_exit_status(error->code);
}

int main(int argc, char **argv)
{
    struct options options = {.commits = COMMITS_DEFAULT, .seed = 1, .faults = 1};
    struct culprit_error error = {0};
    int option, result;

    signal(SIGPIPE, SIG_IGN); /* a git that died is told by its exit status */
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (option == OPTION_HELP) {
            fputs(usage, stdout);
            return 0;
        }
        if (option == OPTION_LIST_CASES) {
            list_cases();
            return 0;
        }
        if (take_option(option, optarg, &options, &error) < 0)
            return fail(&error);
    }
    if (optind < argc) {
        culprit_fail(&error, CULPRIT_INVALID, "unexpected argument \"%s\"; see make-history --help",
                     argv[optind]);
        return fail(&error);
    }
    if (git_libgit2_init() < 0) {
        fputs("make-history: cannot set up libgit2\n", stderr);
        return EXIT_FAILURE;
    }
    result = run(&options, &error);
    git_libgit2_shutdown();
    return result < 0 ? fail(&error) : 0;
}
