/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "topology/topology.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "topology/decode.h"

enum { NAME_MAXIMUM = 64, TOPOLOGIES_MAXIMUM = 256 };

static const char suffix[] = ".yaml";

unsigned topology_cpus(const struct topology *topology)
{
    return topology->sockets * topology->dies * topology->cores * topology->threads;
}

void topology_free(struct topology *topology)
{
    if (!topology)
        return;
    struct topology_expectation *expect = &topology->expect;
    for (size_t i = 0; i < expect->cache_count; i++)
        strv_free(&expect->caches[i].shared);
    for (size_t i = 0; i < expect->domain_count; i++) {
        strv_free(&expect->domains[i].names);
        strv_free(&expect->domains[i].spans);
    }
    free(expect->caches);
    free(expect->domains);
    strv_free(&expect->siblings);
    strv_free(&expect->nodes);
    free(topology->name);
    free(topology->description);
    free(topology->cpu_model);
    free(topology->l2_shared_by);
    free(topology);
}

static int fail_in_file(const char *path, int status, struct culprit_error *error)
{
    if (error && error->line)
        culprit_error_prefix(error, "topology file %s:%u:%u%s%s", path, error->line, error->column,
                             *error->where ? ": " : "", error->where);
    else
        culprit_error_prefix(error, "topology file %s", path);
    return status;
}

int topology_load(const char *path, struct topology **ret, struct culprit_error *error)
{
    _cleanup_free_ char *text = NULL;
    size_t length;

    int status = file_read(path, TOPOLOGY_FILE_MAXIMUM, &text, &length, error);
    if (status < 0)
        return status;
    status = topology_decode(text, length, ret, error);
    return status < 0 ? fail_in_file(path, status, error) : 0;
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static bool is_topology_file(const char *name)
{
    size_t length = strlen(name);
    return name[0] != '.' && length > strlen(suffix) &&
           strcmp(name + length - strlen(suffix), suffix) == 0;
}

static void closedir_cleanup(DIR **directory)
{
    if (*directory)
        closedir(*directory);
}

int topology_list(const char *directory, struct strv *ret_names, struct culprit_error *error)
{
    _cleanup_strv_ struct strv names = {0};
    CULPRIT_CLEANUP(closedir) DIR *stream = opendir(directory);
    struct dirent *entry;

    if (!stream)
        return culprit_fail_errno(error, errno, "cannot read the topology directory %s", directory);
    while ((entry = readdir(stream))) {
        if (!is_topology_file(entry->d_name))
            continue;
        if (names.count == TOPOLOGIES_MAXIMUM)
            return culprit_fail(error, CULPRIT_LIMIT, "more than %d topologies in %s",
                                TOPOLOGIES_MAXIMUM, directory);
        strv_appendf(&names, "%.*s", (int)(strlen(entry->d_name) - strlen(suffix)), entry->d_name);
    }
    if (names.failed)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to list topologies");
    if (names.count)
        qsort(names.items, names.count, sizeof *names.items, compare_names);
    *ret_names = names;
    names = (struct strv){0};
    return 0;
}

static int fail_unknown(const char *directory, const char *name, struct culprit_error *error)
{
    _cleanup_strv_ struct strv names = {0};
    _cleanup_buffer_ struct buffer list = BUFFER_INIT(512);

    int status = topology_list(directory, &names, error);
    if (status < 0)
        return status;
    for (size_t i = 0; i < names.count; i++)
        buffer_printf(&list, "%s%s", i ? ", " : "", names.items[i]);
    const char *nearest = nearest_word(name, (const char *const *)names.items, names.count);
    _cleanup_free_ char *known = buffer_take(&list);
    return culprit_fail(error, CULPRIT_NOT_FOUND, "no topology \"%.64s\"%s%s%s; there are: %s",
                        name, nearest ? ", did you mean \"" : "", nearest ? nearest : "",
                        nearest ? "\"?" : "", known ? known : "too many to list");
}

int topology_find(const char *directory, const char *name, struct topology **ret,
                  struct culprit_error *error)
{
    CULPRIT_CLEANUP(topology_free) struct topology *topology = NULL;

    if (!*name || strlen(name) > NAME_MAXIMUM || strchr(name, '/') || name[0] == '.')
        return fail_unknown(directory, name, error);
    _cleanup_free_ char *path = text_format("%s/%s%s", directory, name, suffix);
    if (!path)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a path");
    if (!file_exists(path))
        return fail_unknown(directory, name, error);
    int status = topology_load(path, &topology, error);
    if (status < 0)
        return status;
    if (strcmp(topology->name, name) != 0)
        return culprit_fail(error, CULPRIT_INVALID, "topology file %s calls itself \"%s\"", path,
                            topology->name);
    *ret = take(topology);
    return 0;
}
