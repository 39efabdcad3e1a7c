/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bisect-sim: culprit's planner against simulated histories, beside what others do. */
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "methods.h"

static const char usage[] =
    "usage: bisect-sim [OPTION…]\n"
    "Bisects simulated kernel histories with culprit's planner, with a plain bisection by\n"
    "majority of five and a known threshold, and by Pinpoint's rule, and says how often each was\n"
    "right.\n\n"
    "  --n N             commits in a history (1000)\n"
    "  --effect D        deviations of a sample that bad is worse by (1.0)\n"
    "  --trials T        histories (1000)\n"
    "  --seed S          of the first one (1)\n"
    "  --outliers P      part of the samples that lie five deviations off (0)\n"
    "  --boot-effect D   deviation between boots, in deviations of a sample (0)\n"
    "  --image-effect D  likewise between commits, beside what the culprit does (0)\n"
    "  --min-effect P    culprit's: what counts, as a part of good's level, which is ten "
    "deviations\n"
    "                    (0.01)\n"
    "  --resample FILE   samples are drawn from those of real trials, a line \"good VALUE\" or\n"
    "                    \"bad VALUE\" each, such as tests/support/data/tail-latency-p99.txt\n"
    "  --skips P         part of the commits that do not build (0)\n"
    "  --dag             with side branches and merges\n"
    "  --method NAME     this one alone: culprit, majority-of-5 or pinpoint (all)\n"
    "  --threads N       histories at once (1)\n"
    "  --json            an array of one object a method, instead of a table\n\n"
    "A build takes 300 s, a boot 30 s, a sample 30 s. culprit boots for every sample; the others\n"
    "take a commit's samples in one boot. Samples, builds and hours are those of the search with\n"
    "its endpoints; what culprit's verification takes on top stands apart.\n";

struct run {
    struct history_options options;
    unsigned trials, threads;
    uint64_t seed;
    bool json;
    bool left_out[METHOD_COUNT];
    struct recorded recorded;
    struct outcome_of_method (*outcomes)[METHOD_COUNT]; /* [trials] */
};

/* One of the threads takes every threads-th history. */
struct share {
    struct run *run;
    unsigned first;
    struct culprit_error error;
    int status;
};

static void *work(void *argument)
{
    struct share *share = argument;
    struct run *run = share->run;

    for (unsigned t = share->first; t < run->trials && share->status == 0; t += run->threads) {
        CULPRIT_CLEANUP(history_clear) struct history history = {0};

        share->status = history_draw(&run->options, (run->seed + t) * UINT64_C(0x9e3779b97f4a7c15),
                                     &history, &share->error);
        for (int m = 0; m < METHOD_COUNT && share->status == 0; m++)
            if (!run->left_out[m])
                share->status = method_run((enum method)m, &history, &run->outcomes[t][m],
                                           &share->error);
    }
    return NULL;
}

static int work_all(struct run *run)
{
    struct share shares[64] = {0};
    pthread_t threads[64];
    int status = 0;

    for (unsigned i = 0; i < run->threads; i++) {
        shares[i] = (struct share){.run = run, .first = i};
        if (pthread_create(&threads[i], NULL, work, &shares[i]) != 0) {
            fputs("bisect-sim: cannot start a thread\n", stderr);
            exit(EXIT_FAILURE);
        }
    }
    for (unsigned i = 0; i < run->threads; i++) {
        pthread_join(threads[i], NULL);
        if (shares[i].status < 0 && status == 0)
            fprintf(stderr, "bisect-sim: %s\n", shares[i].error.message);
        status = shares[i].status < 0 ? shares[i].status : status;
    }
    return status;
}

/* Means over all histories; exact, in_set and inconclusive are parts of 1. */
struct summary {
    double samples, builds, hours, exact, in_set, inconclusive, verification;
};

static struct summary summarise(const struct run *run, enum method method)
{
    struct summary sum = {0};
    double n = run->trials;

    for (unsigned t = 0; t < run->trials; t++) {
        const struct outcome_of_method *outcome = &run->outcomes[t][method];

        sum.samples += outcome->samples / n;
        sum.builds += outcome->builds / n;
        sum.hours += outcome->seconds / 3600 / n;
        sum.exact += outcome->exact / n;
        sum.in_set += outcome->in_set / n;
        sum.inconclusive += outcome->inconclusive / n;
        sum.verification += outcome->verification / n;
    }
    return sum;
}

static void print_table(const struct run *run)
{
    printf("%-12s %8s %7s %7s %8s %8s %13s %13s\n", "method", "samples", "builds", "hours", "exact",
           "in set", "inconclusive", "verification");
    for (int m = 0; m < METHOD_COUNT; m++) {
        struct summary sum = summarise(run, (enum method)m);

        if (run->left_out[m])
            continue;
        printf("%-12s %8.1f %7.2f %7.2f %7.2f%% %7.2f%% %12.2f%% %13.1f\n",
               method_name((enum method)m), sum.samples, sum.builds, sum.hours, 100 * sum.exact,
               100 * sum.in_set, 100 * sum.inconclusive, sum.verification);
    }
}

static int print_json(const struct run *run)
{
    json_t *array = json_array();
    int status;

    for (int m = 0; m < METHOD_COUNT; m++) {
        struct summary sum = summarise(run, (enum method)m);

        if (run->left_out[m])
            continue;
        json_array_append_new(array, json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "method",
                                               method_name((enum method)m), "samples", sum.samples,
                                               "builds", sum.builds, "hours", sum.hours, "exact",
                                               sum.exact, "in_set", sum.in_set, "inconclusive",
                                               sum.inconclusive, "verification_samples",
                                               sum.verification));
    }
    status = json_dumpf(array, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(array);
    return status;
}

static double number(const char *option, const char *text, double least, double most)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !(value >= least && value <= most)) {
        fprintf(stderr, "bisect-sim: --%s wants a number from %g to %g, not \"%s\"\n", option,
                least, most, text);
        exit(2);
    }
    return value;
}

static void read_recorded(const char *path, struct run *run)
{
    struct culprit_error error = {0};

    if (recorded_read(path, &run->recorded, &error) < 0) {
        fprintf(stderr, "bisect-sim: %s\n", error.message);
        exit(2);
    }
    run->options.recorded = &run->recorded;
}

static void choose_method(const char *name, struct run *run)
{
    bool found = false;

    for (int m = 0; m < METHOD_COUNT; m++) {
        run->left_out[m] = strcmp(method_name((enum method)m), name) != 0;
        found = found || !run->left_out[m];
    }
    if (!found) {
        fprintf(stderr, "bisect-sim: \"%s\" is no method\n", name);
        exit(2);
    }
}

static void read_options(int argc, char **argv, struct run *run)
{
    static const struct option options[] = {
        {"n", required_argument, NULL, 'n'},
        {"effect", required_argument, NULL, 'e'},
        {"trials", required_argument, NULL, 't'},
        {"seed", required_argument, NULL, 's'},
        {"outliers", required_argument, NULL, 'o'},
        {"boot-effect", required_argument, NULL, 'b'},
        {"image-effect", required_argument, NULL, 'i'},
        {"min-effect", required_argument, NULL, 'l'},
        {"resample", required_argument, NULL, 'r'},
        {"skips", required_argument, NULL, 'k'},
        {"dag", no_argument, NULL, 'd'},
        {"threads", required_argument, NULL, 'p'},
        {"json", no_argument, NULL, 'j'},
        {"method", required_argument, NULL, 'm'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    int option, at;

    while ((option = getopt_long(argc, argv, "h", options, &at)) != -1) {
        const char *name = option == '?' ? "" : options[at].name;

        switch (option) {
        case 'n':
            run->options.commits = (unsigned)number(name, optarg, 1, 100000);
            break;
        case 'e':
            run->options.effect = number(name, optarg, 0.1, 1000);
            break;
        case 't':
            run->trials = (unsigned)number(name, optarg, 1, 1e6);
            break;
        case 's':
            run->seed = (uint64_t)number(name, optarg, 0, 1e15);
            break;
        case 'o':
            run->options.outliers = number(name, optarg, 0, 0.5);
            break;
        case 'b':
            run->options.boot_effect = number(name, optarg, 0, 100);
            break;
        case 'i':
            run->options.image_effect = number(name, optarg, 0, 100);
            break;
        case 'l':
            run->options.min_effect = number(name, optarg, 0, 1);
            break;
        case 'r':
            read_recorded(optarg, run);
            break;
        case 'k':
            run->options.skips = number(name, optarg, 0, 0.9);
            break;
        case 'd':
            run->options.dag = true;
            break;
        case 'p':
            run->threads = (unsigned)number(name, optarg, 1, 64);
            break;
        case 'm':
            choose_method(optarg, run);
            break;
        case 'j':
            run->json = true;
            break;
        case 'h':
            fputs(usage, stdout);
            exit(EXIT_SUCCESS);
        default:
            fputs(usage, stderr);
            exit(2);
        }
    }
    if (optind < argc) {
        fprintf(stderr, "bisect-sim: \"%s\" is no option\n", argv[optind]);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    static struct run run = {.options = {.commits = 1000, .effect = 1, .min_effect = 0.01},
                             .trials = 1000,
                             .threads = 1,
                             .seed = 1};
    int status;

    read_options(argc, argv, &run);
    run.outcomes = calloc(run.trials, sizeof *run.outcomes);
    if (!run.outcomes) {
        fputs("bisect-sim: out of memory\n", stderr);
        return EXIT_FAILURE;
    }
    status = work_all(&run);
    if (status == 0 && run.json)
        status = print_json(&run);
    else if (status == 0)
        print_table(&run);
    free(run.outcomes);
    return status < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
