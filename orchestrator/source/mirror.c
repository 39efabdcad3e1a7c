/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/mirror.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/units.h"
#include "source/git.h"
#include "source/guard.h"

enum { CREDENTIAL_TRIES = 2 };

/* The longest silence of a server that works: while it counts objects it says so. */
#define SILENCE_NS (UINT64_C(120) * 1000000000)

struct fetch_state {
    struct cancel *cancel;
    struct guard *guard;
    unsigned credential_tries;
};

static int on_transfer(const git_indexer_progress *progress, void *payload)
{
    const struct fetch_state *state = payload;

    (void)progress;
    guard_heard(state->guard);
    return cancel_requested(state->cancel) ? GIT_EUSER : 0;
}

static int on_sideband(const char *text, int length, void *payload)
{
    const struct fetch_state *state = payload;

    (void)text;
    (void)length;
    guard_heard(state->guard);
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

/* The remote lives for one fetch and is not written down: the URL stands in our configuration. It
 * is taken as it is, without git's url.*.insteadOf, whose search leaks memory in libgit2 1.5. */
static int make_remote(git_repository *git, const char *url, git_remote **ret)
{
    git_remote_create_options options;
    int status = git_remote_create_options_init(&options, GIT_REMOTE_CREATE_OPTIONS_VERSION);

    options.repository = git;
    options.flags = GIT_REMOTE_CREATE_SKIP_INSTEADOF | GIT_REMOTE_CREATE_SKIP_DEFAULT_FETCHSPEC;
    return status < 0 ? status : git_remote_create_with_opts(ret, url, &options);
}

static int fetch(git_repository *git, const char *url, struct fetch_state *state)
{
    CULPRIT_CLEANUP(git_remote_free) git_remote *remote = NULL;
    char heads[] = "+refs/heads/*:refs/heads/*", tags[] = "+refs/tags/*:refs/tags/*";
    char *list[] = {heads, tags};
    const git_strarray refspecs = {list, sizeof(list) / sizeof(list[0])};
    git_fetch_options options;
    int status = git_fetch_options_init(&options, GIT_FETCH_OPTIONS_VERSION);

    if (status == 0)
        status = make_remote(git, url, &remote);
    if (status < 0)
        return status;
    options.prune = GIT_FETCH_PRUNE;
    options.proxy_opts.type = GIT_PROXY_AUTO;
    options.callbacks.transfer_progress = on_transfer;
    options.callbacks.sideband_progress = on_sideband;
    options.callbacks.credentials = on_credentials;
    options.callbacks.payload = state;
    return cancel_requested(state->cancel) ? GIT_EUSER
                                           : git_remote_fetch(remote, &refspecs, &options, NULL);
}

static int fail_silence(const char *name, const char *url, struct culprit_error *error)
{
    char limit[UNITS_TEXT_SIZE];

    return culprit_fail(error, CULPRIT_UNAVAILABLE,
                        "cannot fetch repository %s from %s: the server said nothing for %s", name,
                        url, format_duration_short(SILENCE_NS, limit));
}

int mirror_fetch(git_repository *git, const char *name, const char *url, struct cancel *cancel,
                 struct culprit_error *error)
{
    _cleanup_free_ char *shown = git_url_without_secrets(url);
    struct culprit_error local = {0};
    struct fetch_state state = {.cancel = cancel};
    int result = guard_begin(cancel, SILENCE_NS, &state.guard, error);

    if (result < 0)
        return result;
    int status = fetch(git, url, &state);
    bool silent = guard_end(state.guard);
    if (status == 0)
        return 0;
    if (cancel_requested(cancel))
        return culprit_fail(error, CULPRIT_CANCELLED, "the fetch of repository %s was cancelled",
                            name);
    if (silent)
        return fail_silence(name, shown ? shown : "its URL", error);
    git_fail(&local, status, "cannot fetch repository %s from %s", name, shown ? shown : "its URL");
    /* Whatever libgit2 calls it (no such host, no such repository, a transport it lacks): the
     * remote did not give what was asked for. */
    if (local.code != CULPRIT_DENIED && local.code != CULPRIT_NO_MEMORY)
        local.code = CULPRIT_UNAVAILABLE;
    if (error)
        *error = local;
    return -(int)local.code;
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
    if (status < 0)
        return git_fail(error, status, "cannot open the mirror %s of repository %s", path, name);
    return 0;
}
