/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commits of a job's range. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/units.h"
#include "store/database.h"
#include "store/facts.h"

/* A merge of 10,000 branches is none. */
enum { PARENTS_TEXT_MAXIMUM = 64 * 1024 };

static void stored_commit_clear(struct stored_commit *commit)
{
    free(commit->subject);
    free(commit->author);
    free(commit->parents);
}

void stored_commits_clear(struct stored_commits *commits)
{
    for (size_t i = 0; i < commits->count; i++)
        stored_commit_clear(&commits->items[i]);
    free(commits->items);
    *commits = (struct stored_commits){0};
}

static int put_commit(struct statement *insert, int64_t job, const struct stored_commit *commit,
                      struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer parents = BUFFER_INIT(PARENTS_TEXT_MAXIMUM);

    for (unsigned i = 0; i < commit->parent_count; i++)
        buffer_printf(&parents, "%s%u", i ? " " : "", commit->parents[i]);
    int status = buffer_status(&parents, "the commit's parents", error);
    if (status < 0)
        return status;

    statement_again(insert);
    bind_integer(insert, job);
    bind_integer(insert, commit->number);
    bind_text(insert, commit->id);
    bind_text(insert, commit->subject ? commit->subject : "");
    bind_text(insert, commit->author ? commit->author : "");
    bind_integer(insert, (int64_t)commit->author_time);
    bind_text(insert, parents.data ? parents.data : "");
    return statement_run(insert, error);
}

static int put_good_asked(struct store *store, int64_t job, const struct stored_commits *commits,
                          struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store, "UPDATE jobs SET good_asked = ? WHERE id = ?",
                                   "keep the job's range", &statement, error);
    if (status < 0)
        return status;
    bind_text(&statement, commits->good_is_merge_base ? commits->good_asked : NULL);
    bind_integer(&statement, job);
    return statement_run(&statement, error);
}

int store_commits_put(struct store *store, int64_t job, const struct stored_commits *commits,
                      struct culprit_error *error)
{
    CULPRIT_CLEANUP(scope_rollback) struct scope scope = {0};
    _cleanup_statement_ struct statement insert = {0};

    int status = scope_begin(store, &scope, error);
    if (status == 0)
        status = put_good_asked(store, job, commits, error);
    if (status == 0)
        status = statement_prepare(store,
                                   "INSERT INTO commits (job, number, id, subject, author,"
                                   " author_time, parents) VALUES (?, ?, ?, ?, ?, ?, ?)",
                                   "keep the job's commits", &insert, error);
    for (size_t i = 0; status == 0 && i < commits->count; i++)
        status = put_commit(&insert, job, &commits->items[i], error);
    if (status < 0)
        return status;
    statement_again(&insert);
    return scope_end(&scope, error);
}

static int parse_parents(const char *text, struct stored_commit *ret, struct culprit_error *error)
{
    for (const char *at = text; *at;) {
        char *end;
        unsigned long number = strtoul(at, &end, 10);
        if (end == at || number > UINT32_MAX)
            return culprit_fail(error, CULPRIT_INTERNAL,
                                "the store's commit %s has parents '%s', which is no list", ret->id,
                                text);
        size_t count = ret->parent_count;
        unsigned *parent = array_grow((void **)&ret->parents, &count, sizeof *parent);
        if (!parent)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read commits: out of memory");
        *parent = (unsigned)number;
        ret->parent_count = (unsigned)count;
        at = *end == ' ' ? end + 1 : end;
    }
    return 0;
}

static int read_commit(struct statement *statement, struct stored_commit *ret,
                       struct culprit_error *error)
{
    ret->number = (unsigned)read_integer(statement);
    read_string(statement, ret->id, sizeof ret->id);
    ret->subject = read_text(statement);
    ret->author = read_text(statement);
    ret->author_time = (uint64_t)read_integer(statement);
    _cleanup_free_ char *parents = read_text(statement);
    int status = statement_status(statement, error);
    if (status < 0)
        return status;
    return parse_parents(parents ? parents : "", ret, error);
}

static int read_good_asked(struct store *store, int64_t job, struct stored_commits *ret,
                           struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store, "SELECT good_asked FROM jobs WHERE id = ?",
                                   "read the job's range", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, job);
    status = statement_step(&statement, error);
    if (status <= 0)
        return status;
    read_string(&statement, ret->good_asked, sizeof ret->good_asked);
    ret->good_is_merge_base = ret->good_asked[0] != '\0';
    return 0;
}

int store_commits_get(struct store *store, int64_t job, struct stored_commits *ret,
                      struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_commits_clear) struct stored_commits commits = {0};
    _cleanup_statement_ struct statement statement = {0};

    int status = read_good_asked(store, job, &commits, error);
    if (status == 0)
        status = statement_prepare(store,
                                   "SELECT number, id, subject, author, author_time, parents"
                                   " FROM commits WHERE job = ? ORDER BY number",
                                   "read the job's commits", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, job);
    while ((status = statement_step(&statement, error)) > 0) {
        struct stored_commit *commit = array_grow((void **)&commits.items, &commits.count,
                                                  sizeof *commit);
        if (!commit)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read commits: out of memory");
        status = read_commit(&statement, commit, error);
        if (status < 0)
            return status;
    }
    if (status < 0)
        return status;
    *ret = commits;
    memset(&commits, 0, sizeof commits);
    return 0;
}
