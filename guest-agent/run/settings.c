/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/settings.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"

#define SCHEDSTATS "/proc/sys/kernel/sched_schedstats"

/* "kernel.sched_schedstats" is /proc/sys/kernel/sched_schedstats. */
static int set_sysctl(const char *key, const char *value)
{
    char path[192];

    text_print(path, sizeof(path), "/proc/sys/%s", key);
    for (char *dot = path + strlen("/proc/sys/"); (dot = strchr(dot, '.'));)
        *dot = '/';
    return text_write(path, value);
}

/* The file moved in v5.13. The kernel refuses a feature that it does not have. */
static int set_feature(const char *name)
{
    int result = text_write("/sys/kernel/debug/sched/features", name);

    if (result == -ENOENT)
        result = text_write("/sys/kernel/debug/sched_features", name);
    return result;
}

/* Kernels before v4.6 always count, and kernels without CONFIG_SCHEDSTATS never do: neither has
 * the switch. */
static int set_schedstats(bool on)
{
    char now[8];
    const char *wanted = on ? "1" : "0";

    if (text_read_line(SCHEDSTATS, now, sizeof(now)) == -ENOENT || strcmp(now, wanted) == 0)
        return 0;
    return text_write(SCHEDSTATS, wanted);
}

int settings_apply(const struct plan *plan, char *message, size_t message_size)
{
    int result = set_schedstats(plan->schedstats);
    if (result < 0) {
        text_print(message, message_size, "cannot switch the scheduler statistics %s: %s",
                   plan->schedstats ? "on" : "off", strerror(-result));
        return result;
    }
    for (size_t i = 0; i < plan->setting_count; i++) {
        const struct plan_setting *setting = &plan->settings[i];
        bool sysctl = setting->kind == PLAN_SYSCTL;
        result = sysctl ? set_sysctl(setting->key, setting->value) : set_feature(setting->key);
        if (result == 0)
            continue;
        text_print(message, message_size, "cannot set %s %.128s%s%.256s: %s",
                   sysctl ? "sysctl" : "scheduler feature", setting->key, sysctl ? " to " : "",
                   sysctl ? setting->value : "", strerror(-result));
        return result;
    }
    return 0;
}
