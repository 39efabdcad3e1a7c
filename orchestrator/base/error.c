/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifdef __clang_analyzer__
#undef culprit_fail
#undef culprit_fail_errno
#undef culprit_fail_at
#undef culprit_error_prefix
#endif

/*
 * Exit statuses (docs/cli.md): 0 done, 1 a regression or a verdict against, 2 inconclusive are
 * verdicts and are not in this table; 3 is any error but those that the caller can tell apart.
 */
static const struct {
    const char *name;
    unsigned http_status;
    int exit_status;
} codes[CULPRIT_CODE_COUNT] = {
    [CULPRIT_OK] = {"ok", 200, 0},
    [CULPRIT_INVALID] = {"invalid", 400, 4},
    [CULPRIT_NOT_FOUND] = {"not_found", 404, 5},
    [CULPRIT_CONFLICT] = {"conflict", 409, 3},
    [CULPRIT_LIMIT] = {"limit", 413, 3},
    [CULPRIT_DENIED] = {"denied", 403, 3},
    [CULPRIT_UNSUPPORTED] = {"unsupported", 422, 3},
    [CULPRIT_UNAVAILABLE] = {"unavailable", 503, 6},
    [CULPRIT_TIMED_OUT] = {"timed_out", 504, 7},
    [CULPRIT_CANCELLED] = {"cancelled", 409, 8},
    [CULPRIT_NO_SPACE] = {"no_space", 507, 3},
    [CULPRIT_NO_MEMORY] = {"no_memory", 500, 3},
    [CULPRIT_IO] = {"io", 500, 3},
    [CULPRIT_FAILED] = {"failed", 422, 3},
    [CULPRIT_INTERNAL] = {"internal", 500, 3},
};

static void format_message(struct culprit_error *error, const char *format, va_list arguments)
{
    vsnprintf(error->message, sizeof error->message, format, arguments);
}

static void reset(struct culprit_error *error, enum culprit_code code)
{
    error->code = code;
    error->where[0] = '\0';
    error->allowed[0] = '\0';
    error->line = 0;
    error->column = 0;
}

int culprit_fail(struct culprit_error *error, enum culprit_code code, const char *format, ...)
{
    if (error) {
        va_list arguments;
        reset(error, code);
        va_start(arguments, format);
        format_message(error, format, arguments);
        va_end(arguments);
    }
    return -(int)code;
}

static enum culprit_code code_of_errno(int errnum)
{
    switch (errnum) {
    case ENOENT:
        return CULPRIT_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EROFS:
        return CULPRIT_DENIED;
    case ENOSPC:
    case EDQUOT:
        return CULPRIT_NO_SPACE;
    case EFBIG:
        return CULPRIT_LIMIT;
    case ENOMEM:
        return CULPRIT_NO_MEMORY;
    case ETIMEDOUT:
        return CULPRIT_TIMED_OUT;
    case ECONNREFUSED:
    case ENETUNREACH:
    case EHOSTUNREACH:
        return CULPRIT_UNAVAILABLE;
    default:
        return CULPRIT_IO;
    }
}

int culprit_fail_errno(struct culprit_error *error, int errnum, const char *format, ...)
{
    enum culprit_code code = code_of_errno(errnum);

    if (error) {
        va_list arguments;
        char reason[128];
        size_t length;

        reset(error, code);
        va_start(arguments, format);
        format_message(error, format, arguments);
        va_end(arguments);
        length = strlen(error->message);
        snprintf(error->message + length, sizeof error->message - length, ": %s",
                 strerror_r(errnum, reason, sizeof reason));
    }
    return -(int)code;
}

int culprit_fail_at(struct culprit_error *error, unsigned line, unsigned column, const char *where,
                    const char *format, ...)
{
    if (error) {
        va_list arguments;
        reset(error, CULPRIT_INVALID);
        va_start(arguments, format);
        format_message(error, format, arguments);
        va_end(arguments);
        snprintf(error->where, sizeof error->where, "%s", where ? where : "");
        error->line = line;
        error->column = column;
    }
    return -(int)CULPRIT_INVALID;
}

int culprit_error_allow(struct culprit_error *error, const char *const *words, size_t count)
{
    static const char cut[] = "…";
    size_t length = 0;

    if (!error)
        return -(int)CULPRIT_INTERNAL;
    error->allowed[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        size_t room = sizeof error->allowed - length;

        /* Keeps room for the mark, so that no word is cut in the middle. */
        if (strlen(words[i]) + sizeof ", " + sizeof ", …" > room) {
            snprintf(error->allowed + length, room, "%s%s", length ? ", " : "", cut);
            break;
        }
        length += (size_t)snprintf(error->allowed + length, room, "%s%s", length ? ", " : "",
                                   words[i]);
    }
    return error->code ? -(int)error->code : -(int)CULPRIT_INTERNAL;
}

int culprit_error_prefix(struct culprit_error *error, const char *format, ...)
{
    char old[sizeof error->message];
    size_t length;
    va_list arguments;

    if (!error)
        return -(int)CULPRIT_INTERNAL;
    memcpy(old, error->message, sizeof old);
    va_start(arguments, format);
    format_message(error, format, arguments);
    va_end(arguments);
    length = strlen(error->message);
    snprintf(error->message + length, sizeof error->message - length, ": %s", old);
    return error->code ? -(int)error->code : -(int)CULPRIT_INTERNAL;
}

static enum culprit_code clamp(enum culprit_code code)
{
    return code < CULPRIT_CODE_COUNT ? code : CULPRIT_INTERNAL;
}

const char *culprit_code_name(enum culprit_code code)
{
    return codes[clamp(code)].name;
}

unsigned culprit_code_http_status(enum culprit_code code)
{
    return codes[clamp(code)].http_status;
}

int culprit_code_exit_status(enum culprit_code code)
{
    return codes[clamp(code)].exit_status;
}
