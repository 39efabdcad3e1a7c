/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/git.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

static pthread_once_t setup_once = PTHREAD_ONCE_INIT;
static int setup_status;

static void setup(void)
{
    /* Repository extensions that libgit2 refuses by itself although they do not change how objects
     * and references are read: objects that are missing on purpose are told apart when they are
     * met, and a worktree's own configuration is not needed to read commits. */
    static const char *extensions[] = {"partialclone", "worktreeconfig", "preciousobjects"};

    setup_status = git_libgit2_init();
    if (setup_status < 0)
        return;
    /* The path of each repository stands in the administrator's configuration: that is the consent
     * which the check of the owner asks for. */
    setup_status = git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    if (setup_status < 0)
        return;
    setup_status = git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions,
                                    sizeof(extensions) / sizeof(extensions[0]));
}

int git_setup(struct culprit_error *error)
{
    pthread_once(&setup_once, setup);
    if (setup_status < 0)
        return git_fail(error, setup_status, "cannot set up libgit2");
    return 0;
}

static enum culprit_code code_of_status(int status)
{
    const git_error *last = git_error_last();

    if (last && last->klass == GIT_ERROR_NOMEMORY)
        return CULPRIT_NO_MEMORY;
    switch (status) {
    case GIT_ENOTFOUND:
        return CULPRIT_NOT_FOUND;
    case GIT_EUSER:
        return CULPRIT_CANCELLED;
    case GIT_EAMBIGUOUS:
    case GIT_EINVALIDSPEC:
    case GIT_EPEEL:
        return CULPRIT_INVALID;
    case GIT_EAPPLYFAIL:
        return CULPRIT_FAILED;
    case GIT_EAUTH:
    case GIT_ECERTIFICATE:
    case GIT_EOWNER:
        return CULPRIT_DENIED;
    default:
        return last && last->klass == GIT_ERROR_NET ? CULPRIT_UNAVAILABLE : CULPRIT_IO;
    }
}

int git_fail(struct culprit_error *error, int status, const char *format, ...)
{
    const git_error *last = git_error_last();
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return culprit_fail(error, code_of_status(status), "%s: %s", text,
                        last && last->message ? last->message : "libgit2 gives no reason");
}

int git_fail_object(struct culprit_error *error, const struct repository *repository, int status,
                    const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (status != GIT_ENOTFOUND)
        return git_fail(error, status, "%s", text);
    if (repository->partial)
        return culprit_fail(error, CULPRIT_UNSUPPORTED,
                            "%s: repository %s is a partial clone and lacks the object; bring it "
                            "with: git -C %s fetch --refetch --no-filter",
                            text, repository->name, repository->path);
    if (repository->shallow)
        return culprit_fail(error, CULPRIT_UNSUPPORTED,
                            "%s: repository %s is a shallow clone and lacks the object; bring it "
                            "with: git -C %s fetch --unshallow",
                            text, repository->name, repository->path);
    return git_fail(error, status, "%s", text);
}

int git_find_commit(struct repository *repository, const char *id, git_commit **ret,
                    struct culprit_error *error)
{
    git_oid oid;
    int status;

    if (strlen(id) != COMMIT_ID_SIZE - 1 || git_oid_fromstr(&oid, id) < 0)
        return culprit_fail(error, CULPRIT_INVALID, "\"%s\" is not a full commit id", id);
    status = git_commit_lookup(ret, repository->git, &oid);
    if (status < 0)
        return git_fail_object(error, repository, status, "cannot find commit %s in repository %s",
                               id, repository->name);
    return 0;
}

int git_diff_with_parent(struct repository *repository, git_commit *commit, unsigned parent,
                         const git_diff_options *options, git_diff **ret)
{
    CULPRIT_CLEANUP(git_commit_free) git_commit *base = NULL;
    CULPRIT_CLEANUP(git_tree_free) git_tree *old = NULL;
    CULPRIT_CLEANUP(git_tree_free) git_tree *new = NULL;
    int status = git_commit_parent(&base, commit, parent);

    if (status == 0)
        status = git_commit_tree(&old, base);
    if (status == 0)
        status = git_commit_tree(&new, commit);
    if (status == 0)
        status = git_diff_tree_to_tree(ret, repository->git, old, new, options);
    return status;
}

void git_id_text(const git_oid *id, char ret[COMMIT_ID_SIZE])
{
    git_oid_tostr(ret, COMMIT_ID_SIZE, id);
}

bool git_location_is_url(const char *location)
{
    const char *colon = strchr(location, ':');
    const char *slash = strchr(location, '/');

    if (strstr(location, "://"))
        return true;
    return colon && colon != location && (!slash || colon < slash);
}

char *git_url_without_secrets(const char *url)
{
    const char *host = strstr(url, "://");
    const char *end, *at = NULL;

    if (!host)
        return strdup(url);
    host += 3;
    end = host + strcspn(host, "/");
    for (const char *p = host; p < end; p++)
        if (*p == '@')
            at = p;
    return text_format("%.*s%s", (int)(host - url), url, at ? at + 1 : host);
}
