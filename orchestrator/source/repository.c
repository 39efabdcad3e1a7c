/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/repository.h"

#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "source/git.h"
#include "source/mirror.h"

enum { REF_LENGTH_MAXIMUM = 256, DIFFSTAT_WIDTH = 76 };

static bool name_is_plain(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._-";

    return name[0] && name[0] != '.' && strlen(name) <= 64 && name[strspn(name, allowed)] == '\0';
}

/* "extensions.partialclone", or a remote with "promisor". By hand: searching the configuration by
 * regular expression leaks memory in libgit2 1.5 for each name that does not match. */
static bool names_promisor(const char *name)
{
    static const char remote[] = "remote.", promisor[] = ".promisor";
    size_t length = strlen(name);

    if (strcmp(name, "extensions.partialclone") == 0)
        return true;
    return strncmp(name, remote, strlen(remote)) == 0 && length > strlen(promisor) &&
           strcmp(name + length - strlen(promisor), promisor) == 0;
}

static bool is_partial(git_config *config)
{
    git_config_iterator *iterator = NULL;
    git_config_entry *entry = NULL;
    bool found = false;

    if (git_config_iterator_new(&iterator, config) < 0)
        return false;
    while (!found && git_config_next(&entry, iterator) == 0)
        found = names_promisor(entry->name);
    git_config_iterator_free(iterator);
    return found;
}

static int inspect(struct repository *repository, struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_config_free) git_config *config = NULL;
    int status = git_repository_config_snapshot(&config, repository->git);

    if (status < 0)
        return git_fail(error, status, "cannot read the configuration of repository %s",
                        repository->name);
    repository->partial = is_partial(config);
    repository->shallow = git_repository_is_shallow(repository->git) == 1;
    return 0;
}

static int open_git(struct repository *repository, struct culprit_error *error)
{
    int status = git_repository_open_ext(&repository->git, repository->path,
                                         GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);

    if (status == GIT_ENOTFOUND)
        return culprit_fail(error, CULPRIT_NOT_FOUND,
                            "repository %s: there is no git repository at %s", repository->name,
                            repository->path);
    if (status < 0)
        return git_fail(error, status, "cannot open repository %s at %s", repository->name,
                        repository->path);
    return inspect(repository, error);
}

int repository_open(const char *name, const char *location, const char *cache_directory,
                    struct cancel *cancel, struct repository **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    int result = git_setup(error);

    if (result < 0)
        return result;
    if (!name_is_plain(name))
        return culprit_fail(error, CULPRIT_INVALID,
                            "\"%s\" cannot name a repository: 1 to 64 letters, digits, '.', '_' "
                            "and '-', not beginning with '.'",
                            name);
    repository = calloc(1, sizeof(*repository));
    if (!repository)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to open repository %s", name);
    repository->mirrored = git_location_is_url(location);
    repository->name = strdup(name);
    repository->location = strdup(location);
    repository->path = repository->mirrored ? text_format("%s/%s.git", cache_directory, name)
                                            : strdup(location);
    if (!repository->name || !repository->location || !repository->path)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to open repository %s", name);
    if (repository->mirrored) {
        result = file_make_directories(cache_directory, 0755, error);
        if (result == 0)
            result = mirror_ensure(name, location, repository->path, cancel, error);
        if (result < 0)
            return result;
    }
    result = open_git(repository, error);
    if (result < 0)
        return result;
    *ret = take(repository);
    return 0;
}

void repository_free(struct repository *repository)
{
    if (!repository)
        return;
    git_repository_free(repository->git);
    free(repository->name);
    free(repository->location);
    free(repository->path);
    free(repository);
}

int repository_fetch(struct repository *repository, struct cancel *cancel,
                     struct culprit_error *error)
{
    if (!repository->mirrored)
        return 0;
    return mirror_fetch(repository->git, repository->name, repository->location, cancel, error);
}

int repository_resolve(struct repository *repository, const char *ref, char ret_id[COMMIT_ID_SIZE],
                       struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_object_free) git_object *object = NULL;
    CULPRIT_CLEANUP(git_object_free) git_object *commit = NULL;
    int status;

    /* ':' and "^{/" would open git's searches through messages and trees, '@' its reflogs. */
    if (!ref[0] || ref[0] == '-' || strlen(ref) > REF_LENGTH_MAXIMUM || strpbrk(ref, ":@") ||
        strstr(ref, "^{/"))
        return culprit_fail(error, CULPRIT_INVALID,
                            "\"%.64s\" is not a branch, a tag or a commit id", ref);
    status = git_revparse_single(&object, repository->git, ref);
    if (status == GIT_ENOTFOUND && repository->shallow)
        return culprit_fail(error, CULPRIT_NOT_FOUND,
                            "repository %s has no branch, tag or commit \"%s\"; it is a shallow "
                            "clone: git -C %s fetch --unshallow brings the rest",
                            repository->name, ref, repository->path);
    if (status == GIT_ENOTFOUND)
        return culprit_fail(error, CULPRIT_NOT_FOUND,
                            "repository %s has no branch, tag or commit \"%s\"", repository->name,
                            ref);
    if (status == GIT_EAMBIGUOUS)
        return culprit_fail(error, CULPRIT_INVALID,
                            "\"%s\" stands for more than one object in repository %s: give more "
                            "digits",
                            ref, repository->name);
    if (status < 0)
        return git_fail(error, status, "cannot resolve \"%s\" in repository %s", ref,
                        repository->name);
    status = git_object_peel(&commit, object, GIT_OBJECT_COMMIT);
    if (status < 0)
        return culprit_fail(error, CULPRIT_INVALID,
                            "\"%s\" in repository %s does not lead to a commit", ref,
                            repository->name);
    git_id_text(git_object_id(commit), ret_id);
    return 0;
}

static int diffstat(struct repository *repository, git_commit *commit, git_buf *ret,
                    struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_diff_free) git_diff *diff = NULL;
    CULPRIT_CLEANUP(git_diff_stats_free) git_diff_stats *stats = NULL;
    git_diff_options options;
    int status;

    status = git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.context_lines = 0;
    if (status == 0)
        status = git_diff_with_parent(repository, commit, 0, &options, &diff);
    if (status == 0)
        status = git_diff_get_stats(&stats, diff);
    if (status == 0)
        status = git_diff_stats_to_buf(
            ret, stats, GIT_DIFF_STATS_FULL | GIT_DIFF_STATS_INCLUDE_SUMMARY, DIFFSTAT_WIDTH);
    if (status < 0)
        return git_fail_object(error, repository, status,
                               "cannot compare a commit of repository %s with its parent",
                               repository->name);
    return 0;
}

static char *cut(const char *text, size_t maximum)
{
    return strndup(text ? text : "", maximum);
}

int repository_show(struct repository *repository, const char *commit_id, size_t maximum,
                    char **ret_message, char **ret_diffstat, struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_commit_free) git_commit *commit = NULL;
    CULPRIT_CLEANUP(git_buf_dispose) git_buf stat = {0};
    _cleanup_free_ char *message = NULL;
    _cleanup_free_ char *text = NULL;
    int result = git_find_commit(repository, commit_id, &commit, error);

    if (result < 0)
        return result;
    if (git_commit_parentcount(commit) > 0) {
        result = diffstat(repository, commit, &stat, error);
        if (result < 0)
            return result;
    }
    message = cut(git_commit_message(commit), maximum);
    text = cut(stat.ptr, maximum);
    if (!message || !text)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to show commit %s", commit_id);
    *ret_message = take(message);
    *ret_diffstat = take(text);
    return 0;
}
