/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program `culprit`: signals, then cli_main(). */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cancel.h"
#include "cli/cli.h"

static struct cancel *stop; /* for the signal handler */

/* The first signal asks to stop in an orderly way (the guest is ended, files removed); another one,
 * a second or two later, ends the program at once. What comes sooner is the same request:
 * timeout(1) and others signal their child and then the process group that it is in. */
static void on_signal(int number)
{
    static _Atomic time_t first; /* 0: none yet */
    struct timespec now;
    int saved = errno;

    clock_gettime(CLOCK_BOOTTIME, &now);
    if (!first)
        first = now.tv_sec + 1;
    else if (now.tv_sec > first) {
        signal(number, SIG_DFL);
        raise(number);
    }
    cancel_request(stop);
    errno = saved;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

/* Where a standard stream is closed, the next file that is opened would be taken for it. Whoever
 * uses what stands in for it gets the same error: nothing can be read from the first, nor written
 * to the others. */
static bool hold_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct culprit_error error;
    int status;

    if (!hold_standard_streams())
        return culprit_code_exit_status(CULPRIT_IO);
    setlocale(LC_CTYPE, "");
    signal(SIGPIPE, SIG_IGN);
    if (cancel_new(&stop, &error) < 0) {
        fprintf(stderr, "culprit: %s\n", error.message);
        return culprit_code_exit_status(error.code);
    }
    catch_signals();
    status = cli_main(argc, argv, stdout, stderr, stop);
    return status;
}
