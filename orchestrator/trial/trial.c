/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial/trial.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/path.h"
#include "guest/domain.h"
#include "trial/console_search.h"
#include "trial/deadline.h"
#include "trial/overlay.h"
#include "trial/plan_text.h"
#include "trial/records.h"
#include "trial/result.h"
#include "trial/verdict.h"

enum { CONSOLE_BYTES_MAXIMUM = 64 * 1024 * 1024 };

/* One trial under way; all paths lie in the specification's directory. */
struct run {
    const struct trial_spec *spec;
    struct trial_result *result;
    struct guest_run guest;
    char *overlay, *initrd, *console, *records; /* paths */
    char *plan, *cmdline;
    struct line_pattern *pattern; /* NULL: the console is not searched */
};

static void run_clear(struct run *run)
{
    trial_result_free(run->result);
    free(run->overlay);
    free(run->initrd);
    free(run->console);
    free(run->records);
    free(run->plan);
    free(run->cmdline);
    line_pattern_free(run->pattern);
}

static void run_clear_cleanup(struct run *run)
{
    run_clear(run);
}

static int check_spec(const struct trial_spec *spec, struct line_pattern **ret_pattern,
                      struct culprit_error *error)
{
    if (!spec->kernel || !spec->guest_image || !spec->topology || !spec->directory)
        return culprit_fail(error, CULPRIT_INVALID,
                            "cannot run a trial without kernel, image, topology and directory");
    if (spec->engine <= ENGINE_AUTO || spec->engine >= ENGINE_COUNT)
        return culprit_fail(error, CULPRIT_INVALID,
                            "cannot run a trial before its engine is resolved");
    if (spec->seed > INT64_MAX)
        return culprit_fail(error, CULPRIT_INVALID, "cannot run a trial: a seed is less than 2^63");
    return spec->console_pattern ? line_pattern_new(spec->console_pattern, ret_pattern, error) : 0;
}

static int begin(struct run *run, struct culprit_error *error)
{
    const struct trial_spec *spec = run->spec;

    run->result = calloc(1, sizeof *run->result);
    run->overlay = path_join(spec->directory, "plan.cpio");
    run->initrd = path_join(spec->directory, "initrd");
    run->console = path_join(spec->directory, "console.log");
    run->records = path_join(spec->directory, "records.jsonl");
    if (!run->result || !run->overlay || !run->initrd || !run->console || !run->records)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot run a trial: no memory");
    run->result->seed = spec->seed;
    run->result->engine = spec->engine;
    run->result->shift = spec->engine == ENGINE_DETERMINISTIC ? spec->shift : 0;
    return 0;
}

/* What goes into the guest: digests, plan, initramfs and command line. */
static int prepare(struct run *run, struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer plan = BUFFER_INIT(PLAN_TEXT_MAXIMUM);
    const struct trial_spec *spec = run->spec;
    int r;

    r = digest_file(spec->kernel, run->result->kernel_digest, error);
    if (r < 0)
        return r;
    r = digest_file(spec->guest_image, run->result->image_digest, error);
    if (r < 0)
        return r;
    r = plan_text_write(spec, &plan, error);
    if (r < 0)
        return r;
    run->plan = buffer_take(&plan);
    if (!run->plan)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot write the plan: no memory");
    r = guest_cmdline(spec->engine, spec->seed, spec->cmdline, &run->cmdline, error);
    if (r < 0)
        return r;
    r = overlay_write(run->overlay, run->plan, strlen(run->plan), error);
    if (r < 0)
        return r;
    return overlay_append(spec->guest_image, run->overlay, run->initrd, error);
}

static int boot(struct run *run, struct hypervisor *hypervisor, struct cancel *cancel,
                struct culprit_error *error)
{
    const struct trial_spec *spec = run->spec;
    const struct guest_definition definition = {
        .kernel = spec->kernel,
        .initrd = run->initrd,
        .cmdline = run->cmdline,
        .topology = spec->topology,
        .engine = spec->engine,
        .shift = run->result->shift,
        .memory = spec->memory,
        .seed = spec->seed,
        .console_path = run->console,
        .records_path = run->records,
        .console_maximum = CONSOLE_BYTES_MAXIMUM,
        .records_maximum = RECORD_BYTES_MAXIMUM,
        .deadline_ns = spec->deadline_ns ? spec->deadline_ns : trial_deadline(spec),
        .label = spec->label,
    };
    int r = hypervisor_run(hypervisor, &definition, cancel, &run->guest, error);

    run->result->wall_ns = run->guest.wall_ns;
    return r;
}

/* The port's bytes, at most as many as the reader takes; a guest that never opened it has none. */
static int load_records(const struct run *run, char **ret_bytes, size_t *ret_length,
                        struct culprit_error *error)
{
    struct culprit_error failure = {0};
    int r = file_read(run->records, RECORD_BYTES_MAXIMUM, ret_bytes, ret_length, &failure);

    if (r == -CULPRIT_LIMIT || r == -CULPRIT_NOT_FOUND) {
        *ret_length = 0;
        *ret_bytes = strdup("");
        return *ret_bytes
                   ? 0
                   : culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read the records: no memory");
    }
    if (r < 0 && error)
        *error = failure;
    return r;
}

/* From the port's bytes to the outcome, and what the report holds into the result. */
static int evaluate(struct run *run, struct culprit_error *error)
{
    CULPRIT_CLEANUP(guest_report_free) struct guest_report *report = NULL;
    const struct trial_identity identity = {run->spec, run->plan, run->cmdline, &run->guest};
    struct trial_result *result = run->result;
    _cleanup_free_ char *bytes = NULL;
    struct verdict verdict;
    size_t length;
    int r;

    r = load_records(run, &bytes, &length, error);
    if (r < 0)
        return r;
    r = records_read(bytes, length, &report, error);
    if (r < 0)
        return r;
    if (report->described) {
        r = topology_compare(run->spec->topology, &report->seen, &result->comparison, error);
        if (r < 0)
            return r;
        result->topology = seen_topology_json(&report->seen);
    }
    r = result_identify(result, &identity, error);
    if (r < 0)
        return r;
    verdict_reach(run->spec, run->cmdline, &run->guest, report, &result->comparison, &verdict);
    result->outcome = verdict.outcome;
    result->by_workload = verdict.by_workload;
    memcpy(result->message, verdict.message, sizeof result->message);
    if (verdict.outcome != OUTCOME_OK)
        return 0;
    result->metrics = take(report->metrics);
    result->metric_count = report->metric_count;
    result_digest(result, &identity, bytes, report->bytes);
    return 0;
}

/* Trouble of the host's is a result too, for it is tried again; a specification that cannot be a
 * trial, a host that cannot run it, and no memory are errors. */
static int settle(struct run *run, int r, const struct culprit_error *failure,
                  struct culprit_error *error)
{
    switch (-r) {
    case CULPRIT_OK:
        return 0;
    case CULPRIT_INVALID:
    case CULPRIT_UNSUPPORTED:
    case CULPRIT_NO_MEMORY:
        if (error)
            *error = *failure;
        return r;
    default:
        run->result->outcome = -r == CULPRIT_CANCELLED ? OUTCOME_CANCELLED : OUTCOME_INFRA_FAILED;
        snprintf(run->result->message, sizeof run->result->message, "%.500s", failure->message);
        return 0;
    }
}

int trial_run(struct hypervisor *hypervisor, const struct trial_spec *spec, struct cancel *cancel,
              struct trial_result **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(run_clear) struct run run = {.spec = spec};
    struct culprit_error failure = {0};
    int r;

    r = check_spec(spec, &run.pattern, error);
    if (r == 0)
        r = begin(&run, error);
    if (r < 0)
        return r;
    r = prepare(&run, &failure);
    if (r == 0)
        r = boot(&run, hypervisor, cancel, &failure);
    if (r == 0)
        r = evaluate(&run, &failure);
    if (r == 0 && run.pattern)
        r = console_search(run.console, run.pattern, cancel, &run.result->console_matched,
                           run.result->console_line, &failure);
    r = settle(&run, r, &failure, error);
    if (r == 0)
        *ret = take(run.result);
    return r;
}
