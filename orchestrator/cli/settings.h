/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which server, and with which token. Each from the first that says it:
 *
 *  server: --server, $CULPRIT_SERVER, `server` in the settings file, http://127.0.0.1:8470
 *  token:  $CULPRIT_TOKEN, the file that $CULPRIT_TOKEN_FILE names, `token_file` in the settings
 *          file; none
 *
 * The settings file is $XDG_CONFIG_HOME/culprit/config, else ~/.config/culprit/config: lines of
 * `key = value`, and comments after #. A token file that others can read is refused.
 */
#ifndef CULPRIT_CLI_SETTINGS_H
#define CULPRIT_CLI_SETTINGS_H

#include "base/cleanup.h"
#include "base/error.h"

#define SETTINGS_DEFAULT_SERVER "http://127.0.0.1:8470"

struct settings {
    char *server; /* without a slash at the end */
    char *token;  /* NULL: none */
};

/* `server` is what the command line says, or NULL. Errors name the file and the line. */
int settings_load(const char *server, struct settings *ret, struct culprit_error *error);
void settings_clear(struct settings *settings);

static inline void settings_clear_cleanup(struct settings *settings)
{
    settings_clear(settings);
}

#endif
