/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds, which belong to all jobs, and what they stand for in one. */
#include <string.h>

#include "store/database.h"
#include "store/facts.h"

void stored_build_clear(struct stored_build *build)
{
    free(build->message);
    free(build->build_id);
    free(build->release);
    free(build->compiler);
    *build = (struct stored_build){0};
}

void stored_builds_clear(struct stored_builds *builds)
{
    for (size_t i = 0; i < builds->count; i++)
        stored_build_clear(&builds->items[i]);
    free(builds->items);
    *builds = (struct stored_builds){0};
}

#define BUILD_COLUMNS                                                                      \
    "builds.id, recipe, outcome, message, image, log, config, inputs, build_id, release, " \
    "compiler,"                                                                            \
    " wall_ns, created_ns"

static int read_build(struct statement *statement, struct stored_build *ret,
                      struct culprit_error *error)
{
    char outcome[32];

    ret->id = read_integer(statement);
    read_string(statement, ret->recipe, sizeof ret->recipe);
    read_string(statement, outcome, sizeof outcome);
    ret->message = read_text(statement);
    read_string(statement, ret->image, sizeof ret->image);
    read_string(statement, ret->log, sizeof ret->log);
    read_string(statement, ret->config, sizeof ret->config);
    read_string(statement, ret->inputs, sizeof ret->inputs);
    ret->build_id = read_text(statement);
    ret->release = read_text(statement);
    ret->compiler = read_text(statement);
    ret->wall_ns = (uint64_t)read_integer(statement);
    ret->created_ns = (uint64_t)read_integer(statement);
    if (!outcome_from_name(outcome, &ret->outcome))
        return culprit_fail(error, CULPRIT_INTERNAL,
                            "the store's build %lld has the unknown outcome '%s'",
                            (long long)ret->id, outcome);
    return statement_status(statement, error);
}

int store_build_find(struct store *store, const char *recipe, struct stored_build *ret,
                     struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_build_clear) struct stored_build build = {0};
    _cleanup_statement_ struct statement statement = {0};

    int status = statement_prepare(store,
                                   "SELECT " BUILD_COLUMNS " FROM builds WHERE recipe = ?"
                                   " AND outcome IN ('ok', 'build_failed')"
                                   " ORDER BY id DESC LIMIT 1",
                                   "look for a build", &statement, error);
    if (status < 0)
        return status;
    bind_text(&statement, recipe);
    status = statement_step(&statement, error);
    if (status == 0)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "the recipe %s was not built yet", recipe);
    if (status > 0)
        status = read_build(&statement, &build, error);
    if (status < 0)
        return status;
    *ret = build;
    memset(&build, 0, sizeof build);
    return 0;
}

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

int store_build_add(struct store *store, const struct stored_build *build, int64_t *ret_id,
                    struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store,
                                   "INSERT INTO builds (recipe, outcome, message, image, log,"
                                   " config, inputs, build_id, release, compiler, wall_ns,"
                                   " created_ns)"
                                   " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                   "keep the build", &statement, error);
    if (status < 0)
        return status;
    bind_text(&statement, build->recipe);
    bind_text(&statement, outcome_name(build->outcome));
    bind_text(&statement, text_or_empty(build->message));
    bind_text(&statement, build->image);
    bind_text(&statement, build->log);
    bind_text(&statement, build->config);
    bind_text(&statement, build->inputs);
    bind_text(&statement, text_or_empty(build->build_id));
    bind_text(&statement, text_or_empty(build->release));
    bind_text(&statement, text_or_empty(build->compiler));
    bind_integer(&statement, (int64_t)build->wall_ns);
    bind_integer(&statement, (int64_t)clock_realtime(store->clock));
    status = statement_run(&statement, error);
    if (status < 0)
        return status;
    *ret_id = sqlite3_last_insert_rowid(store->connection);
    return 0;
}

int store_build_use(struct store *store, int64_t job, unsigned commit, const char *variant,
                    unsigned attempt, int64_t build, bool fresh, struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store,
                                   "INSERT INTO job_builds (job, commit_number, variant, attempt,"
                                   " build, fresh) VALUES (?, ?, ?, ?, ?, ?)",
                                   "keep the build of a commit", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, job);
    bind_integer(&statement, commit);
    bind_text(&statement, variant);
    bind_integer(&statement, attempt);
    bind_integer(&statement, build);
    bind_integer(&statement, fresh);
    return statement_run(&statement, error);
}

int store_builds_get(struct store *store, int64_t job, struct stored_builds *ret,
                     struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_builds_clear) struct stored_builds builds = {0};
    _cleanup_statement_ struct statement statement = {0};

    int status = statement_prepare(store,
                                   "SELECT " BUILD_COLUMNS
                                   ", commit_number, variant, attempt, fresh"
                                   " FROM job_builds JOIN builds ON builds.id = job_builds.build"
                                   " WHERE job = ? ORDER BY job_builds.rowid",
                                   "read the job's builds", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, job);
    while ((status = statement_step(&statement, error)) > 0) {
        struct stored_build *build = array_grow((void **)&builds.items, &builds.count,
                                                sizeof *build);
        if (!build)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read builds: out of memory");
        status = read_build(&statement, build, error);
        if (status < 0)
            return status;
        build->commit = (unsigned)read_integer(&statement);
        read_string(&statement, build->variant, sizeof build->variant);
        build->attempt = (unsigned)read_integer(&statement);
        build->fresh = read_integer(&statement) != 0;
    }
    if (status < 0)
        return status;
    *ret = builds;
    memset(&builds, 0, sizeof builds);
    return 0;
}
