/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/session.h"

#include <string.h>

#include "core/random.h"
#include "core/text.h"
#include "probe/counters.h"
#include "probe/kernel.h"
#include "probe/topology.h"
#include "run/runner.h"
#include "run/settings.h"
#include "run/system.h"

enum {
    /* Rounds of the seeded busy-wait: up to about 10 ms, more than two ticks, on the slowest
     * virtual CPUs in use. */
    BURN_MAXIMUM = 400000,
    BURN_STREAM = 0x6275726e, /* "burn": keeps its random stream apart from the workloads' */
    PAIRS_MAXIMUM = 512,      /* of one histogram record */
};

struct session {
    struct record_writer *writer;
    struct plan plan;
    bool init;
    char message[RECORD_TEXT_MAXIMUM];
};

/* Always false, so that callers can return it. */
static bool fail_workload(struct session *session, size_t index, const char *reason)
{
    record_begin(session->writer, "failure");
    record_unsigned(session->writer, "index", index);
    record_text(session->writer, "reason", reason, RECORD_TEXT_MAXIMUM);
    record_finish(session->writer);
    return false;
}

static bool fail_set_up(struct session *session)
{
    return fail_workload(session, 0, session->message);
}

static bool read_plan(const char *path, char **text, struct session *session)
{
    size_t length;

    int result = text_read(path, PLAN_MAXIMUM, text, &length);
    if (result < 0) {
        text_print(session->message, sizeof(session->message), "cannot read the plan %s: %s", path,
                   strerror(-result));
        return false;
    }
    return plan_read(*text, length, &session->plan, session->message, sizeof(session->message));
}

/* Moves everything that follows against the kernel's own rhythms (ticks, balancing intervals), by
 * an amount that only the seed decides. */
static void burn(uint64_t seed)
{
    struct random random = random_stream(seed, BURN_STREAM);

    for (uint64_t rounds = random_below(&random, BURN_MAXIMUM); rounds > 0; rounds--)
        __asm__ volatile("");
}

static void report_edge(struct session *session, const char *type, size_t index)
{
    record_begin(session->writer, type);
    record_text(session->writer, "workload", session->plan.workloads[index].schema->name, 64);
    record_unsigned(session->writer, "index", index);
    record_finish(session->writer);
}

static void report_sample(struct session *session, size_t index,
                          const struct workload_sample *sample)
{
    static const char *const directions[] = {
        [BETTER_LOWER] = "lower", [BETTER_HIGHER] = "higher", [BETTER_NEITHER] = "neither"};

    record_begin(session->writer, "sample");
    record_unsigned(session->writer, "index", index);
    record_text(session->writer, "name", sample->name, sizeof(sample->name));
    record_number(session->writer, "value", sample->value);
    record_text(session->writer, "unit", sample->unit, 6 * sizeof(sample->unit));
    record_text(session->writer, "better", directions[sample->better], 16);
    record_finish(session->writer);
}

static void open_histogram(struct session *session, size_t index,
                           const struct workload_result *result)
{
    record_begin(session->writer, "histogram");
    record_unsigned(session->writer, "index", index);
    record_text(session->writer, "name", result->histogram_name, WORKLOAD_NAME_SIZE);
    record_text(session->writer, "unit", "ns", 8);
    record_pairs_begin(session->writer, "buckets");
}

static void close_histogram(struct session *session)
{
    record_pairs_end(session->writer);
    record_finish(session->writer);
}

/* In as many records as it takes. */
static void report_histogram(struct session *session, size_t index,
                             const struct workload_result *result)
{
    unsigned pairs = 0; /* in the record under construction; 0: none is */

    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        uint64_t count = result->histogram.buckets[i], bound = histogram_upper_bound(i);
        if (count == 0)
            continue;
        if (pairs > 0 && pairs < PAIRS_MAXIMUM && record_pair(session->writer, bound, count)) {
            pairs++;
            continue;
        }
        if (pairs > 0)
            close_histogram(session);
        open_histogram(session, index, result);
        record_pair(session->writer, bound, count);
        pairs = 1;
    }
    if (pairs > 0)
        close_histogram(session);
}

static void report_result(struct session *session, size_t index,
                          const struct workload_result *result)
{
    uint64_t first = result->log_count > WORKLOAD_LOG_LINES ? result->log_count - WORKLOAD_LOG_LINES
                                                            : 0;

    for (uint64_t i = first; i < result->log_count; i++)
        record_log(session->writer, result->log[i % WORKLOAD_LOG_LINES]);
    if (result->failed)
        return;
    for (size_t i = 0; i < result->sample_count; i++)
        report_sample(session, index, &result->samples[i]);
    if (result->histogram_name[0])
        report_histogram(session, index, result);
}

/* The workload between two readings of the counters. */
static bool measure(struct session *session, size_t index, struct workload_result *result)
{
    static struct counters before, after;
    const struct plan_workload *plan = &session->plan.workloads[index];
    const struct workload *workload = workload_find(plan->schema);
    struct random stream = random_stream(session->plan.seed, index);
    struct workload_context context = {plan, random_next(&stream), kernel_cpus(), result};

    report_edge(session, "start", index);
    system_drain(session->writer->fd);
    if (counters_read(&before, session->message, sizeof(session->message)) < 0)
        return fail_workload(session, index, session->message);
    runner_run(workload, &context, session->init);
    if (counters_read(&after, session->message, sizeof(session->message)) < 0)
        return fail_workload(session, index, session->message);
    report_result(session, index, result);
    if (result->failed)
        return fail_workload(session, index, result->failure);
    counters_report(session->writer, index, &before, &after);
    report_edge(session, "finish", index);
    return true;
}

static bool run_workload(struct session *session, size_t index)
{
    struct workload_result *result = runner_result_new();

    if (!result)
        return fail_workload(session, index, "no memory for the workload's results");
    bool succeeded = measure(session, index, result);
    runner_result_free(result);
    return succeeded && record_error(session->writer) == 0;
}

static bool describe(struct session *session)
{
    if (topology_report(session->writer, session->message, sizeof(session->message)) < 0)
        return fail_set_up(session);
    record_begin(session->writer, "ready");
    record_finish(session->writer);
    return true;
}

static bool run_plan(struct session *session)
{
    if (settings_apply(&session->plan, session->message, sizeof(session->message)) < 0)
        return fail_set_up(session);
    runner_prepare();
    burn(session->plan.seed);
    for (size_t i = 0; i < session->plan.workload_count; i++)
        if (!run_workload(session, i))
            return false;
    return true;
}

bool session_run(const char *plan_path, struct record_writer *writer, bool init)
{
    static struct session session;
    _cleanup_text_ char *text = NULL;

    session.writer = writer;
    session.init = init;
    bool readable = read_plan(plan_path, &text, &session);
    kernel_report(writer, session.plan.seed);
    bool succeeded = readable ? describe(&session) && run_plan(&session) : fail_set_up(&session);
    record_end(writer);
    system_drain(writer->fd);
    return succeeded && record_error(writer) == 0;
}
