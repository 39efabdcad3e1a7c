/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/jobs.h"

#include <string.h>

#include "store/database.h"

static const char *const state_names[JOB_STATE_COUNT] = {
    [JOB_QUEUED] = "queued", [JOB_PREPARING] = "preparing", [JOB_RUNNING] = "running",
    [JOB_DONE] = "done",     [JOB_FAILED] = "failed",       [JOB_CANCELLED] = "cancelled",
};

const char *job_state_name(enum job_state state)
{
    return (unsigned)state < JOB_STATE_COUNT ? state_names[state] : "unknown";
}

bool job_state_from_name(const char *name, enum job_state *ret)
{
    for (int i = 0; name && i < JOB_STATE_COUNT; i++) {
        if (strcmp(state_names[i], name) == 0) {
            *ret = (enum job_state)i;
            return true;
        }
    }
    return false;
}

void stored_job_clear(struct stored_job *job)
{
    free(job->name);
    free(job->kind);
    free(job->document);
    free(job->normalised);
    free(job->key);
    free(job->message);
    free(job->verdict);
    free(job->progress);
    free(job->result);
    *job = (struct stored_job){0};
}

void stored_jobs_clear(struct stored_jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++)
        stored_job_clear(&jobs->items[i]);
    free(jobs->items);
    *jobs = (struct stored_jobs){0};
}

/* Two messages for one constraint: the key is the only thing that can clash. */
static int explain_conflict(int status, const char *key, struct culprit_error *error)
{
    if (status == -CULPRIT_CONFLICT && key)
        return culprit_fail(error, CULPRIT_CONFLICT,
                            "a job with the idempotency key '%s' exists already", key);
    return status;
}

int store_job_add(struct store *store, const struct stored_job *draft, int64_t *ret_id,
                  struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store,
                                   "INSERT INTO jobs (name, kind, document, normalised,"
                                   " idempotency_key, state, created_ns)"
                                   " VALUES (?, ?, ?, ?, ?, 'queued', ?)",
                                   "add the job", &statement, error);
    if (status < 0)
        return status;
    bind_text(&statement, draft->name);
    bind_text(&statement, draft->kind);
    bind_text(&statement, draft->document);
    bind_text(&statement, draft->normalised);
    bind_text(&statement, draft->key);
    bind_integer(&statement, (int64_t)clock_realtime(store->clock));
    status = statement_run(&statement, error);
    if (status < 0)
        return explain_conflict(status, draft->key, error);
    *ret_id = sqlite3_last_insert_rowid(store->connection);
    return 0;
}

#define JOB_COLUMNS                                                                           \
    "id, name, kind, document, normalised, idempotency_key, state, cancel_requested, engine," \
    " shift, second_shift, message, verdict, progress, result, created_ns, started_ns, "      \
    "finished_ns"

static int read_job(struct statement *statement, struct stored_job *ret,
                    struct culprit_error *error)
{
    char state[32], engine[32];

    ret->id = read_integer(statement);
    ret->name = read_text(statement);
    ret->kind = read_text(statement);
    ret->document = read_text(statement);
    ret->normalised = read_text(statement);
    ret->key = read_text(statement);
    read_string(statement, state, sizeof state);
    ret->cancel_requested = read_integer(statement) != 0;
    read_string(statement, engine, sizeof engine);
    ret->shift = (unsigned)read_integer(statement);
    ret->second_shift = (int)read_integer(statement);
    ret->message = read_text(statement);
    ret->verdict = read_text(statement);
    ret->progress = read_text(statement);
    ret->result = read_text(statement);
    ret->created_ns = (uint64_t)read_integer(statement);
    ret->started_ns = (uint64_t)read_integer(statement);
    ret->finished_ns = (uint64_t)read_integer(statement);
    if (!job_state_from_name(state, &ret->state) || !engine_from_name(engine, &ret->engine))
        return culprit_fail(error, CULPRIT_INTERNAL,
                            "the store's job %lld has state '%s' and "
                            "engine '%s', which this program does not know",
                            (long long)ret->id, state, engine);
    return statement_status(statement, error);
}

/* The one row of a bound statement. */
static int read_one(struct statement *statement, struct stored_job *ret,
                    struct culprit_error *error)
{
    *ret = (struct stored_job){0};
    int status = statement_step(statement, error);
    if (status <= 0)
        return status;
    status = read_job(statement, ret, error);
    if (status < 0)
        stored_job_clear(ret);
    return status < 0 ? status : 1;
}

int store_job_get(struct store *store, int64_t id, struct stored_job *ret,
                  struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store, "SELECT " JOB_COLUMNS " FROM jobs WHERE id = ?",
                                   "read the job", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, id);
    status = read_one(&statement, ret, error);
    if (status == 0)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "there is no job %lld", (long long)id);
    return status < 0 ? status : 0;
}

int store_job_by_key(struct store *store, const char *key, struct stored_job *ret,
                     struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store,
                                   "SELECT " JOB_COLUMNS " FROM jobs WHERE idempotency_key = ?",
                                   "look for the job", &statement, error);
    if (status < 0)
        return status;
    bind_text(&statement, key);
    status = read_one(&statement, ret, error);
    if (status == 0)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "no job has the idempotency key '%s'", key);
    return status < 0 ? status : 0;
}

static int prepare_list(struct store *store, const struct job_filter *filter, struct statement *ret,
                        struct culprit_error *error)
{
    const char *sql = filter->active
                          ? "SELECT " JOB_COLUMNS " FROM jobs"
                            " WHERE state IN ('queued', 'preparing', 'running')"
                            " AND (?1 IS NULL OR state = ?1) AND (?2 IS NULL OR kind = ?2)"
                            " AND ?3 = ?3 ORDER BY id LIMIT ?4"
                          : "SELECT " JOB_COLUMNS " FROM jobs"
                            " WHERE (?1 IS NULL OR state = ?1) AND (?2 IS NULL OR kind = ?2)"
                            " AND (?3 = 0 OR id < ?3) ORDER BY id DESC LIMIT ?4";
    int status = statement_prepare(store, sql, "list the jobs", ret, error);
    if (status < 0)
        return status;
    bind_text(ret, filter->state < 0 ? NULL : job_state_name((enum job_state)filter->state));
    bind_text(ret, filter->kind);
    bind_integer(ret, filter->before);
    bind_integer(ret, filter->limit);
    return 0;
}

int store_job_list(struct store *store, const struct job_filter *filter, struct stored_jobs *ret,
                   struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_jobs_clear) struct stored_jobs jobs = {0};
    _cleanup_statement_ struct statement statement = {0};

    int status = prepare_list(store, filter, &statement, error);
    if (status < 0)
        return status;
    while ((status = statement_step(&statement, error)) > 0) {
        struct stored_job *job = array_grow((void **)&jobs.items, &jobs.count, sizeof *job);
        if (!job)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot list the jobs: out of memory");
        status = read_job(&statement, job, error);
        if (status < 0)
            return status;
    }
    if (status < 0)
        return status;
    *ret = jobs;
    memset(&jobs, 0, sizeof jobs);
    return 0;
}

int store_job_counts(struct store *store, uint64_t ret_counts[JOB_STATE_COUNT],
                     struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store, "SELECT state, count(*) FROM jobs GROUP BY state",
                                   "count the jobs", &statement, error);
    if (status < 0)
        return status;
    memset(ret_counts, 0, JOB_STATE_COUNT * sizeof *ret_counts);
    while ((status = statement_step(&statement, error)) > 0) {
        char name[32];
        enum job_state state;
        read_string(&statement, name, sizeof name);
        if (job_state_from_name(name, &state))
            ret_counts[state] = (uint64_t)read_integer(&statement);
    }
    return status;
}

/* Runs a bound UPDATE of one job. */
static int update_job(struct statement *statement, int64_t id, struct culprit_error *error)
{
    bind_integer(statement, id);
    int status = statement_run(statement, error);
    if (status == 0 && database_changes(statement->store) == 0)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "there is no job %lld", (long long)id);
    return status;
}

int store_job_set_state(struct store *store, int64_t id, enum job_state state, const char *message,
                        struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int64_t now = (int64_t)clock_realtime(store->clock);
    int status = statement_prepare(
        store,
        "UPDATE jobs SET state = ?, message = ?,"
        " started_ns = CASE WHEN ? AND started_ns = 0 THEN ? ELSE started_ns END,"
        " finished_ns = CASE WHEN ? THEN ? ELSE 0 END WHERE id = ?",
        "set the job's state", &statement, error);
    if (status < 0)
        return status;
    bind_text(&statement, job_state_name(state));
    bind_text(&statement, message ? message : "");
    bind_integer(&statement, state == JOB_PREPARING || state == JOB_RUNNING);
    bind_integer(&statement, now);
    bind_integer(&statement, job_state_final(state));
    bind_integer(&statement, now);
    return update_job(&statement, id, error);
}

int store_job_set_engine(struct store *store, int64_t id, enum engine engine, unsigned shift,
                         int second_shift, struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store,
                                   "UPDATE jobs SET engine = ?, shift = ?, second_shift = ?"
                                   " WHERE id = ?",
                                   "set the job's engine", &statement, error);
    if (status < 0)
        return status;
    bind_text(&statement, engine_name(engine));
    bind_integer(&statement, shift);
    bind_integer(&statement, second_shift);
    return update_job(&statement, id, error);
}

int store_job_set_progress(struct store *store, int64_t id, const char *progress,
                           struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store, "UPDATE jobs SET progress = ? WHERE id = ?",
                                   "keep the job's progress", &statement, error);
    if (status < 0)
        return status;
    bind_text(&statement, progress);
    return update_job(&statement, id, error);
}

int store_job_set_result(struct store *store, int64_t id, const char *verdict, const char *result,
                         struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store, "UPDATE jobs SET verdict = ?, result = ? WHERE id = ?",
                                   "keep the job's verdict", &statement, error);
    if (status < 0)
        return status;
    bind_text(&statement, verdict);
    bind_text(&statement, result);
    return update_job(&statement, id, error);
}

int store_job_request_cancel(struct store *store, int64_t id, struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store, "UPDATE jobs SET cancel_requested = 1 WHERE id = ?",
                                   "cancel the job", &statement, error);
    if (status < 0)
        return status;
    return update_job(&statement, id, error);
}
