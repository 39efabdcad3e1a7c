/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/runner.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "run/system.h"

/* Guest time after which a killed process is given up: it hangs in the kernel. */
static const int64_t kill_patience_ns = 10000000000;

struct workload_result *runner_result_new(void)
{
    void *memory = mmap(NULL, sizeof(struct workload_result), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

void runner_result_free(struct workload_result *result)
{
    if (result)
        munmap(result, sizeof(*result));
}

static void child_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
}

void runner_prepare(void)
{
    sigset_t set;

    child_signals(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

static _Noreturn void run_child(const struct workload *workload, struct workload_context *context)
{
    sigset_t set;

    child_signals(&set);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    setpgid(0, 0);
    workload->run(context);
    context->result->finished = true;
    _exit(0);
}

/* Reaps what has ended. True once `child` has; its group is killed before its number is free. */
static bool reap(pid_t child, int *status)
{
    siginfo_t ended;

    for (;;) {
        ended.si_pid = 0;
        if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 || ended.si_pid == 0)
            return false;
        if (ended.si_pid == child)
            kill(-child, SIGKILL);
        if (waitpid(ended.si_pid, status, 0) == child)
            return true;
    }
}

/* True when `child` has ended before `deadline`. */
static bool wait_until(pid_t child, int64_t deadline, int *status)
{
    sigset_t set;

    child_signals(&set);
    while (!reap(child, status)) {
        int64_t left = deadline - system_now();
        if (left <= 0)
            return false;
        struct timespec timeout = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
        sigtimedwait(&set, NULL, &timeout);
    }
    return true;
}

/* Kills what is left of the workload, and reaps it: its process group, and as PID 1 all there is,
 * for everything else in the machine is the workload's. */
static void clear_away(pid_t child, bool init)
{
    pid_t whom = init ? -1 : -child;
    int64_t deadline = system_now() + kill_patience_ns;
    sigset_t set;

    child_signals(&set);
    kill(whom, SIGKILL);
    while (waitpid(whom, NULL, WNOHANG) >= 0 && system_now() < deadline) {
        struct timespec timeout = {1, 0};
        sigtimedwait(&set, NULL, &timeout);
    }
}

static void judge(struct workload_context *context, int status)
{
    if (WIFSIGNALED(status))
        workload_fail(context, "the workload was ended by signal %d (%s)", WTERMSIG(status),
                      strsignal(WTERMSIG(status)));
    else if (!context->result->finished)
        workload_fail(context, "the workload ended early, with exit status %d",
                      WEXITSTATUS(status));
}

void runner_run(const struct workload *workload, struct workload_context *context, bool init)
{
    int64_t limit = workload->limit(context), deadline = system_now() + limit;
    int status = 0;

    pid_t child = fork();
    if (child < 0) {
        workload_fail(context, "cannot start the workload's process: %s", strerror(errno));
        return;
    }
    if (child == 0)
        run_child(workload, context);
    setpgid(child, child); /* here too: the child may not have run yet */

    if (wait_until(child, deadline, &status)) {
        judge(context, status);
    } else {
        workload_fail(context, "the workload was killed: not finished after %lld s of guest time",
                      (long long)(limit / 1000000000));
        kill(-child, SIGKILL);
        wait_until(child, system_now() + kill_patience_ns, &status);
    }
    clear_away(child, init);
}
