/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory of libvirt's embedded driver: its own configuration, sockets, state and logs.
 * Internal to the libvirt adapter. Thread-safe.
 */
#ifndef CULPRIT_GUEST_LIBVIRT_EMBED_H
#define CULPRIT_GUEST_LIBVIRT_EMBED_H

#include "base/error.h"

/*
 * Takes the directory for this process (a lock that lasts until the process ends), writes its
 * configuration, ends what a killed process left there (remains.h) and gives the URI. CONFLICT when
 * another process has it, or when this process already has another one. Both results are the
 * caller's; ret_root is the directory really used.
 */
int embed_prepare(const char *directory, char **ret_root, char **ret_uri,
                  struct culprit_error *error);

/* The "root" parameter of an embed URI, decoded; NULL without one or without memory. */
char *embed_root_of_uri(const char *uri);

/* Where libvirt itself logs; the caller's; NULL without memory. */
char *embed_log_path(const char *root);

/* libvirt writes some lines for each guest and never stops: empties its log once it is long. */
void embed_limit_log(const char *root);

/* QEMU's log of a domain: its last line goes into text ("" if none), and the file away. */
void embed_take_log(const char *root, const char *domain, char *text, unsigned size);

#endif
