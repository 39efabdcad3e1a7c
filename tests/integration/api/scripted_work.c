/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripted_work.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define COMMIT "0123456789abcdef0123456789abcdef01234567"

static int resolve(struct work *work, const struct job *job, struct cancel *cancel,
                   struct commit_range *ret, struct culprit_error *error)
{
    struct commit_info *commit = calloc(1, sizeof *commit);

    (void)work;
    (void)job;
    (void)cancel;
    if (!commit)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory");
    snprintf(commit->id, sizeof commit->id, "%s", COMMIT);
    commit->subject = strdup("sched: a commit");
    commit->author = strdup("A U Thor <author@example.org>");
    *ret = (struct commit_range){.commits = commit, .count = 1};
    return 0;
}

static int choose_engine(struct work *work, const struct job *job, const char *kernel,
                         struct cancel *cancel, struct work_engine *ret,
                         struct culprit_error *error)
{
    (void)work;
    (void)job;
    (void)kernel;
    (void)cancel;
    (void)error;
    *ret = (struct work_engine){.engine = ENGINE_DETERMINISTIC, .shift = 3};
    return 0;
}

static int identify(struct work *work, const struct job *job, const char *commit_id,
                    const struct work_variant *variant, char ret_recipe[DIGEST_HEX_SIZE],
                    struct culprit_error *error)
{
    (void)work;
    (void)job;
    (void)variant;
    (void)error;
    digest_bytes(commit_id, strlen(commit_id), ret_recipe);
    return 0;
}

static int build(struct work *work, const struct work_build *task, struct cancel *cancel,
                 struct build_result *ret, struct culprit_error *error)
{
    static const char image[] = "an image", log[] = "  CC kernel/sched/fair.o\n",
                      config[] = "CONFIG_SMP=y\n";
    int r = file_write_atomic(task->image_path, image, sizeof image - 1, 0644, error);

    (void)work;
    (void)cancel;
    if (r == 0)
        r = file_write_atomic(task->log_path, log, sizeof log - 1, 0644, error);
    if (r == 0)
        r = file_write_atomic(task->config_path, config, sizeof config - 1, 0644, error);
    if (r < 0)
        return r;
    *ret = (struct build_result){.outcome = OUTCOME_OK, .wall_ns = 1000000, .fresh = true};
    digest_bytes(image, sizeof image - 1, ret->image_digest);
    snprintf(ret->build_id, sizeof ret->build_id, "00112233");
    snprintf(ret->release, sizeof ret->release, "6.1.0");
    snprintf(ret->compiler, sizeof ret->compiler, "gcc 12");
    digest_bytes(config, sizeof config - 1, ret->config_digest);
    return 0;
}

static int write_console(const char *directory, struct culprit_error *error)
{
    static const char console[] = "Linux version 6.1.0\n\033[31m<b>hostile</b>\xff\n";
    _cleanup_free_ char *path = path_join(directory, "console.log");
    _cleanup_free_ char *records = path_join(directory, "records.jsonl");

    if (!path || !records)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory");
    if (file_write_atomic(records, "{}\n", 3, 0644, error) < 0)
        return -(int)CULPRIT_IO;
    return file_write_atomic(path, console, sizeof console - 1, 0644, error);
}

static int trial(struct work *work, const struct work_trial *task, struct cancel *cancel,
                 struct trial_result **ret, struct culprit_error *error)
{
    const struct scripted_work *scripted = (const struct scripted_work *)work;
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    int r = write_console(task->directory, error);

    if (r < 0)
        return r;
    if (scripted->hold) {
        struct pollfd fd = {.fd = cancel_fd(cancel), .events = POLLIN};

        poll(&fd, 1, -1);
        return culprit_fail(error, CULPRIT_CANCELLED, "the trial was cancelled");
    }
    result = calloc(1, sizeof *result);
    if (result)
        result->metrics = calloc(1, sizeof *result->metrics);
    if (!result || !result->metrics)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory");
    result->metric_count = 1;
    result->metrics[0] = (struct metric_value){
        .name = "wakeup.latency.p99", .unit = "us", .better = BETTER_LOWER, .value = 100.0};
    digest_bytes(&task->seed, sizeof task->seed, result->digest);
    result->seed = task->seed;
    result->engine = task->engine.engine;
    result->shift = task->engine.shift;
    result->wall_ns = 2000000;
    result->identity = json_pack("{s:s}", "qemu", "10.0.2");
    result->topology = json_pack("{s:i}", "cpus", 2);
    *ret = take(result);
    return 0;
}

static int describe(struct work *work, const struct job *job, const char *commit_id,
                    char **ret_message, char **ret_diffstat, struct culprit_error *error)
{
    (void)work;
    (void)job;
    (void)commit_id;
    (void)error;
    *ret_message = strdup("sched: a commit\n");
    *ret_diffstat = strdup("");
    return 0;
}

void scripted_work_init(struct scripted_work *scripted)
{
    static const struct work_ops ops = {
        .resolve = resolve,
        .choose_engine = choose_engine,
        .identify = identify,
        .build = build,
        .trial = trial,
        .describe = describe,
    };

    *scripted = (struct scripted_work){.work = {&ops}};
}
