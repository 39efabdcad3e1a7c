/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "smtp_sink.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"

static void run(const char *const *arguments)
{
    const char *argv[16] = {SMTP_SINK_PYTHON, "-W", "ignore",
                            CULPRIT_SOURCE_DIR "/tests/support/smtp_sink.py"};
    size_t count = 4;

    while (*arguments && count < 15)
        argv[count++] = *arguments++;
    execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

void smtp_sink_start(struct smtp_sink *sink, const char *const *arguments)
{
    int in[2], out[2];

    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    sink->pid = fork();
    assert_true(sink->pid >= 0);
    if (sink->pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        run(arguments);
    }
    close(in[0]);
    close(out[1]);
    sink->in = in[1];
    sink->out = fdopen(out[0], "r");
    assert_non_null(sink->out);
    if (!fgets(sink->line, sizeof sink->line, sink->out))
        fail_msg("the sink did not start: is python3-aiosmtpd installed?");
    sink->port = (unsigned)strtoul(sink->line, NULL, 10);
    assert_true(sink->port > 0);
}

void smtp_sink_stop(struct smtp_sink *sink)
{
    close(sink->in);
    fclose(sink->out);
    waitpid(sink->pid, NULL, 0);
}

const char *smtp_sink_message(struct smtp_sink *sink)
{
    if (!fgets(sink->line, sizeof sink->line, sink->out))
        fail_msg("no message arrived");
    return sink->line;
}
