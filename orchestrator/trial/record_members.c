/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of a record, each with its type and its bounds. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "trial/record_reader.h"

bool record_get_text(struct record_reader *reader, const json_t *record, const char *key,
                     char *text, size_t size)
{
    const json_t *value = json_object_get(record, key);
    size_t length = json_string_length(value);

    if (!json_is_string(value) || length >= size ||
        memchr(json_string_value(value), '\0', length) != NULL)
        return record_refuse(reader, "\"%s\" must be a string of at most %zu bytes", key, size - 1);
    memcpy(text, json_string_value(value), length + 1);
    return true;
}

bool record_get_shown(struct record_reader *reader, const json_t *record, const char *key,
                      char *text, size_t size)
{
    char raw[RECORD_LINE_MAXIMUM];

    if (!record_get_text(reader, record, key, raw, size < sizeof raw ? size : sizeof raw))
        return false;
    record_escape(raw, text, size);
    return true;
}

bool record_get_count(struct record_reader *reader, const json_t *record, const char *key,
                      uint64_t maximum, uint64_t *ret)
{
    const json_t *value = json_object_get(record, key);

    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) > maximum)
        return record_refuse(reader, "\"%s\" must be a whole number of at most %llu", key,
                             (unsigned long long)maximum);
    *ret = (uint64_t)json_integer_value(value);
    return true;
}

bool record_get_unsigned(struct record_reader *reader, const json_t *record, const char *key,
                         unsigned maximum, unsigned *ret)
{
    uint64_t value;

    if (!record_get_count(reader, record, key, maximum, &value))
        return false;
    *ret = (unsigned)value;
    return true;
}

bool record_get_cpu_list(struct record_reader *reader, const json_t *record, const char *key,
                         char list[CPU_LIST_SIZE])
{
    if (!record_get_text(reader, record, key, list, CPU_LIST_SIZE))
        return false;
    if (!isdigit((unsigned char)list[0]) || list[strspn(list, "0123456789,-")] != '\0')
        return record_refuse(reader, "\"%s\" must be a CPU list such as 0-3,8", key);
    return true;
}

bool record_get_name(struct record_reader *reader, const json_t *record, bool upper, char name[97])
{
    if (!record_get_text(reader, record, "name", name, 97))
        return false;
    for (const char *c = name; *c; c++) {
        bool allowed = islower((unsigned char)*c) || isdigit((unsigned char)*c) ||
                       strchr("_.-", *c) || (upper && isupper((unsigned char)*c));
        if (!allowed)
            return record_refuse(reader, "byte 0x%02x in a name", (unsigned)(unsigned char)*c);
    }
    return name[0] != '\0' || record_refuse(reader, "an empty name");
}

bool record_get_value(struct record_reader *reader, const json_t *record, double *ret)
{
    const json_t *value = json_object_get(record, "value");

    if (!json_is_number(value) || !isfinite(json_number_value(value)))
        return record_refuse(reader, "\"value\" must be a finite number");
    *ret = json_number_value(value);
    return true;
}
