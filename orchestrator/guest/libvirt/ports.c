/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/libvirt/ports.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/timerfd.h>

struct port {
    const char *path; /* the definition's */
    int fd;
    uint64_t maximum;
};

struct ports {
    struct port console, records;
    uint64_t seen; /* bytes of the console that the scanner has had */
    int watch;     /* inotify, or a timer when the files are shared */
    struct console_scanner scanner;
};

static int create(struct port *port, const char *path, uint64_t maximum,
                  struct culprit_error *error)
{
    port->path = path;
    port->maximum = maximum;
    port->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (port->fd < 0)
        return culprit_fail_errno(error, errno, "cannot create the guest's port file %s", path);
    return 0;
}

static int watch_files(struct ports *ports, struct culprit_error *error)
{
    ports->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (ports->watch < 0)
        return culprit_fail_errno(error, errno, "cannot watch the guest's port files");
    if (inotify_add_watch(ports->watch, ports->console.path, IN_MODIFY) < 0 ||
        inotify_add_watch(ports->watch, ports->records.path, IN_MODIFY) < 0)
        return culprit_fail_errno(error, errno, "cannot watch the guest's port file %s",
                                  ports->console.path);
    return 0;
}

static int watch_by_timer(struct ports *ports, struct culprit_error *error)
{
    static const struct itimerspec second = {{.tv_sec = 1}, {.tv_sec = 1}};

    ports->watch = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (ports->watch < 0 || timerfd_settime(ports->watch, 0, &second, NULL) < 0)
        return culprit_fail_errno(error, errno, "cannot watch the guest's port files");
    return 0;
}

int ports_open(const struct guest_definition *definition, bool shared, struct ports **ret,
               struct culprit_error *error)
{
    CULPRIT_CLEANUP(ports_free) struct ports *ports = calloc(1, sizeof *ports);

    if (!ports)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a guest's ports");
    ports->console.fd = ports->records.fd = ports->watch = -1;
    console_scanner_init(&ports->scanner);
    int status = create(&ports->console, definition->console_path, definition->console_maximum,
                        error);
    if (status == 0)
        status = create(&ports->records, definition->records_path, definition->records_maximum,
                        error);
    if (status == 0)
        status = shared ? watch_by_timer(ports, error) : watch_files(ports, error);
    if (status < 0)
        return status;
    *ret = take(ports);
    return 0;
}

void ports_free(struct ports *ports)
{
    if (!ports)
        return;
    if (ports->watch >= 0)
        close(ports->watch);
    if (ports->console.fd >= 0)
        close(ports->console.fd);
    if (ports->records.fd >= 0)
        close(ports->records.fd);
    free(ports);
}

int ports_fd(const struct ports *ports)
{
    return ports->watch;
}

const struct console_scanner *ports_scanner(const struct ports *ports)
{
    return &ports->scanner;
}

/* What was reported does not matter: both files are looked at anyway. */
static void drain(int fd)
{
    char events[4096] __attribute__((aligned(8)));
    ssize_t length;

    do
        length = read(fd, events, sizeof events);
    while (length > 0 || (length < 0 && errno == EINTR));
}

static int port_size(const struct port *port, uint64_t *ret, struct culprit_error *error)
{
    struct stat status;

    if (fstat(port->fd, &status) < 0)
        return culprit_fail_errno(error, errno, "cannot look at %s", port->path);
    *ret = (uint64_t)status.st_size;
    return 0;
}

static int read_console(struct ports *ports, struct culprit_error *error)
{
    char bytes[16384];

    while (ports->seen < ports->console.maximum) {
        uint64_t left = ports->console.maximum - ports->seen;
        size_t wanted = left < sizeof bytes ? (size_t)left : sizeof bytes;
        ssize_t length = pread(ports->console.fd, bytes, wanted, (off_t)ports->seen);
        if (length < 0 && errno == EINTR)
            continue;
        if (length < 0)
            return culprit_fail_errno(error, errno, "cannot read %s", ports->console.path);
        if (length == 0)
            break;
        console_scanner_feed(&ports->scanner, bytes, (size_t)length);
        ports->seen += (uint64_t)length;
    }
    return 0;
}

int ports_look(struct ports *ports, enum ports_state *ret, struct culprit_error *error)
{
    uint64_t console, records;

    drain(ports->watch);
    int status = read_console(ports, error);
    if (status == 0)
        status = port_size(&ports->console, &console, error);
    if (status == 0)
        status = port_size(&ports->records, &records, error);
    if (status < 0)
        return status;
    *ret = PORTS_WITHIN;
    if (console > ports->console.maximum)
        *ret = PORTS_CONSOLE_LIMIT;
    else if (records > ports->records.maximum)
        *ret = PORTS_RECORDS_LIMIT;
    return 0;
}

static int cut(const struct port *port, struct culprit_error *error)
{
    uint64_t size;

    int status = port_size(port, &size, error);
    if (status < 0)
        return status;
    if (size > port->maximum && ftruncate(port->fd, (off_t)port->maximum) < 0)
        return culprit_fail_errno(error, errno, "cannot shorten %s", port->path);
    return 0;
}

int ports_finish(struct ports *ports, struct culprit_error *error)
{
    int status = read_console(ports, error);
    console_scanner_finish(&ports->scanner);
    if (status == 0)
        status = cut(&ports->console, error);
    return status < 0 ? status : cut(&ports->records, error);
}
