/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "c_text.h"

#include <ctype.h>
#include <string.h>

enum { SIGNATURE_LINES = 8 };

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');

    return end ? end + 1 : line + strlen(line);
}

/* The identifier before the first parenthesis of a line that begins at column 0. */
static bool name_of_line(const char *line, char ret[C_NAME_SIZE])
{
    size_t length = strcspn(line, "(;={\n");
    size_t end = length, begin;

    if (line[length] != '(' || !(islower((unsigned char)*line) || *line == '_'))
        return false;
    begin = end;
    while (begin > 0 && (isalnum((unsigned char)line[begin - 1]) || line[begin - 1] == '_'))
        begin--;
    if (begin == end || end - begin >= C_NAME_SIZE || isdigit((unsigned char)line[begin]))
        return false;
    memcpy(ret, line + begin, end - begin);
    ret[end - begin] = '\0';
    return true;
}

/* From a signature's first line to the line after its "{", or NULL when it has no body. */
static const char *find_body(const char *line)
{
    for (unsigned i = 0; i < SIGNATURE_LINES && *line; i++) {
        const char *end = next_line(line);

        if (strncmp(line, "{\n", 2) == 0)
            return end;
        if (i > 0 && !isspace((unsigned char)*line))
            return NULL;
        if (end - line >= 2 && end[-2] == ';')
            return NULL;
        line = end;
    }
    return NULL;
}

bool c_next_function(const char *text, size_t from, struct c_function *ret)
{
    for (const char *line = text + from; *line; line = next_line(line)) {
        const char *body, *end;

        if (!name_of_line(line, ret->name))
            continue;
        body = find_body(line);
        end = body ? strstr(body - 1, "\n}\n") : NULL;
        if (!end)
            continue;
        ret->start = (size_t)(line - text);
        ret->end = (size_t)(end + 3 - text);
        return true;
    }
    return false;
}

bool c_find_function(const char *text, const char *name, struct c_function *ret)
{
    size_t from = 0;

    while (c_next_function(text, from, ret)) {
        if (strcmp(ret->name, name) == 0)
            return true;
        from = ret->end;
    }
    return false;
}
