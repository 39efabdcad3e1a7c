/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contract on real guests: libvirt's embedded driver, QEMU, the payload. */
#include "guest/libvirt/libvirt.h"
#include "hypervisor_contract.h"

int main(void)
{
    struct culprit_error error = {0};
    struct hypervisor *hypervisor = NULL;
    void *scratch = NULL;

    if (scratch_setup(&scratch) < 0)
        return 1;
    _cleanup_free_ char *root = path_join(scratch, "vm");
    struct libvirt_options options = {.directory = root, .owner = "contract"};
    if (libvirt_hypervisor_open(&options, &hypervisor, &error) < 0) {
        print_error("%s\n", error.message);
        scratch_teardown(&scratch);
        return 1;
    }
    int failed = hypervisor_contract("hypervisor contract: libvirt", hypervisor, scratch);
    hypervisor_free(hypervisor);
    scratch_teardown(&scratch);
    return failed;
}
