/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sample files against each other, with the same figures and the same table as the reports, and
 * without a server. */
#include <string.h>

#include "base/units.h"
#include "cli/commands/commands.h"
#include "cli/commands/samples_file.h"
#include "cli/input.h"
#include "cli/text.h"
#include "report/comparison_table.h"

enum { FILES_MAXIMUM = 16, TABLE_MAXIMUM = 1024 * 1024 };

static const struct cli_option options[] = {
    {"better", 'b', "WAY", "lower or higher: which way is better (default: nobody says)"},
    {"alpha", 'a', "LEVEL", "false alarms that are borne, 0.001 to 0.5 (default: 0.01)"},
    {"threshold", '\0', "PERCENT", "the smallest change that counts (default: 1%)"},
    {"noise", '\0', "PERCENT", "by which identical builds differ, if that was measured"},
    {"trial-value", '\0', "WHAT", "mean or median of a trial's lines (default: mean)"},
    {NULL, '\0', NULL, NULL},
};

/* Everything that is compared; the first file is the base. */
struct study {
    struct comparison_options options;
    enum samples_aggregate aggregate;
    const char *names[FILES_MAXIMUM];
    struct samples_set sets[FILES_MAXIMUM];
    size_t files;
    struct comparison comparisons[FILES_MAXIMUM]; /* files − 1 */
};

static void study_clear_cleanup(struct study *study)
{
    for (size_t i = 0; i < study->files; i++)
        samples_set_free(&study->sets[i]);
}

/* One of two words; *ret is untouched when the option was not given. */
static int read_choice(const struct arguments *arguments, const char *option,
                       const char *const words[2], const int values[2], int *ret,
                       struct culprit_error *error)
{
    const char *word = arguments_value(arguments, option);

    if (!word)
        return 0;
    for (int i = 0; i < 2; i++) {
        if (strcmp(word, words[i]) == 0) {
            *ret = values[i];
            return 0;
        }
    }
    return cli_usage_error(&command_samples, error, "--%s takes %s or %s, not \"%.40s\"", option,
                           words[0], words[1], word);
}

static int read_share(const struct arguments *arguments, const char *option, double *ret,
                      struct culprit_error *error)
{
    const char *word = arguments_value(arguments, option);
    double percent;
    int r = word ? parse_percent(word, 1000, &percent, error) : 0;

    if (r < 0)
        return culprit_error_prefix(error, "--%s", option);
    if (word)
        *ret = percent / 100;
    return 0;
}

static int read_options(const struct arguments *arguments, struct study *study,
                        struct culprit_error *error)
{
    static const char *const ways[] = {"lower", "higher"}, *const locations[] = {"mean", "median"};
    static const int way_values[] = {COMPARISON_LOWER, COMPARISON_HIGHER};
    static const int location_values[] = {SAMPLES_MEAN, SAMPLES_MEDIAN};
    const char *alpha = arguments_value(arguments, "alpha");
    int way = COMPARISON_NEITHER, location = SAMPLES_MEAN;
    int r = read_choice(arguments, "better", ways, way_values, &way, error);

    if (r == 0)
        r = read_choice(arguments, "trial-value", locations, location_values, &location, error);
    if (r == 0)
        r = read_share(arguments, "threshold", &study->options.threshold, error);
    if (r == 0)
        r = read_share(arguments, "noise", &study->options.noise, error);
    if (r < 0)
        return r;
    if (alpha && parse_real(alpha, 0.001, 0.5, &study->options.alpha, error) < 0)
        return culprit_error_prefix(error, "--alpha");
    study->options.better = (enum comparison_better)way;
    study->aggregate = (enum samples_aggregate)location;
    return 0;
}

/* The standard input has but one end. */
static int check_files(const struct arguments *arguments, struct culprit_error *error)
{
    size_t standard_input = 0;

    for (size_t i = 1; i < arguments->words.count; i++)
        standard_input += strcmp(arguments->words.items[i], "-") == 0;
    if (standard_input > 1)
        return cli_usage_error(&command_samples, error, "the standard input is given twice");
    return 0;
}

static int read_files(const struct cli *cli, const struct arguments *arguments, struct study *study,
                      struct culprit_error *error)
{
    for (size_t i = 1; i < arguments->words.count; i++) {
        const char *path = arguments->words.items[i];
        int r = samples_file_read(path, study->aggregate, cli->cancel, &study->sets[study->files],
                                  error);

        if (r < 0)
            return r;
        study->names[study->files++] = input_name(path);
    }
    return 0;
}

static int compare(struct study *study, struct culprit_error *error)
{
    for (size_t i = 1; i < study->files; i++) {
        int r = comparison_make(study->sets[0].values, study->sets[0].count, study->sets[i].values,
                                study->sets[i].count, &study->options, &study->comparisons[i - 1],
                                error);

        if (r < 0)
            return culprit_error_prefix(error, "cannot compare %s with %s", study->names[0],
                                        study->names[i]);
    }
    return comparison_correct(study->comparisons, study->files - 1, error);
}

/* What the lines of the files were taken for. */
static void print_unit(struct cli *cli, const struct study *study)
{
    for (size_t i = 0; i < study->files; i++) {
        const struct samples_set *set = &study->sets[i];

        fputs(i == 0 ? "base " : "     ", cli->out);
        text_print_safe(cli->out, study->names[i]);
        fprintf(cli->out, ": %zu trial%s", set->count, set->count == 1 ? "" : "s");
        if (set->read > set->count)
            fprintf(cli->out, ", each the %s of its lines (%zu)",
                    study->aggregate == SAMPLES_MEAN ? "mean" : "median", set->read);
        fputc('\n', cli->out);
    }
    fputc('\n', cli->out);
}

static int print_text(struct cli *cli, const struct study *study, struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer table = BUFFER_INIT(TABLE_MAXIMUM);
    struct comparison_entry entries[FILES_MAXIMUM];
    int r;

    for (size_t i = 1; i < study->files; i++)
        entries[i - 1] = (struct comparison_entry){.name = study->names[i],
                                                   .comparison = &study->comparisons[i - 1]};
    comparison_table(&table, study->names[0], entries, study->files - 1);
    r = buffer_status(&table, "the table", error);
    if (r < 0)
        return r;
    print_unit(cli, study);
    fputs(table.data, cli->out);
    return 0;
}

static json_t *side_json(const struct study *study, size_t file)
{
    json_t *side = comparison_side_json(file == 0 ? &study->comparisons[0].base
                                                  : &study->comparisons[file - 1].other);

    json_object_set_new(side, "file", text_json(study->names[file]));
    json_object_set_new(side, "values_read", json_integer((json_int_t)study->sets[file].read));
    return side;
}

static json_t *other_json(const struct study *study, size_t file)
{
    const struct comparison *comparison = &study->comparisons[file - 1];
    _cleanup_buffer_ struct buffer sentence = BUFFER_INIT(TABLE_MAXIMUM);
    json_t *other = side_json(study, file);

    comparison_sentence(&sentence, comparison, study->names[0], study->names[file]);
    json_object_set_new(other, "comparison", comparison_json(comparison));
    json_object_set_new(other, "sentence", text_json(sentence.data ? sentence.data : ""));
    return other;
}

static int print_json(struct cli *cli, const struct study *study, struct culprit_error *error)
{
    static const char *const ways[] = {[COMPARISON_NEITHER] = "neither",
                                       [COMPARISON_LOWER] = "lower",
                                       [COMPARISON_HIGHER] = "higher"};
    json_t *others = json_array();

    for (size_t i = 1; i < study->files; i++)
        json_array_append_new(others, other_json(study, i));
    return cli_print_json(cli,
                          json_pack("{s:s, s:f, s:f, s:f, s:s, s:o, s:o}", "better",
                                    ways[study->options.better], "alpha", study->options.alpha,
                                    "threshold", study->options.threshold, "noise",
                                    study->options.noise, "trial_value",
                                    study->aggregate == SAMPLES_MEAN ? "mean" : "median", "base",
                                    side_json(study, 0), "others", others),
                          error);
}

/* The gravest of the verdicts. */
static enum cli_status status_of(const struct study *study)
{
    enum cli_status status = CLI_DONE;

    for (size_t i = 0; i + 1 < study->files; i++) {
        enum comparison_verdict verdict = study->comparisons[i].verdict;

        if (verdict == COMPARISON_WORSE || verdict == COMPARISON_DIFFERS)
            return CLI_AGAINST;
        if (verdict == COMPARISON_NEEDS_MORE)
            status = CLI_INCONCLUSIVE;
    }
    return status;
}

static int run(struct cli *cli, const struct arguments *arguments, struct culprit_error *error)
{
    CULPRIT_CLEANUP(study_clear) struct study study = {.options = COMPARISON_OPTIONS_DEFAULT};
    const char *verb = arguments->words.count ? arguments->words.items[0] : "";
    int r;

    if (arguments->words.count && strcmp(verb, "compare") != 0)
        return cli_usage_error(&command_samples, error, "samples: compare, not \"%.40s\"", verb);
    r = cli_check_words(&command_samples, arguments, 3, 1 + FILES_MAXIMUM, error);
    if (r == 0)
        r = read_options(arguments, &study, error);
    if (r == 0)
        r = check_files(arguments, error);
    if (r == 0)
        r = read_files(cli, arguments, &study, error);
    if (r == 0)
        r = compare(&study, error);
    if (r == 0)
        r = cli->json ? print_json(cli, &study, error) : print_text(cli, &study, error);
    return r < 0 ? r : (int)status_of(&study);
}

const struct cli_command command_samples = {
    .name = "samples",
    .summary = "compare files of samples, without a server",
    .usage = "compare BASE FILE… [OPTIONS]",
    .help =
        "A file holds one number a line, each a trial; or \"trial number\" lines, whose trials\n"
        "are the units; or JSON: an array of numbers or of {\"trial\": …, \"value\": …}, or an\n"
        "object with such an array as \"samples\". \"-\" is the standard input, '#' begins a\n"
        "comment. The exit status is 1 when a file is worse than the base (or differs from it,\n"
        "without --better), 2 when there are too few trials to tell, else 0.",
    .options = options,
    .run = run,
};
