/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/setup.h"

#include <string.h>

#include "base/outcome.h"
#include "base/units.h"
#include "report/layout.h"
#include "report/topology.h"

enum { SENTENCES_MAXIMUM = 64 * 1024 };

static void write_workload(struct buffer *out, const struct workload_request *workload)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(SENTENCES_MAXIMUM);

    buffer_puts(&text, workload->schema->name);
    for (size_t i = 0; i < workload->schema->option_count; i++) {
        const struct workload_option *option = &workload->options[i];
        char shown[UNITS_TEXT_SIZE];
        uint64_t number;

        if (!option->value)
            continue;
        buffer_printf(&text, "%s %s=", i == 0 ? ":" : "", option->schema->name);
        if (option->schema->type == OPTION_DURATION &&
            parse_count(option->value, 0, UINT64_MAX, &number, NULL) == 0)
            buffer_puts(&text, format_duration(number, shown));
        else if (option->schema->type == OPTION_SIZE &&
                 parse_count(option->value, 0, UINT64_MAX, &number, NULL) == 0)
            buffer_puts(&text, format_size(number, shown));
        else
            layout_clean(&text, option->value);
    }
    layout_field(out, "workload:", text.data);
}

static void write_list(struct buffer *out, const char *label, const struct strv *strv)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(SENTENCES_MAXIMUM);

    for (size_t i = 0; i < strv->count; i++) {
        buffer_puts(&text, i > 0 ? ", " : "");
        layout_clean(&text, strv->items[i]);
    }
    layout_field(out, label, text.data);
}

/* Under instruction counting the virtual CPUs share one clock: what they run together is fixed. */
static void write_engine(struct buffer *out, const struct report *report)
{
    const char *before = report->qemu_version ? ", QEMU " : "";
    const char *qemu = report->qemu_version ? report->qemu_version : "";

    if (!report->engine)
        return;
    if (strcmp(report->engine, engine_name(ENGINE_DETERMINISTIC)) != 0)
        layout_fieldf(out, "engine:", "%s%s%s", report->engine, before, qemu);
    else
        layout_fieldf(out, "engine:",
                      "%s, shift %u (the virtual CPUs together run 10^9/2^%u instructions a "
                      "second)%s%s",
                      report->engine, report->shift, report->shift, before, qemu);
}

static void write_guest(struct buffer *out, const struct report *report)
{
    const struct job_guest *guest = &report->job->guest;
    _cleanup_buffer_ struct buffer seen = BUFFER_INIT(SENTENCES_MAXIMUM);
    char memory[UNITS_TEXT_SIZE];

    topology_describe(&seen, report->topology_seen);
    layout_fieldf(out, "topology:", "%s%s%s", guest->topology,
                  seen.length > 0 ? ", as the guest saw it: " : "",
                  seen.length > 0 ? seen.data : "");
    if (guest->memory > 0)
        layout_field(out, "memory:", format_size(guest->memory, memory));
    write_list(out, "command line:", &guest->cmdline);
    write_list(out, "sysctls:", &guest->sysctls);
    write_list(out, "features:", &guest->sched_features);
    write_engine(out, report);
    if (report->image_digest)
        layout_fieldf(out, "guest image:", "%s, sha256 %.16s", guest->image, report->image_digest);
}

static void write_options(struct buffer *out, const struct job_kernel *kernel)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(SENTENCES_MAXIMUM);

    for (size_t i = 0; i < kernel->option_count; i++)
        buffer_printf(&text, "%s%s=%s", i > 0 ? ", " : "", kernel->options[i].name,
                      kernel->options[i].value);
    layout_field(out, "options:", text.data);
}

static void write_kernel(struct buffer *out, const struct report *report)
{
    const struct job_kernel *kernel = &report->job->kernel;

    layout_field(out, "kernel:", report->kernel_release);
    layout_field(out, "compiler:", report->compiler);
    if (kernel->config_file)
        layout_field(out, "config file:", "the job's own");
    else
        write_list(out, "fragments:", &kernel->fragments);
    write_options(out, kernel);
    if (report->kernel_config_digest)
        layout_fieldf(out, "config:", "sha256 %.16s", report->kernel_config_digest);
    if (kernel->patches.count > 0)
        layout_fieldf(out, "patches:", "%zu, on top of every commit", kernel->patches.count);
}

/* By how much identical builds differ, for the metric that the job asks about. */
static void write_calibration(struct buffer *out, const struct report *report)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(SENTENCES_MAXIMUM);

    if (!report->job->metric.name)
        return;
    if (report->calibration)
        calibration_sentence(&text, report->calibration, report->job->trials);
    else
        buffer_puts(&text, "none: by how much identical builds differ here was not measured "
                           "(culprit calibrate)");
    layout_field(out, "calibration:", text.data);
}

void setup_write(struct buffer *out, const struct report *report)
{
    for (size_t i = 0; i < report->job->workload_count; i++)
        write_workload(out, &report->job->workloads[i]);
    write_guest(out, report);
    write_kernel(out, report);
    write_calibration(out, report);
}
