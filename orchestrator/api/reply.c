/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api/reply.h"

#include <stdlib.h>
#include <string.h>

enum { BLOB_BLOCK_SIZE = 64 * 1024 };

static int fail_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the reply");
}

int reply_header(struct reply *reply, const char *name, const char *value,
                 struct culprit_error *error)
{
    if (MHD_add_response_header(reply->response, name, value) != MHD_YES)
        return fail_memory(error);
    return 0;
}

static int add_standard_headers(struct reply *reply, const char *type, struct culprit_error *error)
{
    static const char *const headers[][2] = {
        {MHD_HTTP_HEADER_CACHE_CONTROL, "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox"},
        {"Referrer-Policy", "no-referrer"},
    };
    int r = type ? reply_header(reply, MHD_HTTP_HEADER_CONTENT_TYPE, type, error) : 0;

    for (size_t i = 0; r == 0 && i < sizeof headers / sizeof *headers; i++)
        r = reply_header(reply, headers[i][0], headers[i][1], error);
    return r;
}

int reply_response(struct reply *reply, unsigned status, const char *type,
                   struct MHD_Response *response, struct culprit_error *error)
{
    int r;

    if (!response)
        return fail_memory(error);
    reply_clear(reply);
    *reply = (struct reply){.status = status, .response = response};
    r = add_standard_headers(reply, type, error);
    if (r < 0)
        reply_clear(reply);
    return r;
}

/* Takes `data`, which is from malloc. */
static int reply_bytes(struct reply *reply, unsigned status, const char *type, char *data,
                       size_t length, struct culprit_error *error)
{
    struct MHD_Response *response;

    if (!data)
        return fail_memory(error);
    response = MHD_create_response_from_buffer(length, data, MHD_RESPMEM_MUST_FREE);
    if (!response)
        free(data);
    return reply_response(reply, status, type, response, error);
}

/* Indented, for half of the readers are people with curl. */
static char *dump_line(const json_t *value, size_t *ret_length)
{
    size_t length = json_dumpb(value, NULL, 0, JSON_INDENT(2));
    char *text = length ? malloc(length + 2) : NULL;

    if (!text)
        return NULL;
    json_dumpb(value, text, length, JSON_INDENT(2));
    text[length] = '\n';
    text[length + 1] = '\0';
    *ret_length = length + 1;
    return text;
}

static int reply_json_as(struct reply *reply, unsigned status, const char *type, json_t *value,
                         struct culprit_error *error)
{
    size_t length = 0;
    char *text = value ? dump_line(value, &length) : NULL;

    json_decref(value);
    return reply_bytes(reply, status, type, text, length, error);
}

int reply_json(struct reply *reply, unsigned status, json_t *value, struct culprit_error *error)
{
    return reply_json_as(reply, status, "application/json", value, error);
}

int reply_list(struct reply *reply, const char *name, json_t *list, struct culprit_error *error)
{
    return reply_json(reply, MHD_HTTP_OK, json_pack("{s:o}", name, list), error);
}

int reply_buffer(struct reply *reply, const char *type, struct buffer *buffer,
                 struct culprit_error *error)
{
    size_t length = buffer->length;

    return reply_bytes(reply, MHD_HTTP_OK, type, buffer_take(buffer), length, error);
}

static ssize_t read_blob(void *context, uint64_t position, char *buffer, size_t size)
{
    ssize_t got = blob_reader_read(context, buffer, size, NULL);

    (void)position;
    if (got == 0)
        return MHD_CONTENT_READER_END_OF_STREAM;
    return got < 0 ? (ssize_t)MHD_CONTENT_READER_END_WITH_ERROR : got;
}

static void free_blob(void *context)
{
    blob_reader_free(context);
}

int reply_blob(struct reply *reply, const char *type, struct blob_reader *reader,
               struct culprit_error *error)
{
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, BLOB_BLOCK_SIZE, read_blob, reader, free_blob);

    if (!response)
        blob_reader_free(reader);
    return reply_response(reply, MHD_HTTP_OK, type, response, error);
}

/* The library copies nothing and writes nothing; it only lacks the const. */
static struct MHD_Response *persistent_response(const void *bytes, size_t length)
{
    union {
        const void *constant;
        void *plain;
    } data = {.constant = bytes};

    return MHD_create_response_from_buffer(length, data.plain, MHD_RESPMEM_PERSISTENT);
}

int reply_static(struct reply *reply, const char *type, const void *bytes, size_t length,
                 struct culprit_error *error)
{
    return reply_response(reply, MHD_HTTP_OK, type, persistent_response(bytes, length), error);
}

int reply_empty(struct reply *reply, unsigned status, const char *type, struct culprit_error *error)
{
    return reply_response(reply, status, type, persistent_response("", 0), error);
}

static json_t *split_words(const char *words)
{
    json_t *array = json_array();

    while (array && *words) {
        size_t length = strcspn(words, ",");

        if (json_array_append_new(array, json_stringn(words, length)) < 0)
            break;
        words += length;
        words += strspn(words, ", ");
    }
    return array;
}

/* Text from outside may have been cut in the middle of a character; JSON takes none of that. */
static json_t *safe_string(const char *text)
{
    size_t length = strlen(text);
    json_t *string = NULL;

    for (size_t cut = 0; !string && cut <= length && cut < 4; cut++)
        string = json_stringn(text, length - cut);
    return string ? string : json_string("(text that is not UTF-8)");
}

static json_t *problem_json(unsigned status, const struct culprit_error *problem)
{
    json_t *json = json_pack("{s:s, s:s, s:i, s:o, s:s}", "type", "about:blank", "title",
                             MHD_get_reason_phrase_for(status), "status", (int)status, "detail",
                             safe_string(problem->message), "code",
                             culprit_code_name(problem->code));

    if (json && problem->where[0])
        json_object_set_new(json, "key", safe_string(problem->where));
    if (json && problem->line) {
        json_object_set_new(json, "line", json_integer(problem->line));
        json_object_set_new(json, "column", json_integer(problem->column));
    }
    if (json && problem->allowed[0])
        json_object_set_new(json, "allowed", split_words(problem->allowed));
    return json;
}

int reply_problem(struct reply *reply, unsigned status, const struct culprit_error *problem)
{
    if (status == 0)
        status = culprit_code_http_status(problem->code);
    return reply_json_as(reply, status, "application/problem+json", problem_json(status, problem),
                         NULL);
}

void reply_clear(struct reply *reply)
{
    if (reply->response)
        MHD_destroy_response(reply->response);
    *reply = (struct reply){0};
}
