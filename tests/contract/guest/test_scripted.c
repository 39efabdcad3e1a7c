/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contract on the hypervisor that other tests use, scripted to act as the payload does. */
#include <string.h>

#include "hypervisor_contract.h"
#include "scripted_hypervisor.h"

static char flood[256 * 1024];

static const struct {
    const char *mode;
    struct scripted_guest guest;
} scripts[] = {
    {"poweroff", {.console = "payload poweroff\n", .end = GUEST_POWERED_OFF}},
    {"panic",
     {.console = "[    1.000000] Kernel panic - not syncing: made up\n",
      .end = GUEST_PANICKED,
      .reason = "Kernel panic - not syncing: made up"}},
    {"pvpanic",
     {.console = "payload pvpanic\n", .end = GUEST_PANICKED, .reason = "the kernel panicked"}},
    {"lockup",
     {.console = "watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [payload:1]\n",
      .end = GUEST_LOCKED_UP,
      .reason = "watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [payload:1]"}},
    {"reboot",
     {.console = "reboot: Restarting system\n",
      .end = GUEST_POWERED_OFF,
      .reason = "the guest rebooted"}},
    {"reset",
     {.console = "payload reset\n",
      .end = GUEST_PANICKED,
      .reason = "the guest reset without a word"}},
    {"hang", {.console = "payload hang\n", .runs_forever = true}},
    {"spin", {.console = "payload spin\n", .runs_forever = true}},
    {"flood-console", {.console = flood, .runs_forever = true}},
    {"flood-records", {.records = flood, .runs_forever = true}},
};

static bool answer(void *context, const struct guest_definition *definition,
                   struct scripted_guest *ret)
{
    const char *mode = strstr(definition->cmdline, "mode=");

    (void)context;
    for (size_t i = 0; mode && i < sizeof scripts / sizeof *scripts; i++) {
        if (strcmp(mode + strlen("mode="), scripts[i].mode) != 0)
            continue;
        *ret = scripts[i].guest;
        if (!ret->records)
            ret->records = "{\"t\":\"hello\"}\n";
        return true;
    }
    return false;
}

int main(void)
{
    struct culprit_error error = {0};
    struct hypervisor *hypervisor = NULL;
    void *scratch = NULL;

    memset(flood, 'x', sizeof flood - 1);
    if (scratch_setup(&scratch) < 0 ||
        scripted_hypervisor_new_computed(answer, NULL, &hypervisor, &error) < 0)
        return 1;
    int failed = hypervisor_contract("hypervisor contract: scripted", hypervisor, scratch);
    if (scripted_hypervisor_runs(hypervisor) == 0)
        failed++;
    hypervisor_free(hypervisor);
    scratch_teardown(&scratch);
    return failed;
}
