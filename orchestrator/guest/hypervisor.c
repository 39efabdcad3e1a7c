/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/hypervisor.h"

const char *guest_end_name(enum guest_end end)
{
    switch (end) {
    case GUEST_POWERED_OFF:
        return "powered_off";
    case GUEST_PANICKED:
        return "panicked";
    case GUEST_LOCKED_UP:
        return "locked_up";
    case GUEST_DEADLINE:
        return "deadline";
    case GUEST_CONSOLE_LIMIT:
        return "console_limit";
    case GUEST_RECORDS_LIMIT:
        return "records_limit";
    case GUEST_CANCELLED:
        return "cancelled";
    case GUEST_VANISHED:
        return "vanished";
    }
    return "unknown";
}
