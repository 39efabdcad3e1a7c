/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/system.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "core/text.h"

struct file_system {
    const char *type, *place, *options;
    bool required;
};

/* In this order: places lie in file systems before them. */
static const struct file_system file_systems[] = {
    {"proc", "/proc", NULL, true},
    {"sysfs", "/sys", NULL, true},
    {"devtmpfs", "/dev", NULL, true},
    {"debugfs", "/sys/kernel/debug", NULL, false},
    {"cgroup2", "/sys/fs/cgroup", NULL, false},
    {"devpts", "/dev/pts", NULL, false},
    {"tmpfs", "/dev/shm", "mode=1777", false},
    {"mqueue", "/dev/mqueue", NULL, false},
    {"tmpfs", "/run", "mode=0755", false},
    {"tmpfs", "/tmp", "mode=1777", false},
};

static int mount_file_system(const struct file_system *file_system)
{
    mkdir(file_system->place, 0755); /* may exist; if it does not, mount() says so */
    if (mount(file_system->type, file_system->place, file_system->type, MS_NOSUID,
              file_system->options) == 0 ||
        errno == EBUSY)
        return 0;
    return -errno;
}

/* Without CONFIG_NET or the interface there is nothing to bring up: a workload that needs it will
 * say so. */
static void bring_up_loopback(void)
{
    _cleanup_fd_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};

    if (fd >= 0)
        ioctl(fd, SIOCSIFFLAGS, &request);
}

int system_prepare(char *message, size_t message_size)
{
    for (size_t i = 0; i < sizeof(file_systems) / sizeof(file_systems[0]); i++) {
        int result = mount_file_system(&file_systems[i]);
        if (result < 0 && file_systems[i].required) {
            text_print(message, message_size, "cannot mount %s on %s: %s", file_systems[i].type,
                       file_systems[i].place, strerror(-result));
            return result;
        }
    }
    bring_up_loopback();
    return 0;
}

/* cfmakeraw() is no part of POSIX. */
static int make_raw(int fd)
{
    struct termios settings;

    if (tcgetattr(fd, &settings) < 0)
        return -errno;
    settings.c_iflag = 0;
    settings.c_oflag = 0;
    settings.c_lflag = 0;
    settings.c_cflag = CS8 | CLOCAL | CREAD;
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    if (cfsetospeed(&settings, B115200) < 0 || tcsetattr(fd, TCSANOW, &settings) < 0)
        return -errno;
    return 0;
}

int system_open_port(const char *path, int *ret_fd, char *message, size_t message_size)
{
    int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | O_CREAT | O_TRUNC, 0600);
    if (fd < 0) {
        int result = -errno;
        text_print(message, message_size, "cannot open the record port %s: %s", path,
                   strerror(-result));
        return result;
    }
    int result = isatty(fd) ? make_raw(fd) : 0;
    if (result < 0) {
        text_print(message, message_size, "cannot set up the record port %s: %s", path,
                   strerror(-result));
        close(fd);
        return result;
    }
    *ret_fd = fd;
    return 0;
}

void system_drain(int fd)
{
    while (tcdrain(fd) < 0 && errno == EINTR)
        ;
}

int64_t system_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

_Noreturn void system_power_off(void)
{
    sync();
    reboot(RB_POWER_OFF);
    /* A kernel that cannot switch the power off: the end of PID 1 stops it all the same. */
    _exit(1);
}
