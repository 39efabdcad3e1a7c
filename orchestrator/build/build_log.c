/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build/build_log.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum { LINE_SIZE = 4096 };

/* What a line can be, the most telling first. */
enum rank { RANK_HOST, RANK_COMPILER, RANK_LINKER, RANK_TOOL, RANK_MAKE, RANK_LAST, RANK_COUNT };

#define COMMAND "[A-Za-z0-9_][A-Za-z0-9_.+-]*"

/* POSIX extended regular expressions, in the wording of gcc, clang, GNU ld, lld and GNU make. */
static const struct {
    enum rank rank;
    const char *pattern;
} patterns[] = {
    {RANK_HOST, "^bwrap: "},
    {RANK_HOST, "(No space left on device|Disk quota exceeded)'?$"},
    {RANK_HOST, "Killed signal terminated program|internal compiler error: Killed"},
    /* The OOM killer on whatever else make runs: ld, objtool, a shell that ran them (128 + 9). */
    {RANK_HOST, "terminated with signal 9|^make(\\[[0-9]+\\])?: \\*\\*\\* .*(Killed|Error 137)$"},
    {RANK_HOST, "virtual memory exhausted|[Cc]annot allocate memory|out of memory allocating"},
    /* A program that was looked for along PATH, in the words of the shell or of make. A path is a
     * script that the commit should have brought; "[[" and "-o" are mistakes in a Makefile. */
    {RANK_HOST,
     "^(/usr)?/bin/(ba|da)?sh: ([0-9]+|line [0-9]+): " COMMAND ": (command )?not found$"},
    {RANK_HOST,
     "^make(\\[[0-9]+\\])?: " COMMAND ": (No such file or directory|Command not found)$"},
    /* Libraries of the host, where programs for the host are made. */
    {RANK_HOST, "^([^ :]*/)?(scripts|tools|certs|usr)/[^ :]*:[0-9]+(:[0-9]+)?: fatal error: "
                "(libelf|gelf|openssl/[a-z0-9]+|mpc|gmp)\\.h: No such file"},
    {RANK_COMPILER, "^[^ :]+:[0-9]+(:[0-9]+)?: (fatal )?error: "},
    {RANK_COMPILER, "^[^ :]+:[0-9]+(:[0-9]+)?: (internal compiler error|Error): "},
    {RANK_COMPILER, "^cc1: .*error"},
    {RANK_COMPILER, "^[^ :]*Kconfig[^ :]*:[0-9]+: (syntax error|error: )"},
    {RANK_LINKER, "undefined reference to |multiple definition of |undefined symbol: "},
    {RANK_LINKER, "^([^ :]*/)?(ld|ld\\.bfd|ld\\.lld): (error: |cannot |relocation |.*overflow)"},
    {RANK_LINKER, "^ERROR: modpost: |^ERROR: \"[^\"]*\" .*undefined"},
    /* The sandbox lets write nothing but the build directory, so this is a rule that writes beside
     * the sources. */
    {RANK_TOOL, "Read-only file system'?$"},
    {RANK_TOOL, "^(error|ERROR|Error): |^[^ :]+: error: |^Error! "},
    {RANK_MAKE, "^make(\\[[0-9]+\\])?: \\*\\*\\* "},
};

enum { PATTERN_COUNT = sizeof patterns / sizeof *patterns };

struct scanner {
    regex_t compiled[PATTERN_COUNT];
    size_t count;
    char found[RANK_COUNT][BUILD_FAULT_SIZE]; /* the first line of each rank; of LAST, the last */
    char object[BUILD_FAULT_SIZE];            /* that the linker is speaking of */
};

static void scanner_cleanup(struct scanner *scanner)
{
    for (size_t i = 0; i < scanner->count; i++)
        regfree(&scanner->compiled[i]);
}

static int scanner_init(struct scanner *scanner, struct culprit_error *error)
{
    for (; scanner->count < PATTERN_COUNT; scanner->count++) {
        if (regcomp(&scanner->compiled[scanner->count], patterns[scanner->count].pattern,
                    REG_EXTENDED | REG_NOSUB) != 0)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to read a build log");
    }
    return 0;
}

/* Copies a line without the path of the source tree and without control characters. */
static void copy_line(const char *line, const char *source_path, char to[BUILD_FAULT_SIZE])
{
    size_t prefix = strlen(source_path), used = 0;

    while (strncmp(line, "../", 3) == 0)
        line += 3;
    while (*line && used < BUILD_FAULT_SIZE - 1) {
        if (prefix > 0 && strncmp(line, source_path, prefix) == 0 && line[prefix] == '/') {
            line += prefix + 1;
            continue;
        }
        to[used++] = iscntrl((unsigned char)*line) ? ' ' : *line;
        line++;
    }
    while (used > 0 && to[used - 1] == ' ')
        used--;
    to[used] = '\0';
}

/* "ld: kernel/sched/fair.o: in function `x':" goes before lines that name no directory. */
static void note_object(struct scanner *scanner, const char *line)
{
    const char *start = strstr(line, "ld: "), *end = strstr(line, ": in function ");

    if (!end)
        return;
    start = start && start < end ? start + 4 : line;
    snprintf(scanner->object, sizeof scanner->object, "%.*s: ", (int)(end - start), start);
}

/* A line of source, as compilers show it below an error: "   56 |     return 1;", and older ones
 * without the number. Strings in it are no messages. */
static bool is_quotation(const char *line)
{
    return line[0] == ' ' || line[0] == '\t' ||
           strncmp(line + strspn(line, "0123456789"), " | ", 3) == 0;
}

/* Of the patterns the first that the line matches; PATTERN_COUNT when it is none. */
static size_t match_line(const struct scanner *scanner, const char *line)
{
    bool quotation = is_quotation(line);
    size_t i = 0;

    while (i < PATTERN_COUNT && ((quotation && patterns[i].rank == RANK_HOST) ||
                                 regexec(&scanner->compiled[i], line, 0, NULL, 0) != 0))
        i++;
    return i;
}

static void scan_line(struct scanner *scanner, const char *line, const char *source_path)
{
    char *found;
    size_t i;

    if (line[strspn(line, " \t")] == '\0')
        return;
    copy_line(line, source_path, scanner->found[RANK_LAST]);
    note_object(scanner, line);
    i = match_line(scanner, line);
    if (i == PATTERN_COUNT || scanner->found[patterns[i].rank][0] != '\0')
        return;
    found = scanner->found[patterns[i].rank];
    copy_line(line, source_path, found);
    if (patterns[i].rank == RANK_LINKER && !memchr(found, '/', strcspn(found, ":"))) {
        char named[2 * BUILD_FAULT_SIZE];

        snprintf(named, sizeof named, "%s%.*s", scanner->object, BUILD_FAULT_SIZE - 1, found);
        copy_line(named, source_path, found);
    }
}

/* Reads lines of any length; what passes the buffer is dropped. */
static bool read_line(FILE *log, char line[LINE_SIZE])
{
    size_t length;
    int c;

    if (!fgets(line, LINE_SIZE, log))
        return false;
    length = strlen(line);
    if (length > 0 && line[length - 1] == '\n') {
        line[length - 1] = '\0';
        return true;
    }
    do {
        c = getc(log);
    } while (c != EOF && c != '\n');
    return true;
}

int build_log_fault(const char *log_path, const char *source_path, enum build_fault *ret_fault,
                    char ret_line[BUILD_FAULT_SIZE], struct culprit_error *error)
{
    _cleanup_fclose_ FILE *log = fopen(log_path, "re");
    __attribute__((cleanup(scanner_cleanup))) struct scanner scanner = {.count = 0};
    char line[LINE_SIZE];
    enum rank rank = RANK_HOST;
    int r = scanner_init(&scanner, error);

    if (r < 0)
        return r;
    if (!log)
        return culprit_fail_errno(error, errno, "cannot read the build log %s", log_path);
    while (read_line(log, line))
        scan_line(&scanner, line, source_path);
    while (rank < RANK_LAST && scanner.found[rank][0] == '\0')
        rank++;
    *ret_fault = rank == RANK_HOST ? BUILD_FAULT_HOST : BUILD_FAULT_SOURCE;
    memcpy(ret_line, scanner.found[rank], BUILD_FAULT_SIZE);
    return 0;
}
