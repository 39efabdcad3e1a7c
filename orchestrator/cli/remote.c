/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/remote.h"

#include "base/units.h"

int remote_open(struct cli *cli, struct remote *remote, struct culprit_error *error)
{
    int r = settings_load(cli->server, &remote->settings, error);

    return r < 0 ? r : client_new(&remote->settings, cli->cancel, &remote->client, error);
}

void remote_close(struct remote *remote)
{
    client_free(remote->client);
    settings_clear(&remote->settings);
}

int remote_job_id(const char *word, uint64_t *ret, struct culprit_error *error)
{
    int r = parse_count(word, 1, INT64_MAX, ret, error);

    return r < 0 ? culprit_error_prefix(error, "not a job's number") : 0;
}

int remote_job(struct remote *remote, uint64_t id, json_t **ret, struct culprit_error *error)
{
    char path[64];

    snprintf(path, sizeof path, "/jobs/%llu", (unsigned long long)id);
    return client_get_json(remote->client, path, ret, error);
}
