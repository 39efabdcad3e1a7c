/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel_history.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/process.h"

static const char *const packages[] = {"linux-source-6.1", "linux-source-6.12"};

static char *find_package(void)
{
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
        _cleanup_free_ char *archive = text_format("/usr/src/%s.tar.xz", packages[i]);

        if (archive && file_exists(archive))
            return strdup(packages[i]);
    }
    return NULL;
}

bool kernel_history_possible(void)
{
    _cleanup_free_ char *package = find_package();

    if (!package)
        puts("skipped: there is no /usr/src/linux-source-*.tar.xz");
    return package != NULL;
}

/* Made beside its place and renamed, so that a history that is there is whole. */
static int make_history(const char *package, const char *path, const char *truth,
                        struct culprit_error *error)
{
    _cleanup_strv_ struct strv argv = {0};
    _cleanup_free_ char *output = NULL, *unfinished = text_format("%s.unfinished", path);
    int r = file_remove_tree(unfinished, error);

    if (r < 0)
        return r;
    strv_append(&argv, CULPRIT_MAKE_HISTORY);
    strv_appendf(&argv, "--source=%s", package);
    strv_appendf(&argv, "--out=%s", unfinished);
    strv_appendf(&argv, "--truth=%s", truth);
    strv_append(&argv, "--case=lb-spare-capacity");
    strv_append(&argv, "--commits=32");
    strv_append(&argv, "--seed=1");
    r = process_capture(&argv, NULL, 4096, &output, error);
    if (r == 0 && rename(unfinished, path) < 0)
        r = culprit_fail(error, CULPRIT_IO, "cannot rename %s", unfinished);
    return r;
}

static int open_files(struct kernel_history *history, struct culprit_error *error)
{
    _cleanup_free_ char *path = text_format("%s/%s-32-1.git", history->directory, history->package);
    _cleanup_free_ char *truth = text_format("%s.json", path);
    int r = 0;

    if (!file_exists(path) || !file_exists(truth))
        r = make_history(history->package, path, truth, error);
    if (r == 0)
        r = repository_open("history", path, history->directory, NULL, &history->repository, error);
    if (r < 0)
        return r;
    history->truth = json_load_file(truth, 0, NULL);
    history->commits = json_object_get(history->truth, "history");
    if (json_array_size(history->commits) == 0)
        return culprit_fail(error, CULPRIT_INVALID, "%s has no history", truth);
    return 0;
}

int kernel_history_open(struct kernel_history *ret, struct culprit_error *error)
{
    struct kernel_history history = {.package = find_package()};
    _cleanup_free_ char *cache = path_cache_home();
    int r;

    if (!history.package)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "no /usr/src/linux-source-*.tar.xz");
    history.directory = path_join(cache, "tests");
    strv_append(&history.fragments, CULPRIT_SOURCE_DIR "/kernels/fragments/guest-x86_64.config");
    strv_append(&history.fragments, CULPRIT_SOURCE_DIR "/kernels/fragments/sched.config");
    r = file_make_directories(history.directory, 0755, error);
    if (r == 0)
        r = open_files(&history, error);
    if (r < 0)
        kernel_history_close(&history);
    else
        *ret = history;
    return r;
}

void kernel_history_close(struct kernel_history *history)
{
    repository_free(history->repository);
    json_decref(history->truth);
    free(history->package);
    free(history->directory);
    strv_free(&history->fragments);
    *history = (struct kernel_history){0};
}

size_t kernel_history_count(const struct kernel_history *history)
{
    return json_array_size(history->commits);
}

const char *kernel_history_id(const struct kernel_history *history, size_t number)
{
    return json_string_value(json_object_get(json_array_get(history->commits, number), "id"));
}

const char *kernel_history_effect(const struct kernel_history *history, size_t number)
{
    json_t *effect = json_object_get(json_array_get(history->commits, number), "effect");

    return effect ? json_string_value(effect) : "base";
}

struct build_recipe kernel_history_recipe(const struct kernel_history *history, size_t number)
{
    return (struct build_recipe){
        .commit_id = kernel_history_id(history, number),
        .fragments = &history->fragments,
    };
}
