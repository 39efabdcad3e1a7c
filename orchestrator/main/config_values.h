/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values that only the configuration has, for its tables (yaml/reader.h). Each is checked as
 * far as its own text tells; what keys must agree on is for config_rules.h. */
#ifndef CULPRIT_MAIN_CONFIG_VALUES_H
#define CULPRIT_MAIN_CONFIG_VALUES_H

#include "yaml/reader.h"

READER_TYPE(read_listen);        /* struct config: address and port */
READER_TYPE(read_absolute_path); /* char * */
READER_TYPE(read_log_level);     /* int, of syslog(3) */
READER_TYPE(read_security);      /* enum smtp_security */
READER_TYPE(read_repositories);  /* struct config: the list */
READER_TYPE(read_host);          /* char *: a host's name or address, without a port */
READER_TYPE(read_hosts);         /* struct strv of those; limits: count */
READER_TYPE(read_mailbox);       /* char *: "Name <local@domain>" or "local@domain" */
READER_TYPE(read_guest_uri);     /* char *: a URI of libvirt's QEMU driver */
READER_TYPE(read_guest_owner);   /* char *: [a-z0-9-]{1,32} */

#endif
