/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/calibrations.h"

#include <string.h>

#include "store/database.h"

void stored_calibration_clear(struct stored_calibration *calibration)
{
    free(calibration->metric);
    free(calibration->document);
    *calibration = (struct stored_calibration){0};
}

void stored_calibrations_clear(struct stored_calibrations *calibrations)
{
    for (size_t i = 0; i < calibrations->count; i++)
        stored_calibration_clear(&calibrations->items[i]);
    free(calibrations->items);
    *calibrations = (struct stored_calibrations){0};
}

static int remove_older(struct store *store, const struct stored_calibration *draft,
                        struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store, "DELETE FROM calibrations WHERE setup = ? AND metric = ?",
                                   "replace the calibration", &statement, error);
    if (status < 0)
        return status;
    bind_text(&statement, draft->setup);
    bind_text(&statement, draft->metric);
    return statement_run(&statement, error);
}

static int check_room(struct store *store, struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store, "SELECT count(*) FROM calibrations",
                                   "count the calibrations", &statement, error);
    if (status == 0)
        status = statement_step(&statement, error);
    if (status < 0)
        return status;
    if (read_integer(&statement) >= STORE_CALIBRATIONS_MAXIMUM)
        return culprit_fail(error, CULPRIT_CONFLICT,
                            "there are %d calibrations already: remove those that are not needed",
                            STORE_CALIBRATIONS_MAXIMUM);
    return 0;
}

static int insert(struct store *store, const struct stored_calibration *draft, int64_t *ret_id,
                  struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store,
                                   "INSERT INTO calibrations (setup, metric, document, created_ns)"
                                   " VALUES (?, ?, ?, ?)",
                                   "keep the calibration", &statement, error);
    if (status < 0)
        return status;
    bind_text(&statement, draft->setup);
    bind_text(&statement, draft->metric);
    bind_text(&statement, draft->document);
    bind_integer(&statement, (int64_t)clock_realtime(store->clock));
    status = statement_run(&statement, error);
    if (status == 0)
        *ret_id = sqlite3_last_insert_rowid(store->connection);
    return status;
}

int store_calibration_put(struct store *store, const struct stored_calibration *draft,
                          int64_t *ret_id, struct culprit_error *error)
{
    CULPRIT_CLEANUP(scope_rollback) struct scope scope = {0};

    int status = scope_begin(store, &scope, error);
    if (status == 0)
        status = remove_older(store, draft, error);
    if (status == 0)
        status = check_room(store, error);
    if (status == 0)
        status = insert(store, draft, ret_id, error);
    return status < 0 ? status : scope_end(&scope, error);
}

#define CALIBRATION_COLUMNS "id, setup, metric, document, created_ns"

static int read_calibration(struct statement *statement, struct stored_calibration *ret,
                            struct culprit_error *error)
{
    ret->id = read_integer(statement);
    read_string(statement, ret->setup, sizeof ret->setup);
    ret->metric = read_text(statement);
    ret->document = read_text(statement);
    ret->created_ns = (uint64_t)read_integer(statement);
    return statement_status(statement, error);
}

/* The one row of a bound statement: 1, or 0 when there is none. */
static int read_one(struct statement *statement, struct stored_calibration *ret,
                    struct culprit_error *error)
{
    *ret = (struct stored_calibration){0};
    int status = statement_step(statement, error);
    if (status <= 0)
        return status;
    status = read_calibration(statement, ret, error);
    if (status < 0)
        stored_calibration_clear(ret);
    return status < 0 ? status : 1;
}

int store_calibration_get(struct store *store, int64_t id, struct stored_calibration *ret,
                          struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store,
                                   "SELECT " CALIBRATION_COLUMNS " FROM calibrations WHERE id = ?",
                                   "read the calibration", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, id);
    status = read_one(&statement, ret, error);
    if (status == 0)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "there is no calibration %lld",
                            (long long)id);
    return status < 0 ? status : 0;
}

int store_calibration_find(struct store *store, const char *setup, const char *metric,
                           struct stored_calibration *ret, struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store,
                                   "SELECT " CALIBRATION_COLUMNS " FROM calibrations"
                                   " WHERE setup = ? AND metric = ?",
                                   "look for a calibration", &statement, error);
    if (status < 0)
        return status;
    bind_text(&statement, setup);
    bind_text(&statement, metric);
    status = read_one(&statement, ret, error);
    if (status == 0)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "no calibration of %s in this setup", metric);
    return status < 0 ? status : 0;
}

int store_calibration_remove(struct store *store, int64_t id, struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store, "DELETE FROM calibrations WHERE id = ?",
                                   "remove the calibration", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, id);
    status = statement_run(&statement, error);
    if (status == 0 && database_changes(store) == 0)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "there is no calibration %lld",
                            (long long)id);
    return status;
}

int store_calibrations_list(struct store *store, struct stored_calibrations *ret,
                            struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_calibrations_clear) struct stored_calibrations list = {0};
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(
        store, "SELECT " CALIBRATION_COLUMNS " FROM calibrations ORDER BY id DESC",
        "list the calibrations", &statement, error);
    if (status < 0)
        return status;
    while ((status = statement_step(&statement, error)) > 0) {
        struct stored_calibration *item = array_grow((void **)&list.items, &list.count,
                                                     sizeof *item);
        if (!item)
            return culprit_fail(error, CULPRIT_NO_MEMORY,
                                "cannot list the calibrations: out of memory");
        status = read_calibration(&statement, item, error);
        if (status < 0)
            return status;
    }
    if (status < 0)
        return status;
    *ret = list;
    memset(&list, 0, sizeof list);
    return 0;
}

int store_job_calibration_set(struct store *store, int64_t job, const char *document,
                              struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store,
                                   "UPDATE jobs SET calibration = coalesce(calibration, ?)"
                                   " WHERE id = ?",
                                   "keep the job's calibration", &statement, error);
    if (status < 0)
        return status;
    bind_text(&statement, document ? document : "");
    bind_integer(&statement, job);
    status = statement_run(&statement, error);
    if (status == 0 && database_changes(store) == 0)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "there is no job %lld", (long long)job);
    return status;
}

int store_job_calibration_get(struct store *store, int64_t job, bool *ret_known,
                              char **ret_document, struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    _cleanup_free_ char *document = NULL;
    int status = statement_prepare(store, "SELECT calibration FROM jobs WHERE id = ?",
                                   "read the job's calibration", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, job);
    status = statement_step(&statement, error);
    if (status > 0) {
        document = read_text(&statement);
        status = statement_status(&statement, error);
    }
    if (status < 0)
        return status;
    *ret_known = document != NULL;
    *ret_document = document && *document ? take(document) : NULL;
    return 0;
}
