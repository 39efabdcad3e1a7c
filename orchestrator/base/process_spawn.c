/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/process_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

/* What the child reports through a close-on-exec pipe when it cannot become the program. */
enum step { STEP_PARENT_GONE, STEP_SESSION, STEP_DIRECTORY, STEP_STREAMS, STEP_EXECUTE };

struct failure {
    enum step step;
    int errnum;
};

struct pipe_ends {
    int read;
    int write;
};

static void pipe_close(struct pipe_ends *ends)
{
    if (ends->read >= 0)
        close(ends->read);
    if (ends->write >= 0)
        close(ends->write);
    *ends = (struct pipe_ends){-1, -1};
}

#define PIPE_NONE \
    {             \
        -1, -1    \
    }

static int pipe_open(struct pipe_ends *ret, bool non_blocking, struct culprit_error *error)
{
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) < 0)
        return culprit_fail_errno(error, errno, "cannot create a pipe");
    *ret = (struct pipe_ends){.read = fds[0], .write = fds[1]};
    if (non_blocking && fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0)
        return culprit_fail_errno(error, errno, "cannot set up a pipe");
    return 0;
}

struct pipes {
    struct pipe_ends output;
    struct pipe_ends error;
    struct pipe_ends failure;
};

static void pipes_cleanup(struct pipes *pipes)
{
    pipe_close(&pipes->output);
    pipe_close(&pipes->error);
    pipe_close(&pipes->failure);
}

static int pipes_open(struct pipes *pipes, bool error_apart, struct culprit_error *error)
{
    int r = pipe_open(&pipes->output, true, error);

    if (r == 0 && error_apart)
        r = pipe_open(&pipes->error, true, error);
    if (r == 0)
        r = pipe_open(&pipes->failure, false, error);
    return r;
}

/*
 * In the child, between fork() and exec(): only async-signal-safe calls, as another thread may
 * have held any lock at the fork.
 */

static void __attribute__((noreturn)) child_fail(const struct pipes *pipes, enum step step)
{
    struct failure failure = {.step = step, .errnum = errno};
    ssize_t written = write(pipes->failure.write, &failure, sizeof failure);

    (void)written;
    _exit(127);
}

/* Ignored signals and the signal mask survive exec(): the program must not inherit ours. */
static void child_reset_signals(void)
{
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int number = 1; number < NSIG; number++)
        sigaction(number, &standard, NULL); /* refused for SIGKILL and SIGSTOP, which need none */
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
}

static void child_redirect(const struct pipes *pipes)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int error = pipes->error.write >= 0 ? pipes->error.write : pipes->output.write;

    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(pipes->output.write, STDOUT_FILENO) < 0 ||
        dup2(error, STDERR_FILENO) < 0)
        child_fail(pipes, STEP_STREAMS);
    /* Libraries may have opened descriptors without close-on-exec. */
    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
}

static void __attribute__((noreturn))
child_main(const struct strv *argv, const struct process_options *options,
           const struct pipes *pipes, pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        child_fail(pipes, STEP_SESSION);
    /* A parent that died before the prctl() sends nothing any more. That the process lives is
     * enough: its thread that forked waits for the exec(), and does not end alone. */
    if (getppid() != parent)
        child_fail(pipes, STEP_PARENT_GONE);
    if (setsid() < 0)
        child_fail(pipes, STEP_SESSION);
    child_reset_signals();
    if (options->directory && chdir(options->directory) < 0)
        child_fail(pipes, STEP_DIRECTORY);
    if (options->nice && nice(options->nice) < 0)
        errno = 0; /* less priority is always granted; more is a wish */
    child_redirect(pipes);
    if (options->environment) {
        union {
            const char *const *given;
            char **environment;
        } vector = {.given = options->environment};

        execvpe(argv->items[0], argv->items, vector.environment);
    } else {
        execvp(argv->items[0], argv->items);
    }
    child_fail(pipes, STEP_EXECUTE);
}

/* In the parent again. */

static int explain(const struct failure *failure, const struct strv *argv,
                   const struct process_options *options, struct culprit_error *error)
{
    switch (failure->step) {
    case STEP_DIRECTORY:
        return culprit_fail_errno(error, failure->errnum, "cannot run %s in %s", argv->items[0],
                                  options->directory);
    case STEP_EXECUTE:
        return culprit_fail_errno(error, failure->errnum, "cannot run %s", argv->items[0]);
    default:
        return culprit_fail_errno(error, failure->errnum, "cannot start a process for %s",
                                  argv->items[0]);
    }
}

/* Waits until the pipe closes (the program runs) or says why not. The read end is blocking: exec()
 * is near. */
static int wait_for_exec(struct pipes *pipes, const struct strv *argv,
                         const struct process_options *options, struct culprit_error *error)
{
    struct failure failure;
    ssize_t got;

    close(pipes->failure.write);
    pipes->failure.write = -1;
    do {
        got = read(pipes->failure.read, &failure, sizeof failure);
    } while (got < 0 && errno == EINTR);
    if (got == 0)
        return 0;
    if (got != (ssize_t)sizeof failure)
        return culprit_fail(error, CULPRIT_INTERNAL, "cannot start a process for %s",
                            argv->items[0]);
    return explain(&failure, argv, options, error);
}

int child_spawn(const struct strv *argv, const struct process_options *options, bool error_apart,
                struct child *ret, struct culprit_error *error)
{
    __attribute__((cleanup(pipes_cleanup))) struct pipes pipes = {PIPE_NONE, PIPE_NONE, PIPE_NONE};
    struct child child = {.pidfd = -1, .output = -1, .error = -1};
    pid_t parent = getpid();
    int r;

    if (argv->failed)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for arguments");
    if (argv->count == 0)
        return culprit_fail(error, CULPRIT_INTERNAL, "no program to run");
    r = pipes_open(&pipes, error_apart, error);
    if (r < 0)
        return r;
    child.pid = fork();
    if (child.pid == 0)
        child_main(argv, options, &pipes, parent);
    if (child.pid < 0)
        return culprit_fail_errno(error, errno, "cannot start a process for %s", argv->items[0]);
    r = wait_for_exec(&pipes, argv, options, error);
    if (r == 0) {
        child.pidfd = pidfd_open(child.pid, 0);
        if (child.pidfd < 0)
            r = culprit_fail_errno(error, errno, "cannot watch %s", argv->items[0]);
    }
    if (r < 0) {
        child_release(&child);
        return r;
    }
    child.output = take_fd(&pipes.output.read);
    child.error = take_fd(&pipes.error.read);
    *ret = child;
    return 0;
}

void child_signal(const struct child *child, int signal)
{
    /* The unreaped leader keeps the number of the group from being used again. */
    kill(-child->pid, signal);
}

int child_reap(struct child *child, struct process_result *ret, struct culprit_error *error)
{
    siginfo_t info = {0};
    pid_t pid = child->pid;
    int r;

    do {
        r = waitid(P_PID, (id_t)pid, &info, WEXITED);
    } while (r < 0 && errno == EINTR);
    child->pid = 0;
    if (r < 0)
        return culprit_fail_errno(error, errno, "cannot wait for process %d", (int)pid);
    *ret = (struct process_result){.exited = info.si_code == CLD_EXITED, .status = info.si_status};
    return 0;
}

void child_release(struct child *child)
{
    struct process_result ignored;

    if (child->pid > 0) {
        child_signal(child, SIGKILL);
        kill(child->pid, SIGKILL); /* before its setsid() it has no group of its own */
        child_reap(child, &ignored, NULL);
    }
    if (child->pidfd >= 0)
        close(child->pidfd);
    if (child->output >= 0)
        close(child->output);
    if (child->error >= 0)
        close(child->error);
    *child = (struct child){.pidfd = -1, .output = -1, .error = -1};
}
