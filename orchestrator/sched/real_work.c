/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/real_work.h"

#include <string.h>

#include "base/file.h"
#include "base/gate.h"
#include "base/path.h"
#include "sched/clones.h"
#include "sched/prune_range.h"
#include "sched/room.h"
#include "trial/choose.h"

enum { DIFFSTAT_MAXIMUM = 16 * 1024 };

struct real_work {
    struct work work;
    struct real_work_options options;
    struct clones *clones;
    struct gate *engines; /* so that two jobs do not probe at once; guards the capabilities */
    struct room room;
};

static struct real_work *real(struct work *work)
{
    return (struct real_work *)work;
}

/* --- commits ------------------------------------------------------------------------------- */

static void commit_range_clear_cleanup(struct commit_range *range)
{
    commit_range_clear(range);
}

static int resolve_run(struct repository *repository, const char *ref, struct commit_range *ret,
                       struct culprit_error *error)
{
    CULPRIT_CLEANUP(commit_range_clear) struct commit_range range = {0};
    char id[COMMIT_ID_SIZE];

    int status = repository_resolve(repository, ref, id, error);
    if (status < 0)
        return status;
    range.commits = calloc(1, sizeof *range.commits);
    if (!range.commits)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot resolve %s: out of memory", ref);
    range.count = 1;
    status = repository_commit(repository, id, &range.commits[0], error);
    if (status < 0)
        return status;
    *ret = range;
    memset(&range, 0, sizeof range);
    return 0;
}

static int resolve_bisect(struct repository *repository, const struct job_source *source,
                          struct commit_range *ret, struct culprit_error *error)
{
    char good[COMMIT_ID_SIZE], bad[COMMIT_ID_SIZE];

    int status = repository_resolve(repository, source->good, good, error);
    if (status == 0)
        status = repository_resolve(repository, source->bad, bad, error);
    if (status == 0)
        status = repository_range(repository, good, bad, source->first_parent, ret, error);
    return status;
}

/* A fetch into a full cache is worth another one later, whatever libgit2 calls it. */
static int explain_room(const struct real_work *self, int status, struct culprit_error *error)
{
    return error && room_is_missing(error->message) ? room_fail(&self->room, error->message, error)
                                                    : status;
}

static int resolve(struct work *work, const struct job *job, struct cancel *cancel,
                   struct commit_range *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    struct real_work *self = real(work);

    int status = clones_open(self->clones, job->source.repository, true, cancel, &repository,
                             error);
    if (status < 0)
        return explain_room(self, status, error);
    return job->kind == JOB_RUN ? resolve_run(repository, job->source.commit, ret, error)
                                : resolve_bisect(repository, &job->source, ret, error);
}

static int describe(struct work *work, const struct job *job, const char *commit_id,
                    char **ret_message, char **ret_diffstat, struct culprit_error *error)
{
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;

    int status = clones_open(real(work)->clones, job->source.repository, false, NULL, &repository,
                             error);
    if (status < 0)
        return status;
    return repository_show(repository, commit_id, DIFFSTAT_MAXIMUM, ret_message, ret_diffstat,
                           error);
}

/* --- engines ------------------------------------------------------------------------------- */

static int job_topology(struct real_work *self, const struct job *job, const struct topology **ret,
                        struct culprit_error *error)
{
    *ret = catalogue_topology(self->options.catalogue, job->guest.topology);
    if (!*ret)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "the topology '%s' is no longer there",
                            job->guest.topology);
    return 0;
}

/* What a choice hangs on, besides the job. */
struct choice_host {
    struct hypervisor *hypervisor;
    struct host_capabilities *capabilities;
    const struct topology *topology;
};

/* Boots the kernel if the answer hangs on it. In its turn. */
static int probe_and_choose(struct real_work *self, const struct job *job, const char *kernel,
                            const struct choice_host *host, struct cancel *cancel, enum engine *ret,
                            struct culprit_error *error)
{
    _cleanup_free_ char *image = catalogue_image(self->options.catalogue, job->guest.image);
    _cleanup_free_ char *directory = path_join(self->options.state_directory, "probe");
    struct engine_choice choice = {
        .kernel = kernel,
        .guest_image = image,
        .pair = catalogue_topology(self->options.catalogue, "pair"),
        .directory = directory,
        .cache_directory = self->options.cache_directory,
    };
    char reason[ENGINE_REASON_SIZE];

    if (!image || !directory)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot choose an engine: out of memory");
    if (!choice.pair)
        return culprit_fail(error, CULPRIT_NOT_FOUND,
                            "the topology 'pair', which KVM is probed with, is not there");
    int status = file_make_directories(directory, 0755, error);
    if (status == 0)
        status = engine_choose(host->hypervisor, &choice, job->guest.engine, host->topology,
                               host->capabilities, cancel, ret, reason, error);
    file_remove_tree(directory, NULL);
    return status;
}

static int choose_in_turn(struct real_work *self, const struct job *job, const char *kernel,
                          const struct choice_host *host, struct cancel *cancel, enum engine *ret,
                          struct culprit_error *error)
{
    char reason[ENGINE_REASON_SIZE];

    if (!engine_needs_probe(job->guest.engine, host->topology, host->capabilities))
        return engine_resolve(job->guest.engine, host->topology, host->capabilities, ret, reason,
                              error);
    if (!kernel)
        return culprit_fail(error, CULPRIT_CONFLICT,
                            "whether KVM works here can only be told with a kernel to boot");
    return probe_and_choose(self, job, kernel, host, cancel, ret, error);
}

static int choose_engine(struct work *work, const struct job *job, const char *kernel,
                         struct cancel *cancel, struct work_engine *ret,
                         struct culprit_error *error)
{
    struct real_work *self = real(work);
    struct choice_host host = {0};
    enum engine engine = ENGINE_AUTO;

    int status = job_topology(self, job, &host.topology, error);
    if (status == 0)
        status = guest_host_get(self->options.guests, &host.hypervisor, &host.capabilities, error);
    if (status == 0)
        status = gate_enter(self->engines, cancel, error);
    if (status < 0)
        return status;
    status = choose_in_turn(self, job, kernel, &host, cancel, &engine, error);
    gate_leave(self->engines);
    if (status < 0)
        return status;
    ret->engine = engine;
    ret->shift = job->guest.shift >= 0 ? (unsigned)job->guest.shift : host.topology->shift;
    ret->second_shift = (int)(ret->shift == host.topology->second_shift
                                  ? host.topology->shift
                                  : host.topology->second_shift);
    if (engine != ENGINE_DETERMINISTIC)
        ret->second_shift = -1;
    return 0;
}

/* --- builds -------------------------------------------------------------------------------- */

/* A recipe and what it lends from. */
struct job_recipe {
    struct build_recipe recipe;
    struct strv fragments;
    struct build_option *options;
};

static void job_recipe_clear_cleanup(struct job_recipe *recipe)
{
    strv_free(&recipe->fragments);
    free(recipe->options);
}

static int fill_recipe(struct real_work *self, const struct job *job, const char *commit_id,
                       const struct work_variant *variant, struct job_recipe *ret,
                       struct culprit_error *error)
{
    const struct job_kernel *kernel = &job->kernel;
    size_t count = kernel->option_count;

    ret->options = calloc(count + variant->option_count + 1, sizeof *ret->options);
    if (!ret->options)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot build: out of memory");
    for (size_t i = 0; i < count; i++)
        ret->options[i] = (struct build_option){kernel->options[i].name, kernel->options[i].value};
    for (size_t i = 0; i < variant->option_count; i++)
        ret->options[count++] = variant->options[i];
    for (size_t i = 0; i < kernel->fragments.count; i++) {
        _cleanup_free_ char *path = catalogue_fragment(self->options.catalogue,
                                                       kernel->fragments.items[i]);
        if (!path || !strv_append(&ret->fragments, path))
            return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot build: out of memory");
    }
    ret->recipe = (struct build_recipe){
        .commit_id = commit_id,
        .reverts_id = variant->reverts_id,
        .patches = &kernel->patches,
        .fragments = &ret->fragments,
        .options = ret->options,
        .option_count = count,
        .config_file = kernel->config_file,
    };
    return 0;
}

static int identify(struct work *work, const struct job *job, const char *commit_id,
                    const struct work_variant *variant, char ret_recipe[DIGEST_HEX_SIZE],
                    struct culprit_error *error)
{
    CULPRIT_CLEANUP(job_recipe_clear) struct job_recipe recipe = {0};

    int status = fill_recipe(real(work), job, commit_id, variant, &recipe, error);
    if (status < 0)
        return status;
    return builder_recipe_digest(real(work)->options.builder, &recipe.recipe, ret_recipe, error);
}

static int build(struct work *work, const struct work_build *build, struct cancel *cancel,
                 struct build_result *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    CULPRIT_CLEANUP(job_recipe_clear) struct job_recipe recipe = {0};
    struct real_work *self = real(work);

    int status = fill_recipe(self, build->job, build->commit_id, &build->variant, &recipe, error);
    if (status == 0)
        status = room_check_build(&self->room, error);
    if (status == 0)
        status = clones_open(self->clones, build->job->source.repository, false, cancel,
                             &repository, error);
    if (status == 0)
        status = builder_build(self->options.builder, repository, &recipe.recipe, build->image_path,
                               build->log_path, build->config_path, build->inputs_path, cancel, ret,
                               error);
    if (status < 0)
        return explain_room(self, status, error);
    if (ret->outcome == OUTCOME_INFRA_FAILED && room_is_missing(ret->message))
        return room_fail(&self->room, ret->message, error);
    return 0;
}

static int prune(struct work *work, const struct job *job, const struct work_prune *request,
                 struct cancel *cancel, enum relevance *ret_relevance, struct culprit_error *error)
{
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;

    int status = clones_open(real(work)->clones, job->source.repository, false, cancel, &repository,
                             error);
    if (status < 0)
        return status;
    return prune_range(repository, request, job->source.first_parent, cancel, ret_relevance, error);
}

/* --- trials -------------------------------------------------------------------------------- */

static int run_trial(struct work *work, const struct work_trial *trial, struct cancel *cancel,
                     struct trial_result **ret, struct culprit_error *error)
{
    struct real_work *self = real(work);
    const struct job *job = trial->job;
    const struct topology *topology = NULL;
    struct hypervisor *hypervisor;
    struct host_capabilities *capabilities;
    _cleanup_free_ char *image = catalogue_image(self->options.catalogue, job->guest.image);

    if (!image)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot run a trial: out of memory");
    int status = job_topology(self, job, &topology, error);
    if (status == 0)
        status = guest_host_get(self->options.guests, &hypervisor, &capabilities, error);
    if (status < 0)
        return status;
    const struct trial_spec spec = {
        .kernel = trial->kernel,
        .build_id = trial->build_id,
        .guest_image = image,
        .topology = topology,
        .engine = trial->engine.engine,
        .shift = trial->engine.shift,
        .memory = job->guest.memory ? job->guest.memory : topology->memory,
        .cmdline = &job->guest.cmdline,
        .sysctls = &job->guest.sysctls,
        .features = &job->guest.sched_features,
        .workloads = job->workloads,
        .workload_count = job->workload_count,
        .seed = trial->seed,
        .console_pattern = job->criterion.console,
        .directory = trial->directory,
        .label = trial->label,
    };
    status = trial_run(hypervisor, &spec, cancel, ret, error);
    if (status < 0)
        return explain_room(self, status, error);
    if ((*ret)->outcome != OUTCOME_INFRA_FAILED || !room_is_missing((*ret)->message))
        return 0;
    status = room_fail(&self->room, (*ret)->message, error);
    trial_result_free(*ret);
    *ret = NULL;
    return status;
}

static const struct work_ops ops = {
    .resolve = resolve,
    .choose_engine = choose_engine,
    .identify = identify,
    .build = build,
    .prune = prune,
    .trial = run_trial,
    .describe = describe,
};

int real_work_new(const struct real_work_options *options, struct work **ret,
                  struct culprit_error *error)
{
    struct real_work *self = calloc(1, sizeof *self);
    CULPRIT_CLEANUP(real_work_free) struct work *work = self ? &self->work : NULL;

    if (!self)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot set up the work: out of memory");
    self->work.ops = &ops;
    self->options = *options;
    self->room = (struct room){options->cache_directory, options->state_directory};
    int status = clones_new(options->catalogue, options->cache_directory, &self->clones, error);
    if (status == 0)
        status = gate_new(&self->engines, error);
    if (status < 0)
        return status;
    *ret = take(work);
    return 0;
}

void real_work_free(struct work *work)
{
    struct real_work *self = work ? real(work) : NULL;

    if (!self)
        return;
    clones_free(self->clones);
    gate_free(self->engines);
    free(self);
}
