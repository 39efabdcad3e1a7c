/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api/access.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A part of a header's value. */
struct span {
    const char *text;
    size_t length;
};

static struct span trim(struct span span)
{
    while (span.length && strchr(" \t", span.text[0])) {
        span.text++;
        span.length--;
    }
    while (span.length && strchr(" \t", span.text[span.length - 1]))
        span.length--;
    return span;
}

static bool equals(struct span span, const char *text)
{
    return strlen(text) == span.length && strncasecmp(span.text, text, span.length) == 0;
}

/* Cuts off what stands before `separator`; false at the end. */
static bool next_part(const char **rest, char separator, struct span *ret)
{
    const char *end;

    if (!*rest)
        return false;
    end = strchr(*rest, separator);
    *ret = trim((struct span){*rest, end ? (size_t)(end - *rest) : strlen(*rest)});
    *rest = end ? end + 1 : NULL;
    return true;
}

/* The name of "name:port", "[v6]:port" or without port; empty when it is neither. */
static struct span host_name(const char *host)
{
    const char *end = host[0] == '[' ? strchr(host, ']') : strchr(host, ':');
    struct span name = {host, end ? (size_t)(end - host) : strlen(host)};
    const char *port = end ? end + (host[0] == '[') : "";

    if (host[0] == '[') {
        if (!end)
            return (struct span){host, 0};
        name = (struct span){host + 1, (size_t)(end - host) - 1};
    }
    if (*port && (*port != ':' || strspn(port + 1, "0123456789") != strlen(port + 1)))
        return (struct span){host, 0};
    return name;
}

bool host_allowed(const char *host, bool loopback, const char *address, const struct strv *hosts)
{
    static const char *const local[] = {"localhost", "127.0.0.1", "::1"};
    struct span name = host ? host_name(host) : (struct span){"", 0};

    if (name.length == 0)
        return false;
    for (size_t i = 0; loopback && i < sizeof local / sizeof *local; i++)
        if (equals(name, local[i]))
            return true;
    for (size_t i = 0; hosts && i < hosts->count; i++)
        if (equals(name, hosts->items[i]))
            return true;
    return equals(name, address);
}

bool origin_allowed(const char *origin, const char *host)
{
    static const char *const schemes[] = {"http://", "https://"};

    if (!origin)
        return true;
    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(schemes[i]);

        if (strncasecmp(origin, schemes[i], length) == 0)
            return host && strcasecmp(origin + length, host) == 0;
    }
    return false;
}

const char *bearer_token(const char *authorization)
{
    if (!authorization || strncasecmp(authorization, "Bearer ", 7) != 0)
        return NULL;
    authorization += 7 + strspn(authorization + 7, " ");
    return authorization[0] ? authorization : NULL;
}

static bool range_matches(struct span range, struct span type)
{
    const char *slash = memchr(type.text, '/', type.length);
    size_t main_length = slash ? (size_t)(slash - type.text) + 1 : type.length;

    if (equals(range, "*/*"))
        return true;
    if (range.length == main_length + 1 && range.text[range.length - 1] == '*')
        return strncasecmp(range.text, type.text, main_length) == 0;
    return range.length == type.length && strncasecmp(range.text, type.text, type.length) == 0;
}

/* "q=0", "q=0.", "q=0.000": not acceptable (RFC 9110, 12.4.2). */
static bool is_zero_quality(struct span parameter)
{
    if (parameter.length < 3 || strncasecmp(parameter.text, "q=0", 3) != 0)
        return false;
    for (size_t i = 3; i < parameter.length; i++)
        if (parameter.text[i] != '0' && parameter.text[i] != '.')
            return false;
    return true;
}

/* One media range with its parameters; how exactly it names the type (0: not at all), negative
 * when it refuses it. */
static int judge_range(struct span item, struct span type)
{
    char text[128];
    const char *rest = text;
    struct span range, parameter;
    int exactness;

    if (item.length >= sizeof text)
        return 0;
    memcpy(text, item.text, item.length);
    text[item.length] = '\0';
    if (!next_part(&rest, ';', &range) || !range_matches(range, type))
        return 0;
    exactness = equals(range, "*/*") ? 1 : memchr(range.text, '*', range.length) ? 2 : 3;
    while (next_part(&rest, ';', &parameter))
        if (is_zero_quality(parameter))
            return -exactness;
    return exactness;
}

bool accepts_type(const char *accept, const char *type)
{
    struct span wanted = {type, strcspn(type, ";")};
    struct span item;
    int best = 0;

    if (!accept)
        return true;
    while (next_part(&accept, ',', &item)) {
        int exactness = judge_range(item, wanted);

        if (abs(exactness) > abs(best))
            best = exactness;
    }
    return best > 0;
}

bool content_type_allowed(const char *content_type, const char *allowed)
{
    struct span type, parameter, candidate;
    bool known = false;

    if (!content_type || !next_part(&content_type, ';', &type))
        return false;
    while (next_part(&allowed, ',', &candidate))
        known = known || (candidate.length == type.length &&
                          strncasecmp(candidate.text, type.text, type.length) == 0);
    while (next_part(&content_type, ';', &parameter))
        if (parameter.length && !equals(parameter, "charset=utf-8") &&
            !equals(parameter, "charset=\"utf-8\""))
            return false;
    return known;
}
