/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel-facts: what culprit knows of a commit, for scripts. `build` builds one as culpritd does,
 * in the same kind of slot and with the same rules of what is built anew; `range` lists the commits
 * of a range as the planner numbers them, and which of them cannot change the image. Both answer
 * with JSON on the standard output.
 */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "build/builder.h"
#include "sched/prune_range.h"

static const char usage[] =
    "usage: kernel-facts build --repository DIR --cache DIR --fragment FILE… --image FILE\n"
    "                          [--patch FILE…] [--inputs FILE] [--log FILE] COMMIT\n"
    "       kernel-facts range --repository DIR --inputs FILE --inputs FILE GOOD BAD\n\n"
    "build makes the kernel image of a commit in a build slot below the cache directory and "
    "prints\n"
    "{\"commit\", \"outcome\", \"message\", \"image\" (its digest), \"seconds\", \"fresh\"}.\n"
    "range prints the commits after GOOD up to BAD, with GOOD as number 0, as an array of\n"
    "{\"id\", \"subject\", \"parents\" (numbers), \"relevance\"}; the inputs are those that the "
    "builds of\n"
    "both ends left.\n\n"
    "Exit status: 0 done, 1 the commit does not build, 3 any other error, 4 wrong usage.\n";

enum { PATCH_MAXIMUM = 16 << 20, EXIT_BROKEN = 1, EXIT_ERROR = 3, EXIT_USAGE = 4 };

struct options {
    const char *repository, *cache, *image, *log;
    struct strv fragments, patches, inputs; /* patches: their texts */
};

static void options_clear_cleanup(struct options *options)
{
    strv_free(&options->fragments);
    strv_free(&options->patches);
    strv_free(&options->inputs);
}

static int print(json_t *value, struct culprit_error *error)
{
    int status = value ? json_dumpf(value, stdout, JSON_INDENT(1)) : -1;

    json_decref(value);
    if (status < 0 || putchar('\n') == EOF || fflush(stdout) == EOF)
        return culprit_fail(error, CULPRIT_IO, "cannot print the answer");
    return 0;
}

static int open_repository(const struct options *options, struct repository **ret,
                           struct culprit_error *error)
{
    _cleanup_free_ char *path = realpath(options->repository, NULL);

    if (!path)
        return culprit_fail_errno(error, errno, "cannot find %s", options->repository);
    return repository_open("history", path, options->cache ? options->cache : "/nonexistent", NULL,
                           ret, error);
}

/* --- build --------------------------------------------------------------------------------- */

static int make(const struct options *options, struct repository *repository, const char *commit,
                struct build_result *ret, struct culprit_error *error)
{
    _cleanup_free_ char *log = text_format("%s.log", options->image);
    _cleanup_free_ char *config = text_format("%s.config", options->image);
    const struct builder_options how = {.cache_directory = options->cache, .slots = 1};
    const struct build_recipe recipe = {
        .commit_id = commit,
        .patches = &options->patches,
        .fragments = &options->fragments,
    };
    CULPRIT_CLEANUP(builder_free) struct builder *builder = NULL;
    int r = builder_new(&how, &builder, error);

    if (r == 0 && (!log || !config))
        r = culprit_fail(error, CULPRIT_NO_MEMORY, "out of memory");
    if (r == 0)
        r = builder_build(
            builder, repository, &recipe, options->image, options->log ? options->log : log, config,
            options->inputs.count > 0 ? options->inputs.items[0] : NULL, NULL, ret, error);
    return r;
}

static int build(const struct options *options, char **words, struct culprit_error *error)
{
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    struct build_result result = {0};
    char commit[COMMIT_ID_SIZE];
    int r = open_repository(options, &repository, error);

    if (r == 0)
        r = repository_resolve(repository, words[0], commit, error);
    if (r == 0)
        r = make(options, repository, commit, &result, error);
    if (r == 0)
        r = print(json_pack("{s:s, s:s, s:s, s:s, s:f, s:b}", "commit", commit, "outcome",
                            outcome_name(result.outcome), "message", result.message, "image",
                            result.image_digest, "seconds", (double)result.wall_ns / 1e9, "fresh",
                            result.fresh),
                  error);
    if (r < 0 || result.outcome == OUTCOME_OK)
        return r;
    return result.outcome == OUTCOME_BUILD_FAILED
               ? EXIT_BROKEN
               : culprit_fail(error, CULPRIT_FAILED, "%s", result.message);
}

/* --- range --------------------------------------------------------------------------------- */

static void commit_range_clear_cleanup(struct commit_range *range)
{
    commit_range_clear(range);
}

static int read_inputs(const struct strv *paths, struct inputs **ret, struct culprit_error *error)
{
    for (size_t i = 0; i < paths->count; i++) {
        CULPRIT_CLEANUP(inputs_free) struct inputs *inputs = NULL;
        _cleanup_free_ char *text = NULL;
        size_t length;
        int r = file_read(paths->items[i], INPUTS_TEXT_MAXIMUM, &text, &length, error);

        if (r == 0)
            r = inputs_parse(text, length, &inputs, error);
        if (r == 0 && *ret)
            r = inputs_merge(*ret, inputs, error);
        else if (r == 0)
            *ret = take(inputs);
        if (r < 0)
            return r;
    }
    return 0;
}

static json_t *parents_json(const struct commit_info *commit)
{
    json_t *array = json_array();

    for (unsigned p = 0; p < commit->parent_count; p++)
        json_array_append_new(array, json_integer(commit->parents[p]));
    return array;
}

static int print_range(const struct commit_range *range, const enum relevance *relevance,
                       struct culprit_error *error)
{
    json_t *array = json_array();

    for (unsigned c = 0; c < range->count; c++) {
        const struct commit_info *commit = &range->commits[c];

        json_array_append_new(array, json_pack("{s:s, s:s, s:o, s:s}", "id", commit->id, "subject",
                                               commit->subject, "parents", parents_json(commit),
                                               "relevance", relevance_name(relevance[c])));
    }
    return print(array, error);
}

static int judge(struct repository *repository, const struct commit_range *range,
                 struct inputs *inputs, struct culprit_error *error)
{
    _cleanup_free_ char(*ids)[COMMIT_ID_SIZE] = calloc(range->count + 1, sizeof *ids);
    _cleanup_free_ enum relevance *relevance = calloc(range->count + 1, sizeof *relevance);
    const struct work_prune request = {.ids = ids, .count = range->count, .inputs = inputs};
    int r;

    if (!ids || !relevance)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for %u commits", range->count);
    for (unsigned c = 0; c < range->count; c++)
        memcpy(ids[c], range->commits[c].id, sizeof *ids);
    r = prune_range(repository, &request, false, NULL, relevance, error);
    return r < 0 ? r : print_range(range, relevance, error);
}

static int list_range(const struct options *options, char **words, struct culprit_error *error)
{
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    CULPRIT_CLEANUP(commit_range_clear) struct commit_range range = {0};
    CULPRIT_CLEANUP(inputs_free) struct inputs *inputs = NULL;
    char good[COMMIT_ID_SIZE], bad[COMMIT_ID_SIZE];
    int r = read_inputs(&options->inputs, &inputs, error);

    if (r == 0)
        r = open_repository(options, &repository, error);
    if (r == 0)
        r = repository_resolve(repository, words[0], good, error);
    if (r == 0)
        r = repository_resolve(repository, words[1], bad, error);
    if (r == 0)
        r = repository_range(repository, good, bad, false, &range, error);
    return r < 0 ? r : judge(repository, &range, inputs, error);
}

/* --- command line -------------------------------------------------------------------------- */

static int read_patch(const char *path, struct strv *patches, struct culprit_error *error)
{
    _cleanup_free_ char *text = NULL;
    int r = file_read(path, PATCH_MAXIMUM, &text, NULL, error);

    if (r == 0 && !strv_append(patches, text))
        r = culprit_fail(error, CULPRIT_NO_MEMORY, "out of memory");
    return r;
}

static int take_option(int option, const char *argument, struct options *options,
                       struct culprit_error *error)
{
    bool kept = true;

    switch (option) {
    case 'r':
        options->repository = argument;
        break;
    case 'c':
        options->cache = argument;
        break;
    case 'o':
        options->image = argument;
        break;
    case 'l':
        options->log = argument;
        break;
    case 'f':
        kept = strv_append(&options->fragments, argument);
        break;
    case 'i':
        kept = strv_append(&options->inputs, argument);
        break;
    case 'p':
        return read_patch(argument, &options->patches, error);
    default:
        return culprit_fail(error, CULPRIT_INVALID, "see kernel-facts --help");
    }
    return kept ? 0 : culprit_fail(error, CULPRIT_NO_MEMORY, "out of memory");
}

/* What is done, with how many words and which options. */
static int run(const struct options *options, char **words, int count, struct culprit_error *error)
{
    bool builds = count == 2 && strcmp(words[0], "build") == 0;
    bool lists = count == 3 && strcmp(words[0], "range") == 0;

    if (builds && options->repository && options->cache && options->image &&
        options->fragments.count > 0 && options->inputs.count <= 1)
        return build(options, words + 1, error);
    if (lists && options->repository && options->inputs.count == 2)
        return list_range(options, words + 1, error);
    return culprit_fail(error, CULPRIT_INVALID, "see kernel-facts --help");
}

int main(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"repository", required_argument, NULL, 'r'},
        {"cache", required_argument, NULL, 'c'},
        {"image", required_argument, NULL, 'o'},
        {"log", required_argument, NULL, 'l'},
        {"fragment", required_argument, NULL, 'f'},
        {"inputs", required_argument, NULL, 'i'},
        {"patch", required_argument, NULL, 'p'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    CULPRIT_CLEANUP(options_clear) struct options options = {0};
    struct culprit_error error = {0};
    int option, r = 0;

    while (r == 0 && (option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
        if (option == 'h') {
            fputs(usage, stdout);
            return EXIT_SUCCESS;
        }
        r = take_option(option, optarg, &options, &error);
    }
    if (r == 0)
        r = run(&options, argv + optind, argc - optind, &error);
    if (r >= 0)
        return r;
    fprintf(stderr, "kernel-facts: %s\n", error.message);
    return error.code == CULPRIT_INVALID ? EXIT_USAGE : EXIT_ERROR;
}
