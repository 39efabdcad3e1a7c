/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/process_spawn.h"
#include "base/units.h"

static const uint64_t GRACE_NS = UINT64_C(2000000000);
static const uint64_t OUTPUT_DEFAULT = UINT64_C(64) << 20;

enum { CHUNK = 64 * 1024, ERROR_TAIL_MAXIMUM = 4096 };

/* Where a stream of the child goes. Returns 0, or an error that ends the run. */
typedef int (*output_sink)(void *context, const char *bytes, size_t length,
                           struct culprit_error *error);

struct run {
    struct child child;
    const char *program;
    const struct process_options *options;
    output_sink output;
    output_sink error;
    void *context;
    uint64_t deadline_ns;      /* of the run; UINT64_MAX: none */
    uint64_t kill_deadline_ns; /* of the grace; UINT64_MAX: none */
    bool stopping;
    struct culprit_error reason; /* why it is stopping */
};

static void run_release_cleanup(struct run *run)
{
    child_release(&run->child);
}

/* Asks the group to end. run->reason has been filled. */
static void stop(struct run *run)
{
    run->stopping = true;
    run->deadline_ns = UINT64_MAX;
    run->kill_deadline_ns = clock_monotonic(&clock_system) + GRACE_NS;
    child_signal(&run->child, SIGTERM);
}

static void check_deadlines(struct run *run)
{
    uint64_t now = clock_monotonic(&clock_system);

    if (now >= run->kill_deadline_ns) {
        run->kill_deadline_ns = UINT64_MAX;
        child_signal(&run->child, SIGKILL);
    } else if (now >= run->deadline_ns) {
        char limit[UNITS_TEXT_SIZE];

        culprit_fail(&run->reason, CULPRIT_TIMED_OUT, "%s took longer than %s", run->program,
                     format_duration(run->options->timeout_ns, limit));
        stop(run);
    }
}

/* Reads once from a stream; false when it is empty for now or for good. After a stop the bytes are
 * thrown away, so that the child does not block in write() and can end. */
static bool pump(struct run *run, int *fd, output_sink sink)
{
    char chunk[CHUNK];
    ssize_t got = *fd < 0 ? 0 : read(*fd, chunk, sizeof chunk);

    if (got < 0)
        return errno == EINTR;
    if (got == 0) {
        if (*fd >= 0)
            close(*fd);
        *fd = -1;
        return false;
    }
    if (!run->stopping && sink(run->context, chunk, (size_t)got, &run->reason) < 0)
        stop(run);
    return true;
}

/* Sleeps until something happens; true when the leader has ended. */
static bool wait_and_serve(struct run *run)
{
    struct cancel *cancel = run->options->cancel;
    struct pollfd fds[] = {
        {.fd = run->child.pidfd, .events = POLLIN},
        {.fd = run->child.output, .events = POLLIN},
        {.fd = run->child.error, .events = POLLIN},
        {.fd = run->stopping ? -1 : cancel_fd(cancel), .events = POLLIN},
    };
    uint64_t deadline = run->stopping ? run->kill_deadline_ns : run->deadline_ns;
    uint64_t now = clock_monotonic(&clock_system);
    uint64_t left = deadline > now ? deadline - now : 0;
    struct timespec timeout = {.tv_sec = (time_t)(left / 1000000000),
                               .tv_nsec = (long)(left % 1000000000)};

    if (ppoll(fds, 4, deadline == UINT64_MAX ? NULL : &timeout, NULL) < 0)
        return false; /* EINTR; memory pressure is served by trying again */
    if (fds[1].revents)
        pump(run, &run->child.output, run->output);
    if (fds[2].revents)
        pump(run, &run->child.error, run->error);
    if (fds[0].revents)
        return true;
    if (fds[3].revents && !run->stopping) {
        culprit_fail(&run->reason, CULPRIT_CANCELLED, "%s was cancelled", run->program);
        stop(run);
    }
    check_deadlines(run);
    return false;
}

/* The pipes may still hold what was written before the end; a writer that left the group and goes
 * on is not waited for beyond what a pipe holds. */
static void drain(struct run *run)
{
    for (unsigned i = 0; i < 64 && pump(run, &run->child.output, run->output); i++)
        ;
    for (unsigned i = 0; i < 64 && pump(run, &run->child.error, run->error); i++)
        ;
}

static int run_to_end(struct run *run, const struct strv *argv, bool error_apart,
                      struct process_result *ret, struct culprit_error *error)
{
    uint64_t timeout = run->options->timeout_ns;
    int r;

    if (cancel_requested(run->options->cancel))
        return culprit_fail(error, CULPRIT_CANCELLED, "%s was cancelled", run->program);
    run->deadline_ns = timeout ? clock_monotonic(&clock_system) + timeout : UINT64_MAX;
    run->kill_deadline_ns = UINT64_MAX;
    r = child_spawn(argv, run->options, error_apart, &run->child, error);
    if (r < 0)
        return r;
    while (!wait_and_serve(run))
        ;
    child_signal(&run->child, SIGKILL);
    drain(run);
    r = child_reap(&run->child, ret, error);
    if (run->stopping) {
        if (error)
            *error = run->reason;
        return -(int)run->reason.code;
    }
    return r;
}

static const struct process_options default_options;

static struct run run_of(const struct strv *argv, const struct process_options *options)
{
    return (struct run){
        .child = {.pidfd = -1, .output = -1, .error = -1},
        .program = argv->count > 0 ? argv->items[0] : "",
        .options = options ? options : &default_options,
    };
}

struct log_file {
    int fd; /* -1: discarded */
    uint64_t left;
    uint64_t maximum;
    const char *path;
    const char *program;
};

static void log_file_cleanup(struct log_file *log)
{
    close_cleanup(&log->fd);
}

static int log_write_all(struct log_file *log, const char *bytes, size_t length,
                         struct culprit_error *error)
{
    while (log->fd >= 0 && length > 0) {
        ssize_t written = write(log->fd, bytes, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return culprit_fail_errno(error, errno, "cannot write the output of %s to %s",
                                      log->program, log->path);
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

static int log_sink(void *context, const char *bytes, size_t length, struct culprit_error *error)
{
    struct log_file *log = context;
    size_t fits = length < log->left ? length : (size_t)log->left;
    char limit[UNITS_TEXT_SIZE];
    int r = log_write_all(log, bytes, fits, error);

    if (r < 0)
        return r;
    log->left -= fits;
    if (fits < length)
        return culprit_fail(error, CULPRIT_LIMIT, "%s wrote more output than its limit of %s",
                            log->program, format_size(log->maximum, limit));
    return 0;
}

int process_run(const struct strv *argv, const struct process_options *options,
                struct process_result *ret_result, struct culprit_error *error)
{
    __attribute__((cleanup(run_release_cleanup))) struct run run = run_of(argv, options);
    uint64_t maximum = run.options->output_maximum ? run.options->output_maximum : OUTPUT_DEFAULT;
    __attribute__((cleanup(log_file_cleanup))) struct log_file log = {
        .fd = -1,
        .left = maximum,
        .maximum = maximum,
        .path = run.options->output_path,
        .program = run.program,
    };

    if (log.path) {
        log.fd = open(log.path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0644);
        if (log.fd < 0)
            return culprit_fail_errno(error, errno, "cannot open %s for the output of %s", log.path,
                                      log.program);
    }
    run.output = log_sink;
    run.context = &log;
    return run_to_end(&run, argv, false, ret_result, error);
}

struct capture {
    struct buffer output;
    char tail[ERROR_TAIL_MAXIMUM + 1]; /* the end of standard error */
    size_t tail_length;
    const char *program;
};

static void capture_cleanup(struct capture *capture)
{
    buffer_free(&capture->output);
}

static int capture_output(void *context, const char *bytes, size_t length,
                          struct culprit_error *error)
{
    struct capture *capture = context;

    buffer_append(&capture->output, bytes, length);
    if (capture->output.status == CULPRIT_LIMIT)
        return culprit_fail(error, CULPRIT_LIMIT, "%s wrote more than %zu bytes", capture->program,
                            capture->output.maximum);
    return buffer_status(&capture->output, "the output of a program", error);
}

static int capture_error(void *context, const char *bytes, size_t length,
                         struct culprit_error *error)
{
    struct capture *capture = context;
    size_t kept;

    (void)error;
    if (length > ERROR_TAIL_MAXIMUM) {
        bytes += length - ERROR_TAIL_MAXIMUM;
        length = ERROR_TAIL_MAXIMUM;
    }
    kept = capture->tail_length;
    if (kept > ERROR_TAIL_MAXIMUM - length)
        kept = ERROR_TAIL_MAXIMUM - length;
    memmove(capture->tail, capture->tail + capture->tail_length - kept, kept);
    memcpy(capture->tail + kept, bytes, length);
    capture->tail_length = kept + length;
    capture->tail[capture->tail_length] = '\0';
    return 0;
}

/* The last line that says something; "" if there is none. Cuts the tail. */
static const char *last_line(char *tail)
{
    size_t length = strlen(tail);
    char *newline;

    while (length > 0 && strchr(" \t\r\n", tail[length - 1]))
        tail[--length] = '\0';
    newline = strrchr(tail, '\n');
    return newline ? newline + 1 : tail;
}

static const char *signal_name(int number)
{
    const char *name = sigabbrev_np(number);

    return name ? name : "real-time";
}

static int fail_status(struct capture *capture, const struct process_result *result,
                       struct culprit_error *error)
{
    const char *line = last_line(capture->tail);

    if (!result->exited)
        return culprit_fail(error, CULPRIT_FAILED, "%s was ended by signal %d (%s)",
                            capture->program, result->status, signal_name(result->status));
    if (line[0] == '\0')
        return culprit_fail(error, CULPRIT_FAILED, "%s ended with status %d", capture->program,
                            result->status);
    return culprit_fail(error, CULPRIT_FAILED, "%s ended with status %d: %s", capture->program,
                        result->status, line);
}

int process_capture(const struct strv *argv, const struct process_options *options, size_t maximum,
                    char **ret_output, struct culprit_error *error)
{
    __attribute__((cleanup(run_release_cleanup))) struct run run = run_of(argv, options);
    __attribute__((cleanup(capture_cleanup))) struct capture capture = {
        .output = BUFFER_INIT(maximum),
        .program = run.program,
    };
    struct process_result result;
    char *output;
    int r;

    run.output = capture_output;
    run.error = capture_error;
    run.context = &capture;
    r = run_to_end(&run, argv, true, &result, error);
    if (r < 0)
        return r;
    if (!result.exited || result.status != 0)
        return fail_status(&capture, &result, error);
    output = buffer_take(&capture.output);
    if (!output)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the output of %s",
                            capture.program);
    *ret_output = output;
    return 0;
}
