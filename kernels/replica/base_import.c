/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base_import.h"

#include <dirent.h>
#include <errno.h>
#include <git2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "fast_import.h"
#include "snapshot.h"

enum { KEY_DIGITS = 16 };

static void closedir_cleanup(DIR **directory)
{
    if (*directory)
        closedir(*directory);
}

static int create_repository(const char *directory, struct culprit_error *error)
{
    git_repository *git = NULL;
    git_repository_init_options options;
    int status = git_repository_init_options_init(&options, GIT_REPOSITORY_INIT_OPTIONS_VERSION);

    options.flags = GIT_REPOSITORY_INIT_BARE | GIT_REPOSITORY_INIT_MKPATH;
    options.initial_head = "main";
    if (status == 0)
        status = git_repository_init_ext(&git, directory, &options);
    git_repository_free(git);
    return status < 0 ? snapshot_fail(error, "cannot create the repository %s", directory) : 0;
}

static int import(const char *path, const char *directory, struct culprit_error *error)
{
    int result = create_repository(directory, error);

    return result < 0 ? result : fast_import_source(path, directory, error);
}

/* The cached base of an archive: imported beside its place and moved there when complete, so that
 * two programs that do it at once do not meet. */
static int cached_base(const char *path, const char *cache, char **ret, struct culprit_error *error)
{
    _cleanup_free_ char *place = NULL;
    _cleanup_free_ char *partial = NULL;
    char digest[DIGEST_HEX_SIZE];
    int result = digest_file(path, digest, error);

    if (result < 0)
        return result;
    place = text_format("%s/%.*s.git", cache, KEY_DIGITS, digest);
    partial = text_format("%s/%.*s.%ld.incomplete", cache, KEY_DIGITS, digest, (long)getpid());
    if (!place || !partial)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the cache of kernel sources");
    if (!file_exists(place)) {
        result = file_make_directories(cache, 0755, error);
        if (result == 0)
            result = import(path, partial, error);
        if (result == 0 && rename(partial, place) < 0 && !file_exists(place))
            result = culprit_fail_errno(error, errno, "cannot move the imported source to %s",
                                        place);
        file_remove_tree(partial, NULL);
        if (result < 0)
            return result;
    }
    *ret = take(place);
    return 0;
}

static int link_file(const char *from, const char *to, struct culprit_error *error)
{
    if (link(from, to) == 0)
        return 0;
    return file_copy(from, to, 0444, error);
}

/* Packs are never changed once written, so a hard link is as good as a copy. */
static int link_packs(const char *base, const char *directory, struct culprit_error *error)
{
    _cleanup_free_ char *from = path_join(base, "objects/pack");
    _cleanup_free_ char *to = path_join(directory, "objects/pack");
    CULPRIT_CLEANUP(closedir) DIR *packs = from ? opendir(from) : NULL;
    const struct dirent *entry;

    if (!packs || !to)
        return culprit_fail_errno(error, errno, "cannot list the packs of %s", base);
    while ((entry = readdir(packs))) {
        _cleanup_free_ char *old = path_join(from, entry->d_name);
        _cleanup_free_ char *new = path_join(to, entry->d_name);
        int result;

        if (strncmp(entry->d_name, "pack-", 5) != 0)
            continue;
        if (!old || !new)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to link the packs of %s",
                                base);
        result = link_file(old, new, error);
        if (result < 0)
            return result;
    }
    return 0;
}

static int copy_main(const char *base, const char *directory, struct culprit_error *error)
{
    git_repository *from = NULL, *to = NULL;
    git_reference *reference = NULL;
    git_oid id;
    int status = git_repository_open_bare(&from, base);

    if (status == 0)
        status = git_reference_name_to_id(&id, from, "refs/heads/main");
    if (status == 0)
        status = git_repository_open_bare(&to, directory);
    if (status == 0)
        status = git_reference_create(&reference, to, "refs/heads/main", &id, 0, NULL);
    git_reference_free(reference);
    git_repository_free(from);
    git_repository_free(to);
    return status < 0 ? snapshot_fail(error, "cannot take over the base in %s", base) : 0;
}

static int check_empty(const char *directory, struct culprit_error *error)
{
    CULPRIT_CLEANUP(closedir) DIR *stream = opendir(directory);
    const struct dirent *entry;

    if (!stream && errno == ENOENT)
        return 0;
    if (!stream)
        return culprit_fail_errno(error, errno, "cannot make a history in %s", directory);
    while ((entry = readdir(stream)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return culprit_fail(error, CULPRIT_CONFLICT,
                                "cannot make a history in %s: the directory is not empty",
                                directory);
    return 0;
}

int base_repository(const char *path, const char *cache_directory, const char *directory,
                    struct culprit_error *error)
{
    _cleanup_free_ char *base = NULL;
    struct stat status;
    int result = check_empty(directory, error);

    if (result < 0)
        return result;
    if (stat(path, &status) < 0)
        return culprit_fail_errno(error, errno, "cannot read kernel source from %s", path);
    if (!cache_directory || !S_ISREG(status.st_mode))
        return import(path, directory, error);
    result = cached_base(path, cache_directory, &base, error);
    if (result == 0)
        result = create_repository(directory, error);
    if (result == 0)
        result = link_packs(base, directory, error);
    if (result == 0)
        result = copy_main(base, directory, error);
    return result;
}
