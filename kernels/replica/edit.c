/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "edit.h"

#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "c_text.h"

enum { FILE_MAXIMUM = 16 << 20 };

static const char *find_within(const char *text, size_t from, size_t to, const char *anchor)
{
    size_t length = strlen(anchor);
    const char *found = strstr(text + from, anchor);

    return found && (size_t)(found - text) + length <= to ? found : NULL;
}

char *edit_text(const char *text, const char *function, const char *anchor, const char *replacement,
                const char **ret_reason)
{
    _cleanup_buffer_ struct buffer buffer = BUFFER_INIT(FILE_MAXIMUM);
    struct c_function place = {.start = 0, .end = strlen(text)};
    const char *found;

    *ret_reason = "the function is gone";
    if (function && !c_find_function(text, function, &place))
        return NULL;
    *ret_reason = "the text is gone";
    found = find_within(text, place.start, place.end, anchor);
    if (!found)
        return NULL;
    *ret_reason = "the text occurs more than once";
    if (find_within(text, (size_t)(found - text) + 1, place.end, anchor))
        return NULL;
    *ret_reason = "no memory";
    buffer_append(&buffer, text, (size_t)(found - text));
    buffer_puts(&buffer, replacement);
    buffer_puts(&buffer, found + strlen(anchor));
    return buffer_take(&buffer);
}

static int replace(struct snapshot *snapshot, const struct edit *edit, const char *from,
                   const char *to, struct culprit_error *error)
{
    _cleanup_free_ char *text = NULL;
    _cleanup_free_ char *edited = NULL;
    const char *reason;
    int result = snapshot_read(snapshot, edit->path, &text, error);

    if (result < 0)
        return result;
    edited = edit_text(text, edit->function, from, to, &reason);
    if (!edited)
        return culprit_fail(
            error, CULPRIT_NOT_FOUND, "cannot edit %s, %s%s: %s: \"%.*s\"", edit->path,
            edit->function ? edit->function : "whole file", edit->function ? "()" : "", reason,
            (int)strcspn(from + strspn(from, "\n\t "), "\n"), from + strspn(from, "\n\t "));
    return snapshot_write(snapshot, edit->path, edited, error);
}

int edit_apply(struct snapshot *snapshot, const struct edit *edit, struct culprit_error *error)
{
    return replace(snapshot, edit, edit->anchor, edit->replacement, error);
}

int edit_revert(struct snapshot *snapshot, const struct edit *edit, struct culprit_error *error)
{
    return replace(snapshot, edit, edit->replacement, edit->anchor, error);
}
