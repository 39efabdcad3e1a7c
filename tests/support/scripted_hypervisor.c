/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripted_hypervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "guest/domain.h"

struct scripted_hypervisor {
    struct hypervisor base;
    const struct scripted_guest *guests;
    size_t count;
    scripted_answer answer;
    void *context;
    atomic_uint runs;
};

/* Writes at most maximum bytes; true when there were more. */
static int write_port(const char *path, const char *bytes, size_t length, uint64_t maximum,
                      bool *ret_over, struct culprit_error *error)
{
    _cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0)
        return culprit_fail_errno(error, errno, "cannot create the guest's port file %s", path);
    *ret_over = length > maximum;
    if (*ret_over)
        length = (size_t)maximum;
    while (length) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno != EINTR)
            return culprit_fail_errno(error, errno, "cannot write %s", path);
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return 0;
}

static int write_ports(const struct scripted_guest *guest,
                       const struct guest_definition *definition, struct guest_run *run,
                       bool *ret_ended, struct culprit_error *error)
{
    const char *console = guest->console ? guest->console : "";
    const char *records = guest->records ? guest->records : "";
    size_t length = guest->records_length ? guest->records_length : strlen(records);
    bool console_over, records_over;

    int status = write_port(definition->console_path, console, strlen(console),
                            definition->console_maximum, &console_over, error);
    if (status == 0)
        status = write_port(definition->records_path, records, length, definition->records_maximum,
                            &records_over, error);
    if (status < 0)
        return status;
    *ret_ended = console_over || records_over;
    if (*ret_ended)
        run->end = console_over ? GUEST_CONSOLE_LIMIT : GUEST_RECORDS_LIMIT;
    return 0;
}

/* Until the deadline or a cancellation, whichever comes first. */
static enum guest_end wait_for_end(const struct guest_definition *definition,
                                   const struct cancel *cancel)
{
    struct pollfd fd = {.fd = cancel_fd(cancel), .events = POLLIN};
    struct timespec timeout = {
        .tv_sec = (time_t)(definition->deadline_ns / 1000000000),
        .tv_nsec = (long)(definition->deadline_ns % 1000000000),
    };

    return ppoll(&fd, 1, &timeout, NULL) > 0 ? GUEST_CANCELLED : GUEST_DEADLINE;
}

static struct scripted_guest next_guest(struct scripted_hypervisor *hypervisor,
                                        const struct guest_definition *definition)
{
    struct scripted_guest guest = {0};
    unsigned run = atomic_fetch_add(&hypervisor->runs, 1);

    if (hypervisor->answer && hypervisor->answer(hypervisor->context, definition, &guest))
        return guest;
    if (hypervisor->count == 0)
        return (struct scripted_guest){.end = GUEST_POWERED_OFF};
    return hypervisor->guests[run < hypervisor->count ? run : hypervisor->count - 1];
}

static int run_scripted(struct hypervisor *base, const struct guest_definition *definition,
                        struct cancel *cancel, struct guest_run *ret, struct culprit_error *error)
{
    struct scripted_hypervisor *hypervisor = (struct scripted_hypervisor *)base;
    struct guest_run run = {.qemu_version = "10.0.2"};
    uint64_t start = clock_monotonic(&clock_system);
    bool ended;

    if (cancel_requested(cancel))
        return culprit_fail(error, CULPRIT_CANCELLED, "cancelled before the guest was started");
    int status = definition_digest(definition, run.definition_digest, error);
    if (status < 0)
        return status;
    if (access(definition->kernel, R_OK) < 0)
        return culprit_fail(error, CULPRIT_FAILED, "cannot start a guest: no kernel %s",
                            definition->kernel);
    struct scripted_guest guest = next_guest(hypervisor, definition);
    if (guest.start_failure != CULPRIT_OK)
        return culprit_fail(error, guest.start_failure, "%s",
                            guest.failure_message ? guest.failure_message : "as scripted");
    status = write_ports(&guest, definition, &run, &ended, error);
    if (status < 0)
        return status;
    if (!ended)
        run.end = guest.runs_forever ? wait_for_end(definition, cancel) : guest.end;
    if (!ended && !guest.runs_forever && guest.reason)
        snprintf(run.reason, sizeof run.reason, "%s", guest.reason);
    run.wall_ns = clock_monotonic(&clock_system) - start;
    *ret = run;
    return 0;
}

static int clean_nothing(struct hypervisor *base, unsigned *ret_count, struct culprit_error *error)
{
    (void)base;
    (void)error;
    *ret_count = 0;
    return 0;
}

static void free_scripted(struct hypervisor *base)
{
    free(base);
}

static const struct hypervisor_ops scripted_ops = {
    .run = run_scripted,
    .clean_leftovers = clean_nothing,
    .free = free_scripted,
};

static int make(struct scripted_hypervisor script, struct hypervisor **ret,
                struct culprit_error *error)
{
    struct scripted_hypervisor *hypervisor = malloc(sizeof *hypervisor);

    if (!hypervisor)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a scripted hypervisor");
    *hypervisor = script;
    hypervisor->base.ops = &scripted_ops;
    atomic_init(&hypervisor->runs, 0);
    *ret = &hypervisor->base;
    return 0;
}

int scripted_hypervisor_new(const struct scripted_guest *guests, size_t count,
                            struct hypervisor **ret, struct culprit_error *error)
{
    return make((struct scripted_hypervisor){.guests = guests, .count = count}, ret, error);
}

int scripted_hypervisor_new_computed(scripted_answer answer, void *context, struct hypervisor **ret,
                                     struct culprit_error *error)
{
    return make((struct scripted_hypervisor){.answer = answer, .context = context}, ret, error);
}

unsigned scripted_hypervisor_runs(const struct hypervisor *hypervisor)
{
    return atomic_load(&((const struct scripted_hypervisor *)hypervisor)->runs);
}
