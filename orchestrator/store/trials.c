/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trials with their samples, and the leases of work in flight. */
#include <string.h>

#include "store/database.h"
#include "store/facts.h"

void stored_trial_clear(struct stored_trial *trial)
{
    free(trial->purpose);
    free(trial->message);
    free(trial->evidence);
    free(trial->identity);
    free(trial->topology);
    *trial = (struct stored_trial){0};
}

void stored_trials_clear(struct stored_trials *trials)
{
    for (size_t i = 0; i < trials->count; i++)
        stored_trial_clear(&trials->items[i]);
    free(trials->items);
    *trials = (struct stored_trials){0};
}

void stored_samples_clear(struct stored_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        free(samples->items[i].name);
        free(samples->items[i].unit);
        free(samples->items[i].better);
    }
    free(samples->items);
    *samples = (struct stored_samples){0};
}

static int next_number(struct store *store, int64_t job, unsigned *ret, struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store,
                                   "SELECT coalesce(max(number), 0) + 1 FROM trials WHERE job = ?",
                                   "number the trial", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, job);
    status = statement_step(&statement, error);
    if (status < 0)
        return status;
    *ret = (unsigned)read_integer(&statement);
    return 0;
}

static int insert_trial(struct store *store, int64_t job, unsigned number,
                        const struct stored_trial *trial, struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(
        store,
        "INSERT INTO trials (job, number, commit_number, purpose, position, attempt, seed, build,"
        " outcome, message, digest, console, records, identity, topology, wall_ns, finished_ns,"
        " event, evidence)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "keep the trial", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, job);
    bind_integer(&statement, number);
    bind_integer(&statement, trial->commit);
    bind_text(&statement, trial->purpose);
    bind_integer(&statement, trial->index);
    bind_integer(&statement, trial->attempt);
    bind_integer(&statement, (int64_t)trial->seed);
    bind_integer(&statement, trial->build);
    bind_text(&statement, outcome_name(trial->outcome));
    bind_text(&statement, trial->message ? trial->message : "");
    bind_text(&statement, trial->digest);
    bind_text(&statement, trial->console);
    bind_text(&statement, trial->records);
    bind_text(&statement, trial->identity ? trial->identity : "{}");
    bind_text(&statement, trial->topology ? trial->topology : "{}");
    bind_integer(&statement, (int64_t)trial->wall_ns);
    bind_integer(&statement, (int64_t)clock_realtime(store->clock));
    if (trial->observed)
        bind_integer(&statement, trial->failed);
    else
        bind_null(&statement);
    bind_text(&statement, trial->evidence ? trial->evidence : "");
    return statement_run(&statement, error);
}

static int insert_samples(struct store *store, int64_t job, unsigned number,
                          const struct stored_sample *samples, size_t count,
                          struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store,
                                   "INSERT INTO samples (job, trial, position, name, unit, better,"
                                   " workload, value, counter) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                   "keep the trial's samples", &statement, error);
    for (size_t i = 0; status == 0 && i < count; i++) {
        statement_again(&statement);
        bind_integer(&statement, job);
        bind_integer(&statement, number);
        bind_integer(&statement, (int64_t)i);
        bind_text(&statement, samples[i].name);
        bind_text(&statement, samples[i].unit);
        bind_text(&statement, samples[i].better);
        bind_integer(&statement, samples[i].index);
        bind_real(&statement, samples[i].value);
        bind_integer(&statement, samples[i].counter);
        status = statement_run(&statement, error);
    }
    return status;
}

int store_trial_add(struct store *store, int64_t job, const struct stored_trial *trial,
                    const struct stored_sample *samples, size_t sample_count, unsigned *ret_number,
                    struct culprit_error *error)
{
    CULPRIT_CLEANUP(scope_rollback) struct scope scope = {0};
    unsigned number = 0;

    int status = scope_begin(store, &scope, error);
    if (status == 0)
        status = next_number(store, job, &number, error);
    if (status == 0)
        status = insert_trial(store, job, number, trial, error);
    if (status == 0)
        status = insert_samples(store, job, number, samples, sample_count, error);
    if (status == 0)
        status = scope_end(&scope, error);
    if (status < 0)
        return status;
    *ret_number = number;
    return 0;
}

#define TRIAL_COLUMNS                                                                           \
    "number, commit_number, purpose, position, attempt, seed, build, outcome, message, digest," \
    " console, records, identity, topology, wall_ns, finished_ns, coalesce(event, -1), evidence"

static int read_trial(struct statement *statement, struct stored_trial *ret,
                      struct culprit_error *error)
{
    char outcome[32];
    int64_t event;

    ret->number = (unsigned)read_integer(statement);
    ret->commit = (unsigned)read_integer(statement);
    ret->purpose = read_text(statement);
    ret->index = (unsigned)read_integer(statement);
    ret->attempt = (unsigned)read_integer(statement);
    ret->seed = (uint64_t)read_integer(statement);
    ret->build = read_integer(statement);
    read_string(statement, outcome, sizeof outcome);
    ret->message = read_text(statement);
    read_string(statement, ret->digest, sizeof ret->digest);
    read_string(statement, ret->console, sizeof ret->console);
    read_string(statement, ret->records, sizeof ret->records);
    ret->identity = read_text(statement);
    ret->topology = read_text(statement);
    ret->wall_ns = (uint64_t)read_integer(statement);
    ret->finished_ns = (uint64_t)read_integer(statement);
    event = read_integer(statement);
    ret->observed = event >= 0;
    ret->failed = event > 0;
    ret->evidence = read_text(statement);
    if (!outcome_from_name(outcome, &ret->outcome))
        return culprit_fail(error, CULPRIT_INTERNAL,
                            "the store's trial %u has the unknown outcome '%s'", ret->number,
                            outcome);
    return statement_status(statement, error);
}

int store_trials_get(struct store *store, int64_t job, struct stored_trials *ret,
                     struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_trials_clear) struct stored_trials trials = {0};
    _cleanup_statement_ struct statement statement = {0};

    int status = statement_prepare(
        store, "SELECT " TRIAL_COLUMNS " FROM trials WHERE job = ? ORDER BY number",
        "read the job's trials", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, job);
    while ((status = statement_step(&statement, error)) > 0) {
        struct stored_trial *trial = array_grow((void **)&trials.items, &trials.count,
                                                sizeof *trial);
        if (!trial)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read trials: out of memory");
        status = read_trial(&statement, trial, error);
        if (status < 0)
            return status;
    }
    if (status < 0)
        return status;
    *ret = trials;
    memset(&trials, 0, sizeof trials);
    return 0;
}

int store_trial_get(struct store *store, int64_t job, unsigned number, struct stored_trial *ret,
                    struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_trial_clear) struct stored_trial trial = {0};
    _cleanup_statement_ struct statement statement = {0};

    int status = statement_prepare(
        store, "SELECT " TRIAL_COLUMNS " FROM trials WHERE job = ? AND number = ?",
        "read the trial", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, job);
    bind_integer(&statement, number);
    status = statement_step(&statement, error);
    if (status == 0)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "job %lld has no trial %u", (long long)job,
                            number);
    if (status > 0)
        status = read_trial(&statement, &trial, error);
    if (status < 0)
        return status;
    *ret = trial;
    memset(&trial, 0, sizeof trial);
    return 0;
}

static int read_sample(struct statement *statement, struct stored_sample *ret,
                       struct culprit_error *error)
{
    ret->trial = (unsigned)read_integer(statement);
    ret->name = read_text(statement);
    ret->unit = read_text(statement);
    ret->better = read_text(statement);
    ret->index = (unsigned)read_integer(statement);
    ret->value = read_real(statement);
    ret->counter = read_integer(statement) != 0;
    return statement_status(statement, error);
}

int store_samples_get(struct store *store, int64_t job, unsigned number, struct stored_samples *ret,
                      struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_samples_clear) struct stored_samples samples = {0};
    _cleanup_statement_ struct statement statement = {0};

    int status = statement_prepare(store,
                                   "SELECT trial, name, unit, better, workload, value, counter"
                                   " FROM samples WHERE job = ?1 AND (?2 = 0 OR trial = ?2)"
                                   " ORDER BY trial, position",
                                   "read the job's samples", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, job);
    bind_integer(&statement, number);
    while ((status = statement_step(&statement, error)) > 0) {
        struct stored_sample *sample = array_grow((void **)&samples.items, &samples.count,
                                                  sizeof *sample);
        if (!sample)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read samples: out of memory");
        status = read_sample(&statement, sample, error);
        if (status < 0)
            return status;
    }
    if (status < 0)
        return status;
    *ret = samples;
    memset(&samples, 0, sizeof samples);
    return 0;
}
