/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands that ask the server share. */
#ifndef CULPRIT_CLI_REMOTE_H
#define CULPRIT_CLI_REMOTE_H

#include "cli/cli.h"
#include "cli/client.h"

struct remote {
    struct settings settings;
    struct client *client;
};

/* `remote` must stay where it is: the client borrows from it. */
int remote_open(struct cli *cli, struct remote *remote, struct culprit_error *error);
void remote_close(struct remote *remote);

static inline void remote_close_cleanup(struct remote *remote)
{
    remote_close(remote);
}

/* A job's number, as a positional argument gives it. */
int remote_job_id(const char *word, uint64_t *ret, struct culprit_error *error);

int remote_job(struct remote *remote, uint64_t id, json_t **ret, struct culprit_error *error);

/* Prints what happens to the job until it is over; then what came out. Gives the exit status. */
int remote_watch(struct cli *cli, struct remote *remote, uint64_t id, struct culprit_error *error);

/* For `json_t *` in a frame. */
static inline void json_decref_cleanup(json_t **value)
{
    json_decref(*value);
}

#endif
