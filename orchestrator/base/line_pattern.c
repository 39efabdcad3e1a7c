/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Glushkov's construction (V. M. Glushkov, The abstract theory of automata, 1961): each character,
 * class and anchor of the pattern is a place; which places may come first, last, and after which
 * other is found while the pattern is read. A search keeps the set of places that the text so far
 * may have ended at. Anchors are places too, for two symbols that no byte has: before the line and
 * after it.
 */
#include "base/line_pattern.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { SYMBOL_BEGIN = 256, SYMBOL_END, SYMBOLS, WORDS = LINE_PATTERN_PLACES / 64 };

struct places {
    uint64_t words[WORDS];
};

struct line_pattern {
    struct places first, last;
    struct places after[LINE_PATTERN_PLACES]; /* which may follow each */
    struct places of_symbol[SYMBOLS];         /* which stand for each */
    unsigned count;
};

/* A part of the pattern, read. */
struct part {
    bool empty_matches;
    struct places first, last;
};

struct parser {
    struct line_pattern *pattern;
    const char *text, *at;
    unsigned depth;
    struct culprit_error *error;
};

static void add_all(struct places *to, const struct places *from)
{
    for (int w = 0; w < WORDS; w++)
        to->words[w] |= from->words[w];
}

static bool shares(const struct places *a, const struct places *b)
{
    uint64_t common = 0;

    for (int w = 0; w < WORDS; w++)
        common |= a->words[w] & b->words[w];
    return common != 0;
}

static void add(struct places *to, unsigned place)
{
    to->words[place / 64] |= UINT64_C(1) << place % 64;
}

static int refuse(const struct parser *parser, const char *at, const char *what)
{
    return culprit_fail(parser->error, CULPRIT_INVALID, "byte %zu of the regular expression: %s",
                        (size_t)(at - parser->text) + 1, what);
}

/* From each last place of `left` to each first one of `right`. */
static void link_parts(struct line_pattern *pattern, const struct places *left,
                       const struct places *right)
{
    for (unsigned p = 0; p < pattern->count; p++)
        if (left->words[p / 64] >> p % 64 & 1)
            add_all(&pattern->after[p], right);
}

static void append(struct line_pattern *pattern, struct part *to, const struct part *next)
{
    link_parts(pattern, &to->last, &next->first);
    if (to->empty_matches)
        add_all(&to->first, &next->first);
    if (!next->empty_matches)
        to->last = (struct places){0};
    add_all(&to->last, &next->last);
    to->empty_matches = to->empty_matches && next->empty_matches;
}

static int new_place(struct parser *parser, unsigned *ret)
{
    if (parser->pattern->count == LINE_PATTERN_PLACES)
        return culprit_fail(parser->error, CULPRIT_LIMIT,
                            "the regular expression, its repetitions written out, has more than "
                            "%d characters",
                            LINE_PATTERN_PLACES);
    *ret = parser->pattern->count++;
    return 0;
}

static int read_symbol(struct parser *parser, unsigned symbol, struct part *ret)
{
    unsigned place = 0;
    int r = new_place(parser, &place);

    if (r < 0)
        return r;
    add(&parser->pattern->of_symbol[symbol], place);
    add(&ret->first, place);
    add(&ret->last, place);
    return 0;
}

static int read_set(struct parser *parser, const bool *set, struct part *ret)
{
    unsigned place = 0;
    int r = new_place(parser, &place);

    if (r < 0)
        return r;
    for (unsigned byte = 0; byte < 256; byte++)
        if (set[byte])
            add(&parser->pattern->of_symbol[byte], place);
    add(&ret->first, place);
    add(&ret->last, place);
    return 0;
}

static bool in_class(const char *name, size_t length, int byte, bool *ret_known)
{
    static const struct {
        const char *name;
        int (*is)(int byte);
    } classes[] = {
        {"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
        {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
        {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit},
    };

    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strlen(classes[i].name) == length && strncmp(classes[i].name, name, length) == 0) {
            *ret_known = true;
            return byte < 128 && classes[i].is(byte);
        }
    return false;
}

/* "[:alpha:]" within brackets. */
static int read_class(struct parser *parser, bool *set)
{
    const char *name = parser->at + 2, *end = strstr(name, ":]");
    bool known = false;

    for (int byte = 0; end && byte < 256; byte++)
        if (in_class(name, (size_t)(end - name), byte, &known))
            set[byte] = true;
    if (!known)
        return refuse(parser, parser->at, "there is no such class of characters");
    parser->at = end + 2;
    return 0;
}

/* One character or a range of them. */
static int read_range(struct parser *parser, bool *set)
{
    const char *begin = parser->at;
    unsigned char from = (unsigned char)begin[0], to = from;

    if (from == '[' && (begin[1] == '.' || begin[1] == '='))
        return refuse(parser, begin, "collating elements ([. and [=) are not taken");
    parser->at++;
    if (begin[1] == '-' && begin[2] && begin[2] != ']') {
        to = (unsigned char)begin[2];
        parser->at += 2;
        if (to < from || to == '[')
            return refuse(parser, begin, "the range of characters is none");
    }
    for (unsigned byte = from; byte <= to; byte++)
        set[byte] = true;
    return 0;
}

static int read_brackets(struct parser *parser, struct part *ret)
{
    const char *begin = parser->at++;
    bool set[256] = {false}, negated = *parser->at == '^';
    int r = 0;

    parser->at += negated;
    for (const char *inside = parser->at; r == 0 && (*parser->at != ']' || parser->at == inside);) {
        if (!*parser->at)
            return refuse(parser, begin, "the bracket is not closed");
        r = parser->at[0] == '[' && parser->at[1] == ':' ? read_class(parser, set)
                                                         : read_range(parser, set);
    }
    if (r < 0)
        return r;
    parser->at++;
    for (unsigned byte = 0; byte < 256; byte++)
        set[byte] = set[byte] != negated;
    return read_set(parser, set, ret);
}

static int read_escape(struct parser *parser, struct part *ret)
{
    unsigned char byte = (unsigned char)parser->at[1];

    if (!byte)
        return refuse(parser, parser->at, "a backslash stands at the end");
    if (isalnum(byte))
        return refuse(parser, parser->at,
                      "POSIX has no such escape; classes are written like [[:digit:]]");
    parser->at += 2;
    return read_symbol(parser, byte, ret);
}

static int read_alternatives(struct parser *parser, struct part *ret);

static int read_group(struct parser *parser, struct part *ret)
{
    const char *begin = parser->at++;
    int r;

    if (parser->depth == LINE_PATTERN_DEPTH)
        return culprit_fail(parser->error, CULPRIT_LIMIT,
                            "the regular expression has more than %d groups within each other",
                            LINE_PATTERN_DEPTH);
    parser->depth++;
    r = read_alternatives(parser, ret);
    parser->depth--;
    if (r < 0)
        return r;
    if (*parser->at != ')')
        return refuse(parser, begin, "the group is not closed");
    parser->at++;
    return 0;
}

static int read_atom(struct parser *parser, struct part *ret)
{
    static const bool any[256] = {[0 ... 255] = true};
    unsigned char byte = (unsigned char)*parser->at;

    switch (byte) {
    case '(':
        return read_group(parser, ret);
    case '[':
        return read_brackets(parser, ret);
    case '\\':
        return read_escape(parser, ret);
    case '*':
    case '+':
    case '?':
    case '{':
        return refuse(parser, parser->at, "there is nothing before it to repeat");
    case '^':
        parser->at++;
        return read_symbol(parser, SYMBOL_BEGIN, ret);
    case '$':
        parser->at++;
        return read_symbol(parser, SYMBOL_END, ret);
    case '.':
        parser->at++;
        return read_set(parser, any, ret);
    default:
        parser->at++;
        return read_symbol(parser, byte, ret);
    }
}

enum { NO_MOST = -1 };

/* "{2}", "{2,}", "{2,5}", "*", "+", "?"; once where there is none. */
struct repetition {
    int least, most;
};

static int read_number(struct parser *parser, int otherwise)
{
    int number = 0;

    if (!isdigit((unsigned char)*parser->at))
        return otherwise;
    for (; isdigit((unsigned char)*parser->at); parser->at++)
        if (number <= LINE_PATTERN_PLACES)
            number = number * 10 + (*parser->at - '0');
    return number;
}

static int read_interval(struct parser *parser, struct repetition *ret)
{
    const char *begin = parser->at++;

    ret->least = ret->most = read_number(parser, -1);
    if (ret->least >= 0 && *parser->at == ',') {
        parser->at++;
        ret->most = read_number(parser, NO_MOST);
    }
    if (ret->least < 0 || *parser->at != '}' || (ret->most != NO_MOST && ret->most < ret->least))
        return refuse(parser, begin, "a repetition is written {2}, {2,} or {2,5}");
    if (ret->most == 0)
        return refuse(parser, begin, "what is repeated no time at all can be left out");
    parser->at++;
    return 0;
}

static int read_repetition(struct parser *parser, struct repetition *ret)
{
    const char *begin = parser->at;
    int r = 0;

    *ret = (struct repetition){1, 1};
    switch (*begin) {
    case '*':
        *ret = (struct repetition){0, NO_MOST};
        break;
    case '+':
        *ret = (struct repetition){1, NO_MOST};
        break;
    case '?':
        *ret = (struct repetition){0, 1};
        break;
    case '{':
        r = read_interval(parser, ret);
        break;
    default:
        return 0;
    }
    if (r == 0 && *begin != '{')
        parser->at++;
    if (r == 0 && *parser->at && strchr("*+?{", *parser->at))
        return refuse(parser, parser->at, "two repetitions in a row: put the first in brackets");
    return r;
}

/* An atom with its repetition, which is read again for each time that it may come. */
static int read_piece(struct parser *parser, struct part *ret)
{
    const char *begin = parser->at, *end;
    struct repetition times = {0};
    struct part copy = {0};
    int r = read_atom(parser, &copy), copies;

    if (r == 0 && (*begin == '^' || *begin == '$') && *parser->at &&
        (*parser->at == *begin || strchr("*+?{", *parser->at)))
        return refuse(parser, parser->at, "an anchor cannot be repeated");
    if (r == 0)
        r = read_repetition(parser, &times);
    if (r < 0)
        return r;
    end = parser->at;
    copies = times.most == NO_MOST ? times.least : times.most;
    *ret = (struct part){.empty_matches = true};
    for (int i = 0; i < copies || i == 0; i++) {
        if (i > 0) {
            copy = (struct part){0};
            parser->at = begin;
            r = read_atom(parser, &copy);
            if (r < 0)
                return r;
        }
        if (times.most == NO_MOST && i + 1 >= copies)
            link_parts(parser->pattern, &copy.last, &copy.first);
        copy.empty_matches = copy.empty_matches || i >= times.least;
        append(parser->pattern, ret, &copy);
    }
    parser->at = end;
    return 0;
}

static int read_branch(struct parser *parser, struct part *ret)
{
    const char *begin = parser->at;

    *ret = (struct part){.empty_matches = true};
    while (*parser->at && *parser->at != '|' && !(*parser->at == ')' && parser->depth > 0)) {
        struct part piece;
        int r = read_piece(parser, &piece);

        if (r < 0)
            return r;
        append(parser->pattern, ret, &piece);
    }
    return parser->at > begin ? 0 : refuse(parser, begin, "an empty group or alternative");
}

static int read_alternatives(struct parser *parser, struct part *ret)
{
    int r = read_branch(parser, ret);

    while (r == 0 && *parser->at == '|') {
        struct part other;

        parser->at++;
        r = read_branch(parser, &other);
        if (r < 0)
            return r;
        ret->empty_matches = ret->empty_matches || other.empty_matches;
        add_all(&ret->first, &other.first);
        add_all(&ret->last, &other.last);
    }
    return r;
}

static int check_text(const struct parser *parser)
{
    if (!*parser->text)
        return culprit_fail(parser->error, CULPRIT_INVALID, "the regular expression is empty");
    if (strlen(parser->text) > LINE_PATTERN_MAXIMUM)
        return culprit_fail(parser->error, CULPRIT_LIMIT,
                            "the regular expression has %zu bytes, more than %d",
                            strlen(parser->text), LINE_PATTERN_MAXIMUM);
    for (const char *at = parser->text; *at; at++)
        if (*at < ' ' || *at > '~')
            return refuse(parser, at, "only printable ASCII can stand in it");
    return 0;
}

int line_pattern_new(const char *text, struct line_pattern **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(line_pattern_free) struct line_pattern *pattern = calloc(1, sizeof *pattern);
    struct parser parser = {pattern, text, text, 0, error};
    struct part whole;
    int r;

    if (!pattern)
        return culprit_fail(error, CULPRIT_NO_MEMORY,
                            "cannot read a regular expression: no memory");
    r = check_text(&parser);
    if (r == 0)
        r = read_alternatives(&parser, &whole);
    if (r < 0)
        return r;
    if (whole.empty_matches)
        return culprit_fail(error, CULPRIT_INVALID,
                            "every line matches the regular expression, for it may stand for "
                            "nothing");
    pattern->first = whole.first;
    pattern->last = whole.last;
    *ret = take(pattern);
    return 0;
}

void line_pattern_free(struct line_pattern *pattern)
{
    free(pattern);
}

/* Goes on by one symbol; true where the pattern has come to its end. */
static bool step(const struct line_pattern *pattern, struct places *active, unsigned symbol)
{
    struct places next = pattern->first;

    for (int w = 0; w < WORDS; w++)
        for (uint64_t left = active->words[w]; left; left &= left - 1)
            add_all(&next, &pattern->after[64 * w + __builtin_ctzll(left)]);
    for (int w = 0; w < WORDS; w++)
        active->words[w] = next.words[w] & pattern->of_symbol[symbol].words[w];
    return shares(active, &pattern->last);
}

bool line_pattern_matches(const struct line_pattern *pattern, const char *line, size_t length)
{
    struct places active = {0};
    bool found = step(pattern, &active, SYMBOL_BEGIN);

    for (size_t i = 0; i < length && !found; i++)
        found = step(pattern, &active, (unsigned char)line[i]);
    return found || step(pattern, &active, SYMBOL_END);
}
