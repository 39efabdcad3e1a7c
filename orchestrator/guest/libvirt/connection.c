/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/libvirt/connection.h"

#include <errno.h>
#include <libvirt/libvirt-qemu.h>
#include <libvirt/virterror.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "guest/libvirt/failure.h"

enum { KEEPALIVE_SECONDS = 5, KEEPALIVE_COUNT = 5 };

struct connection {
    char *uri;
    atomic_uint references;     /* the owner's, and one of each callback that libvirt holds */
    pthread_mutex_t open_mutex; /* over the handle */
    virConnectPtr handle;       /* NULL: not open */
    int lifecycle;              /* callback numbers; -1: none */
    int shutdown;
    pthread_mutex_t mutex; /* over the watches; taken in callbacks, never held across a call */
    struct guest_watch *watches;
};

static void unreference(struct connection *connection)
{
    if (atomic_fetch_sub(&connection->references, 1) != 1)
        return;
    pthread_mutex_destroy(&connection->open_mutex);
    pthread_mutex_destroy(&connection->mutex);
    free(connection->uri);
    free(connection);
}

/* libvirt lets go of a callback only after its last call has returned. */
static void release_callback(void *data)
{
    unreference(data);
}

/* A callback's reference, given back at once when it could not be registered. It is never the last
 * one: the owner, who registers, has its own. */
static int registered(struct connection *connection, int status)
{
    if (status < 0)
        atomic_fetch_sub(&connection->references, 1);
    return status;
}

static void signal_watch(struct guest_watch *watch)
{
    uint64_t one = 1;

    while (write(watch->fd, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

static struct guest_watch *find_watch(struct connection *connection, const char *name)
{
    struct guest_watch *watch = connection->watches;

    while (watch && strcmp(watch->name, name) != 0)
        watch = watch->next;
    return watch;
}

static enum guest_stop stop_of_detail(int detail)
{
    switch (detail) {
    case VIR_DOMAIN_EVENT_STOPPED_SHUTDOWN:
        return STOP_POWER_OFF;
    case VIR_DOMAIN_EVENT_STOPPED_CRASHED:
        return STOP_CRASHED;
    case VIR_DOMAIN_EVENT_STOPPED_DESTROYED:
        return STOP_DESTROYED;
    default:
        return STOP_FAILED;
    }
}

static int on_lifecycle(virConnectPtr handle, virDomainPtr domain, int event, int detail,
                        void *data)
{
    struct connection *connection = data;

    (void)handle;
    if (event != VIR_DOMAIN_EVENT_STOPPED && event != VIR_DOMAIN_EVENT_CRASHED)
        return 0;
    pthread_mutex_lock(&connection->mutex);
    struct guest_watch *watch = find_watch(connection, virDomainGetName(domain));
    if (watch) {
        /* A crash is announced before the stop that it leads to: the first word counts. */
        if (event == VIR_DOMAIN_EVENT_CRASHED)
            watch->stop = STOP_CRASHED;
        else if (watch->stop == STOP_NONE)
            watch->stop = stop_of_detail(detail);
        if (event == VIR_DOMAIN_EVENT_STOPPED)
            signal_watch(watch);
    }
    pthread_mutex_unlock(&connection->mutex);
    return 0;
}

/* libvirt reports a reset like a power-off when <on_reboot> is destroy; QEMU tells them apart. */
static void on_qemu_shutdown(virConnectPtr handle, virDomainPtr domain, const char *event,
                             long long seconds, unsigned micros, const char *details, void *data)
{
    struct connection *connection = data;

    (void)handle;
    (void)event;
    (void)seconds;
    (void)micros;
    if (!details || !strstr(details, "guest-reset"))
        return;
    pthread_mutex_lock(&connection->mutex);
    struct guest_watch *watch = find_watch(connection, virDomainGetName(domain));
    if (watch)
        watch->reset = true;
    pthread_mutex_unlock(&connection->mutex);
}

/* The connection broke: nobody will tell about its guests any more. */
static void on_close(virConnectPtr handle, int reason, void *data)
{
    struct connection *connection = data;

    (void)reason;
    pthread_mutex_lock(&connection->mutex);
    for (struct guest_watch *watch = connection->watches; watch; watch = watch->next) {
        if (watch->handle != handle)
            continue;
        if (watch->stop == STOP_NONE)
            watch->stop = STOP_LOST;
        signal_watch(watch);
    }
    pthread_mutex_unlock(&connection->mutex);
}

/* The embedded driver cannot go away; it takes a callback for that and never lets go of it. */
static bool can_break(const struct connection *connection)
{
    static const char embedded[] = "qemu:///embed";
    return strncmp(connection->uri, embedded, strlen(embedded)) != 0;
}

static int subscribe(struct connection *connection, virConnectPtr handle,
                     struct culprit_error *error)
{
    atomic_fetch_add(&connection->references, 2);
    connection->lifecycle = registered(
        connection, virConnectDomainEventRegisterAny(handle, NULL, VIR_DOMAIN_EVENT_ID_LIFECYCLE,
                                                     VIR_DOMAIN_EVENT_CALLBACK(on_lifecycle),
                                                     connection, release_callback));
    connection->shutdown = registered(connection, virConnectDomainQemuMonitorEventRegister(
                                                      handle, NULL, "SHUTDOWN", on_qemu_shutdown,
                                                      connection, release_callback, 0));
    int failed = connection->lifecycle < 0 || connection->shutdown < 0;
    if (failed)
        fail_libvirt(error, "cannot follow the guests of %s", connection->uri);
    if (can_break(connection)) {
        atomic_fetch_add(&connection->references, 1);
        registered(connection,
                   virConnectRegisterCloseCallback(handle, on_close, connection, release_callback));
        virConnectSetKeepAlive(handle, KEEPALIVE_SECONDS, KEEPALIVE_COUNT);
    }
    virResetLastError();
    return failed ? -CULPRIT_UNSUPPORTED : 0;
}

static void unsubscribe(struct connection *connection, virConnectPtr handle)
{
    if (connection->lifecycle >= 0)
        virConnectDomainEventDeregisterAny(handle, connection->lifecycle);
    if (connection->shutdown >= 0)
        virConnectDomainQemuMonitorEventDeregister(handle, connection->shutdown);
    if (can_break(connection))
        virConnectUnregisterCloseCallback(handle, on_close);
    virResetLastError();
    connection->lifecycle = connection->shutdown = -1;
}

static int check_type(const struct connection *connection, virConnectPtr handle,
                      struct culprit_error *error)
{
    const char *type = virConnectGetType(handle);

    if (type && strcmp(type, "QEMU") == 0)
        return 0;
    return culprit_fail(error, CULPRIT_UNSUPPORTED, "the hypervisor at %s is %s and not QEMU",
                        connection->uri, type ? type : "unknown");
}

/* What libvirt's driver sets up in the first open is the process's until its end, and a part of it
 * is lost when that fails: not for a leak checker to put down to us. */
static virConnectPtr open_quietly(const char *uri)
{
#ifdef __SANITIZE_ADDRESS__
    __lsan_disable();
    virConnectPtr handle = virConnectOpen(uri);
    __lsan_enable();
    return handle;
#else
    return virConnectOpen(uri);
#endif
}

static int open_handle(struct connection *connection, virConnectPtr *ret,
                       struct culprit_error *error)
{
    virConnectPtr handle = open_quietly(connection->uri);

    if (!handle)
        return fail_connect(error, connection->uri);
    int status = check_type(connection, handle, error);
    if (status == 0)
        status = subscribe(connection, handle, error);
    if (status < 0) {
        unsubscribe(connection, handle);
        virConnectClose(handle);
        return status;
    }
    *ret = handle;
    return 0;
}

int connection_new(const char *uri, struct connection **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(connection_free) struct connection *connection = calloc(1, sizeof *connection);
    CULPRIT_CLEANUP(close_connection) virConnectPtr handle = NULL;

    if (!connection)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a connection to libvirt");
    pthread_mutex_init(&connection->open_mutex, NULL);
    pthread_mutex_init(&connection->mutex, NULL);
    atomic_init(&connection->references, 1);
    connection->lifecycle = connection->shutdown = -1;
    connection->uri = strdup(uri);
    if (!connection->uri)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a connection to libvirt");
    int status = connection_get(connection, &handle, error);
    if (status < 0)
        return status;
    *ret = take(connection);
    return 0;
}

void connection_free(struct connection *connection)
{
    if (!connection)
        return;
    if (connection->handle) {
        unsubscribe(connection, connection->handle);
        virConnectClose(connection->handle);
    }
    unreference(connection);
}

int connection_get(struct connection *connection, virConnectPtr *ret, struct culprit_error *error)
{
    int status = 0;

    pthread_mutex_lock(&connection->open_mutex);
    if (connection->handle && virConnectIsAlive(connection->handle) != 1) {
        unsubscribe(connection, connection->handle);
        virConnectClose(connection->handle);
        connection->handle = NULL;
    }
    if (!connection->handle)
        status = open_handle(connection, &connection->handle, error);
    if (status == 0) {
        virConnectRef(connection->handle);
        *ret = connection->handle;
    }
    pthread_mutex_unlock(&connection->open_mutex);
    return status;
}

int connection_watch(struct connection *connection, const char *name, struct guest_watch *watch,
                     struct culprit_error *error)
{
    *watch = (struct guest_watch){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (watch->fd < 0)
        return culprit_fail_errno(error, errno, "cannot follow guest %s", name);
    snprintf(watch->name, sizeof watch->name, "%s", name);
    pthread_mutex_lock(&connection->mutex);
    watch->next = connection->watches;
    connection->watches = watch;
    pthread_mutex_unlock(&connection->mutex);
    return 0;
}

void connection_watch_created(struct connection *connection, struct guest_watch *watch,
                              virConnectPtr handle)
{
    pthread_mutex_lock(&connection->mutex);
    watch->handle = handle;
    pthread_mutex_unlock(&connection->mutex);
    /* It may have broken just before, when the watch could not be told. */
    if (virConnectIsAlive(handle) == 0)
        on_close(handle, 0, connection);
}

void connection_unwatch(struct connection *connection, struct guest_watch *watch)
{
    pthread_mutex_lock(&connection->mutex);
    for (struct guest_watch **at = &connection->watches; *at; at = &(*at)->next) {
        if (*at == watch) {
            *at = watch->next;
            break;
        }
    }
    pthread_mutex_unlock(&connection->mutex);
    if (watch->fd >= 0)
        close(watch->fd);
    watch->fd = -1;
}

enum guest_stop connection_watch_state(struct connection *connection, struct guest_watch *watch,
                                       bool *ret_reset)
{
    uint64_t count;

    pthread_mutex_lock(&connection->mutex);
    while (read(watch->fd, &count, sizeof count) < 0 && errno == EINTR)
        ;
    enum guest_stop stop = watch->stop;
    *ret_reset = watch->reset;
    pthread_mutex_unlock(&connection->mutex);
    return stop;
}

bool connection_watches(struct connection *connection, const char *name)
{
    pthread_mutex_lock(&connection->mutex);
    bool found = find_watch(connection, name) != NULL;
    pthread_mutex_unlock(&connection->mutex);
    return found;
}
