/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One guest from its creation to its end. */
#include <errno.h>
#include <libvirt/virterror.h>
#include <poll.h>
#include <string.h>
#include <sys/timerfd.h>

#include "base/clock.h"
#include "guest/domain.h"
#include "guest/host.h"
#include "guest/libvirt/embed.h"
#include "guest/libvirt/failure.h"
#include "guest/libvirt/internal.h"
#include "guest/libvirt/ports.h"

/* Host time that a guest gets to end by itself after it said something fatal. */
#define AFTER_PANIC_NS  (UINT64_C(20) * 1000000000)
#define AFTER_LOCKUP_NS (UINT64_C(90) * 1000000000)

struct running {
    struct libvirt_hypervisor *hypervisor;
    const struct guest_definition *definition;
    struct cancel *cancel;
    struct guest_run *result;
    struct guest_watch watch;
    struct ports *ports;
    virDomainPtr domain;
    int timer;
    uint64_t start_ns;
    uint64_t end_by_ns; /* monotonic: deadline, or sooner after something fatal */
    bool forced;        /* result->end was decided here, the guest is being destroyed */
    enum guest_stop stop;
    bool reset;
};

static void running_clear(struct running *running)
{
    if (*running->watch.name)
        connection_unwatch(running->hypervisor->connection, &running->watch);
    ports_free(running->ports);
    if (running->domain)
        virDomainFree(running->domain);
    if (running->timer >= 0)
        close(running->timer);
}

static void running_clear_cleanup(struct running *running)
{
    running_clear(running);
}

static int set_timer(struct running *running, struct culprit_error *error)
{
    uint64_t at = running->end_by_ns;
    struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(at / 1000000000), .tv_nsec = (long)(at % 1000000000)},
    };

    if (timerfd_settime(running->timer, TFD_TIMER_ABSTIME, &when, NULL) < 0)
        return culprit_fail_errno(error, errno, "cannot set a guest's deadline");
    return 0;
}

static int prepare(struct running *running, struct culprit_error *error)
{
    struct libvirt_hypervisor *hypervisor = running->hypervisor;
    char name[sizeof running->watch.name];

    int status = definition_digest(running->definition, running->result->definition_digest, error);
    if (status < 0)
        return status;
    snprintf(running->result->qemu_version, sizeof running->result->qemu_version, "%s",
             hypervisor->qemu_version);
    running->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (running->timer < 0)
        return culprit_fail_errno(error, errno, "cannot set a guest's deadline");
    status = ports_open(running->definition, hypervisor->shared, &running->ports, error);
    if (status < 0)
        return status;
    snprintf(name, sizeof name, DOMAIN_NAME_PREFIX "%x-%u", (unsigned)getpid(),
             atomic_fetch_add(&hypervisor->serial, 1));
    return connection_watch(hypervisor->connection, name, &running->watch, error);
}

static int choose_pins(const struct topology *topology, unsigned **ret_pins, char **ret_rest,
                       struct culprit_error *error)
{
    CULPRIT_CLEANUP(host_layout_free) struct host_layout *layout = NULL;
    _cleanup_free_ char *allowed = NULL;

    int status = host_allowed_cpus(&allowed, error);
    if (status == 0)
        status = host_layout_read("/sys", allowed, &layout, error);
    return status < 0 ? status : host_pin(topology, layout, ret_pins, ret_rest, error);
}

static int create(struct running *running, struct culprit_error *error)
{
    struct libvirt_hypervisor *hypervisor = running->hypervisor;
    CULPRIT_CLEANUP(close_connection) virConnectPtr handle = NULL;
    _cleanup_free_ char *xml = NULL, *rest = NULL;
    _cleanup_free_ unsigned *pins = NULL;
    int status = 0;

    if (running->definition->engine == ENGINE_REALTIME && !running->definition->unpinned)
        status = choose_pins(running->definition->topology, &pins, &rest, error);
    if (status < 0)
        return status;
    struct domain_options options = {
        .name = running->watch.name,
        .owner = hypervisor->owner,
        .user_label = *hypervisor->user_label ? hypervisor->user_label : NULL,
        .unconfined_model = *hypervisor->unconfined_model ? hypervisor->unconfined_model : NULL,
        .pins = pins,
        .emulator_cpus = rest,
    };
    status = domain_xml(running->definition, &options, &xml, error);
    if (status == 0)
        status = connection_get(hypervisor->connection, &handle, error);
    if (status < 0)
        return status;
    running->domain = virDomainCreateXML(
        handle, xml, hypervisor->kill_with_us ? VIR_DOMAIN_START_AUTODESTROY : 0);
    if (!running->domain)
        return fail_libvirt(error, "cannot start a guest");
    connection_watch_created(hypervisor->connection, &running->watch, handle);
    return 0;
}

/* Ends the guest; its STOPPED event follows, or has come already. */
static int destroy(struct running *running, enum guest_end end, struct culprit_error *error)
{
    if (running->forced)
        return 0;
    running->forced = true;
    running->result->end = end;
    if (virDomainDestroy(running->domain) < 0 && virDomainIsActive(running->domain) == 1)
        return fail_libvirt(error, "cannot end guest %s", running->watch.name);
    return 0;
}

/* What the console says moves the end of the guest's time forward, never back. */
static int shorten_time(struct running *running, struct culprit_error *error)
{
    const struct console_scanner *scanner = ports_scanner(running->ports);
    bool stuck = scanner->findings[CONSOLE_LOCKUP].count ||
                 scanner->findings[CONSOLE_HUNG_TASK].count;
    uint64_t grace = 0;

    if (scanner->findings[CONSOLE_PANIC].count)
        grace = AFTER_PANIC_NS;
    else if (stuck && running->definition->engine != ENGINE_FUNCTIONAL)
        grace = AFTER_LOCKUP_NS;
    uint64_t end = clock_monotonic(&clock_system) + grace;
    if (grace == 0 || end >= running->end_by_ns)
        return 0;
    running->end_by_ns = end;
    return set_timer(running, error);
}

static int look_at_ports(struct running *running, struct culprit_error *error)
{
    enum ports_state state;

    int status = ports_look(running->ports, &state, error);
    if (status < 0)
        return status;
    if (state == PORTS_CONSOLE_LIMIT)
        return destroy(running, GUEST_CONSOLE_LIMIT, error);
    if (state == PORTS_RECORDS_LIMIT)
        return destroy(running, GUEST_RECORDS_LIMIT, error);
    return shorten_time(running, error);
}

/* Waits for one thing to happen and acts on it. */
static int step(struct running *running, struct culprit_error *error)
{
    struct pollfd fds[] = {
        {.fd = running->watch.fd, .events = POLLIN},
        {.fd = ports_fd(running->ports), .events = POLLIN},
        {.fd = running->forced ? -1 : running->timer, .events = POLLIN},
        {.fd = running->forced ? -1 : cancel_fd(running->cancel), .events = POLLIN},
    };
    if (poll(fds, sizeof fds / sizeof *fds, -1) < 0)
        return errno == EINTR ? 0 : culprit_fail_errno(error, errno, "cannot wait for a guest");
    if (fds[0].revents)
        running->stop = connection_watch_state(running->hypervisor->connection, &running->watch,
                                               &running->reset);
    if (running->stop != STOP_NONE)
        return 0;
    if (fds[3].revents)
        return destroy(running, GUEST_CANCELLED, error);
    if (fds[2].revents)
        return destroy(running, GUEST_DEADLINE, error);
    return fds[1].revents ? look_at_ports(running, error) : 0;
}

static int wait_for_end(struct running *running, struct culprit_error *error)
{
    int status = 0;

    while (status == 0 && running->stop == STOP_NONE)
        status = step(running, error);
    if (status < 0) {
        if (virDomainDestroy(running->domain) < 0)
            virResetLastError();
        return status;
    }
    return ports_finish(running->ports, error);
}

static void give_reason(struct guest_run *result, enum guest_end end, const char *reason)
{
    result->end = end;
    snprintf(result->reason, sizeof result->reason, "%s", reason);
}

/* From the console: which of the fatal kinds came first, and its line. False when none did. */
static bool judge_console(const struct console_scanner *scanner, struct guest_run *result)
{
    enum console_kind kind = scanner->first_fatal;

    if (kind == CONSOLE_PLAIN)
        return false;
    bool stuck = kind == CONSOLE_LOCKUP || kind == CONSOLE_HUNG_TASK;
    /* "BUG: …" may be the cause and the panic its end: the cause says more. */
    give_reason(result, stuck ? GUEST_LOCKED_UP : GUEST_PANICKED, scanner->findings[kind].line);
    return true;
}

static void judge_stop(struct running *running)
{
    const struct console_scanner *scanner = ports_scanner(running->ports);
    struct guest_run *result = running->result;
    char log[256] = "";

    switch (running->stop) {
    case STOP_POWER_OFF:
        if (running->reset && scanner->findings[CONSOLE_RESTART].count)
            give_reason(result, GUEST_POWERED_OFF, "the guest rebooted");
        else if ((!running->reset && !scanner->findings[CONSOLE_PANIC].count) ||
                 judge_console(scanner, result))
            break;
        else
            give_reason(result, GUEST_PANICKED,
                        "the guest reset without a word, as after a triple fault");
        break;
    case STOP_CRASHED:
        if (!judge_console(scanner, result))
            give_reason(result, GUEST_PANICKED, "the guest's kernel panicked (pvpanic)");
        break;
    case STOP_DESTROYED:
        give_reason(result, GUEST_VANISHED, "the guest was destroyed by somebody else");
        break;
    case STOP_LOST:
        give_reason(result, GUEST_VANISHED, "the connection to libvirt broke");
        break;
    default:
        if (running->hypervisor->root)
            embed_take_log(running->hypervisor->root, running->watch.name, log, sizeof log);
        give_reason(result, GUEST_VANISHED, *log ? log : "QEMU ended or was killed");
    }
}

static void judge(struct running *running)
{
    const struct console_scanner *scanner = ports_scanner(running->ports);
    struct guest_run *result = running->result;

    if (!running->forced)
        judge_stop(running);
    else if (result->end == GUEST_DEADLINE)
        judge_console(scanner, result);
    const struct console_finding *warning = &scanner->findings[CONSOLE_WARNING];
    result->warnings = warning->count;
    snprintf(result->warning, sizeof result->warning, "%s", warning->line);
}

int libvirt_run(struct hypervisor *base, const struct guest_definition *definition,
                struct cancel *cancel, struct guest_run *ret, struct culprit_error *error)
{
    char log[1];
    struct guest_run result = {.end = GUEST_POWERED_OFF};
    __attribute__((cleanup(running_clear_cleanup))) struct running running = {
        .hypervisor = (struct libvirt_hypervisor *)base,
        .definition = definition,
        .cancel = cancel,
        .result = &result,
        .watch = {.fd = -1},
        .timer = -1,
    };

    if (cancel_requested(cancel))
        return culprit_fail(error, CULPRIT_CANCELLED, "cancelled before the guest was started");
    int status = prepare(&running, error);
    running.start_ns = clock_monotonic(&clock_system);
    running.end_by_ns = running.start_ns + definition->deadline_ns;
    if (status == 0)
        status = set_timer(&running, error);
    if (status == 0)
        status = create(&running, error);
    if (status == 0)
        status = wait_for_end(&running, error);
    result.wall_ns = clock_monotonic(&clock_system) - running.start_ns;
    if (status == 0)
        judge(&running);
    if (running.hypervisor->root && *running.watch.name)
        embed_take_log(running.hypervisor->root, running.watch.name, log, sizeof log);
    if (running.hypervisor->root)
        embed_limit_log(running.hypervisor->root);
    if (status < 0)
        return status;
    *ret = result;
    return 0;
}
