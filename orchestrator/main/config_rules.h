/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the values of a configuration must agree on, among themselves and with this host. */
#ifndef CULPRIT_MAIN_CONFIG_RULES_H
#define CULPRIT_MAIN_CONFIG_RULES_H

#include "main/config.h"

/* Fails with INVALID at the place of a key: of "builds", "compiler", or of NULL, "listen". A key
 * that is not in the file stands for its default, and is named without a place. */
int config_fail(const struct config *config, const char *section, const char *key,
                struct culprit_error *error, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Among themselves. Pure. */
int config_check_rules(const struct config *config, struct culprit_error *error);

/*
 * With this host: programs that builds need, files and directories that are named, the address to
 * listen on. Looks, and makes nothing. What only the running daemon can tell (whether a server
 * answers) is not looked at. UNSUPPORTED when a program is missing that no key names.
 */
int config_check_host(const struct config *config, struct culprit_error *error);

/* That the state directory is this service's own or a new one, for some of it is emptied when it
 * starts. Before anything is made in it. */
int config_check_state(const struct config *config, struct culprit_error *error);

#endif
