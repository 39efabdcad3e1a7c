/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guests without a server: what `try`, `topology check` and `doctor` share. Opens libvirt's
 * embedded driver in one of a few directories of this user's, the first that no other process
 * holds, and removes the guests that an earlier process left there.
 */
#ifndef CULPRIT_CLI_LOCAL_H
#define CULPRIT_CLI_LOCAL_H

#include "cli/cli.h"
#include "guest/probe.h"
#include "topology/topology.h"

struct local {
    struct hypervisor *hypervisor;
    struct host_capabilities capabilities;
    char *driver;    /* the driver's directory */
    char *directory; /* for the files of trials */
    bool keep;       /* the directory is the user's, and stays */
    char *image;     /* the guest image's initramfs */
};

/* `directory`: where trials' files stay, made if missing; NULL: one beside the driver's that is
 * emptied now and removed by local_close(). */
int local_open(const char *directory, struct local *ret, struct culprit_error *error);
void local_close(struct local *local);

static inline void local_close_cleanup(struct local *local)
{
    local_close(local);
}

/* A topology by name from the installed ones, or from a file when the name has a slash. */
int local_topology(const char *name, struct topology **ret, struct culprit_error *error);

/* Which engine: `asked` may be ENGINE_AUTO; may boot a guest of this kernel to learn it. */
int local_engine(struct local *local, struct cli *cli, const char *kernel, enum engine asked,
                 const struct topology *topology, enum engine *ret,
                 char ret_reason[ENGINE_REASON_SIZE], struct culprit_error *error);

/* --engine, --kernel as given; the kernel also from $CULPRIT_KERNEL, as a whole path that the
 * caller frees; INVALID for a file that is none. */
int local_engine_option(const struct arguments *arguments, enum engine fallback, enum engine *ret,
                        struct culprit_error *error);
int local_kernel_option(const struct arguments *arguments, char **ret, struct culprit_error *error);

#endif
