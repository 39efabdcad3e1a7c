/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>

#include "base/digest.h"
#include "base/file.h"
#include "guest/domain.h"

enum { ANSWER_MAXIMUM = 4096, RECORDS_MAXIMUM = 1024 * 1024, CONSOLE_MAXIMUM = 4 * 1024 * 1024 };

#define PROBE_DEADLINE_NS (UINT64_C(30) * 1000000000)

static const char hello[] = "\"t\":\"hello\"";

static int no_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the host's capabilities");
}

static void set_kvm(struct host_capabilities *capabilities, enum kvm_state state,
                    const char *format, ...) __attribute__((format(printf, 3, 4)));

static void set_kvm(struct host_capabilities *capabilities, enum kvm_state state,
                    const char *format, ...)
{
    va_list arguments;

    capabilities->kvm = state;
    va_start(arguments, format);
    vsnprintf(capabilities->kvm_reason, sizeof capabilities->kvm_reason, format, arguments);
    va_end(arguments);
}

/* What can be said without booting anything. */
static void look_at_device(struct host_capabilities *capabilities)
{
    _cleanup_close_ int fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);

    if (fd < 0 && errno == ENOENT)
        set_kvm(capabilities, KVM_ABSENT,
                "there is no /dev/kvm: the CPU's virtualisation is off, or this is a guest "
                "without nested virtualisation");
    else if (fd < 0 && errno == EACCES)
        set_kvm(capabilities, KVM_ABSENT,
                "/dev/kvm may not be opened by this user: add the user to the group kvm");
    else if (fd < 0)
        set_kvm(capabilities, KVM_ABSENT, "/dev/kvm cannot be opened: %s", strerror(errno));
    else if (ioctl(fd, KVM_GET_API_VERSION, 0) != KVM_API_VERSION)
        set_kvm(capabilities, KVM_ABSENT, "/dev/kvm does not speak the version of KVM in use");
    else
        set_kvm(capabilities, KVM_UNPROBED, "/dev/kvm opens; no guest was booted on it yet");
}

/* One line of /proc/cpuinfo that names the CPU; "" where there is none. */
static void read_cpu_name(char *text, size_t size)
{
    char line[256];
    _cleanup_fclose_ FILE *stream = fopen("/proc/cpuinfo", "re");

    text[0] = '\0';
    while (stream && fgets(line, sizeof line, stream)) {
        if (strncmp(line, "model name", strlen("model name")) == 0) {
            snprintf(text, size, "%s", line);
            return;
        }
    }
}

/* One file for each host, host kernel and QEMU: an upgrade of any of them asks anew. */
static char *answer_path(const char *cache_directory, const char *qemu_version)
{
    struct digest digest;
    struct utsname system = {0};
    char hex[DIGEST_HEX_SIZE], cpu[256];
    _cleanup_free_ char *machine = NULL;

    uname(&system);
    read_cpu_name(cpu, sizeof cpu);
    (void)file_read("/etc/machine-id", 64, &machine, NULL, NULL);
    digest_init(&digest);
    digest_field(&digest, "machine", machine);
    digest_field(&digest, "host", system.nodename);
    digest_field(&digest, "release", system.release);
    digest_field(&digest, "version", system.version);
    digest_field(&digest, "cpu", cpu);
    digest_field(&digest, "qemu", qemu_version);
    digest_finish(&digest, hex);
    return text_format("%s/kvm-probe-%.16s", cache_directory, hex);
}

/* "works\nREASON\n" or "broken\nREASON\n"; anything else counts as no answer. */
static void read_answer(const char *path, struct host_capabilities *capabilities)
{
    _cleanup_free_ char *text = NULL;

    if (file_read(path, ANSWER_MAXIMUM, &text, NULL, NULL) < 0)
        return;
    char *reason = strchr(text, '\n');
    char *end = reason ? strchr(reason + 1, '\n') : NULL;
    if (!end)
        return;
    *reason++ = '\0';
    *end = '\0';
    if (strcmp(text, "works") == 0)
        set_kvm(capabilities, KVM_WORKS, "%s", reason);
    else if (strcmp(text, "broken") == 0)
        set_kvm(capabilities, KVM_BROKEN, "%s", reason);
}

static int write_answer(const char *cache_directory, const struct host_capabilities *capabilities,
                        struct culprit_error *error)
{
    _cleanup_free_ char *path = answer_path(cache_directory, capabilities->qemu_version);
    _cleanup_free_ char *text = text_format(
        "%s\n%s\n", capabilities->kvm == KVM_WORKS ? "works" : "broken", capabilities->kvm_reason);

    if (!path || !text)
        return no_memory(error);
    int status = file_make_directories(cache_directory, 0755, error);
    return status < 0 ? status : file_write_atomic(path, text, strlen(text), 0644, error);
}

int host_capabilities_read(const char *qemu_version, const char *cache_directory,
                           struct host_capabilities *ret, struct culprit_error *error)
{
    _cleanup_free_ char *allowed = NULL;
    struct host_capabilities found = {0};

    snprintf(found.qemu_version, sizeof found.qemu_version, "%s", qemu_version);
    int status = host_allowed_cpus(&allowed, error);
    if (status == 0)
        status = host_layout_read("/sys", allowed, &found.layout, error);
    if (status < 0)
        return status;
    look_at_device(&found);
    if (found.kvm == KVM_UNPROBED) {
        _cleanup_free_ char *path = answer_path(cache_directory, qemu_version);
        if (path)
            read_answer(path, &found);
    }
    *ret = found;
    return 0;
}

void host_capabilities_clear(struct host_capabilities *capabilities)
{
    host_layout_free(capabilities->layout);
    capabilities->layout = NULL;
}

static bool said_hello(const char *path)
{
    _cleanup_free_ char *records = NULL;
    size_t length;

    return file_read(path, RECORDS_MAXIMUM, &records, &length, NULL) == 0 &&
           memmem(records, length, hello, strlen(hello)) != NULL;
}

static void judge_probe(const struct guest_run *run, bool reached, uint64_t deadline_ns,
                        struct host_capabilities *capabilities)
{
    if (reached)
        set_kvm(capabilities, KVM_WORKS, "a guest booted under KVM in %.1f s",
                (double)run->wall_ns / 1e9);
    else if (run->end == GUEST_DEADLINE)
        set_kvm(capabilities, KVM_BROKEN,
                "a guest under KVM did not reach its agent within %.0f s, although /dev/kvm opens",
                (double)deadline_ns / 1e9);
    else
        set_kvm(capabilities, KVM_BROKEN,
                "a guest under KVM ended (%s) before its agent was reached%s%s",
                guest_end_name(run->end), *run->reason ? ": " : "", run->reason);
}

/* The guest is not pinned: whether it boots is all that is asked. So it runs as a definition that
 * asks for KVM on any CPUs, which a host too small for pinning can answer as well. */
static int boot_probe(struct hypervisor *hypervisor, const struct kvm_probe *probe,
                      uint64_t deadline_ns, struct cancel *cancel,
                      struct host_capabilities *capabilities, struct culprit_error *error)
{
    _cleanup_free_ char *console = path_join(probe->directory, "kvm-probe.console");
    _cleanup_free_ char *records = path_join(probe->directory, "kvm-probe.records");
    _cleanup_free_ char *cmdline = NULL;
    struct guest_run run;
    struct culprit_error cause = {0};

    if (!console || !records)
        return no_memory(error);
    int status = guest_cmdline(ENGINE_REALTIME, 1, NULL, &cmdline, error);
    if (status < 0)
        return status;
    struct guest_definition definition = {
        .kernel = probe->kernel,
        .initrd = probe->initrd,
        .cmdline = cmdline,
        .topology = probe->topology,
        .engine = ENGINE_REALTIME,
        .unpinned = true,
        .memory = probe->topology->memory,
        .seed = 1,
        .console_path = console,
        .records_path = records,
        .console_maximum = CONSOLE_MAXIMUM,
        .records_maximum = RECORDS_MAXIMUM,
        .deadline_ns = deadline_ns,
        .label = "KVM probe",
    };
    status = hypervisor_run(hypervisor, &definition, cancel, &run, &cause);
    if (status == -CULPRIT_FAILED || status == -CULPRIT_UNSUPPORTED) {
        set_kvm(capabilities, KVM_BROKEN, "a guest under KVM does not start: %s", cause.message);
        return 0;
    }
    if (status < 0)
        return culprit_fail(error, cause.code, "cannot probe KVM: %s", cause.message);
    if (run.end == GUEST_CANCELLED)
        return culprit_fail(error, CULPRIT_CANCELLED, "the KVM probe was cancelled");
    judge_probe(&run, said_hello(records), deadline_ns, capabilities);
    return 0;
}

int kvm_probe(struct hypervisor *hypervisor, const struct kvm_probe *probe, struct cancel *cancel,
              struct host_capabilities *capabilities, struct culprit_error *error)
{
    uint64_t deadline = probe->deadline_ns ? probe->deadline_ns : PROBE_DEADLINE_NS;

    if (capabilities->kvm == KVM_ABSENT)
        return 0;
    int status = boot_probe(hypervisor, probe, deadline, cancel, capabilities, error);
    return status < 0 ? status : write_answer(probe->cache_directory, capabilities, error);
}
