/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What went wrong, in one caller-owned struct.
 *
 * A function that can fail returns 0, or the negative of an enum culprit_code, and fills the
 * caller's error. The error is untouched on success and may always be NULL. Library code never
 * logs: it says it here, and the edge (daemon, command line) decides what to print.
 */
#ifndef CULPRIT_BASE_ERROR_H
#define CULPRIT_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

enum culprit_code {
    CULPRIT_OK = 0,
    CULPRIT_INVALID,     /* input that is not what is allowed */
    CULPRIT_NOT_FOUND,   /* a named thing does not exist */
    CULPRIT_CONFLICT,    /* the state does not permit it */
    CULPRIT_LIMIT,       /* a limit on size, count or time was passed */
    CULPRIT_DENIED,      /* permission or ownership */
    CULPRIT_UNSUPPORTED, /* this host or this version cannot do it */
    CULPRIT_UNAVAILABLE, /* a service (libvirtd, SMTP, a remote) does not answer */
    CULPRIT_TIMED_OUT,   /* a deadline passed */
    CULPRIT_CANCELLED,   /* somebody asked to stop */
    CULPRIT_NO_SPACE,    /* the disk or a quota is full */
    CULPRIT_NO_MEMORY,
    CULPRIT_IO,     /* any other system error */
    CULPRIT_FAILED, /* the work itself failed: compile error, patch does not apply, workload */
    CULPRIT_INTERNAL,
    CULPRIT_CODE_COUNT
};

enum { CULPRIT_MESSAGE_SIZE = 1024 };

struct culprit_error {
    enum culprit_code code;
    char message[CULPRIT_MESSAGE_SIZE]; /* one sentence: what could not be done, on what, and why */
    char where[256];   /* the key, file or object meant; empty when the message says it */
    char allowed[512]; /* the words that would have been right, by ", "; empty: not a choice */
    unsigned line;     /* 1-based place in the submitted document; 0: none */
    unsigned column;
};

/* Fills *error (when not NULL) and returns -code, so that callers can `return culprit_fail(…)`. */
int culprit_fail(struct culprit_error *error, enum culprit_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with ": strerror(errnum)" appended; the code follows the errno (ENOSPC: NO_SPACE…). */
int culprit_fail_errno(struct culprit_error *error, int errnum, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a place in a document. `where` names the key as a path ("guest.memory"). */
int culprit_fail_at(struct culprit_error *error, unsigned line, unsigned column, const char *where,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Adds to a filled error the words that would have been right; a list that is too long ends in
 * "…". Returns -error->code, so that callers can `return culprit_error_allow(…)`. */
int culprit_error_allow(struct culprit_error *error, const char *const *words, size_t count);

/* Puts "prefix: " before the message of a filled error; returns -error->code (or -INTERNAL). */
int culprit_error_prefix(struct culprit_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The static analyser does not look into other files: this tells it that a failure is negative, so
 * that it does not follow paths on which a failed function goes on as if it had succeeded. */
#ifdef __clang_analyzer__
#define culprit_fail(error, code, ...) (culprit_fail(error, code, __VA_ARGS__), -(int)(code))
#define culprit_fail_errno(...)        (culprit_fail_errno(__VA_ARGS__), -(int)CULPRIT_IO)
#define culprit_fail_at(...)           (culprit_fail_at(__VA_ARGS__), -(int)CULPRIT_INVALID)
#define culprit_error_prefix(...)      (culprit_error_prefix(__VA_ARGS__), -(int)CULPRIT_INTERNAL)
#endif

/* Stable lower-case word ("invalid", "not_found", …) for JSON and logs. */
const char *culprit_code_name(enum culprit_code code);

/* The one table from codes to HTTP status and to exit status of the programs. */
unsigned culprit_code_http_status(enum culprit_code code);
int culprit_code_exit_status(enum culprit_code code);

#endif
