/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build/cut_off.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "build/build_tree.h"
#include "build/finished.h"

/* Another one after each start of the host. */
#define BOOT_ID_PATH "/proc/sys/kernel/random/boot_id"

enum { BOOT_ID_MAXIMUM = 64 };

int cut_off_mark(const char *mark, struct culprit_error *error)
{
    _cleanup_free_ char *boot = NULL;
    int r = file_read(BOOT_ID_PATH, BOOT_ID_MAXIMUM, &boot, NULL, error);

    return r < 0 ? r : file_write_atomic(mark, boot, strlen(boot), 0644, error);
}

static bool is_of_this_boot(const char *mark)
{
    _cleanup_free_ char *then = NULL, *now = NULL;

    return file_read(mark, BOOT_ID_MAXIMUM, &then, NULL, NULL) == 0 &&
           file_read(BOOT_ID_PATH, BOOT_ID_MAXIMUM, &now, NULL, NULL) == 0 &&
           strcmp(then, now) == 0;
}

struct cleaning {
    struct timespec since;
    const struct finished *finished; /* NULL: nothing is */
};

static int clean_file(void *context, const struct build_file *file, struct culprit_error *error)
{
    const struct cleaning *cleaning = context;

    if (time_before(&file->modified, &cleaning->since) ||
        (cleaning->finished && finished_has(cleaning->finished, file->path, &file->modified)))
        return 0;
    if (unlink(file->full_path) < 0)
        return culprit_fail_errno(error, errno, "cannot remove %s", file->full_path);
    return 0;
}

int cut_off_recover(const char *mark, const char *build, const char *config, bool *ret_was,
                    struct culprit_error *error)
{
    CULPRIT_CLEANUP(finished_free) struct finished *finished = NULL;
    struct cleaning cleaning = {0};
    struct stat status;
    int r = 0;

    *ret_was = stat(mark, &status) == 0;
    if (!*ret_was)
        return errno == ENOENT ? 0 : culprit_fail_errno(error, errno, "cannot read %s", mark);
    cleaning.since = status.st_mtim;
    if (is_of_this_boot(mark))
        r = finished_find(build, &cleaning.since, &finished, error);
    cleaning.finished = finished;
    if (r == 0)
        r = build_tree_walk(build, clean_file, &cleaning, error);
    cleaning.finished = NULL;
    return r < 0 ? r : build_tree_walk(config, clean_file, &cleaning, error);
}
