/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program `culprit`: signals, then cli_main(). */
#include <locale.h>
#include <signal.h>
#include <string.h>

#include "base/cancel.h"
#include "cli/cli.h"

static struct cancel *stop; /* for the signal handler */

static void on_signal(int number)
{
    (void)number;
    cancel_request(stop);
}

/* The first signal asks to stop in an orderly way (the guest is ended, files removed); a second
 * one ends the program at once. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

int main(int argc, char **argv)
{
    struct culprit_error error;
    int status;

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
