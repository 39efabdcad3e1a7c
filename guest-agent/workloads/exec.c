/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs any command of the image by its shell, and measures how long it took. The standard output
 * may bring metrics of its own: see workloads/exec_output.h. The last lines of both outputs are
 * kept as log records.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/text.h"
#include "run/system.h"
#include "workloads/exec_output.h"
#include "workloads/schemas.h"
#include "workloads/workloads.h"

static const int64_t limit_margin_ns = 10000000000;

struct stream {
    int fd; /* read end; -1 once at its end */
    struct exec_output output;
};

struct command {
    struct workload_context *context;
    pid_t process;
    bool ended;
    int status;
    struct stream streams[2]; /* standard output, standard error */
};

/* Only there to interrupt ppoll(). */
static void on_child(int signal_number)
{
    (void)signal_number;
}

static _Noreturn void become_shell(const char *text, int out, int err)
{
    int in = open("/dev/null", O_RDONLY);
    sigset_t none;

    if (in >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0) {
        signal(SIGCHLD, SIG_DFL);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execl("/bin/sh", "sh", "-c", text, (char *)NULL);
    }
    _exit(127);
}

static bool make_pipes(int pipes[2][2])
{
    if (pipe(pipes[0]) < 0)
        return false;
    if (pipe(pipes[1]) == 0)
        return true;
    close(pipes[0][0]);
    close(pipes[0][1]);
    return false;
}

static bool start(struct command *command, const char *text)
{
    int pipes[2][2];

    if (!make_pipes(pipes))
        return false;
    for (int i = 0; i < 2; i++) {
        fcntl(pipes[i][0], F_SETFL, O_NONBLOCK);
        fcntl(pipes[i][0], F_SETFD, FD_CLOEXEC);
        fcntl(pipes[i][1], F_SETFD, FD_CLOEXEC);
        command->streams[i].fd = pipes[i][0];
    }
    command->process = fork();
    if (command->process == 0)
        become_shell(text, pipes[0][1], pipes[1][1]);
    close(pipes[0][1]);
    close(pipes[1][1]);
    return command->process > 0;
}

/* Takes in what is there; never blocks. */
static void drain(struct stream *stream)
{
    char bytes[4096];
    ssize_t got;

    while (stream->fd >= 0 && (got = read(stream->fd, bytes, sizeof(bytes))) != 0) {
        if (got > 0)
            exec_output_add(&stream->output, bytes, (size_t)got);
        else if (errno != EINTR)
            return;
    }
    if (stream->fd >= 0)
        close(stream->fd);
    stream->fd = -1;
}

/* Until the shell has ended; processes that it left behind may still hold the pipes. False when
 * the time was over first. SIGCHLD is blocked except inside ppoll(), so none is missed. */
static bool follow(struct command *command, int64_t deadline, const sigset_t *waiting)
{
    while (!command->ended) {
        struct pollfd polls[2] = {{command->streams[0].fd, POLLIN, 0},
                                  {command->streams[1].fd, POLLIN, 0}};
        int64_t left = deadline - system_now();
        struct timespec timeout = {(time_t)(left / 1000000000), (long)(left % 1000000000)};

        if (left <= 0)
            return false;
        ppoll(polls, 2, &timeout, waiting);
        command->ended = waitpid(command->process, &command->status, WNOHANG) > 0;
        drain(&command->streams[0]);
        drain(&command->streams[1]);
    }
    return true;
}

static void report(struct command *command, int64_t duration)
{
    struct workload_context *context = command->context;
    int status = WIFEXITED(command->status) ? WEXITSTATUS(command->status)
                                            : 128 + WTERMSIG(command->status);

    workload_sample(context, "exec.duration", (double)duration / 1e9);
    workload_sample(context, "exec.exit_status", status);
    if (status != 0 && !workload_number(context, EXEC_ALLOW_FAILURE))
        workload_fail(context, "the command's exit status is %d", status);
}

static void set_environment(const struct workload_context *context)
{
    char number[32];

    setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 0);
    setenv("HOME", "/root", 0);
    text_print(number, sizeof(number), "%llu", (unsigned long long)context->seed);
    setenv("CULPRIT_SEED", number, 1);
    text_print(number, sizeof(number), "%u", context->cpus);
    setenv("CULPRIT_CPUS", number, 1);
    setenv("CULPRIT_FILES", "/culprit/files", 1);
}

static void exec_run(struct workload_context *context)
{
    static struct command command;
    bool lines = strcmp(workload_text(context, EXEC_PARSER), "lines") == 0;
    int64_t timeout = (int64_t)workload_number(context, EXEC_TIMEOUT);
    struct sigaction action = {.sa_handler = on_child};
    sigset_t blocked, waiting;

    command.context = context;
    exec_output_init(&command.streams[0].output, context, lines);
    exec_output_init(&command.streams[1].output, context, false);
    sigaction(SIGCHLD, &action, NULL);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, &waiting);
    set_environment(context);

    int64_t started = system_now();
    if (!start(&command, workload_text(context, EXEC_COMMAND))) {
        workload_fail(context, "cannot start the shell: %s", strerror(errno));
        return;
    }
    if (!follow(&command, started + timeout, &waiting))
        workload_fail(context, "the command did not end within its timeout of %.3f s",
                      (double)timeout / 1e9);
    int64_t duration = system_now() - started;
    exec_output_finish(&command.streams[0].output);
    exec_output_finish(&command.streams[1].output);
    if (command.ended)
        report(&command, duration);
}

static int64_t exec_limit(const struct workload_context *context)
{
    return (int64_t)workload_number(context, EXEC_TIMEOUT) + limit_margin_ns;
}

const struct workload exec_workload = {
    .schema = &exec_schema,
    .limit = exec_limit,
    .run = exec_run,
};
