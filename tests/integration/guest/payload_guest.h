/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A guest that runs the test payload in one of its modes; see tests/support/payload.c. */
#ifndef CULPRIT_TESTS_PAYLOAD_GUEST_H
#define CULPRIT_TESTS_PAYLOAD_GUEST_H

#include "guest/domain.h"
#include "guest/libvirt/libvirt.h"
#include "scratch.h"

struct payload_guest {
    struct guest_definition definition;
    struct topology *topology;
    char *cmdline, *console_path, *records_path;
};

static inline void payload_guest_clear(struct payload_guest *guest)
{
    topology_free(guest->topology);
    free(guest->cmdline);
    free(guest->console_path);
    free(guest->records_path);
}

static inline void payload_guest_clear_cleanup(struct payload_guest *guest)
{
    payload_guest_clear(guest);
}

/* Files go below the directory; 0, or what failed in *error. */
static inline int payload_guest_make(struct payload_guest *guest, const char *topology,
                                     const char *mode, uint64_t seed, const char *directory,
                                     struct culprit_error *error)
{
    _cleanup_strv_ struct strv additions = {0};

    *guest = (struct payload_guest){0};
    strv_appendf(&additions, "mode=%s", mode);
    guest->console_path = path_join(directory, "console");
    guest->records_path = path_join(directory, "records");
    int status = topology_find(CULPRIT_SOURCE_DIR "/images/topologies", topology, &guest->topology,
                               error);
    if (status == 0)
        status = guest_cmdline(ENGINE_DETERMINISTIC, seed, &additions, &guest->cmdline, error);
    if (status < 0)
        return status;
    guest->definition = (struct guest_definition){
        .kernel = TEST_PAYLOAD,
        .cmdline = guest->cmdline,
        .topology = guest->topology,
        .engine = ENGINE_DETERMINISTIC,
        .shift = guest->topology->shift,
        .memory = guest->topology->memory,
        .seed = seed,
        .console_path = guest->console_path,
        .records_path = guest->records_path,
        .console_maximum = 1024 * 1024,
        .records_maximum = 1024 * 1024,
        .deadline_ns = UINT64_C(60) * 1000000000,
        .label = "integration",
    };
    return 0;
}

#endif
