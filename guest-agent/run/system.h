/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an init owes the machine: file systems, loopback, the record port, and the end. Functions
 * that can fail return 0 or a negative errno with a sentence.
 */
#ifndef CULPRIT_AGENT_SYSTEM_H
#define CULPRIT_AGENT_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

/* Mounts proc, sysfs and devtmpfs, and where the kernel has them tmpfs, debugfs, cgroup2, devpts
 * and mqueue. What is mounted already stays as it is. Brings the loopback interface up. */
int system_prepare(char *message, size_t message_size);

/* Opens the port that the records go to: a terminal is made raw, at 115200 baud. */
int system_open_port(const char *path, int *ret_fd, char *message, size_t message_size);

/* Waits until everything written to the port has left the machine. */
void system_drain(int fd);

/* Nanoseconds of the guest's monotonic clock. */
int64_t system_now(void);

/* Does not return. */
_Noreturn void system_power_off(void);

#endif
