/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/catalogue.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/file.h"

struct catalogue {
    char *fragment_directory, *image_directory;
    struct strv repositories, topologies, fragments, images;
    struct strv locations;         /* of repositories, by place */
    struct topology **topology_of; /* by place in `topologies` */
    uint64_t *memory_maximum;      /* likewise */
    struct job_environment environment;
};

void catalogue_free(struct catalogue *catalogue)
{
    if (!catalogue)
        return;
    for (size_t i = 0; catalogue->topology_of && i < catalogue->topologies.count; i++)
        topology_free(catalogue->topology_of[i]);
    free(catalogue->topology_of);
    free(catalogue->memory_maximum);
    strv_free(&catalogue->repositories);
    strv_free(&catalogue->topologies);
    strv_free(&catalogue->fragments);
    strv_free(&catalogue->images);
    strv_free(&catalogue->locations);
    free(catalogue->fragment_directory);
    free(catalogue->image_directory);
    free(catalogue);
}

static void closedir_cleanup(DIR **directory)
{
    if (*directory)
        closedir(*directory);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The names of the files that end in `suffix`, without it, sorted. A directory that is not there
 * holds none. */
static int list_names(const char *path, const char *suffix, struct strv *ret,
                      struct culprit_error *error)
{
    CULPRIT_CLEANUP(closedir) DIR *directory = opendir(path);
    if (!directory)
        return errno == ENOENT ? 0 : culprit_fail_errno(error, errno, "cannot list %s", path);

    /* Safe on a stream of one's own (readdir(3)). NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (struct dirent *item; (item = readdir(directory));) {
        size_t length = strlen(item->d_name), tail = strlen(suffix);
        if (length <= tail || strcmp(item->d_name + length - tail, suffix) != 0)
            continue;
        if (!strv_appendf(ret, "%.*s", (int)(length - tail), item->d_name))
            return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot list %s: out of memory", path);
    }
    if (ret->count)
        qsort(ret->items, ret->count, sizeof *ret->items, by_name);
    return 0;
}

static int load_topologies(struct catalogue *catalogue, const char *directory,
                           struct culprit_error *error)
{
    int status = topology_list(directory, &catalogue->topologies, error);
    if (status < 0)
        return status;
    catalogue->topology_of = calloc(catalogue->topologies.count + 1, sizeof(void *));
    catalogue->memory_maximum = calloc(catalogue->topologies.count + 1, sizeof(uint64_t));
    if (!catalogue->topology_of || !catalogue->memory_maximum)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read topologies: out of memory");
    for (size_t i = 0; i < catalogue->topologies.count; i++) {
        status = topology_find(directory, catalogue->topologies.items[i],
                               &catalogue->topology_of[i], error);
        if (status < 0)
            return status;
        catalogue->memory_maximum[i] = catalogue->topology_of[i]->memory_maximum;
    }
    return 0;
}

int catalogue_new(const struct catalogue_directories *directories, struct catalogue **ret,
                  struct culprit_error *error)
{
    CULPRIT_CLEANUP(catalogue_free) struct catalogue *catalogue = calloc(1, sizeof *catalogue);
    if (!catalogue)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read the catalogue: out of memory");
    catalogue->fragment_directory = strdup(directories->fragments);
    catalogue->image_directory = strdup(directories->images);
    if (!catalogue->fragment_directory || !catalogue->image_directory)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read the catalogue: out of memory");

    int status = load_topologies(catalogue, directories->topologies, error);
    if (status == 0)
        status = list_names(directories->fragments, ".config", &catalogue->fragments, error);
    if (status == 0)
        status = list_names(directories->images, ".cpio", &catalogue->images, error);
    if (status < 0)
        return status;
    catalogue->environment = (struct job_environment){
        .repositories = &catalogue->repositories,
        .topologies = &catalogue->topologies,
        .memory_maximum = catalogue->memory_maximum,
        .fragments = &catalogue->fragments,
        .images = &catalogue->images,
    };
    *ret = take(catalogue);
    return 0;
}

int catalogue_add_repository(struct catalogue *catalogue, const char *name, const char *location,
                             struct culprit_error *error)
{
    if (strv_contains(&catalogue->repositories, name))
        return culprit_fail(error, CULPRIT_CONFLICT, "the repository '%s' is named twice", name);
    if (!strv_append(&catalogue->repositories, name) ||
        !strv_append(&catalogue->locations, location))
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot add a repository: out of memory");
    return 0;
}

const struct job_environment *catalogue_environment(const struct catalogue *catalogue)
{
    return &catalogue->environment;
}

/* The place of a name, or the count. */
static size_t find(const struct strv *names, const char *name)
{
    size_t i = 0;
    while (i < names->count && strcmp(names->items[i], name) != 0)
        i++;
    return i;
}

const struct topology *catalogue_topology(const struct catalogue *catalogue, const char *name)
{
    size_t place = find(&catalogue->topologies, name);
    return place < catalogue->topologies.count ? catalogue->topology_of[place] : NULL;
}

const char *catalogue_repository(const struct catalogue *catalogue, const char *name)
{
    size_t place = find(&catalogue->repositories, name);
    return place < catalogue->repositories.count ? catalogue->locations.items[place] : NULL;
}

char *catalogue_fragment(const struct catalogue *catalogue, const char *name)
{
    return text_format("%s/%s.config", catalogue->fragment_directory, name);
}

char *catalogue_image(const struct catalogue *catalogue, const char *name)
{
    return text_format("%s/%s.cpio", catalogue->image_directory, name);
}
