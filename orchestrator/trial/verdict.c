/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

static void say(struct verdict *verdict, enum outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void say(struct verdict *verdict, enum outcome outcome, const char *format, ...)
{
    va_list arguments;

    verdict->outcome = outcome;
    va_start(arguments, format);
    vsnprintf(verdict->message, sizeof verdict->message, format, arguments);
    va_end(arguments);
}

/* "before its agent reported", "while workload wakeup ran": where the guest was when it ended. */
static void describe_progress(const struct guest_report *report, char text[160])
{
    if (report->stage == STAGE_NOTHING)
        snprintf(text, 160, "before the agent's first record");
    else if (report->stage == STAGE_HELLO)
        snprintf(text, 160, "while the agent described the guest");
    else if (report->stage == STAGE_END)
        snprintf(text, 160, "after the last record");
    else if (report->started.count > report->finished)
        snprintf(text, 160, "while workload %.96s ran", report->started.items[report->finished]);
    else
        snprintf(text, 160, "between two workloads");
}

static const char *or_plain(const char *reason, const char *plain)
{
    return *reason ? reason : plain;
}

/* PID 1 is the agent: when it dies, the kernel panics, and the kernel is not to blame. */
static bool agent_died(const struct guest_run *run)
{
    return strstr(run->reason, "Attempted to kill init") != NULL ||
           strstr(run->reason, "No working init found") != NULL;
}

static void judge_crash(const struct guest_run *run, const struct guest_report *report,
                        struct verdict *ret)
{
    enum outcome outcome = report->stage == STAGE_NOTHING ? OUTCOME_BOOT_FAILED
                                                          : OUTCOME_KERNEL_CRASHED;
    const char *what = run->end == GUEST_PANICKED ? "panicked" : "locked up";
    char progress[160];

    describe_progress(report, progress);
    if (agent_died(run))
        say(ret, report->stage == STAGE_NOTHING ? OUTCOME_BOOT_FAILED : OUTCOME_WORKLOAD_FAILED,
            "the agent in the guest died %s: %.300s", progress, run->reason);
    else
        say(ret, outcome, "the kernel %s %s: %.300s", what, progress,
            or_plain(run->reason, "its console does not say why"));
}

static void judge_deadline(const struct guest_run *run, const struct guest_report *report,
                           struct verdict *ret)
{
    char progress[160];
    char time[UNITS_TEXT_SIZE];

    describe_progress(report, progress);
    say(ret, OUTCOME_TIMED_OUT, "the guest was stopped at its deadline, after %s, %s",
        format_duration_short(run->wall_ns, time), progress);
}

static void judge_flood(const struct guest_run *run, const struct guest_report *report,
                        struct verdict *ret)
{
    enum outcome outcome = report->stage == STAGE_NOTHING ? OUTCOME_BOOT_FAILED
                                                          : OUTCOME_WORKLOAD_FAILED;
    const char *port = run->end == GUEST_CONSOLE_LIMIT ? "console" : "result port";
    char progress[160];

    describe_progress(report, progress);
    say(ret, outcome, "the guest was stopped %s: it wrote more to its %s than is allowed", progress,
        port);
}

/* The guest went down by itself without having come to the end of its plan. */
static void judge_early_end(const struct guest_run *run, const struct guest_report *report,
                            struct verdict *ret)
{
    char progress[160];

    describe_progress(report, progress);
    if (report->stage == STAGE_NOTHING)
        say(ret, OUTCOME_BOOT_FAILED, "the guest went down %s%s%.300s", progress,
            *run->reason ? ": " : "", run->reason);
    else
        say(ret, OUTCOME_WORKLOAD_FAILED,
            "the guest went down %s, without its end record (%zu records%s)%s%.300s", progress,
            report->record_count, report->cut_line ? ", the last one cut short" : "",
            *run->reason ? ": " : "", run->reason);
}

static bool judge_end(const struct guest_run *run, const struct guest_report *report,
                      struct verdict *ret)
{
    switch (run->end) {
    case GUEST_CANCELLED:
        say(ret, OUTCOME_CANCELLED, "the trial was cancelled");
        return true;
    case GUEST_VANISHED:
        say(ret, OUTCOME_INFRA_FAILED, "QEMU ended by itself: %.400s",
            or_plain(run->reason, "no reason is known"));
        return true;
    case GUEST_PANICKED:
    case GUEST_LOCKED_UP:
        judge_crash(run, report, ret);
        return true;
    case GUEST_DEADLINE:
        judge_deadline(run, report, ret);
        return true;
    case GUEST_CONSOLE_LIMIT:
        judge_flood(run, report, ret);
        return true;
    case GUEST_RECORDS_LIMIT:
    case GUEST_POWERED_OFF:
        return false;
    }
    say(ret, OUTCOME_INFRA_FAILED, "the guest ended in a way that is not known (%d)",
        (int)run->end);
    return true;
}

/* Is it the kernel, the plan and the machine that were asked for? */
static bool judge_identity(const struct trial_spec *spec, const char *cmdline,
                           const struct guest_report *report, struct verdict *ret)
{
    const struct guest_hello *hello = &report->hello;
    char asked[UNITS_TEXT_SIZE];
    char seen[UNITS_TEXT_SIZE];

    if (hello->protocol != 1)
        say(ret, OUTCOME_BOOT_FAILED,
            "the agent in the guest image speaks protocol %u, and 1 is needed: build the image "
            "anew",
            hello->protocol);
    else if (spec->build_id && *spec->build_id && strcmp(spec->build_id, hello->build_id) != 0)
        say(ret, OUTCOME_INFRA_FAILED,
            "another kernel booted than the one built: build id asked %.64s, seen %.64s",
            spec->build_id, or_plain(hello->build_id, "none"));
    else if (hello->seed != spec->seed && report->failure_index != FAILURE_IN_SETUP)
        say(ret, OUTCOME_INFRA_FAILED,
            "the agent carried out another plan: seed asked %llu, seen "
            "%llu",
            (unsigned long long)spec->seed, (unsigned long long)hello->seed);
    else if (!strstr(hello->cmdline, cmdline))
        say(ret, OUTCOME_BOOT_FAILED,
            "the kernel's command line is not the one asked for: asked \"%.200s\", seen \"%.200s\"",
            cmdline, hello->cmdline);
    else if (hello->memory > spec->memory || hello->memory < spec->memory / 2)
        say(ret, OUTCOME_BOOT_FAILED,
            "the guest's memory is not what was asked for: asked %s, "
            "seen %s",
            format_size(spec->memory, asked), format_size(hello->memory, seen));
    else
        return false;
    return true;
}

static bool judge_layout(const struct guest_report *report,
                         const struct topology_comparison *comparison, struct verdict *ret)
{
    char differences[400];

    if (!report->described || topology_comparison_same(comparison))
        return false;
    topology_comparison_describe(comparison, differences, sizeof differences);
    say(ret, OUTCOME_BOOT_FAILED, "the guest is not laid out as asked: %s", differences);
    return true;
}

static const char *workload_name(const struct trial_spec *spec, size_t index)
{
    return index < spec->workload_count ? spec->workloads[index].schema->name : "";
}

/* A metric must be one that its workload gives, with that unit and direction. */
static bool metric_is_known(const struct workload_schema *workload,
                            const struct metric_value *metric)
{
    const struct metric_schema *known = workload_metric_find(workload, metric->name);
    size_t prefix = strlen(workload->name);

    if (known)
        return metric->better == known->better && strcmp(metric->unit, known->unit) == 0;
    return workload->open_metrics && strncmp(metric->name, workload->name, prefix) == 0 &&
           metric->name[prefix] == '.';
}

static bool judge_metrics(const struct trial_spec *spec, const struct guest_report *report,
                          struct verdict *ret)
{
    for (size_t i = 0; i < report->metric_count; i++) {
        const struct metric_value *metric = &report->metrics[i];

        if (metric->counter || (metric->index < spec->workload_count &&
                                metric_is_known(spec->workloads[metric->index].schema, metric)))
            continue;
        say(ret, OUTCOME_WORKLOAD_FAILED,
            "workload %s reports a metric that it does not give: %s (%s)",
            workload_name(spec, metric->index), metric->name, metric->unit);
        return true;
    }
    return false;
}

static bool judge_workloads(const struct trial_spec *spec, const struct guest_report *report,
                            struct verdict *ret)
{
    for (size_t i = 0; i < report->started.count; i++) {
        if (strcmp(report->started.items[i], workload_name(spec, i)) == 0)
            continue;
        say(ret, OUTCOME_INFRA_FAILED,
            "the agent carried out another plan: workload %zu asked %s, seen %.96s", i,
            or_plain(workload_name(spec, i), "none"), report->started.items[i]);
        return true;
    }
    if (report->finished == spec->workload_count)
        return judge_metrics(spec, report, ret);
    say(ret, OUTCOME_WORKLOAD_FAILED, "the agent finished %zu of %zu workloads", report->finished,
        spec->workload_count);
    return true;
}

static void judge_failure(const struct trial_spec *spec, const struct guest_report *report,
                          struct verdict *ret)
{
    const char *workload = workload_name(spec, report->failure_index);

    ret->by_workload = *workload != '\0';
    if (ret->by_workload)
        say(ret, OUTCOME_WORKLOAD_FAILED, "workload %s failed: %.400s", workload, report->failure);
    else
        say(ret, OUTCOME_WORKLOAD_FAILED, "the agent could not carry out the plan: %.400s",
            report->failure);
}

void verdict_reach(const struct trial_spec *spec, const char *cmdline, const struct guest_run *run,
                   const struct guest_report *report, const struct topology_comparison *comparison,
                   struct verdict *ret)
{
    memset(ret, 0, sizeof *ret);
    if (judge_end(run, report, ret))
        return;
    if (*report->fault) {
        say(ret, OUTCOME_INFRA_FAILED, "the guest's result port is garbled: %.440s", report->fault);
        return;
    }
    if (report->stage >= STAGE_HELLO && judge_identity(spec, cmdline, report, ret))
        return;
    if (judge_layout(report, comparison, ret))
        return;
    if (report->failed)
        judge_failure(spec, report, ret);
    else if (run->end == GUEST_RECORDS_LIMIT)
        judge_flood(run, report, ret);
    else if (report->stage != STAGE_END)
        judge_early_end(run, report, ret);
    else if (!judge_workloads(spec, report, ret))
        ret->outcome = OUTCOME_OK;
}
