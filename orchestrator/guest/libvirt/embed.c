/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/libvirt/embed.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/file.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/digest.h"
#include "base/file.h"
#include "guest/libvirt/remains.h"

/*
 * Below the root libvirt makes "lib/qemu/domain-NNNNNN-twenty-characters-xx/monitor.sock", and a
 * socket's path may have 107 bytes (unix(7)).
 */
enum {
    ROOT_MAXIMUM = 107 - 56,
    QEMU_LOG_MAXIMUM = 1024 * 1024,
    LIBVIRT_LOG_MAXIMUM = 4 * 1024 * 1024
};

/* Files are opened by QEMU itself, and stay regular files; nothing is relabelled or given away. */
static const char configuration[] = "# Written by culprit at every start.\n"
                                    "stdio_handler = \"file\"\n"
                                    "namespaces = []\n"
                                    "cgroup_controllers = []\n"
                                    "security_driver = \"none\"\n"
                                    "security_default_confined = 0\n"
                                    "security_require_confined = 0\n"
                                    "dynamic_ownership = 0\n"
                                    "remember_owner = 0\n"
                                    "seccomp_sandbox = 1\n"
                                    "max_core = 0\n";

/* The embedded driver ignores a second root in the same process, so it is kept here. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *process_root;
static int process_lock = -1;

static int no_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for libvirt's directory");
}

/* `directory` made absolute; or, when it is too long for sockets or has a blank, at which libvirt
 * would end the name of its log, a short stand-in that it names. */
static char *choose_root(const char *directory)
{
    char hex[DIGEST_HEX_SIZE];
    _cleanup_free_ char *absolute = realpath(directory, NULL);

    if (!absolute || (strlen(absolute) <= ROOT_MAXIMUM && !strpbrk(absolute, " \t\n")))
        return take(absolute);
    digest_bytes(absolute, strlen(absolute), hex);
    _cleanup_free_ char *runtime = path_runtime_home();
    return runtime ? text_format("%s/vm-%.8s", runtime, hex) : NULL;
}

static int write_configuration(const char *root, struct culprit_error *error)
{
    _cleanup_free_ char *etc = path_join(root, "etc");
    _cleanup_free_ char *path = etc ? path_join(etc, "qemu.conf") : NULL;
    /* As root the driver would give guests to a user that cannot read the caller's files. */
    const char *user = geteuid() == 0 ? "user = \"+0\"\ngroup = \"+0\"\n" : "";
    _cleanup_free_ char *text = text_format("%s%s", configuration, user);

    if (!path || !text)
        return no_memory(error);
    int status = file_make_directories(etc, 0700, error);
    return status < 0 ? status : file_write_atomic(path, text, strlen(text), 0600, error);
}

static int lock_root(const char *root, int *ret_fd, struct culprit_error *error)
{
    _cleanup_free_ char *path = path_join(root, "lock");
    if (!path)
        return no_memory(error);
    _cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return culprit_fail_errno(error, errno, "cannot open %s", path);
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno == EWOULDBLOCK)
            return culprit_fail(error, CULPRIT_CONFLICT,
                                "another process runs its guests in %s; give this one a "
                                "directory of its own",
                                root);
        return culprit_fail_errno(error, errno, "cannot lock %s", path);
    }
    *ret_fd = fd;
    fd = -1;
    return 0;
}

/* Characters that may stand in a URI's query as they are; all others become %XX. */
static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("/._-~", c));
}

static char *uri_of_root(const char *root)
{
    _cleanup_buffer_ struct buffer uri = BUFFER_INIT(4096);

    buffer_puts(&uri, "qemu:///embed?root=");
    for (; *root; root++)
        buffer_printf(&uri, is_plain(*root) ? "%c" : "%%%02X", (unsigned char)*root);
    return buffer_take(&uri);
}

static unsigned hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

char *embed_root_of_uri(const char *uri)
{
    const char *at = strstr(uri, "root=");
    _cleanup_buffer_ struct buffer root = BUFFER_INIT(4096);

    if (!at || at == uri || (at[-1] != '?' && at[-1] != '&'))
        return NULL;
    for (at += strlen("root="); *at && *at != '&' && *at != '#'; at++) {
        char c = *at;
        if (c == '%' && hex_value(at[1]) < 16 && hex_value(at[2]) < 16) {
            c = (char)(hex_value(at[1]) << 4 | hex_value(at[2]));
            at += 2;
        }
        buffer_append(&root, &c, 1);
    }
    return root.length ? buffer_take(&root) : NULL;
}

/* The caller holds the mutex. */
static int take_root(const char *root, struct culprit_error *error)
{
    if (process_root && strcmp(process_root, root) == 0)
        return 0;
    if (process_root)
        return culprit_fail(error, CULPRIT_CONFLICT,
                            "this process runs its guests in %s and cannot use %s as well",
                            process_root, root);
    _cleanup_free_ char *copy = strdup(root);
    if (!copy)
        return no_memory(error);
    _cleanup_close_ int fd = -1;
    int status = file_make_directories(root, 0700, error);
    if (status == 0)
        status = lock_root(root, &fd, error);
    if (status == 0)
        status = write_configuration(root, error);
    if (status < 0)
        return status;
    remains_end(root);
    process_root = take(copy);
    process_lock = fd;
    fd = -1;
    return 0;
}

int embed_prepare(const char *directory, char **ret_root, char **ret_uri,
                  struct culprit_error *error)
{
    int status = file_make_directories(directory, 0700, error);
    if (status < 0)
        return status;
    _cleanup_free_ char *root = choose_root(directory);
    if (!root)
        return culprit_fail_errno(error, errno, "cannot use %s", directory);
    if (strlen(root) > ROOT_MAXIMUM)
        return culprit_fail(error, CULPRIT_INVALID,
                            "%s has more than the %d bytes that leave room for sockets below it",
                            root, ROOT_MAXIMUM);
    _cleanup_free_ char *uri = uri_of_root(root);
    if (!uri)
        return no_memory(error);
    pthread_mutex_lock(&mutex);
    status = take_root(root, error);
    pthread_mutex_unlock(&mutex);
    if (status < 0)
        return status;
    *ret_root = take(root);
    *ret_uri = take(uri);
    return 0;
}

char *embed_log_path(const char *root)
{
    return path_join(root, "libvirt.log");
}

void embed_limit_log(const char *root)
{
    _cleanup_free_ char *path = embed_log_path(root);
    _cleanup_close_ int fd = -1;
    uint64_t size;

    /* libvirt appends: what it writes next stands at the beginning. */
    if (path && file_size(path, &size, NULL) == 0 && size > LIBVIRT_LOG_MAXIMUM)
        fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);
}

/* "2026-01-02 03:04:05.678+0000: " before what libvirt itself wrote. */
static bool is_libvirts(const char *line)
{
    return strlen(line) > 29 && line[4] == '-' && line[7] == '-' &&
           strncmp(line + 23, "+0000: ", 7) == 0;
}

void embed_take_log(const char *root, const char *domain, char *text, unsigned size)
{
    _cleanup_free_ char *path = text_format("%s/log/qemu/%s.log", root, domain);
    _cleanup_free_ char *log = NULL;

    text[0] = '\0';
    if (!path)
        return;
    if (file_read(path, QEMU_LOG_MAXIMUM, &log, NULL, NULL) == 0) {
        char *rest = NULL;
        for (char *line = strtok_r(log, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            if (strstr(line, "qemu") && !is_libvirts(line) && line[0] != '-' && line[0] != '/' &&
                !strchr(line, '\\'))
                snprintf(text, size, "%s", line);
    }
    unlink(path);
}
