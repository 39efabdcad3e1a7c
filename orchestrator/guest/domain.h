/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a guest definition to the text that libvirt is given, and to the digest that names it.
 * Pure: no I/O, equal arguments give equal bytes. docs/engines.md says why each option is there.
 */
#ifndef CULPRIT_GUEST_DOMAIN_H
#define CULPRIT_GUEST_DOMAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "guest/hypervisor.h"

enum {
    GUEST_UUID_SIZE = 37,
    GUEST_CMDLINE_MAXIMUM = 2047, /* COMMAND_LINE_SIZE of x86 is 2048 with the NUL */
};

#define DOMAIN_NAME_PREFIX  "culprit-"
#define DOMAIN_METADATA_URI "https://culprit.invalid/domain/1"

/* What belongs to the host and to this one run, and so not to the digest. */
struct domain_options {
    const char *name;     /* starts with DOMAIN_NAME_PREFIX */
    const char *owner;    /* kept in the metadata: whose guest it is */
    const char *emulator; /* path of qemu-system-x86_64; NULL: libvirt's choice */
    /* QEMU runs as this user and group ("+1000:+1000"), its files left as they are; NULL: as the
     * driver is configured. */
    const char *user_label;
    const char *unconfined_model; /* "apparmor", "selinux": switched off for it; NULL: none */
    /* ENGINE_REALTIME only: host CPU of each guest CPU, and a CPU list for QEMU's own threads. */
    const unsigned *pins;
    const char *emulator_cpus;
};

/* The domain XML; the caller frees it. INVALID says what in the definition cannot be a guest. */
int domain_xml(const struct guest_definition *definition, const struct domain_options *options,
               char **ret_xml, struct culprit_error *error);

/* SHA-256 of the domain XML with all paths, names and host settings left out: what identifies a
 * guest beside kernel, image, QEMU and plan. Memory, command line, CPU, shift, seed are in it. */
int definition_digest(const struct guest_definition *definition, char ret_hex[DIGEST_HEX_SIZE],
                      struct culprit_error *error);

/*
 * The whole kernel command line: what every guest needs, what the engine needs, padding drawn from
 * the seed, then the job's additions (may be NULL; each one word without quotes or spaces, or
 * key="…"). The caller frees it. INVALID names an addition that would take away what culprit needs
 * (console=, init=, …), LIMIT when the kernel would cut the line.
 */
int guest_cmdline(enum engine engine, uint64_t seed, const struct strv *additions,
                  char **ret_cmdline, struct culprit_error *error);

/* A version 4 UUID drawn from the seed: it reaches the guest's entropy pool through DMI. */
void guest_uuid(uint64_t seed, char ret_text[GUEST_UUID_SIZE]);

#endif
