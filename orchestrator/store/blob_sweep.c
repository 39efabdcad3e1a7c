/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Removal of old blobs: by the age of their last use, then by the total size. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "store/blobs_layout.h"
#include "store/database.h"

/* A temporary file that nobody has written to for so long belongs to a process that died. */
#define ORPHAN_AGE_NS (24ull * 3600 * 1000000000)

/* What was used so lately may belong to work whose result is not in the store yet. */
#define GRACE_NS (600ull * 1000000000)

struct entry {
    char *path;
    uint64_t used_ns;
    uint64_t size;
};

struct entries {
    struct entry *items;
    size_t count;
};

static void entries_free_cleanup(struct entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        free(entries->items[i].path);
    free(entries->items);
}

static void closedir_cleanup(DIR **directory)
{
    if (*directory)
        closedir(*directory);
}

static uint64_t time_ns(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

static bool is_kept(const struct strv *keep, const char *prefix, const char *name)
{
    char digest[DIGEST_HEX_SIZE];

    snprintf(digest, sizeof digest, "%.2s%.62s", prefix, name);
    return keep && strv_contains(keep, digest);
}

static int list_directory(const char *path, const char *prefix, const struct strv *keep,
                          struct entries *entries, struct blobs_swept *swept,
                          struct culprit_error *error)
{
    CULPRIT_CLEANUP(closedir) DIR *directory = opendir(path);
    if (!directory)
        return errno == ENOENT ? 0 : culprit_fail_errno(error, errno, "cannot list %s", path);

    /* Safe on a stream of one's own (readdir(3)). NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (struct dirent *item; (item = readdir(directory));) {
        struct stat status;
        if (fstatat(dirfd(directory), item->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISREG(status.st_mode))
            continue;
        if (prefix && is_kept(keep, prefix, item->d_name)) {
            swept->kept++;
            swept->kept_bytes += (uint64_t)status.st_size;
            continue;
        }
        struct entry *entry = array_grow((void **)&entries->items, &entries->count, sizeof *entry);
        if (!entry || !(entry->path = path_join(path, item->d_name)))
            return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot list %s: out of memory", path);
        entry->used_ns = time_ns(&status.st_mtim);
        entry->size = (uint64_t)status.st_size;
    }
    return 0;
}

static void count_kept(const struct entry *entry, struct blobs_swept *swept)
{
    swept->kept++;
    swept->kept_bytes += entry->size;
}

/* Not when it was used since it was listed. Gives whether its room is free now. */
static bool remove_entry(struct blobs *blobs, const struct entry *entry, struct blobs_swept *swept)
{
    struct stat status;

    pthread_mutex_lock(&blobs->lock);
    bool removed = lstat(entry->path, &status) == 0 && time_ns(&status.st_mtim) == entry->used_ns &&
                   unlink(entry->path) == 0;
    pthread_mutex_unlock(&blobs->lock);
    if (removed) {
        swept->removed++;
        swept->removed_bytes += entry->size;
    } else {
        count_kept(entry, swept);
    }
    return removed;
}

static int by_last_use(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    return (a->used_ns > b->used_ns) - (a->used_ns < b->used_ns);
}

static bool older(const struct entry *entry, uint64_t now_ns, uint64_t age_ns)
{
    return age_ns && entry->used_ns < now_ns && now_ns - entry->used_ns > age_ns;
}

static void apply_limits(struct blobs *blobs, struct entries *entries,
                         const struct blobs_limits *limits, struct blobs_swept *swept)
{
    uint64_t total = swept->kept_bytes;

    for (size_t i = 0; i < entries->count; i++)
        total += entries->items[i].size;
    if (entries->count)
        qsort(entries->items, entries->count, sizeof *entries->items, by_last_use);
    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *entry = &entries->items[i];
        if (older(entry, limits->now_ns, GRACE_NS) &&
            (older(entry, limits->now_ns, limits->age_ns) ||
             (limits->maximum && total > limits->maximum))) {
            if (remove_entry(blobs, entry, swept))
                total -= entry->size;
        } else {
            count_kept(entry, swept);
        }
    }
}

static int sweep_temporary(struct blobs *blobs, uint64_t now_ns, struct blobs_swept *swept,
                           struct culprit_error *error)
{
    CULPRIT_CLEANUP(entries_free) struct entries entries = {0};

    int status = list_directory(blobs->temporary, NULL, NULL, &entries, swept, error);
    for (size_t i = 0; status == 0 && i < entries.count; i++) {
        if (older(&entries.items[i], now_ns, ORPHAN_AGE_NS))
            remove_entry(blobs, &entries.items[i], swept);
        else
            count_kept(&entries.items[i], swept); /* being written: it takes room already */
    }
    return status;
}

int blobs_sweep(struct blobs *blobs, const struct blobs_limits *limits, const struct strv *keep,
                struct blobs_swept *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(entries_free) struct entries entries = {0};
    struct blobs_swept swept = {0};

    int status = sweep_temporary(blobs, limits->now_ns, &swept, error);
    for (unsigned i = 0; status == 0 && i < 256; i++) {
        char prefix[3];
        snprintf(prefix, sizeof prefix, "%02x", i);
        _cleanup_free_ char *path = path_join(blobs->directory, prefix);
        status = path ? list_directory(path, prefix, keep, &entries, &swept, error)
                      : culprit_fail(error, CULPRIT_NO_MEMORY, "cannot sweep: out of memory");
    }
    if (status < 0)
        return status;
    apply_limits(blobs, &entries, limits, &swept);
    *ret = swept;
    return 0;
}
