/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/paths.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/path.h"

/* One kind of data: its folder below a data directory, and its place in the trees. */
struct place {
    const char *folder;
    const char *in_tree;
};

static const struct place topologies = {"topologies", CULPRIT_SOURCE_DIR "/images/topologies"};
static const struct place images = {"images", CULPRIT_BINARY_DIR "/images"};
static const struct place fragments = {"fragments", CULPRIT_SOURCE_DIR "/kernels/fragments"};

/* The directory of the running program; false when /proc does not say. */
static bool program_directory(char directory[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", directory, PATH_MAX - 1);
    char *slash;

    if (length <= 0)
        return false;
    directory[length] = '\0';
    slash = strrchr(directory, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

static bool is_below(const char *path, const char *directory)
{
    size_t length = strlen(directory);

    return strncmp(path, directory, length) == 0 && path[length] == '/';
}

static char *find(const struct place *place)
{
    const char *override = secure_getenv("CULPRIT_DATA_DIR");
    char directory[PATH_MAX];
    _cleanup_free_ char *beside = NULL;

    if (override && *override)
        return path_join(override, place->folder);
    if (!program_directory(directory))
        return path_join(CULPRIT_DATA_DIR, place->folder);
    if (is_below(directory, CULPRIT_BINARY_DIR))
        return strdup(place->in_tree);
    beside = text_format("%s/../share/culprit/%s", directory, place->folder);
    if (!beside)
        return NULL;
    if (file_exists(beside))
        return take(beside);
    return path_join(CULPRIT_DATA_DIR, place->folder);
}

char *paths_topologies(void)
{
    return find(&topologies);
}

char *paths_images(void)
{
    return find(&images);
}

char *paths_fragments(void)
{
    return find(&fragments);
}

char *paths_image(const char *name)
{
    _cleanup_free_ char *directory = paths_images();

    return directory ? text_format("%s/%s.cpio", directory, name) : NULL;
}
