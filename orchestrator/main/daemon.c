/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "main/daemon.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "api/api.h"
#include "base/log.h"
#include "base/path.h"
#include "base/paths.h"
#include "build/builder.h"
#include "main/config_rules.h"
#include "main/libvirt_host.h"
#include "main/smtp_mailer.h"
#include "sched/real_work.h"
#include "sched/service.h"

struct daemon {
    const struct config *config;
    sd_event *event;
    struct catalogue *catalogue;
    struct store *store;
    struct blobs *blobs;
    struct builder *builder;
    struct guest_host *guests;
    char without_guests[CULPRIT_MESSAGE_SIZE]; /* why, as last said; "": with them */
    struct work *work;
    struct mailer *mailer;
    struct service *service;
    struct api *api;
    bool ending;
};

/* In the opposite order of how they were made; each may be missing. */
static void daemon_close_cleanup(struct daemon *daemon)
{
    api_free(daemon->api);
    service_free(daemon->service);
    smtp_mailer_free(daemon->mailer);
    real_work_free(daemon->work);
    guest_host_free(daemon->guests);
    builder_free(daemon->builder);
    blobs_close(daemon->blobs);
    store_close(daemon->store);
    catalogue_free(daemon->catalogue);
    sd_event_unref(daemon->event);
}

static int no_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot start: out of memory");
}

/* --- parts --------------------------------------------------------------------------------- */

/* What no job can do without. */
static int check_stock(const struct strv *found, const char *what, const char *directory,
                       struct culprit_error *error)
{
    if (found->count)
        return 0;
    return culprit_fail(error, CULPRIT_NOT_FOUND,
                        "there is no %s in %s: install culprit with its data, or have "
                        "CULPRIT_DATA_DIR name where they are",
                        what, directory);
}

static int open_catalogue(struct daemon *daemon, struct culprit_error *error)
{
    const struct config *config = daemon->config;
    _cleanup_free_ char *topologies = paths_topologies();
    _cleanup_free_ char *fragments = paths_fragments();
    _cleanup_free_ char *images = paths_images();
    const struct catalogue_directories directories = {topologies, fragments, images};

    if (!topologies || !fragments || !images)
        return no_memory(error);
    int status = catalogue_new(&directories, &daemon->catalogue, error);
    if (status < 0)
        return status;
    const struct job_environment *stock = catalogue_environment(daemon->catalogue);
    status = check_stock(stock->topologies, "topology (NAME.yaml)", topologies, error);
    if (status == 0)
        status = check_stock(stock->fragments, "fragment (NAME.config)", fragments, error);
    if (status == 0)
        status = check_stock(stock->images, "guest image (NAME.cpio)", images, error);
    for (size_t i = 0; status == 0 && i < config->repository_count; i++)
        status = catalogue_add_repository(daemon->catalogue, config->repositories[i].name,
                                          config->repositories[i].location, error);
    return status;
}

static int open_store(struct daemon *daemon, struct culprit_error *error)
{
    const struct config *config = daemon->config;
    _cleanup_free_ char *blobs = path_join(config->state_directory, "blobs");
    const struct store_options options = {
        .directory = config->state_directory,
        .clock = &clock_system,
        .maximum = config->store_maximum,
    };

    if (!blobs)
        return no_memory(error);
    int status = config_check_state(config, error);
    if (status == 0)
        status = store_open(&options, &daemon->store, error);
    if (status == 0)
        status = blobs_open(blobs, &daemon->blobs, error);
    return status;
}

static int open_builder(struct daemon *daemon, struct culprit_error *error)
{
    const struct config *config = daemon->config;
    const struct builder_options options = {
        .cache_directory = config->cache_directory,
        .slots = config->builds.slots,
        .jobs = config->builds.jobs,
        .timeout_ns = config->builds.timeout_ns,
        .compiler = config->builds.compiler,
        .nice = (int)config->builds.nice,
    };
    return builder_new(&options, &daemon->builder, error);
}

/* On the loop, after each attempt to reach libvirt: the daemon serves without it, and jobs wait. */
static void on_guests_answered(void *owner, const struct culprit_error *why)
{
    struct daemon *daemon = owner;
    char reason[CULPRIT_MESSAGE_SIZE + 16];

    if (why && strcmp(daemon->without_guests, why->message) != 0) {
        snprintf(reason, sizeof reason, "REASON=%s", why->message);
        log_error("there are no guests: trying again", reason, NULL);
    } else if (!why && daemon->without_guests[0]) {
        log_info("guests can be had again", NULL);
    }
    snprintf(daemon->without_guests, sizeof daemon->without_guests, "%s", why ? why->message : "");
    service_hold(daemon->service, why ? why->message : NULL);
}

static int open_guests(struct daemon *daemon, struct culprit_error *error)
{
    return libvirt_host_new(daemon->config, daemon->event, on_guests_answered, daemon,
                            &daemon->guests, error);
}

static int open_work(struct daemon *daemon, struct culprit_error *error)
{
    const struct real_work_options options = {
        .catalogue = daemon->catalogue,
        .builder = daemon->builder,
        .guests = daemon->guests,
        .cache_directory = daemon->config->cache_directory,
        .state_directory = daemon->config->state_directory,
    };
    return real_work_new(&options, &daemon->work, error);
}

static int open_service(struct daemon *daemon, struct culprit_error *error)
{
    const struct config *config = daemon->config;
    struct service_options options = {
        .event = daemon->event,
        .clock = &clock_system,
        .store = daemon->store,
        .blobs = daemon->blobs,
        .catalogue = daemon->catalogue,
        .work = daemon->work,
        .state_directory = config->state_directory,
        .build_slots = config->builds.slots,
        .guest_slots = config->guests.slots,
        .active_jobs = config->jobs.active,
        .waiting_jobs = config->jobs.waiting,
        .host = config->name,
        .mail_from = config->mail.from,
        .mail_domain = config->mail.domain,
        .keep = {.maximum = config->keep.size, .age_ns = config->keep.age_ns},
    };

    if (config->mail.host) {
        int status = smtp_mailer_new(config, &daemon->mailer, error);
        if (status < 0)
            return status;
        options.mailer = daemon->mailer;
    }
    return service_new(&options, &daemon->service, error);
}

static int open_api(struct daemon *daemon, struct culprit_error *error)
{
    const struct config *config = daemon->config;
    const struct api_options options = {
        .event = daemon->event,
        .service = daemon->service,
        .tokens = config->tokens ? daemon->store : NULL,
        .address = config->address,
        .port = config->port,
        .hosts = &config->hosts,
    };
    return api_new(&options, &daemon->api, error);
}

/* --- life ---------------------------------------------------------------------------------- */

static void on_stopped(void *context)
{
    struct daemon *daemon = context;
    sd_event_exit(daemon->event, 0);
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *context)
{
    struct daemon *daemon = context;
    char sender[64];

    (void)source;
    if (daemon->ending)
        return sd_event_exit(daemon->event, 0);
    daemon->ending = true;
    snprintf(sender, sizeof sender, "SENDER=%u", info->ssi_pid);
    log_info("ending: work in flight is stopped and will be done again",
             info->ssi_signo == SIGINT ? "SIGNAL=INT" : "SIGNAL=TERM", sender, NULL);
    sd_notify(0, "STOPPING=1");
    api_free(daemon->api);
    daemon->api = NULL;
    service_stop(daemon->service, on_stopped, daemon);
    return 0;
}

static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *info, void *context)
{
    (void)source;
    (void)info;
    (void)context;
    log_info("the configuration is read at the start only: restart to change it", NULL);
    return 0;
}

static int open_loop(struct daemon *daemon, struct culprit_error *error)
{
    int status = sd_event_new(&daemon->event);
    if (status >= 0)
        status = sd_event_add_signal(daemon->event, NULL, SIGTERM, on_signal, daemon);
    if (status >= 0)
        status = sd_event_add_signal(daemon->event, NULL, SIGINT, on_signal, daemon);
    if (status >= 0)
        status = sd_event_add_signal(daemon->event, NULL, SIGHUP, on_hangup, daemon);
    if (status >= 0)
        status = sd_event_set_watchdog(daemon->event, true);
    return status < 0 ? culprit_fail_errno(error, -status, "cannot set up the event loop") : 0;
}

static void say_ready(const struct daemon *daemon)
{
    const struct config *config = daemon->config;
    char address[300], state[4200];

    snprintf(address, sizeof address, "LISTEN=%s:%u", config->address, api_port(daemon->api));
    snprintf(state, sizeof state, "STATE_DIRECTORY=%s", config->state_directory);
    log_info("ready", address, state, NULL);
    sd_notifyf(0, "READY=1\nSTATUS=listening on %s:%u", config->address, api_port(daemon->api));
}

static int open_all(struct daemon *daemon, struct culprit_error *error)
{
    static int (*const steps[])(struct daemon *, struct culprit_error *) = {
        open_loop, open_catalogue, open_store, open_builder, open_guests, open_work, open_service,
    };
    int status = 0;

    for (size_t i = 0; status == 0 && i < sizeof steps / sizeof steps[0]; i++)
        status = steps[i](daemon, error);
    if (status == 0)
        status = service_start(daemon->service, error);
    if (status == 0)
        status = open_api(daemon, error);
    return status;
}

int daemon_run(const struct config *config, struct culprit_error *error)
{
    CULPRIT_CLEANUP(daemon_close) struct daemon daemon = {.config = config};

    int status = open_all(&daemon, error);
    if (status < 0)
        return status;
    say_ready(&daemon);
    status = sd_event_loop(daemon.event);
    if (status < 0)
        return culprit_fail_errno(error, -status, "the event loop failed");
    log_info("ended", NULL);
    return 0;
}

void daemon_block_signals(void)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int daemon_check(const struct config *config, struct culprit_error *error)
{
    CULPRIT_CLEANUP(daemon_close) struct daemon daemon = {.config = config};

    int status = config_check_host(config, error);
    return status < 0 ? status : open_catalogue(&daemon, error);
}
