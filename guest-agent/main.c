/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * culprit-agent: runs a trial's plan inside the guest (docs/guest-protocol.md). As PID 1 of an
 * initramfs it prepares the machine and powers it off at the end; started by an image's own init
 * it finds the machine prepared, and powers it off only when told.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/record.h"
#include "core/text.h"
#include "run/session.h"
#include "run/system.h"

struct arguments {
    const char *plan, *port;
    bool power_off;
};

static const char usage[] =
    "usage: culprit-agent [--plan FILE] [--port DEVICE] [--power-off]\n"
    "  --plan FILE    what to do (default /culprit/plan)\n"
    "  --port DEVICE  where the records go (default /dev/ttyS1)\n"
    "  --power-off    power the machine off at the end; always done as PID 1\n";

/* An init is given the words of the kernel's command line that the kernel does not know: PID 1
 * takes none. */
static bool read_arguments(int count, char **words, struct arguments *ret)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--power-off") == 0)
            ret->power_off = true;
        else if (strcmp(words[i], "--plan") == 0 && i + 1 < count)
            ret->plan = words[++i];
        else if (strcmp(words[i], "--port") == 0 && i + 1 < count)
            ret->port = words[++i];
        else
            return false;
    }
    return true;
}

static bool run(const struct arguments *arguments, bool init)
{
    static struct record_writer writer;
    char message[512];
    int fd;

    if ((init && system_prepare(message, sizeof(message)) < 0) ||
        system_open_port(arguments->port, &fd, message, sizeof(message)) < 0) {
        fprintf(stderr, "culprit-agent: %s\n", message);
        return false;
    }
    record_writer_init(&writer, fd);
    bool succeeded = session_run(arguments->plan, &writer, init);
    if (record_error(&writer))
        fprintf(stderr, "culprit-agent: cannot write records to %s: %s\n", arguments->port,
                strerror(-record_error(&writer)));
    close(fd);
    return succeeded;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {"/culprit/plan", "/dev/ttyS1", false};
    bool init = getpid() == 1;

    if (!init && !read_arguments(argc, argv, &arguments)) {
        fputs(usage, stderr);
        return 2;
    }
    bool succeeded = run(&arguments, init);
    if (init || arguments.power_off)
        system_power_off();
    return succeeded ? 0 : 1;
}
