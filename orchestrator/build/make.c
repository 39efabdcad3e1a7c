/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build/make.h"

#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/process.h"
#include "base/units.h"
#include "build/build_log.h"

/* A status above this says that a signal ended make (sh(1), bwrap(1)). */
enum { STATUS_OF_SIGNALS = 128 };

static int command_line(const struct make *make, const char *output, const char *target,
                        struct strv *argv, struct culprit_error *error)
{
    int r = sandbox_append(argv, &make->sandbox, error);

    if (r < 0)
        return r;
    /* No core files, and no single file larger than any kernel: 16 GiB. */
    strv_append(argv, "prlimit");
    strv_append(argv, "--core=0");
    strv_append(argv, "--fsize=17179869184");
    /* Held by whatever make starts, until the last of them is gone. */
    strv_append(argv, "flock");
    strv_append(argv, "--no-fork");
    strv_append(argv, "--shared");
    strv_append(argv, SANDBOX_BUILD);
    strv_append(argv, "make");
    strv_append(argv, "-C");
    strv_append(argv, SANDBOX_SOURCE);
    strv_appendf(argv, "O=%s", output);
    strv_appendf(argv, "-j%u", make->jobs);
    strv_appendf(argv, "CC=%s", make->sandbox.compiler);
    /* Set and empty: no "+" for a tree that differs from a tag. */
    strv_append(argv, "LOCALVERSION=");
    strv_append(argv, target);
    if (argv->failed)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a command line");
    return 0;
}

/* What earlier runs left of the time and of the log. */
static int limits_left(const struct make *make, struct process_options *options,
                       struct culprit_error *error)
{
    uint64_t now = clock_monotonic(&clock_system);
    uint64_t used = 0;

    if (file_exists(make->log_path)) {
        int r = file_size(make->log_path, &used, error);

        if (r < 0)
            return r;
    }
    /* Zero would mean "default" to process_run(): one byte or nanosecond is as good as none. */
    options->timeout_ns = now < make->deadline_ns ? make->deadline_ns - now : 1;
    options->output_maximum = used < make->log_maximum ? make->log_maximum - used : 1;
    return 0;
}

/* Says it of the build, and with the limits that the administrator gave. */
static int explain_limit(const struct make *make, int r, struct culprit_error *error)
{
    char limit[UNITS_TEXT_SIZE];

    if (r == -CULPRIT_TIMED_OUT)
        return culprit_fail(error, CULPRIT_TIMED_OUT, "the build took longer than %s",
                            format_duration_short(make->timeout_ns, limit));
    if (r == -CULPRIT_LIMIT)
        return culprit_fail(error, CULPRIT_LIMIT, "the build wrote more than %s of output",
                            format_size(make->log_maximum, limit));
    if (r == -CULPRIT_CANCELLED)
        return culprit_fail(error, CULPRIT_CANCELLED, "the build was cancelled");
    return r;
}

static int explain_failure(struct make *make, struct culprit_error *error)
{
    enum build_fault fault;
    char line[BUILD_FAULT_SIZE];
    int r = build_log_fault(make->log_path, SANDBOX_SOURCE, &fault, line, error);

    if (r < 0)
        return r;
    /* A full disk or a killed compiler: kernels before 4.19 do not remove what a failed recipe
     * leaves. */
    make->cut_off = make->cut_off || fault == BUILD_FAULT_HOST;
    if (fault == BUILD_FAULT_HOST)
        return culprit_fail(error, CULPRIT_IO, "%s", line);
    return culprit_fail(error, CULPRIT_FAILED, "%s", line[0] ? line : "make said nothing");
}

int make_target(struct make *make, const char *output, const char *target,
                struct culprit_error *error)
{
    _cleanup_strv_ struct strv argv = {0};
    struct process_options options = {
        .output_path = make->log_path,
        .nice = make->nice,
        .cancel = make->cancel,
    };
    struct process_result result;
    int r = command_line(make, output, target, &argv, error);

    if (r == 0)
        r = limits_left(make, &options, error);
    if (r < 0)
        return r;
    r = process_run(&argv, &options, &result, error);
    make->cut_off = make->cut_off || r < 0 || !result.exited || result.status > STATUS_OF_SIGNALS;
    if (r < 0)
        return explain_limit(make, r, error);
    if (make->cut_off)
        return culprit_fail(error, CULPRIT_IO, "make was killed");
    return result.status == 0 ? 0 : explain_failure(make, error);
}
