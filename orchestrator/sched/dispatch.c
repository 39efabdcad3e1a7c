/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what is wanted to workers: slots, leases, and nothing twice. */
#include <string.h>

#include "base/file.h"
#include "sched/course.h"
#include "sched/pruning.h"
#include "sched/seeds.h"
#include "sched/settle.h"

static bool is_build(const struct task *task)
{
    return task->kind == TASK_IDENTIFY || task->kind == TASK_BUILD;
}

/* One place where slots are taken and given back. */
static void count_slot(const struct task *task, int change)
{
    struct service *service = task->course->service;

    if (is_build(task))
        service->builds_busy += (unsigned)change;
    else if (task->kind == TASK_TRIAL)
        service->guests_busy += (unsigned)change;
    if (task->exclusive)
        service->exclusive_running = change > 0;
}

/* A realtime guest has the host to itself: it waits for all else to end, and meanwhile nothing new
 * begins (draining), or it would wait for ever. */
static bool slot_free(struct service *service, enum want_slot slot, bool exclusive)
{
    if (service->exclusive_running || service->draining)
        return false;
    if (exclusive && service->builds_busy + service->guests_busy > 0) {
        service->draining = true;
        return false;
    }
    return slot == SLOT_BUILD ? service->builds_busy < service->options.build_slots
                              : service->guests_busy < service->options.guest_slots;
}

static void on_run(void *argument, struct cancel *cancel)
{
    (void)cancel; /* each task has one of its own */
    task_run(argument);
}

static void on_done(void *argument, bool ran)
{
    struct task *task = argument;
    struct service *service = task->course->service;

    if (!ran)
        task->status = culprit_fail(&task->error, CULPRIT_CANCELLED, "the service ends");
    settle(task);
    service_kick(service);
}

int dispatch_again(struct task *task, struct culprit_error *error)
{
    return worker_submit(task->course->service->pool, on_run, on_done, task, error);
}

/* Hands a complete task to its course and to a worker. */
static int start(struct course *course, struct task *task, struct culprit_error *error)
{
    struct service *service = course->service;

    task->course = course;
    task->work = service->options.work;
    task->blobs = service->options.blobs;
    task->job = course->job;
    task->state_directory = service->options.state_directory;
    task->started_ns = clock_monotonic(service->options.clock);
    int status = dispatch_again(task, error);
    if (status < 0)
        return status;
    task->next = course->tasks;
    course->tasks = task;
    count_slot(task, +1);
    return 0;
}

void dispatch_drop(struct task *task)
{
    struct task **place = &task->course->tasks;

    while (*place && *place != task)
        place = &(*place)->next;
    if (*place)
        *place = task->next;
    count_slot(task, -1);
    task_free(task);
}

void dispatch_cancel(struct task *task)
{
    cancel_request(task->cancel);
    /* Where the store does not let go of the lease now, a later round tries again. */
    if (task->waiting && settle_nothing(task, NULL) == 0)
        dispatch_drop(task);
}

int dispatch_resolve(struct course *course, struct culprit_error *error)
{
    CULPRIT_CLEANUP(task_free) struct task *task = NULL;

    int status = task_new(TASK_RESOLVE, &task, error);
    if (status == 0)
        status = start(course, task, error);
    if (status == 0)
        task = NULL;
    return status;
}

static bool is_pruning(const struct course *course)
{
    for (const struct task *task = course->tasks; task; task = task->next) {
        if (task->kind == TASK_PRUNE)
            return true;
    }
    return false;
}

static int fill_prune(struct task *task, const struct dossier *dossier, struct culprit_error *error)
{
    size_t count = dossier->commits.count;

    task->ids = calloc(count + 1, sizeof *task->ids);
    if (!task->ids)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot start work: out of memory");
    for (size_t i = 0; i < count; i++)
        memcpy(task->ids[i], dossier->commits.items[i].id, sizeof task->ids[i]);
    task->id_count = (unsigned)count;
    memcpy(task->end_inputs[0], dossier->built[0].build->inputs, DIGEST_HEX_SIZE);
    memcpy(task->end_inputs[1], dossier->built[count - 1].build->inputs, DIGEST_HEX_SIZE);
    return 0;
}

int dispatch_prune(struct course *course, const struct dossier *dossier,
                   struct culprit_error *error)
{
    CULPRIT_CLEANUP(task_free) struct task *task = NULL;

    if (is_pruning(course))
        return 0;
    int status = task_new(TASK_PRUNE, &task, error);
    if (status == 0)
        status = fill_prune(task, dossier, error);
    if (status == 0)
        status = start(course, task, error);
    if (status == 0)
        task = NULL;
    return status;
}

int dispatch_describe(struct course *course, const char *commit_id, struct culprit_error *error)
{
    CULPRIT_CLEANUP(task_free) struct task *task = NULL;

    int status = task_new(TASK_DESCRIBE, &task, error);
    if (status < 0)
        return status;
    memcpy(task->commit_id, commit_id, sizeof task->commit_id);
    status = start(course, task, error);
    if (status == 0)
        task = NULL;
    return status;
}

/* The engine is still to be found out, by booting this kernel. */
static int start_engine(struct course *course, const char *kernel, struct culprit_error *error)
{
    CULPRIT_CLEANUP(task_free) struct task *task = NULL;

    for (const struct task *other = course->tasks; other; other = other->next) {
        if (other->kind == TASK_ENGINE)
            return 0;
    }
    int status = task_new(TASK_ENGINE, &task, error);
    if (status < 0)
        return status;
    task->kernel = strdup(kernel);
    if (!task->kernel)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot choose an engine: out of memory");
    status = start(course, task, error);
    if (status == 0)
        task = NULL;
    return status;
}

/* Takes the lease and starts; a lease that led to nothing ends at once. */
static int start_leased(struct course *course, struct task *task, struct culprit_error *error)
{
    struct service *service = course->service;

    int status = store_lease_take(service->options.store, &task->lease, error);
    if (status < 0)
        return status;
    task->directory = text_format("%s/work/%lld", service->options.state_directory,
                                  (long long)task->lease.fence);
    status = task->directory ? start(course, task, error)
                             : culprit_fail(error, CULPRIT_NO_MEMORY, "cannot start work");
    if (status < 0)
        store_lease_end(service->options.store, task->lease.fence, NULL);
    return status;
}

/* A variant of a commit: whose sources they are, and what is taken back from them. */
static void name_sources(struct task *task, const struct dossier *dossier, unsigned commit,
                         enum build_variant variant)
{
    unsigned last = (unsigned)dossier->commits.count - 1;
    unsigned sources = variant == VARIANT_REVERTED ? last : commit;

    task->variant = variant;
    memcpy(task->commit_id, dossier->commits.items[sources].id, sizeof task->commit_id);
    if (variant == VARIANT_REVERTED)
        memcpy(task->reverts_id, dossier->commits.items[commit].id, sizeof task->reverts_id);
}

static int start_build(struct course *course, const struct dossier *dossier, unsigned commit,
                       enum build_variant variant, struct culprit_error *error)
{
    CULPRIT_CLEANUP(task_free) struct task *task = NULL;

    int status = task_new(TASK_IDENTIFY, &task, error);
    if (status < 0)
        return status;
    name_sources(task, dossier, commit, variant);
    task->lease = (struct lease){
        .job = course->id,
        .kind = WORK_BUILD,
        .commit = commit,
        .purpose = variant,
        .attempt = dossier_built(dossier, commit, variant)->attempts,
    };
    status = start_leased(course, task, error);
    if (status == 0)
        task = NULL;
    return status;
}

static unsigned attempts_of(const struct dossier *dossier, const struct bisect_want *want)
{
    unsigned count = 0;

    for (size_t i = 0; i < dossier->trials.count; i++) {
        const struct bisect_trial *trial = &dossier->outcomes[i];
        count += trial->commit == want->commit && trial->purpose == want->purpose &&
                 trial->index == want->index;
    }
    return count;
}

static int fill_trial(struct task *task, const struct course *course, const struct dossier *dossier,
                      const struct bisect_want *want)
{
    enum build_variant variant = trial_purpose_variant(want->purpose);
    const struct stored_build *build = dossier_built(dossier, want->commit, variant)->build;

    name_sources(task, dossier, want->commit, variant);
    task->build = build->id;
    task->build_id = strdup(build->build_id);
    task->seed = trial_seed(course->job->seed, build->image, want->purpose, want->index);
    task->engine = (struct work_engine){dossier->record.engine, dossier->record.shift, -1};
    if (want->purpose == PURPOSE_SHIFT)
        task->engine.shift = (unsigned)dossier->record.second_shift;
    task->exclusive = dossier->record.engine == ENGINE_REALTIME;
    task->lease = (struct lease){
        .job = course->id,
        .kind = WORK_TRIAL,
        .commit = want->commit,
        .purpose = want->purpose,
        .index = want->index,
        .attempt = attempts_of(dossier, want),
    };
    return task->build_id ? 0 : -CULPRIT_NO_MEMORY;
}

/* 0, or NOT_FOUND when the kernel is no longer kept and must be built again. */
static int start_trial(struct course *course, const struct dossier *dossier,
                       const struct bisect_want *want, struct culprit_error *error)
{
    CULPRIT_CLEANUP(task_free) struct task *task = NULL;
    enum build_variant variant = trial_purpose_variant(want->purpose);
    const struct stored_build *build = dossier_built(dossier, want->commit, variant)->build;

    if (!build || build->outcome != OUTCOME_OK)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "the commit was not built");
    int status = task_new(TASK_TRIAL, &task, error);
    if (status == 0)
        status = blobs_path(course->service->options.blobs, build->image, &task->kernel, error);
    if (status < 0)
        return status;
    if (dossier->record.engine == ENGINE_AUTO)
        return start_engine(course, task->kernel, error);
    if (fill_trial(task, course, dossier, want) < 0)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot start a trial: out of memory");
    status = start_leased(course, task, error);
    if (status == 0)
        task = NULL;
    return status;
}

static bool matches(const struct task *task, const struct bisect_want *want)
{
    if (task->lease.commit != want->commit)
        return false;
    if (want->kind == WANT_BUILD)
        return is_build(task) && task->variant == want->variant;
    return task->kind == TASK_TRIAL && task->lease.purpose == (unsigned)want->purpose &&
           task->lease.index == want->index;
}

static bool in_flight(const struct course *course, const struct bisect_want *want)
{
    for (const struct task *task = course->tasks; task; task = task->next) {
        if (matches(task, want))
            return true;
    }
    return false;
}

static int start_want(struct course *course, const struct dossier *dossier,
                      const struct bisect_want *want, struct culprit_error *error)
{
    struct service *service = course->service;
    struct bisect_want rebuild = {
        .kind = WANT_BUILD,
        .commit = want->commit,
        .variant = want->kind == WANT_BUILD ? want->variant : trial_purpose_variant(want->purpose)};

    if (want->kind == WANT_TRIAL) {
        if (!slot_free(service, SLOT_GUEST, dossier->record.engine == ENGINE_REALTIME))
            return 0;
        int status = start_trial(course, dossier, want, error);
        if (status != -CULPRIT_NOT_FOUND)
            return status;
        if (in_flight(course, &rebuild))
            return 0;
    }
    if (!slot_free(service, SLOT_BUILD, false))
        return 0;
    return start_build(course, dossier, want->commit, rebuild.variant, error);
}

/* Work that is not wanted any more gives its slot back. A full list of wants may not hold all. */
static void cancel_unwanted(struct course *course, const struct bisect_step *step)
{
    if (step->want_count >= BISECT_MAX_WANTS)
        return;
    for (struct task *task = course->tasks; task; task = task->next) {
        bool wanted = task->kind != TASK_TRIAL;
        for (size_t i = 0; !wanted && i < step->want_count; i++)
            wanted = matches(task, &step->wants[i]);
        if (!wanted)
            cancel_request(task->cancel);
    }
}

int dispatch_wants(struct course *course, const struct dossier *dossier,
                   const struct decision *decision, struct culprit_error *error)
{
    const struct bisect_step *step = &decision->step;

    cancel_unwanted(course, step);
    for (size_t i = 0; i < step->want_count; i++) {
        if (in_flight(course, &step->wants[i]))
            continue;
        /* It may be one that need not be built. */
        if (is_pruning(course) && step->wants[i].kind == WANT_BUILD &&
            !pruning_is_end(dossier, step->wants[i].commit))
            continue;
        int status = start_want(course, dossier, &step->wants[i], error);
        if (status < 0)
            return status;
    }
    return 0;
}
