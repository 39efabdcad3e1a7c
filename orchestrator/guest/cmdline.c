/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel command line of a guest. */
#include "base/buffer.h"
#include "base/kernel_parameter.h"
#include "base/random.h"
#include "guest/domain.h"

enum { PADDING_MAXIMUM = 64 };

static int append_additions(struct buffer *line, const struct strv *additions,
                            struct culprit_error *error)
{
    for (size_t i = 0; additions && i < additions->count; i++) {
        const char *word = additions->items[i];
        if (!kernel_parameter_is_word(word))
            return culprit_fail(error, CULPRIT_INVALID,
                                "kernel parameter \"%.64s\" is not one word of printable ASCII",
                                word);
        if (kernel_parameter_is_reserved(word))
            return culprit_fail(error, CULPRIT_INVALID,
                                "kernel parameter \"%.64s\" is set by culprit itself", word);
        buffer_printf(line, " %s", word);
    }
    return 0;
}

int guest_cmdline(enum engine engine, uint64_t seed, const struct strv *additions,
                  char **ret_cmdline, struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer line = BUFFER_INIT(GUEST_CMDLINE_MAXIMUM);
    struct random random;

    /* A panic resets the guest at once: pvpanic has told of it by then, and the console too. */
    buffer_puts(&line, "console=ttyS0 nokaslr random.trust_cpu=off random.trust_bootloader=off "
                       "panic=-1 oops=panic");
    /* Functional guests run on the host's time: a busy host looks like a lockup to them. */
    if (engine == ENGINE_FUNCTIONAL)
        buffer_puts(&line, " nosoftlockup hung_task_panic=0");
    else
        buffer_puts(&line, " softlockup_panic=1 hung_task_panic=1");

    random_seed(&random, seed);
    unsigned padding = 1 + (unsigned)random_below(&random, PADDING_MAXIMUM);
    buffer_printf(&line, " culprit.seed=%llu culprit.pad=", (unsigned long long)seed);
    for (unsigned i = 0; i < padding; i++)
        buffer_append(&line, "x", 1);

    int status = append_additions(&line, additions, error);
    if (status == 0)
        status = buffer_status(&line, "the kernel command line", error);
    if (status < 0)
        return status;
    *ret_cmdline = buffer_take(&line);
    return *ret_cmdline ? 0 : culprit_fail(error, CULPRIT_NO_MEMORY, "no memory");
}
