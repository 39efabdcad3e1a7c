/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/mirror.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "source/git.h"

enum { CREDENTIAL_TRIES = 2 };

struct fetch_state {
    struct cancel *cancel;
    unsigned credential_tries;
};

static int on_transfer(const git_indexer_progress *progress, void *payload)
{
    const struct fetch_state *state = payload;

    (void)progress;
    return cancel_requested(state->cancel) ? GIT_EUSER : 0;
}

static int on_sideband(const char *text, int length, void *payload)
{
    const struct fetch_state *state = payload;

    (void)text;
    (void)length;
    return cancel_requested(state->cancel) ? GIT_EUSER : 0;
}

/* A server that goes on asking after a refusal would otherwise be answered for ever. */
static int on_credentials(git_credential **ret, const char *url, const char *user, unsigned allowed,
                          void *payload)
{
    struct fetch_state *state = payload;

    (void)url;
    if (state->credential_tries++ >= CREDENTIAL_TRIES)
        return GIT_EAUTH;
    if (allowed & GIT_CREDENTIAL_SSH_KEY)
        return git_credential_ssh_key_from_agent(ret, user ? user : "git");
    if (allowed & GIT_CREDENTIAL_USERNAME)
        return git_credential_username_new(ret, user ? user : "git");
    return GIT_PASSTHROUGH;
}

int mirror_fetch(git_repository *git, const char *name, const char *url, struct cancel *cancel,
                 struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_remote_free) git_remote *remote = NULL;
    _cleanup_free_ char *shown = git_url_without_secrets(url);
    struct fetch_state state = {.cancel = cancel};
    git_fetch_options options;
    int status = git_fetch_options_init(&options, GIT_FETCH_OPTIONS_VERSION);

    options.prune = GIT_FETCH_PRUNE;
    options.proxy_opts.type = GIT_PROXY_AUTO;
    options.callbacks.transfer_progress = on_transfer;
    options.callbacks.sideband_progress = on_sideband;
    options.callbacks.credentials = on_credentials;
    options.callbacks.payload = &state;

    if (status == 0)
        status = git_remote_lookup(&remote, git, "origin");
    if (status == 0)
        status = git_remote_fetch(remote, NULL, &options, NULL);
    if (status == 0)
        return 0;
    if (cancel_requested(cancel))
        return culprit_fail(error, CULPRIT_CANCELLED, "the fetch of repository %s was cancelled",
                            name);
    git_fail(error, status, "cannot fetch repository %s from %s", name, shown ? shown : "its URL");
    /* Whatever libgit2 calls it (no such host, no such repository, a transport it lacks): the
     * remote did not give what was asked for. */
    if (error && error->code != CULPRIT_DENIED && error->code != CULPRIT_NO_MEMORY)
        error->code = CULPRIT_UNAVAILABLE;
    return error ? -(int)error->code : -CULPRIT_UNAVAILABLE;
}

static int configure(git_repository *git, const char *url, struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_remote_free) git_remote *remote = NULL;
    int status;

    status = git_remote_create_with_fetchspec(&remote, git, "origin", url,
                                              "+refs/heads/*:refs/heads/*");
    if (status == 0)
        status = git_remote_add_fetch(git, "origin", "+refs/tags/*:refs/tags/*");
    if (status < 0)
        return git_fail(error, status, "cannot set up the mirror %s", git_repository_path(git));
    return 0;
}

static int create(const char *name, const char *url, const char *path, struct cancel *cancel,
                  struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_repository_free) git_repository *git = NULL;
    _cleanup_free_ char *partial = text_format("%s.incomplete", path);
    int status, result;

    if (!partial)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to mirror repository %s", name);
    result = file_remove_tree(partial, error);
    if (result < 0)
        return result;
    status = git_repository_init(&git, partial, true);
    if (status < 0)
        return git_fail(error, status, "cannot create the mirror %s", partial);
    result = configure(git, url, error);
    if (result == 0)
        result = mirror_fetch(git, name, url, cancel, error);
    if (result < 0) {
        file_remove_tree(partial, NULL);
        return result;
    }
    if (rename(partial, path) < 0)
        return culprit_fail_errno(error, errno, "cannot move the mirror to %s", path);
    return 0;
}

int mirror_ensure(const char *name, const char *url, const char *path, struct cancel *cancel,
                  struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_repository_free) git_repository *git = NULL;
    int status;

    if (!file_exists(path))
        return create(name, url, path, cancel, error);
    status = git_repository_open_bare(&git, path);
    if (status == 0)
        status = git_remote_set_url(git, "origin", url);
    if (status < 0)
        return git_fail(error, status, "cannot open the mirror %s of repository %s", path, name);
    return 0;
}
