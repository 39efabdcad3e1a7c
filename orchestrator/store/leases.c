/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work in flight. */
#include "store/database.h"
#include "store/facts.h"

int store_lease_take(struct store *store, struct lease *lease, struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store,
                                   "INSERT INTO leases (job, kind, commit_number, purpose,"
                                   " position, attempt, taken_ns) VALUES (?, ?, ?, ?, ?, ?, ?)",
                                   "start the work", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, lease->job);
    bind_integer(&statement, lease->kind);
    bind_integer(&statement, lease->commit);
    bind_integer(&statement, lease->purpose);
    bind_integer(&statement, lease->index);
    bind_integer(&statement, lease->attempt);
    bind_integer(&statement, (int64_t)clock_realtime(store->clock));
    status = statement_run(&statement, error);
    if (status < 0)
        return status;
    lease->fence = sqlite3_last_insert_rowid(store->connection);
    return 0;
}

int store_lease_end(struct store *store, int64_t fence, struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store, "DELETE FROM leases WHERE fence = ?", "end the work",
                                   &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, fence);
    status = statement_run(&statement, error);
    if (status == 0 && database_changes(store) == 0)
        return culprit_fail(error, CULPRIT_CONFLICT,
                            "the work with fencing number %lld was given up", (long long)fence);
    return status;
}

int store_leases_void(struct store *store, unsigned *ret_count, struct culprit_error *error)
{
    int status = database_execute(store, "DELETE FROM leases", "void the work in flight", error);
    if (status < 0)
        return status;
    *ret_count = (unsigned)database_changes(store);
    return 0;
}
