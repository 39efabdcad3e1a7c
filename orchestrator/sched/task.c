/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/task.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"

int task_new(enum task_kind kind, struct task **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(task_free) struct task *task = calloc(1, sizeof *task);
    if (!task)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot start work: out of memory");
    task->kind = kind;
    int status = cancel_new(&task->cancel, error);
    if (status < 0)
        return status;
    *ret = take(task);
    return 0;
}

void task_free(struct task *task)
{
    if (!task)
        return;
    cancel_free(task->cancel);
    commit_range_clear(&task->range);
    trial_result_free(task->trial_result);
    free(task->directory);
    free(task->kernel);
    free(task->build_id);
    free(task->message);
    free(task->diffstat);
    free(task->ids);
    free(task->relevance);
    free(task);
}

static void choose_engine(struct task *task)
{
    task->status = task->work->ops->choose_engine(task->work, task->job, task->kernel, task->cancel,
                                                  &task->engine, &task->error);
    task->host_failed = task->status < 0;
}

static void run_resolve(struct task *task)
{
    /* First, for it costs nothing: a job that waits for its host does not fetch meanwhile. */
    choose_engine(task);
    task->engine_later = task->status == -CULPRIT_CONFLICT;
    if (task->status < 0 && !task->engine_later)
        return;
    task->error = (struct culprit_error){0};
    task->host_failed = false;
    task->status = task->work->ops->resolve(task->work, task->job, task->cancel, &task->range,
                                            &task->error);
}

/* Keeps a file if it is there. What cannot be kept is evidence lost, but no result. */
static int keep(struct task *task, const char *name, bool compress, char ret[DIGEST_HEX_SIZE],
                struct culprit_error *error)
{
    _cleanup_free_ char *path = path_join(task->directory, name);
    if (!path)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot keep %s: out of memory", name);
    if (!file_exists(path))
        return 0;
    return blobs_put(task->blobs, path, compress, ret, error);
}

static void explain_room(struct task *task)
{
    if (task->status == -CULPRIT_NO_SPACE)
        culprit_error_prefix(&task->error,
                             "make room on the disk of %s (keep.size bounds what is kept there)",
                             task->state_directory);
}

/* The image must be kept, for trials start from it. */
static void keep_build(struct task *task)
{
    struct build_result *result = &task->build_result;
    char digest[DIGEST_HEX_SIZE] = "";

    keep(task, "make.log", true, task->log, NULL);
    keep(task, "config", true, task->config, NULL);
    keep(task, "inputs", true, task->inputs, NULL);
    if (result->outcome != OUTCOME_OK)
        return;
    task->status = keep(task, "bzImage", false, digest, &task->error);
    explain_room(task);
    if (task->status == 0 && strcmp(digest, result->image_digest) != 0)
        task->status = culprit_fail(&task->error, CULPRIT_INTERNAL,
                                    "the image of %.12s is not the one that was built",
                                    task->commit_id);
}

/* Every function on a cache line of its own, wherever code was added or taken away before it. */
static const struct build_option aligned[] = {{"DEBUG_FORCE_FUNCTION_ALIGN_64B", "y"}};

static struct work_variant variant_of(const struct task *task)
{
    struct work_variant ret = {0};

    if (task->variant == VARIANT_ALIGNED)
        ret = (struct work_variant){.options = aligned, .option_count = 1};
    if (task->variant == VARIANT_REVERTED)
        ret.reverts_id = task->reverts_id;
    return ret;
}

static void run_identify(struct task *task)
{
    const struct work_variant variant = variant_of(task);

    task->status = task->work->ops->identify(task->work, task->job, task->commit_id, &variant,
                                             task->recipe, &task->error);
}

static void run_build(struct task *task)
{
    _cleanup_free_ char *image = path_join(task->directory, "bzImage");
    _cleanup_free_ char *log = path_join(task->directory, "make.log");
    _cleanup_free_ char *config = path_join(task->directory, "config");
    _cleanup_free_ char *inputs = path_join(task->directory, "inputs");
    struct work_build build = {
        .job = task->job,
        .commit_id = task->commit_id,
        .variant = variant_of(task),
        .image_path = image,
        .log_path = log,
        .config_path = config,
        .inputs_path = inputs,
    };

    if (!image || !log || !config || !inputs) {
        task->status = culprit_fail(&task->error, CULPRIT_NO_MEMORY, "cannot build: out of memory");
        return;
    }
    task->status = file_make_directories(task->directory, 0700, &task->error);
    if (task->status == 0)
        task->status = task->work->ops->build(task->work, &build, task->cancel, &task->build_result,
                                              &task->error);
    if (task->status == 0)
        keep_build(task);
    file_remove_tree(task->directory, NULL);
}

static int read_blob(struct blobs *blobs, const char *digest, struct buffer *ret,
                     struct culprit_error *error)
{
    CULPRIT_CLEANUP(blob_reader_free) struct blob_reader *reader = NULL;
    char part[16 * 1024];
    ssize_t length = 0;

    int status = blobs_reader(blobs, digest, &reader, error);
    if (status < 0)
        return status;
    while ((length = blob_reader_read(reader, part, sizeof part, error)) > 0)
        buffer_append(ret, part, (size_t)length);
    return length < 0 ? (int)length : buffer_status(ret, "a kept file", error);
}

/* A build that left no list of what it read leaves nothing to tell by. */
static int read_inputs_of(struct task *task, int end, struct inputs **ret,
                          struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(INPUTS_TEXT_MAXIMUM);

    if (!task->end_inputs[end][0])
        return culprit_fail(error, CULPRIT_NOT_FOUND,
                            "the build of %s left no list of the files that it read",
                            end == 0 ? "good" : "bad");
    int status = read_blob(task->blobs, task->end_inputs[end], &text, error);
    if (status == 0)
        status = inputs_parse(text.data ? text.data : "", text.length, ret, error);
    return status;
}

static void run_prune(struct task *task)
{
    CULPRIT_CLEANUP(inputs_free) struct inputs *good = NULL;
    CULPRIT_CLEANUP(inputs_free) struct inputs *bad = NULL;
    const struct work_ops *ops = task->work->ops;

    task->relevance = calloc(task->id_count + 1, sizeof *task->relevance);
    if (!task->relevance) {
        task->status = culprit_fail(&task->error, CULPRIT_NO_MEMORY, "out of memory");
        return;
    }
    task->status = read_inputs_of(task, 0, &good, &task->error);
    if (task->status == 0)
        task->status = read_inputs_of(task, 1, &bad, &task->error);
    if (task->status == 0)
        task->status = inputs_merge(good, bad, &task->error);
    if (task->status < 0 || !ops->prune)
        return;
    const struct work_prune prune = {.ids = task->ids, .count = task->id_count, .inputs = good};
    task->status = ops->prune(task->work, task->job, &prune, task->cancel, task->relevance,
                              &task->error);
}

static void run_trial(struct task *task)
{
    char label[64];
    struct work_trial trial = {
        .job = task->job,
        .engine = task->engine,
        .kernel = task->kernel,
        .build_id = task->build_id,
        .seed = task->seed,
        .directory = task->directory,
        .label = label,
    };

    snprintf(label, sizeof label, "job %lld work %lld", (long long)task->lease.job,
             (long long)task->lease.fence);
    /* QEMU may run as another user and must reach what lies in here. */
    task->status = file_make_directories(task->directory, 0755, &task->error);
    if (task->status == 0)
        task->status = task->work->ops->trial(task->work, &trial, task->cancel, &task->trial_result,
                                              &task->error);
    keep(task, "console.log", true, task->console, NULL);
    keep(task, "records.jsonl", true, task->records, NULL);
    file_remove_tree(task->directory, NULL);
}

void task_run(struct task *task)
{
    switch (task->kind) {
    case TASK_RESOLVE:
        run_resolve(task);
        break;
    case TASK_ENGINE:
        choose_engine(task);
        break;
    case TASK_IDENTIFY:
        run_identify(task);
        break;
    case TASK_BUILD:
        run_build(task);
        break;
    case TASK_PRUNE:
        run_prune(task);
        break;
    case TASK_TRIAL:
        run_trial(task);
        break;
    case TASK_DESCRIBE:
        task->status = task->work->ops->describe(task->work, task->job, task->commit_id,
                                                 &task->message, &task->diffstat, &task->error);
        break;
    }
}
