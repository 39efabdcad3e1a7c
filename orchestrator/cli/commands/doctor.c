/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this host can do, engine by engine, and why not. Nothing is believed that can be tried. */
#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"
#include "base/paths.h"
#include "base/process.h"
#include "base/units.h"
#include "cli/commands/commands.h"
#include "cli/local.h"
#include "cli/remote.h"
#include "cli/text.h"
#include "guest/libvirt/libvirt.h"
#include "trial/choose.h"

#define PROGRAM_TIMEOUT_NS UINT64_C(20000000000)
#define DISK_WANTED        (UINT64_C(8) << 30)

static const struct cli_option options[] = {
    {"kernel", 'k', "BZIMAGE", "probe KVM anew with this kernel (default: $CULPRIT_KERNEL)"},
    {NULL, '\0', NULL, NULL},
};

enum finding { FINDING_OK, FINDING_NOTE, FINDING_LACKING };

struct doctor {
    struct cli *cli;
    json_t *rows; /* NULL: print at once */
    bool lacking; /* something without which no engine or no build works */
};

__attribute__((format(printf, 5, 6))) static void say(struct doctor *doctor, enum finding finding,
                                                      const char *group, const char *what,
                                                      const char *format, ...)
{
    static const char *const words[] = {"ok", "note", "NO"};
    char detail[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    if (finding == FINDING_LACKING)
        doctor->lacking = true;
    if (doctor->rows) {
        json_array_append_new(
            doctor->rows,
            json_pack("{s:s, s:s, s:s, s:s}", "group", group, "check", what, "finding",
                      finding == FINDING_LACKING ? "lacking" : words[finding], "detail", detail));
        return;
    }
    fprintf(doctor->cli->out, "%-5s %-8s %-14s ", words[finding], group, what);
    text_print_safe(doctor->cli->out, detail);
    fputc('\n', doctor->cli->out);
    fflush(doctor->cli->out);
}

/* Runs a program that should be there; its first line of output is its version. */
static bool try_program(struct doctor *doctor, const char *group, const char *what,
                        const char *const *argv, const char *needed_for)
{
    const struct process_options run = {.timeout_ns = PROGRAM_TIMEOUT_NS,
                                        .cancel = doctor->cli->cancel};
    _cleanup_strv_ struct strv words = {0};
    _cleanup_free_ char *output = NULL;
    struct culprit_error error = {0};

    for (; *argv; argv++)
        strv_append(&words, *argv);
    if (words.failed || process_capture(&words, &run, 64 * 1024, &output, &error) < 0) {
        say(doctor, FINDING_LACKING, group, what, "needed for %s: %s", needed_for, error.message);
        return false;
    }
    output[strcspn(output, "\n")] = '\0';
    say(doctor, FINDING_OK, group, what, "%s", *output ? output : "works");
    return true;
}

static void check_builds(struct doctor *doctor)
{
    static const struct {
        const char *name;
        const char *argv[16];
    } programs[] = {
        {"gcc", {"gcc", "--version", NULL}},
        {"make", {"make", "--version", NULL}},
        {"ld", {"ld", "--version", NULL}},
        {"flex", {"flex", "--version", NULL}},
        {"bison", {"bison", "--version", NULL}},
        {"bc", {"bc", "--version", NULL}},
        {"perl", {"perl", "-e", "print \"perl $^V\"", NULL}},
    };
    static const char *const sandbox[] = {
        "bwrap",         "--ro-bind",         "/",    "/", "--dev", "/dev", "--proc", "/proc",
        "--unshare-all", "--die-with-parent", "true", NULL};

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        try_program(doctor, "builds", programs[i].name, programs[i].argv, "kernel builds");
    try_program(doctor, "builds", "sandbox", sandbox, "kernel builds without network");
}

static void check_data(struct doctor *doctor)
{
    _cleanup_free_ char *topologies = paths_topologies();
    _cleanup_free_ char *fragments = paths_fragments();
    _cleanup_free_ char *image = paths_image("minimal");
    _cleanup_strv_ struct strv names = {0};
    struct culprit_error error = {0};

    if (!topologies || !fragments || !image)
        return say(doctor, FINDING_LACKING, "data", "paths", "no memory");
    if (topology_list(topologies, &names, &error) < 0 || names.count == 0)
        say(doctor, FINDING_LACKING, "data", "topologies", "none in %s %s", topologies,
            error.message);
    else
        say(doctor, FINDING_OK, "data", "topologies", "%zu in %s", names.count, topologies);
    if (file_exists(image))
        say(doctor, FINDING_OK, "data", "guest image", "%s", image);
    else
        say(doctor, FINDING_LACKING, "data", "guest image", "%s is not there: ./bootstrap build",
            image);
    if (file_exists(fragments))
        say(doctor, FINDING_OK, "data", "fragments", "%s", fragments);
    else
        say(doctor, FINDING_LACKING, "data", "fragments", "%s is not there", fragments);
}

static void check_disk(struct doctor *doctor)
{
    _cleanup_free_ char *state = path_state_home();
    _cleanup_free_ char *place = state ? strdup(state) : NULL;
    struct statvfs status;
    char size[UNITS_TEXT_SIZE];
    uint64_t available, unit;
    char *slash;

    if (!place)
        return say(doctor, FINDING_NOTE, "data", "disk", "no home directory to keep state in");
    /* The state directory need not exist yet: its nearest parent lies on the same disk. */
    while (statvfs(place, &status) < 0) {
        slash = strrchr(place, '/');
        if (errno != ENOENT || !slash || slash == place)
            return say(doctor, FINDING_NOTE, "data", "disk", "cannot look at %s", state);
        *slash = '\0';
    }
    available = (uint64_t)status.f_bavail * status.f_frsize;
    unit = available < UINT64_C(10) << 30 ? UINT64_C(1) << 20 : UINT64_C(1) << 30;
    say(doctor, available < DISK_WANTED ? FINDING_NOTE : FINDING_OK, "data", "disk",
        "%s free below %s%s", format_size(available / unit * unit, size), place,
        available < DISK_WANTED ? "; a kernel history and its builds want 8GiB" : "");
}

static void check_engine(struct doctor *doctor, const struct local *local, enum engine engine,
                         const struct topology *topology)
{
    char reason[ENGINE_REASON_SIZE] = "";
    struct culprit_error error = {0};
    enum engine resolved;
    int r = engine_resolve(engine, topology, &local->capabilities, &resolved, reason, &error);

    if (r < 0)
        say(doctor, engine == ENGINE_DETERMINISTIC ? FINDING_LACKING : FINDING_NOTE, "engine",
            engine_name(engine), "%s", error.message);
    else if (engine == ENGINE_AUTO)
        say(doctor, FINDING_OK, "engine", engine_name(engine), "becomes %s: %s",
            engine_name(resolved), reason);
    else
        say(doctor, FINDING_OK, "engine", engine_name(engine), "can be used%s",
            engine == ENGINE_FUNCTIONAL ? ", for boot and layout checks only" : "");
}

/* Whoever names a kernel wants to know today's answer, not the one that was kept. */
static void probe(struct doctor *doctor, struct local *local, const char *kernel,
                  const struct topology *pair)
{
    _cleanup_free_ char *cache = path_cache_home();
    const struct engine_choice choice = {
        .kernel = kernel,
        .guest_image = local->image,
        .pair = pair,
        .directory = local->directory,
        .cache_directory = cache,
    };
    struct culprit_error error = {0};

    if (local->capabilities.kvm == KVM_ABSENT)
        return;
    if (engine_probe(local->hypervisor, &choice, &local->capabilities, doctor->cli->cancel,
                     &error) < 0)
        say(doctor, FINDING_NOTE, "guests", "KVM probe", "%s", error.message);
}

static void check_guests(struct doctor *doctor, const char *kernel)
{
    static const enum engine engines[] = {ENGINE_DETERMINISTIC, ENGINE_REALTIME, ENGINE_FUNCTIONAL,
                                          ENGINE_AUTO};
    CULPRIT_CLEANUP(topology_free) struct topology *pair = NULL;
    CULPRIT_CLEANUP(local_close) struct local local = {0};
    struct culprit_error error = {0};

    if (local_topology("pair", &pair, &error) < 0 || local_open(NULL, &local, &error) < 0)
        return say(doctor, FINDING_LACKING, "guests", "libvirt", "%s", error.message);
    say(doctor, FINDING_OK, "guests", "libvirt", "its QEMU driver runs in this process");
    say(doctor, FINDING_OK, "guests", "QEMU", "%s", local.capabilities.qemu_version);
    say(doctor, FINDING_OK, "guests", "host CPUs", "%zu", local.capabilities.layout->count);
    if (kernel)
        probe(doctor, &local, kernel, pair);
    say(doctor, local.capabilities.kvm == KVM_WORKS ? FINDING_OK : FINDING_NOTE, "guests", "KVM",
        "%s", local.capabilities.kvm_reason);
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        check_engine(doctor, &local, engines[i], pair);
}

static void check_server(struct doctor *doctor)
{
    CULPRIT_CLEANUP(remote_close) struct remote remote = {0};
    CULPRIT_CLEANUP(json_decref) json_t *health = NULL;
    struct culprit_error error = {0};
    int r = remote_open(doctor->cli, &remote, &error);

    if (r == 0)
        r = client_get_json(remote.client, "/healthz", &health, &error);
    if (r < 0)
        say(doctor, FINDING_NOTE, "server", "culpritd", "%s", error.message);
    else
        say(doctor, FINDING_OK, "server", "culpritd", "answers at %s", remote.settings.server);
}

static int run(struct cli *cli, const struct arguments *arguments, struct culprit_error *error)
{
    struct doctor doctor = {.cli = cli};
    _cleanup_free_ char *kernel = NULL;
    int r = cli_check_words(&command_doctor, arguments, 0, 0, error);

    if (r == 0 && (arguments_given(arguments, "kernel") || getenv("CULPRIT_KERNEL")))
        r = local_kernel_option(arguments, &kernel, error);
    if (r < 0)
        return r;
    doctor.rows = cli->json ? json_array() : NULL;
    check_guests(&doctor, kernel);
    check_builds(&doctor);
    check_data(&doctor);
    check_disk(&doctor);
    check_server(&doctor);
    if (cli->json) {
        r = cli_print_json(cli, doctor.rows, error);
        if (r < 0)
            return r;
    }
    return doctor.lacking ? CLI_AGAINST : CLI_DONE;
}

const struct cli_command command_doctor = {
    .name = "doctor",
    .summary = "say what this host can do, and what it lacks",
    .usage = "[--kernel BZIMAGE]",
    .help = "\"NO\" marks what no job can do without, and makes the exit status 1; \"note\" is "
            "worth knowing.\nWith a kernel, KVM is probed by a real boot.",
    .options = options,
    .run = run,
};
