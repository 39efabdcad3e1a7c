/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripted_work.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/random.h"

enum { SHIFT = 1, SECOND_SHIFT = 0 };

/* What an image says of itself. */
struct kernel {
    unsigned number;
    bool aligned, reverted;
};

struct scripted_work {
    struct work work;
    const struct scripted_script *script;
    pthread_mutex_t lock;
    struct scripted_counts counts;
    unsigned building, trying, exclusive;
    uint64_t seeds[SCRIPTED_SEEDS_MAXIMUM];
    unsigned seed_count;
};

static struct scripted_work *scripted(struct work *work)
{
    return (struct scripted_work *)work;
}

void scripted_commit_id(unsigned number, char ret_id[COMMIT_ID_SIZE])
{
    char text[32], digest[DIGEST_HEX_SIZE];

    snprintf(text, sizeof text, "commit %u", number);
    digest_bytes(text, strlen(text), digest);
    snprintf(ret_id, COMMIT_ID_SIZE, "%.40s", digest);
}

static unsigned number_of(const char *id)
{
    char other[COMMIT_ID_SIZE];
    unsigned number = 0;

    for (; number < SCRIPTED_COMMITS_MAXIMUM; number++) {
        scripted_commit_id(number, other);
        if (strcmp(other, id) == 0)
            break;
    }
    return number;
}

static void enter(struct scripted_work *self, unsigned *running, unsigned *most, bool exclusive)
{
    pthread_mutex_lock(&self->lock);
    ++*running;
    self->exclusive += exclusive;
    if (*running > *most)
        *most = *running;
    if (self->exclusive && self->building + self->trying > 1)
        self->counts.beside_exclusive++;
    pthread_mutex_unlock(&self->lock);
}

static void leave(struct scripted_work *self, unsigned *running, bool exclusive)
{
    pthread_mutex_lock(&self->lock);
    --*running;
    self->exclusive -= exclusive;
    pthread_mutex_unlock(&self->lock);
}

/* True when the work was cancelled. */
static bool hold(struct scripted_work *self, bool until_cancelled, struct cancel *cancel)
{
    struct pollfd wait = {.fd = cancel_fd(cancel), .events = POLLIN};

    bool cancelled = poll(&wait, 1, until_cancelled ? -1 : 0) > 0;
    if (cancelled) {
        pthread_mutex_lock(&self->lock);
        self->counts.cancelled++;
        pthread_mutex_unlock(&self->lock);
    }
    return cancelled;
}

/* Counts the call; an error for those that are to fail in passing. */
static int begin(struct scripted_work *self, enum scripted_step step, struct culprit_error *error)
{
    const struct scripted_script *script = self->script;

    pthread_mutex_lock(&self->lock);
    unsigned call = self->counts.calls[step]++;
    pthread_mutex_unlock(&self->lock);
    return call < script->passing[step] ? culprit_fail(error, script->passing_code, "%s (call %u)",
                                                       script->passing_failure, call)
                                        : 0;
}

/* --- operations ---------------------------------------------------------------------------- */

static bool fill_commit(struct commit_info *commit, unsigned number)
{
    char subject[64];

    scripted_commit_id(number, commit->id);
    snprintf(subject, sizeof subject, "sched/fair: change number %u", number);
    commit->subject = strdup(subject);
    commit->author = strdup("Ada Author <ada@example.org>");
    commit->author_time = 1600000000 + number;
    commit->parents = number ? calloc(1, sizeof *commit->parents) : NULL;
    commit->parent_count = number ? 1 : 0;
    if (number && commit->parents)
        commit->parents[0] = number - 1;
    return commit->subject && commit->author && (!number || commit->parents);
}

static int resolve(struct work *work, const struct job *job, struct cancel *cancel,
                   struct commit_range *ret, struct culprit_error *error)
{
    struct scripted_work *self = scripted(work);
    const struct scripted_script *script = self->script;
    unsigned count = job->kind == JOB_RUN ? 1 : script->commits;

    (void)cancel;
    int status = begin(self, SCRIPTED_RESOLVE, error);
    if (status < 0)
        return status;
    pthread_mutex_lock(&self->lock);
    self->counts.resolves++;
    pthread_mutex_unlock(&self->lock);
    if (script->resolve_failure)
        return culprit_fail(error, script->resolve_code, "%s", script->resolve_failure);
    ret->commits = calloc(count, sizeof *ret->commits);
    for (ret->count = 0; ret->commits && ret->count < count; ret->count++) {
        if (!fill_commit(&ret->commits[ret->count], ret->count))
            break;
    }
    return ret->count == count ? 0 : culprit_fail(error, CULPRIT_NO_MEMORY, "out of memory");
}

static int choose_engine(struct work *work, const struct job *job, const char *kernel,
                         struct cancel *cancel, struct work_engine *ret,
                         struct culprit_error *error)
{
    enum engine engine = scripted(work)->script->engine;

    (void)job;
    (void)cancel;
    int status = begin(scripted(work), SCRIPTED_ENGINE, error);
    if (status < 0)
        return status;
    if (scripted(work)->script->engine_needs_kernel && !kernel)
        return culprit_fail(error, CULPRIT_CONFLICT, "a guest must be booted to tell");
    *ret = (struct work_engine){engine ? engine : ENGINE_DETERMINISTIC, SHIFT,
                                engine == ENGINE_REALTIME ? -1 : SECOND_SHIFT};
    return 0;
}

static int identify(struct work *work, const struct job *job, const char *commit_id,
                    const struct work_variant *variant, char ret_recipe[DIGEST_HEX_SIZE],
                    struct culprit_error *error)
{
    const char *failure = scripted(work)->script->identify_failure;
    char text[160];

    (void)job;
    int status = begin(scripted(work), SCRIPTED_IDENTIFY, error);
    if (status < 0)
        return status;
    if (failure)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "%s", failure);
    snprintf(text, sizeof text, "%s%s%s", commit_id, variant->option_count ? " aligned" : "",
             variant->reverts_id ? variant->reverts_id : "");
    digest_bytes(text, strlen(text), ret_recipe);
    return 0;
}

static void build_image(const struct scripted_script *script, const struct work_build *build,
                        unsigned number, struct build_result *ret)
{
    static const char inputs[] = "culprit-inputs 1 x86\nkernel/sched/fair.c\n.\n";
    char text[64];
    unsigned image = number;

    while (image && script->same_image[image])
        image--;
    ret->outcome = OUTCOME_OK;
    ret->fresh = true;
    ret->wall_ns = 20000000000;
    snprintf(text, sizeof text, "image %u%s%s\n", image,
             build->variant.option_count ? " aligned" : "",
             build->variant.reverts_id ? " reverted" : "");
    digest_bytes(text, strlen(text), ret->image_digest);
    snprintf(ret->build_id, sizeof ret->build_id, "b1d%u", image);
    snprintf(ret->release, sizeof ret->release, "6.1.192");
    snprintf(ret->compiler, sizeof ret->compiler, "gcc 12.2.0");
    if (file_write_atomic(build->image_path, text, strlen(text), 0644, NULL) < 0)
        ret->outcome = OUTCOME_INFRA_FAILED;
    file_write_atomic(build->config_path, "CONFIG_SMP=y\n", 13, 0644, NULL);
    ret->inputs = !script->lists_no_inputs &&
                  file_write_atomic(build->inputs_path, inputs, strlen(inputs), 0644, NULL) == 0;
}

static void make(struct scripted_work *self, const struct work_build *build, bool infra,
                 struct build_result *ret)
{
    unsigned number = number_of(build->commit_id);

    file_write_atomic(build->log_path, "  CC fair.o\n", 12, 0644, NULL);
    if (infra) {
        ret->outcome = OUTCOME_INFRA_FAILED;
        snprintf(ret->message, sizeof ret->message, "the sandbox did not start");
    } else if (self->script->unbuildable[number]) {
        ret->outcome = OUTCOME_BUILD_FAILED;
        ret->fresh = true;
        snprintf(ret->message, sizeof ret->message,
                 "cannot build %.12s: kernel/sched/fair.c:812: error: expected ';'",
                 build->commit_id);
    } else if (build->variant.reverts_id && self->script->revert_conflicts) {
        ret->outcome = OUTCOME_BUILD_FAILED;
        ret->fresh = true;
        snprintf(ret->message, sizeof ret->message,
                 "cannot build %.12s: commit %.12s does not revert: later changes are in the way "
                 "in kernel/sched/fair.c",
                 build->commit_id, build->variant.reverts_id);
    } else {
        build_image(self->script, build, number, ret);
    }
}

static int build(struct work *work, const struct work_build *build, struct cancel *cancel,
                 struct build_result *ret, struct culprit_error *error)
{
    struct scripted_work *self = scripted(work);

    int status = begin(self, SCRIPTED_BUILD, error);
    if (status < 0)
        return status;
    *ret = (struct build_result){0};
    enter(self, &self->building, &self->counts.builds_at_once, false);
    pthread_mutex_lock(&self->lock);
    bool infra = self->counts.builds++ < self->script->infra_builds;
    pthread_mutex_unlock(&self->lock);
    if (hold(self, self->script->hold_builds, cancel))
        ret->outcome = OUTCOME_CANCELLED;
    else
        make(self, build, infra, ret);
    leave(self, &self->building, false);
    return 0;
}

static int prune(struct work *work, const struct job *job, const struct work_prune *request,
                 struct cancel *cancel, enum relevance *ret_relevance, struct culprit_error *error)
{
    struct scripted_work *self = scripted(work);

    (void)job;
    (void)cancel;
    pthread_mutex_lock(&self->lock);
    self->counts.prunes++;
    pthread_mutex_unlock(&self->lock);
    if (!inputs_has(request->inputs, "kernel/sched/fair.c"))
        return culprit_fail(error, CULPRIT_INTERNAL, "the inputs are not those of the builds");
    for (unsigned c = 0; c < request->count; c++)
        ret_relevance[c] = self->script->relevance[number_of(request->ids[c])];
    return 0;
}

/* Remembers seeds that gave a value. */
static void note_seed(struct scripted_work *self, uint64_t seed)
{
    pthread_mutex_lock(&self->lock);
    for (unsigned i = 0; i < self->seed_count; i++)
        self->counts.repeated_seeds += self->seeds[i] == seed;
    if (self->seed_count < SCRIPTED_SEEDS_MAXIMUM)
        self->seeds[self->seed_count++] = seed;
    pthread_mutex_unlock(&self->lock);
}

static int read_image(const char *path, struct kernel *ret, struct culprit_error *error)
{
    _cleanup_free_ char *text = NULL;

    int status = file_read(path, 64, &text, NULL, error);
    if (status < 0)
        return status;
    if (sscanf(text, "image %u", &ret->number) != 1)
        return culprit_fail(error, CULPRIT_INTERNAL, "%s is no image", path);
    ret->aligned = strstr(text, " aligned") != NULL;
    ret->reverted = strstr(text, " reverted") != NULL;
    return 0;
}

static bool is_bad(const struct scripted_script *script, const struct kernel *kernel,
                   unsigned shift)
{
    if (!script->culprit || kernel->number < script->culprit)
        return false;
    return !(script->gone_at_second_shift && shift == SECOND_SHIFT) &&
           !(script->gone_when_aligned && kernel->aligned) &&
           (!kernel->reverted || script->revert_is_idle);
}

static void measure(struct scripted_work *self, const struct kernel *kernel, unsigned shift,
                    uint64_t seed, struct trial_result *ret)
{
    const struct scripted_script *script = self->script;
    bool bad = is_bad(script, kernel, shift);
    struct random random;

    random_seed(&random, seed);
    double value = (bad ? script->bad_level : script->good_level) +
                   script->noise * random_normal(&random);
    ret->outcome = OUTCOME_OK;
    ret->metrics = calloc(2, sizeof *ret->metrics);
    if (!ret->metrics)
        abort();
    ret->metric_count = 2;
    ret->metrics[0] = (struct metric_value){.unit = "us", .better = BETTER_LOWER, .value = value};
    snprintf(ret->metrics[0].name, sizeof ret->metrics[0].name, "%s",
             script->metric ? script->metric : "exec.duration");
    ret->metrics[1] = (struct metric_value){.name = "stat.ctxt",
                                            .unit = "count",
                                            .better = BETTER_NEITHER,
                                            .value = 1000,
                                            .counter = true};
    if (script->sparse_every && seed % script->sparse_every == 0)
        ret->metric_count = 1;
    if (script->silent_every && seed % script->silent_every == 0)
        ret->metrics[0] = ret->metrics[--ret->metric_count];
    digest_bytes(&value, sizeof value, ret->digest);
    note_seed(self, seed);
}

/* The trial of a job with a criterion that fails. */
static void fail(const struct scripted_script *script, const struct job *job, uint64_t seed,
                 struct trial_result *ret)
{
    if (job->criterion.kind == CRITERION_EXIT) {
        ret->outcome = OUTCOME_WORKLOAD_FAILED;
        ret->by_workload = true;
        snprintf(ret->message, sizeof ret->message, "workload exec failed: exit status 3");
        return;
    }
    ret->console_matched = true;
    snprintf(ret->console_line, sizeof ret->console_line, "%s", script->console_line);
    if (seed % 2) {
        ret->outcome = OUTCOME_KERNEL_CRASHED;
        snprintf(ret->message, sizeof ret->message, "the kernel panicked while workload exec ran");
    }
}

static void run_criterion(struct scripted_work *self, const struct work_trial *trial,
                          const struct kernel *kernel, struct trial_result *ret)
{
    const struct scripted_script *script = self->script;
    bool bad = is_bad(script, kernel, trial->engine.shift);
    struct random random;

    random_seed(&random, trial->seed);
    ret->outcome = OUTCOME_OK;
    note_seed(self, trial->seed);
    if (random_unit(&random) < (bad ? script->bad_fails : script->good_fails))
        fail(script, trial->job, trial->seed, ret);
}

static void boot(struct scripted_work *self, const struct work_trial *trial,
                 const struct kernel *kernel, bool infra, struct trial_result *ret)
{
    _cleanup_free_ char *console = path_join(trial->directory, "console.log");

    file_write_atomic(console, "Linux version 6.1.192\n", 22, 0644, NULL);
    if (infra) {
        ret->outcome = OUTCOME_INFRA_FAILED;
        snprintf(ret->message, sizeof ret->message, "libvirt does not answer");
    } else if (self->script->unbootable[kernel->number]) {
        ret->outcome = OUTCOME_BOOT_FAILED;
        snprintf(ret->message, sizeof ret->message, "Kernel panic - not syncing");
    } else if (trial->job->criterion.kind != CRITERION_METRIC) {
        run_criterion(self, trial, kernel, ret);
    } else {
        measure(self, kernel, trial->engine.shift, trial->seed, ret);
    }
}

static int try(struct work *work, const struct work_trial *trial, struct cancel *cancel,
               struct trial_result **ret, struct culprit_error *error)
{
    struct scripted_work *self = scripted(work);
    bool exclusive = trial->engine.engine == ENGINE_REALTIME;
    struct kernel kernel = {0};

    int status = begin(self, SCRIPTED_TRIAL, error);
    if (status == 0)
        status = read_image(trial->kernel, &kernel, error);
    struct trial_result *result = status < 0 ? NULL : calloc(1, sizeof *result);
    if (!result)
        return status < 0 ? status : culprit_fail(error, CULPRIT_NO_MEMORY, "out of memory");
    result->seed = trial->seed;
    result->wall_ns = 5000000000;
    result->identity = json_pack("{s:s, s:s}", "qemu", "10.0.2", "image", "1234");
    result->topology = json_pack("{s:i}", "cpus", 2);
    enter(self, &self->trying, &self->counts.trials_at_once, exclusive);
    pthread_mutex_lock(&self->lock);
    bool infra = self->counts.trials++ < self->script->infra_trials;
    pthread_mutex_unlock(&self->lock);
    if (hold(self, self->script->hold_trials, cancel))
        result->outcome = OUTCOME_CANCELLED;
    else
        boot(self, trial, &kernel, infra, result);
    leave(self, &self->trying, exclusive);
    *ret = result;
    return 0;
}

static int describe(struct work *work, const struct job *job, const char *commit_id,
                    char **ret_message, char **ret_diffstat, struct culprit_error *error)
{
    struct scripted_work *self = scripted(work);

    (void)job;
    pthread_mutex_lock(&self->lock);
    self->counts.describes++;
    pthread_mutex_unlock(&self->lock);
    *ret_message = text_format("sched/fair: change number %u\n\nBecause.\n", number_of(commit_id));
    *ret_diffstat = strdup(" kernel/sched/fair.c | 2 +-\n");
    return *ret_message && *ret_diffstat ? 0
                                         : culprit_fail(error, CULPRIT_NO_MEMORY, "out of memory");
}

static const struct work_ops ops = {
    .resolve = resolve,
    .choose_engine = choose_engine,
    .identify = identify,
    .build = build,
    .prune = prune,
    .trial = try,
    .describe = describe,
};

int scripted_work_new(const struct scripted_script *script, struct work **ret,
                      struct culprit_error *error)
{
    struct scripted_work *self = calloc(1, sizeof *self);

    if (!self)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "out of memory");
    self->work.ops = &ops;
    self->script = script;
    pthread_mutex_init(&self->lock, NULL);
    *ret = &self->work;
    return 0;
}

void scripted_work_free(struct work *work)
{
    if (!work)
        return;
    pthread_mutex_destroy(&scripted(work)->lock);
    free(work);
}

struct scripted_counts scripted_work_counts(struct work *work)
{
    struct scripted_work *self = scripted(work);

    pthread_mutex_lock(&self->lock);
    struct scripted_counts counts = self->counts;
    pthread_mutex_unlock(&self->lock);
    return counts;
}
