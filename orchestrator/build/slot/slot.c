/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build/slot/slot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "build/slot/build_tree.h"
#include "build/slot/cut_off.h"

enum { HOLDS_MAXIMUM = 4096 };

/* How near a slot is to what is wanted; the larger the better. */
enum nearness { OTHER_SETTINGS, EMPTY, SAME_SETTINGS, SAME_RECIPE };

struct candidate {
    struct slot *slot;
    enum nearness nearness;
    struct timespec used;
};

void slot_release(struct slot *slot)
{
    if (!slot)
        return;
    close_cleanup(&slot->lock_fd);
    close_cleanup(&slot->held_fd); /* after the lock: this wakes who waits for it */
    free(slot->source);
    free(slot->build);
    free(slot->config);
    free(slot->directory);
    free(slot);
}

static int slot_new(const char *cache_directory, unsigned number, struct slot **ret,
                    struct culprit_error *error)
{
    CULPRIT_CLEANUP(slot_release) struct slot *slot = calloc(1, sizeof *slot);

    if (!slot)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a build slot");
    slot->lock_fd = -1;
    slot->held_fd = -1;
    slot->number = number;
    slot->directory = text_format("%s/slots/%u", cache_directory, number);
    if (slot->directory) {
        slot->source = path_join(slot->directory, "source");
        slot->build = path_join(slot->directory, "build");
        slot->config = path_join(slot->directory, "config");
    }
    if (!slot->source || !slot->build || !slot->config)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a build slot");
    *ret = take(slot);
    return 0;
}

/* Reads "word hex" lines; what is torn or of a later version counts as unknown. */
static int load_holds(struct slot *slot, struct slot_holds *ret, struct culprit_error *error)
{
    _cleanup_free_ char *path = path_join(slot->directory, "holds");
    _cleanup_free_ char *text = NULL;
    struct slot_holds holds = {0};
    struct culprit_error reason;
    int r;

    *ret = holds;
    if (!path)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a build slot");
    r = file_read(path, HOLDS_MAXIMUM, &text, NULL, &reason);
    if (r == -CULPRIT_NOT_FOUND || r == -CULPRIT_LIMIT)
        return 0;
    if (r < 0) {
        if (error)
            *error = reason;
        return r;
    }
    if (sscanf(text, "recipe %64[0-9a-f-] image %64[0-9a-f-] settings %64[0-9a-f-] end",
               holds.recipe, holds.image, holds.settings) == 3 &&
        strstr(text, "\nend\n")) {
        if (holds.recipe[0] == '-')
            holds.recipe[0] = holds.image[0] = '\0';
        *ret = holds;
    }
    return 0;
}

static int save_holds(struct slot *slot, const struct slot_holds *holds,
                      struct culprit_error *error)
{
    bool built = holds->recipe[0] && holds->image[0];
    _cleanup_free_ char *path = path_join(slot->directory, "holds");
    _cleanup_free_ char *text = text_format("recipe %s\nimage %s\nsettings %s\nend\n",
                                            built ? holds->recipe : "-", built ? holds->image : "-",
                                            holds->settings[0] ? holds->settings : "-");
    int r;

    if (!path || !text)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a build slot");
    r = file_write_atomic(path, text, strlen(text), 0644, error);
    if (r == 0)
        slot->holds = *holds;
    return r;
}

static char *marker_path(const struct slot *slot)
{
    return path_join(slot->directory, "building");
}

/* Opens and locks without waiting; *ret_taken tells whether another holds it. Looking opens for
 * reading only, so that it wakes nobody. */
static int try_lock(struct slot *slot, bool *ret_taken, struct culprit_error *error)
{
    _cleanup_free_ char *path = path_join(slot->directory, "lock");
    _cleanup_close_ int fd = -1;

    if (!path)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a build slot");
    fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return culprit_fail_errno(error, errno, "cannot open %s", path);
    *ret_taken = flock(fd, LOCK_EX | LOCK_NB) < 0;
    if (*ret_taken)
        return errno == EWOULDBLOCK ? 0 : culprit_fail_errno(error, errno, "cannot lock %s", path);
    slot->lock_fd = take_fd(&fd);
    slot->held_fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (slot->held_fd < 0)
        return culprit_fail_errno(error, errno, "cannot open %s", path);
    return 0;
}

/* So that what make left is there after a crash of the host too. */
static int sync_slot(const struct slot *slot, struct culprit_error *error)
{
    _cleanup_close_ int fd = open(slot->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || syncfs(fd) < 0)
        return culprit_fail_errno(error, errno, "cannot write %s to its disk", slot->directory);
    return 0;
}

/* Says what is in the directories, and that nothing is under way there. */
static int settle(struct slot *slot, const struct slot_holds *holds, const char *marker,
                  struct culprit_error *error)
{
    int r = sync_slot(slot, error);

    if (r == 0)
        r = save_holds(slot, holds, error);
    return r < 0 ? r : file_remove_tree(marker, error);
}

/* Processes of a make whose sandbox was killed can live on for a moment and write; each of them
 * holds this lock (make.h). They are dying: it does not take long. */
static int wait_for_orphans(const struct slot *slot, struct culprit_error *error)
{
    _cleanup_close_ int fd = open(slot->build, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int locked = -1;

    while (fd >= 0 && (locked = flock(fd, LOCK_EX)) < 0 && errno == EINTR)
        ;
    return locked < 0 ? culprit_fail_errno(error, errno, "cannot lock %s", slot->build) : 0;
}

/* Whether the slot was used at a time that is yet to come: the clock has been set back. make would
 * take what was built then for newer than sources that are checked out now. The file system's own
 * clock is asked, which may be a server's. */
static int is_of_the_future(const struct slot *slot, bool *ret, struct culprit_error *error)
{
    _cleanup_free_ char *holds = path_join(slot->directory, "holds");
    struct stat now, then;

    if (!holds)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a build slot");
    if (futimens(slot->lock_fd, NULL) < 0 || fstat(slot->lock_fd, &now) < 0)
        return culprit_fail_errno(error, errno, "cannot touch the lock of %s", slot->directory);
    *ret = stat(holds, &then) == 0 && time_before(&now.st_mtim, &then.st_mtim);
    return 0;
}

static int recover(struct slot *slot, struct culprit_error *error)
{
    _cleanup_free_ char *marker = marker_path(slot);
    struct slot_holds holds = slot->holds;
    bool was_cut_off = false, of_the_future = false;
    int r;

    if (!marker)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a build slot");
    r = wait_for_orphans(slot, error);
    if (r == 0)
        r = is_of_the_future(slot, &of_the_future, error);
    if (r < 0 || of_the_future)
        return r < 0 ? r : slot_wipe(slot, error);
    r = cut_off_recover(marker, slot->build, slot->config, &was_cut_off, error);
    return r < 0 || !was_cut_off ? r : settle(slot, &holds, marker, error);
}

static enum nearness nearness_of(const struct slot *slot, const struct slot_holds *wanted)
{
    if (slot->holds.recipe[0] && strcmp(slot->holds.recipe, wanted->recipe) == 0)
        return SAME_RECIPE;
    if (!slot->holds.settings[0])
        return EMPTY;
    return strcmp(slot->holds.settings, wanted->settings) == 0 ? SAME_SETTINGS : OTHER_SETTINGS;
}

static bool better(const struct candidate *a, const struct candidate *b)
{
    if (!b->slot || a->nearness != b->nearness)
        return !b->slot || a->nearness > b->nearness;
    if (a->nearness == OTHER_SETTINGS)
        return time_before(&a->used, &b->used);
    return time_before(&b->used, &a->used);
}

/* Looks at one slot and keeps it, if it is free and better than the best so far. */
static int consider(const char *cache_directory, unsigned number, const struct slot_holds *wanted,
                    struct candidate *best, struct culprit_error *error)
{
    CULPRIT_CLEANUP(slot_release) struct slot *slot = NULL;
    _cleanup_free_ char *holds = NULL;
    struct candidate candidate = {0};
    struct stat status;
    bool taken = false;
    int r = slot_new(cache_directory, number, &slot, error);

    if (!slot)
        return r;
    r = file_make_directories(slot->directory, 0755, error);
    if (r == 0)
        r = try_lock(slot, &taken, error);
    if (r < 0 || taken)
        return r;
    r = load_holds(slot, &slot->holds, error);
    if (r < 0)
        return r;
    holds = path_join(slot->directory, "holds");
    if (holds && stat(holds, &status) == 0)
        candidate.used = status.st_mtim;
    candidate.nearness = nearness_of(slot, wanted);
    candidate.slot = slot;
    if (better(&candidate, best)) {
        struct slot *passed_over = best->slot;

        *best = candidate;
        slot = passed_over;
    }
    return 0;
}

static int take_best(const char *cache_directory, unsigned slots, const struct slot_holds *wanted,
                     struct slot **ret, struct culprit_error *error)
{
    struct candidate best = {0};

    for (unsigned number = 0; number < slots; number++) {
        int r = consider(cache_directory, number, wanted, &best, error);

        if (r < 0) {
            slot_release(best.slot);
            return r;
        }
    }
    *ret = best.slot;
    return 0;
}

/* An inotify descriptor that becomes readable when a holder closes a lock file. */
static int watch_locks(const char *cache_directory, unsigned slots, int *ret_fd,
                       struct culprit_error *error)
{
    _cleanup_close_ int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

    if (fd < 0)
        return culprit_fail_errno(error, errno, "cannot wait for a build slot");
    for (unsigned number = 0; number < slots; number++) {
        _cleanup_free_ char *path = text_format("%s/slots/%u/lock", cache_directory, number);

        if (!path)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a build slot");
        if (inotify_add_watch(fd, path, IN_CLOSE_WRITE) < 0)
            return culprit_fail_errno(error, errno, "cannot watch %s", path);
    }
    *ret_fd = take_fd(&fd);
    return 0;
}

/*
 * Sleeps until a holder lets go or somebody asks to stop. When a holder is killed, the kernel may
 * close its files in any order, and tell of one a moment before it lets the lock go: the look that
 * follows comes too early. So after whatever woke us there is one more look; *settled remembers
 * that it has been.
 */
static int wait_for_release(int watch_fd, bool *settled, struct cancel *cancel,
                            struct culprit_error *error)
{
    enum { ONE_MORE_LOOK_MS = 100 };
    struct pollfd fds[] = {
        {.fd = watch_fd, .events = POLLIN},
        {.fd = cancel_fd(cancel), .events = POLLIN},
    };
    char events[4096];
    int ready = poll(fds, 2, *settled ? -1 : ONE_MORE_LOOK_MS);

    if (ready < 0 && errno != EINTR)
        return culprit_fail_errno(error, errno, "cannot wait for a build slot");
    *settled = ready == 0;
    while (read(watch_fd, events, sizeof events) > 0)
        ;
    if (cancel_requested(cancel))
        return culprit_fail(error, CULPRIT_CANCELLED, "waiting for a build slot was cancelled");
    return 0;
}

int slot_claim(const char *cache_directory, unsigned slots, const struct slot_holds *wanted,
               struct cancel *cancel, struct slot **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(slot_release) struct slot *slot = NULL;
    _cleanup_close_ int watch_fd = -1;
    bool settled = false;
    int r = take_best(cache_directory, slots, wanted, &slot, error);

    /* Watched before the second look, so that no release is missed. */
    if (r == 0 && !slot)
        r = watch_locks(cache_directory, slots, &watch_fd, error);
    while (r == 0 && !slot) {
        r = take_best(cache_directory, slots, wanted, &slot, error);
        if (r == 0 && !slot)
            r = wait_for_release(watch_fd, &settled, cancel, error);
    }
    if (r == 0)
        r = file_make_directories(slot->build, 0755, error);
    if (r == 0)
        r = file_make_directories(slot->config, 0755, error);
    if (r == 0)
        r = recover(slot, error);
    if (r < 0)
        return r;
    *ret = take(slot);
    return 0;
}

int slot_begin(struct slot *slot, const char *settings, struct culprit_error *error)
{
    _cleanup_free_ char *marker = marker_path(slot);
    struct slot_holds holds = {0};
    int r;

    if (!marker)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a build slot");
    snprintf(holds.settings, sizeof holds.settings, "%s", settings);
    r = save_holds(slot, &holds, error);
    return r < 0 ? r : cut_off_mark(marker, error);
}

int slot_checkpoint(struct slot *slot, struct culprit_error *error)
{
    _cleanup_free_ char *marker = marker_path(slot);
    int r;

    if (!marker)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a build slot");
    r = cut_off_check_clock(marker, error);
    if (r == 0)
        r = sync_slot(slot, error);
    return r < 0 ? r : cut_off_mark(marker, error);
}

int slot_end(struct slot *slot, const struct slot_holds *holds, struct culprit_error *error)
{
    _cleanup_free_ char *marker = marker_path(slot);
    int r;

    if (!marker)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a build slot");
    r = cut_off_check_clock(marker, error);
    return r < 0 ? r : settle(slot, holds, marker, error);
}

int slot_wipe(struct slot *slot, struct culprit_error *error)
{
    static const struct slot_holds nothing;
    _cleanup_free_ char *marker = marker_path(slot);
    int r;

    if (!marker)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a build slot");
    r = slot_begin(slot, "", error);
    if (r == 0)
        r = file_remove_tree(slot->build, error);
    if (r == 0)
        r = file_remove_tree(slot->config, error);
    if (r == 0)
        r = file_make_directories(slot->build, 0755, error);
    if (r == 0)
        r = file_make_directories(slot->config, 0755, error);
    return r < 0 ? r : settle(slot, &nothing, marker, error);
}
