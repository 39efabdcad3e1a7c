/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bisect-resample: what the service would have decided on a recorded history, again and again. Each
 * bisection is a job in a store of its own making, decided as culpritd decides it, with the pruning
 * and the budgets that it has there; builds give the images that were recorded, and a trial gives
 * one of the recorded values of its image, drawn with replacement.
 *
 * One JSON object comes in on the standard input (recording.h says what is read of it), and
 * for each bisection one line with an object goes out.
 */
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/units.h"
#include "recording.h"
#include "sched/decide.h"
#include "sched/pruning.h"

static const char usage[] =
    "usage: bisect-resample --store DIR [--bisections N] [--seed S] [--guests N] < RECORDING\n\n"
    "RECORDING is one JSON object: \"job\", the text of a bisect job; \"commits\", by number, each "
    "with\n"
    "\"id\", \"parents\", \"relevance\", \"image\" (null: it does not build) and \"seconds\" of "
    "its build;\n"
    "\"images\", by digest, each with \"values\" of the job's metric and \"seconds\" of a trial.\n"
    "For each bisection a line is printed: {\"verdict\", \"culprit\" (number or null), "
    "\"builds\",\n"
    "\"search\", \"verification\" (trials), \"seconds\"}. The store is made anew in DIR.\n\n"
    "  --bisections N    how many (1000)\n"
    "  --seed S          of the drawing (1)\n"
    "  --guests N        trials at once: so many are finished before the next decision (2)\n";

enum { EXIT_ERROR = 3, EXIT_USAGE = 4, STEPS_MAXIMUM = 10000 };

#define SECOND 1000000000.0

struct bisection {
    const struct recording *recording;
    struct store *store;
    int64_t job;
    struct random random;
    unsigned builds, trials[PURPOSE_COUNT];
    double seconds;
};

/* --- one bisection --------------------------------------------------------------------------- */

static int begin(struct bisection *bisection, struct culprit_error *error)
{
    const struct recording *recording = bisection->recording;
    char kind[] = "bisect";
    const struct stored_job draft = {.name = recording->job->name,
                                     .kind = kind,
                                     .document = recording->document,
                                     .normalised = recording->document};
    int r = store_job_add(bisection->store, &draft, &bisection->job, error);

    if (r == 0)
        r = store_job_set_state(bisection->store, bisection->job, JOB_RUNNING, "", error);
    if (r == 0)
        r = store_job_set_engine(bisection->store, bisection->job, ENGINE_DETERMINISTIC, 0, -1,
                                 error);
    if (r == 0)
        r = store_commits_put(bisection->store, bisection->job, &recording->commits, error);
    return r;
}

static int add_build(struct bisection *bisection, unsigned commit, struct culprit_error *error)
{
    const struct recording *recording = bisection->recording;
    const char *digest = recording->digests[commit];
    char message[] = "recorded", none[] = "";
    struct stored_build build = {
        .outcome = digest ? OUTCOME_OK : OUTCOME_BUILD_FAILED,
        .message = message,
        .build_id = none,
        .release = none,
        .compiler = none,
        .wall_ns = (uint64_t)(recording->build_seconds[commit] * SECOND),
    };
    int64_t id = 0;
    int r;

    snprintf(build.recipe, sizeof build.recipe, "%u", commit);
    snprintf(build.image, sizeof build.image, "%s", digest ? digest : "");
    r = store_build_add(bisection->store, &build, &id, error);
    if (r == 0)
        r = store_build_use(bisection->store, bisection->job, commit, "", 0, id, true, error);
    bisection->builds++;
    bisection->seconds += recording->build_seconds[commit];
    return r;
}

static int add_trial(struct bisection *bisection, const struct bisect_want *want,
                     struct culprit_error *error)
{
    const struct recording *recording = bisection->recording;
    const struct recorded_image *image = &recording->images[want->commit];
    char purpose[16], message[] = "", unit[] = "", better[] = "lower", none[] = "{}";
    unsigned number;

    if (image->count == 0)
        return culprit_fail(error, CULPRIT_INTERNAL,
                            "a trial is wanted of commit %u, which does "
                            "not build",
                            want->commit);
    const struct stored_sample sample = {
        .name = recording->job->metric.name,
        .unit = unit,
        .better = better,
        .value = image->values[random_below(&bisection->random, image->count)],
    };
    snprintf(purpose, sizeof purpose, "%s", trial_purpose_name(want->purpose));
    const struct stored_trial trial = {
        .commit = want->commit,
        .purpose = purpose,
        .index = want->index,
        .build = 1,
        .message = message,
        .identity = none,
        .topology = none,
        .wall_ns = (uint64_t)(image->seconds * SECOND),
    };
    bisection->trials[want->purpose]++;
    return store_trial_add(bisection->store, bisection->job, &trial, &sample, 1, &number, error);
}

/* As the service does it: builds one after the other, as many trials at once as there are guests.
 */
static int fulfil(struct bisection *bisection, const struct bisect_step *step, unsigned guests,
                  struct culprit_error *error)
{
    double longest = 0;
    int r = 0;

    if (step->want_count == 0)
        return culprit_fail(error, CULPRIT_INTERNAL, "nothing is wanted");
    if (step->wants[0].kind == WANT_BUILD)
        return add_build(bisection, step->wants[0].commit, error);
    for (size_t i = 0; r == 0 && i < step->want_count && i < guests; i++) {
        const struct bisect_want *want = &step->wants[i];
        double seconds = bisection->recording->images[want->commit].seconds;

        if (want->kind != WANT_TRIAL)
            break;
        longest = seconds > longest ? seconds : longest;
        r = add_trial(bisection, want, error);
    }
    bisection->seconds += longest;
    return r;
}

/* One decision, and the work that it wants. */
static int advance(struct bisection *bisection, unsigned guests, struct decision *ret,
                   struct culprit_error *error)
{
    CULPRIT_CLEANUP(dossier_clear) struct dossier dossier = {0};
    struct store_transaction transaction = {0};
    int r = dossier_load(bisection->store, bisection->job, &dossier, error);

    if (r == 0 && pruning_is_due(&dossier))
        return store_pruning_put(bisection->store, bisection->job, &bisection->recording->pruning,
                                 error);
    if (r == 0)
        r = decide(&dossier, dossier.record.started_ns, ret, error);
    if (r < 0 || ret->kind == DECISION_VERDICT)
        return r;
    if (ret->kind == DECISION_FAILURE)
        return culprit_fail(error, CULPRIT_FAILED, "%s", ret->message);
    r = store_begin(bisection->store, &transaction, error);
    if (r == 0)
        r = fulfil(bisection, &ret->step, guests, error);
    if (r == 0)
        r = store_commit(&transaction, error);
    store_rollback(&transaction);
    return r;
}

static int print(const struct bisection *bisection, const struct decision *decision,
                 struct culprit_error *error)
{
    json_t *line = json_pack("{s:s, s:n, s:b, s:i, s:i, s:i, s:f}", "verdict", decision->verdict,
                             "culprit", "more_changes", decision->step.more_changes, "builds",
                             (int)bisection->builds, "search",
                             (int)bisection->trials[PURPOSE_SEARCH], "verification",
                             (int)bisection->trials[PURPOSE_VERIFY], "seconds", bisection->seconds);
    int status;

    if (decision->step.verdict == VERDICT_CULPRIT)
        json_object_set_new(line, "culprit", json_integer(decision->step.culprit));
    status = line ? json_dumpf(line, stdout, JSON_COMPACT) : -1;
    json_decref(line);
    return status < 0 || putchar('\n') == EOF
               ? culprit_fail(error, CULPRIT_IO, "cannot print a bisection")
               : 0;
}

static int bisect(const struct recording *recording, struct store *store, uint64_t seed,
                  unsigned guests, struct culprit_error *error)
{
    struct bisection bisection = {.recording = recording, .store = store};
    int r = begin(&bisection, error);

    random_seed(&bisection.random, seed);
    random_seed(&bisection.random, random_next(&bisection.random));
    for (unsigned step = 0; r == 0 && step < STEPS_MAXIMUM; step++) {
        CULPRIT_CLEANUP(decision_clear) struct decision decision = {0};

        r = advance(&bisection, guests, &decision, error);
        if (r == 0 && decision.kind == DECISION_VERDICT)
            return print(&bisection, &decision, error);
    }
    return r < 0 ? r : culprit_fail(error, CULPRIT_LIMIT, "the bisection comes to no end");
}

/* --- command line ---------------------------------------------------------------------------- */

struct options {
    const char *store;
    uint64_t bisections, seed, guests;
};

static int read_options(int argc, char **argv, struct options *options, struct culprit_error *error)
{
    static const struct option long_options[] = {
        {"store", required_argument, NULL, 'd'}, {"bisections", required_argument, NULL, 'n'},
        {"seed", required_argument, NULL, 's'},  {"guests", required_argument, NULL, 'g'},
        {"help", no_argument, NULL, 'h'},        {0},
    };
    int option, r = 0;

    while (r == 0 && (option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
        if (option == 'h') {
            fputs(usage, stdout);
            exit(EXIT_SUCCESS);
        }
        if (option == 'd')
            options->store = optarg;
        else if (option == 'n')
            r = parse_count(optarg, 1, 1000000, &options->bisections, error);
        else if (option == 's')
            r = parse_count(optarg, 0, UINT32_MAX, &options->seed, error);
        else if (option == 'g')
            r = parse_count(optarg, 1, BISECT_MAX_WANTS, &options->guests, error);
        else
            r = culprit_fail(error, CULPRIT_INVALID, "see bisect-resample --help");
    }
    if (r == 0 && (!options->store || optind < argc))
        r = culprit_fail(error, CULPRIT_INVALID, "see bisect-resample --help");
    return r;
}

static int run(const struct options *options, struct culprit_error *error)
{
    CULPRIT_CLEANUP(recording_clear) struct recording recording = {0};
    CULPRIT_CLEANUP(store_close) struct store *store = NULL;
    const struct store_options how = {.directory = options->store, .clock = &clock_system};
    int r = recording_read(stdin, &recording, error);

    if (r == 0)
        r = store_open(&how, &store, error);
    for (uint64_t i = 0; r == 0 && i < options->bisections; i++)
        r = bisect(&recording, store, (options->seed << 32) + i, (unsigned)options->guests, error);
    return r;
}

int main(int argc, char **argv)
{
    struct options options = {.bisections = 1000, .seed = 1, .guests = 2};
    struct culprit_error error = {0};
    int r = read_options(argc, argv, &options, &error);

    if (r == 0)
        r = run(&options, &error);
    if (r == 0 && fflush(stdout) == EOF)
        r = culprit_fail(&error, CULPRIT_IO, "cannot print the bisections");
    if (r == 0)
        return EXIT_SUCCESS;
    fprintf(stderr, "bisect-resample: %s\n", error.message);
    return error.code == CULPRIT_INVALID ? EXIT_USAGE : EXIT_ERROR;
}
