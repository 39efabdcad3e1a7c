/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

const char *input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

int input_read(const char *path, size_t maximum, const struct cancel *cancel, char **ret,
               size_t *ret_length, struct culprit_error *error)
{
    _cleanup_close_ int fd = -1;

    if (strcmp(path, "-") == 0)
        return file_read_fd(STDIN_FILENO, input_name(path), maximum, cancel, ret, ret_length,
                            error);
    /* Without O_NONBLOCK a named pipe that nobody writes to holds up open() itself. */
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return culprit_fail_errno(error, errno, "cannot open %s", path);
    return file_read_fd(fd, path, maximum, cancel, ret, ret_length, error);
}
