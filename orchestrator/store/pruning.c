/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commits of a job that cannot change the image. */
#include <string.h>

#include "store/database.h"
#include "store/facts.h"

void stored_pruning_clear(struct stored_pruning *pruning)
{
    free(pruning->note);
    free(pruning->items);
    *pruning = (struct stored_pruning){0};
}

static int put_note(struct store *store, int64_t job, const char *note, struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store,
                                   "UPDATE jobs SET pruning = ? WHERE id = ? AND pruning IS NULL",
                                   "keep what a job need not build", &statement, error);
    if (status < 0)
        return status;
    bind_text(&statement, note ? note : "");
    bind_integer(&statement, job);
    status = statement_run(&statement, error);
    if (status < 0)
        return status;
    if (database_changes(store) != 1)
        return culprit_fail(error, CULPRIT_CONFLICT,
                            "what job %lld need not build is known already", (long long)job);
    return 0;
}

static int put_item(struct statement *insert, int64_t job, const struct stored_pruned *pruned,
                    struct culprit_error *error)
{
    statement_again(insert);
    bind_integer(insert, job);
    bind_integer(insert, pruned->commit);
    bind_text(insert, pruned->reason);
    return statement_run(insert, error);
}

int store_pruning_put(struct store *store, int64_t job, const struct stored_pruning *pruning,
                      struct culprit_error *error)
{
    CULPRIT_CLEANUP(scope_rollback) struct scope scope = {0};
    _cleanup_statement_ struct statement insert = {0};

    int status = scope_begin(store, &scope, error);
    if (status == 0)
        status = put_note(store, job, pruning->note, error);
    if (status == 0)
        status = statement_prepare(store,
                                   "INSERT INTO pruned (job, commit_number, reason)"
                                   " VALUES (?, ?, ?)",
                                   "keep what a job need not build", &insert, error);
    for (size_t i = 0; status == 0 && i < pruning->count; i++)
        status = put_item(&insert, job, &pruning->items[i], error);
    if (status < 0)
        return status;
    statement_again(&insert);
    return scope_end(&scope, error);
}

static int get_note(struct store *store, int64_t job, struct stored_pruning *ret,
                    struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store,
                                   "SELECT pruning FROM jobs WHERE id = ?"
                                   " AND pruning IS NOT NULL",
                                   "read what a job need not build", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, job);
    status = statement_step(&statement, error);
    if (status <= 0)
        return status;
    ret->known = true;
    ret->note = read_text(&statement);
    return statement_status(&statement, error);
}

static int get_items(struct store *store, int64_t job, struct stored_pruning *ret,
                     struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store,
                                   "SELECT commit_number, reason FROM pruned WHERE job = ?"
                                   " ORDER BY commit_number",
                                   "read what a job need not build", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, job);
    while ((status = statement_step(&statement, error)) > 0) {
        struct stored_pruned *item = array_grow((void **)&ret->items, &ret->count, sizeof *item);
        if (!item)
            return culprit_fail(error, CULPRIT_NO_MEMORY,
                                "cannot read what a job need not build: out of memory");
        item->commit = (unsigned)read_integer(&statement);
        read_string(&statement, item->reason, sizeof item->reason);
    }
    return status < 0 ? status : statement_status(&statement, error);
}

int store_pruning_get(struct store *store, int64_t job, struct stored_pruning *ret,
                      struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_pruning_clear) struct stored_pruning pruning = {0};

    int status = get_note(store, job, &pruning, error);
    if (status == 0 && pruning.known)
        status = get_items(store, job, &pruning, error);
    if (status < 0)
        return status;
    *ret = pruning;
    memset(&pruning, 0, sizeof pruning);
    return 0;
}
