/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build/slot/cut_off.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "build/slot/build_tree.h"
#include "build/slot/finished.h"
#include "build/slot/instant.h"

int cut_off_mark(const char *mark, struct culprit_error *error)
{
    struct instant now;
    char text[INSTANT_TEXT_MAXIMUM];
    int r = instant_now(&now, error);

    if (r < 0)
        return r;
    instant_write(&now, text);
    return file_write_atomic(mark, text, strlen(text), 0644, error);
}

/* What can be said of the files that came after a mark, and before it. */
enum trust { TRUST_NONE, TRUST_OLDER, TRUST_FINISHED };

static enum trust trust_since(const char *mark)
{
    _cleanup_free_ char *text = NULL;
    struct instant then, now;

    if (file_read(mark, INSTANT_TEXT_MAXIMUM, &text, NULL, NULL) < 0 ||
        !instant_read(text, &then) || instant_now(&now, NULL) < 0 || instant_set_back(&then, &now))
        return TRUST_NONE;
    return instant_same_boot(&then, &now) ? TRUST_FINISHED : TRUST_OLDER;
}

int cut_off_check_clock(const char *mark, struct culprit_error *error)
{
    if (trust_since(mark) != TRUST_NONE)
        return 0;
    return culprit_fail(error, CULPRIT_IO,
                        "the clock of this host was set back during the build, and make goes by "
                        "the times of files: it has to be built anew");
}

struct cleaning {
    struct timespec since;           /* zero: for ever */
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
    enum trust trust = trust_since(mark);
    struct stat status;
    int r = 0;

    *ret_was = stat(mark, &status) == 0;
    if (!*ret_was)
        return errno == ENOENT ? 0 : culprit_fail_errno(error, errno, "cannot read %s", mark);
    if (trust != TRUST_NONE)
        cleaning.since = status.st_mtim;
    if (trust == TRUST_FINISHED)
        r = finished_find(build, &cleaning.since, &finished, error);
    cleaning.finished = finished;
    if (r == 0)
        r = build_tree_walk(build, clean_file, &cleaning, error);
    cleaning.finished = NULL;
    return r < 0 ? r : build_tree_walk(config, clean_file, &cleaning, error);
}
