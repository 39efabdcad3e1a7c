/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rewrite.h"

#include <regex.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "c_text.h"

enum {
    TRIES = 400,
    SITES_MAXIMUM = 256,      /* of one file */
    FUNCTION_MAXIMUM = 4000,  /* bytes: expressions with back-references are slow on long texts */
    FILE_MAXIMUM = 512 << 10, /* bytes: larger files are left alone */
    GROUPS = 10,
};

struct compiled_rule {
    const struct rule *rule;
    regex_t pattern, needs;
};

struct rewriter {
    struct compiled_rule *code, *documents;
    size_t code_count, document_count;
};

/* Where a rule applies. */
struct site {
    const struct compiled_rule *rule;
    char function[C_NAME_SIZE];
    size_t base; /* what the group offsets count from */
    regmatch_t groups[GROUPS];
};

struct site_list {
    struct site items[SITES_MAXIMUM];
    size_t count;
};

static void free_rules(struct compiled_rule *set, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        regfree(&set[i].pattern);
        if (set[i].rule->needs)
            regfree(&set[i].needs);
    }
    free(set);
}

static int compile_rules(const struct rule *from, size_t count, struct compiled_rule **ret,
                         size_t *ret_count, struct culprit_error *error)
{
    struct compiled_rule *set = calloc(count, sizeof(*set));

    *ret = set;
    if (!set)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the rewriting rules");
    for (size_t i = 0; i < count; i++) {
        set[i].rule = &from[i];
        if (regcomp(&set[i].pattern, from[i].pattern, REG_EXTENDED) != 0)
            return culprit_fail(error, CULPRIT_INTERNAL, "the rule %s has a bad pattern",
                                from[i].name);
        if (from[i].needs && regcomp(&set[i].needs, from[i].needs, REG_EXTENDED) != 0) {
            regfree(&set[i].pattern);
            return culprit_fail(error, CULPRIT_INTERNAL, "the rule %s has a bad condition",
                                from[i].name);
        }
        *ret_count = i + 1;
    }
    return 0;
}

int rewriter_new(struct rewriter **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(rewriter_free) struct rewriter *rewriter = calloc(1, sizeof(*rewriter));
    int result;

    if (!rewriter)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the rewriting rules");
    result = compile_rules(rules, rule_count, &rewriter->code, &rewriter->code_count, error);
    if (result == 0)
        result = compile_rules(document_rules, document_rule_count, &rewriter->documents,
                               &rewriter->document_count, error);
    if (result == 0)
        *ret = take(rewriter);
    return result;
}

void rewriter_free(struct rewriter *rewriter)
{
    if (!rewriter)
        return;
    free_rules(rewriter->code, rewriter->code_count);
    free_rules(rewriter->documents, rewriter->document_count);
    free(rewriter);
}

static void add_site(struct site_list *list, const struct compiled_rule *rule, const char *function,
                     size_t base, const regmatch_t groups[GROUPS])
{
    struct site *site = &list->items[list->count];

    if (list->count == SITES_MAXIMUM)
        return;
    *site = (struct site){.rule = rule, .base = base};
    memcpy(site->groups, groups, sizeof(site->groups));
    strncpy(site->function, function, sizeof(site->function) - 1);
    list->count++;
}

static void find_in_whole(const struct compiled_rule *rule, const char *text,
                          struct site_list *list)
{
    regmatch_t groups[GROUPS];
    size_t at = 0;

    while (regexec(&rule->pattern, text + at, GROUPS, groups, REG_NOTBOL) == 0) {
        add_site(list, rule, "", at, groups);
        at += (size_t)groups[0].rm_eo;
    }
}

static int find_in_functions(const struct compiled_rule *set, size_t count, const char *text,
                             struct site_list *list, struct culprit_error *error)
{
    struct c_function function;
    regmatch_t groups[GROUPS];

    for (size_t at = 0; c_next_function(text, at, &function); at = function.end) {
        _cleanup_free_ char *body = NULL;

        if (function.end - function.start > FUNCTION_MAXIMUM)
            continue;
        body = strndup(text + function.start, function.end - function.start);
        if (!body)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to look for work");
        for (size_t i = 0; i < count; i++) {
            if (set[i].rule->comment || regexec(&set[i].pattern, body, GROUPS, groups, 0) != 0)
                continue;
            if (set[i].rule->needs && regexec(&set[i].needs, body, 0, NULL, 0) != 0)
                continue;
            add_site(list, &set[i], function.name, function.start, groups);
        }
    }
    return 0;
}

static char *splice(const char *text, const struct site *site)
{
    _cleanup_buffer_ struct buffer buffer = BUFFER_INIT(2 * (size_t)FILE_MAXIMUM);
    size_t start = site->base + (size_t)site->groups[0].rm_so;
    size_t end = site->base + (size_t)site->groups[0].rm_eo;

    buffer_append(&buffer, text, start);
    for (const char *p = site->rule->rule->replacement; *p; p++) {
        const regmatch_t *group;

        if (*p != '\\' || p[1] < '1' || p[1] > '9') {
            if (*p == '\\' && p[1] == '\\')
                p++;
            buffer_append(&buffer, p, 1);
            continue;
        }
        group = &site->groups[*++p - '0'];
        if (group->rm_so >= 0)
            buffer_append(&buffer, text + site->base + group->rm_so,
                          (size_t)(group->rm_eo - group->rm_so));
    }
    buffer_puts(&buffer, text + end);
    return buffer_take(&buffer);
}

/* "net: %s" with the file's name, and the rule's subject with the function's. */
static char *subject_of(const struct place *place, const char *file, const struct site *site)
{
    const char *mark = strstr(place->prefix, "%s");
    const char *subject = site->rule->rule->subject;
    const char *hole = strstr(subject, "%s");
    int stem = (int)(strrchr(file, '.') - file);
    _cleanup_free_ char *prefix = mark ? text_format("%.*s%.*s%s", (int)(mark - place->prefix),
                                                     place->prefix, stem, file, mark + 2)
                                       : strdup(place->prefix);

    if (!prefix)
        return NULL;
    if (!hole)
        return text_format("%s: %s", prefix, subject);
    return text_format("%s: %.*s%s%s", prefix, (int)(hole - subject), subject, site->function,
                       hole + 2);
}

static int apply_site(struct snapshot *snapshot, const struct place *place, const char *file,
                      const char *text, const struct site *site, struct rewriting *ret,
                      struct culprit_error *error)
{
    CULPRIT_CLEANUP(rewriting_clear) struct rewriting done = {.body = site->rule->rule->body};
    _cleanup_free_ char *edited = splice(text, site);
    int result;

    done.path = path_join(place->directory, file);
    done.subject = subject_of(place, file, site);
    if (!edited || !done.path || !done.subject)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to rewrite %s", file);
    result = snapshot_write(snapshot, done.path, edited, error);
    if (result < 0)
        return result;
    *ret = done;
    done = (struct rewriting){0};
    return 0;
}

/* Reads a file and lists what can be done there; nothing for one that is missing or too large. */
static int find_sites(const struct rewriter *rewriter, const struct snapshot *snapshot,
                      const char *path, enum place_kind kind, char **ret_text,
                      struct site_list *list, struct culprit_error *error)
{
    struct culprit_error local = {0};
    const struct compiled_rule *set = kind == PLACE_DOCUMENT ? rewriter->documents : rewriter->code;
    size_t count = kind == PLACE_DOCUMENT ? rewriter->document_count : rewriter->code_count;
    int result = snapshot_read(snapshot, path, ret_text, &local);

    list->count = 0;
    if (result == -CULPRIT_NOT_FOUND)
        return 0;
    if (result < 0) {
        if (error)
            *error = local;
        return result;
    }
    if (strlen(*ret_text) > FILE_MAXIMUM)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (set[i].rule->comment)
            find_in_whole(&set[i], *ret_text, list);
    return kind == PLACE_DOCUMENT ? 0 : find_in_functions(set, count, *ret_text, list, error);
}

/* First the rule, then the place: a rule that fits everywhere does not crowd out the others. */
static const struct site *draw_site(const struct site_list *list, struct random *random)
{
    const struct rule *seen[SITES_MAXIMUM];
    size_t rules_seen = 0, sites = 0, chosen;

    for (size_t i = 0; i < list->count; i++) {
        size_t j = 0;

        while (j < rules_seen && seen[j] != list->items[i].rule->rule)
            j++;
        if (j == rules_seen)
            seen[rules_seen++] = list->items[i].rule->rule;
    }
    chosen = random_below(random, rules_seen);
    for (size_t i = 0; i < list->count; i++)
        sites += list->items[i].rule->rule == seen[chosen];
    sites = random_below(random, sites);
    for (size_t i = 0;; i++)
        if (list->items[i].rule->rule == seen[chosen] && sites-- == 0)
            return &list->items[i];
}

/* One try: 1 when a file was rewritten, 0 when the one drawn has nothing. */
static int try_place(struct rewriter *rewriter, struct snapshot *snapshot,
                     const struct place *place, struct random *random, struct strv *used,
                     struct rewriting *ret, struct culprit_error *error)
{
    static const char *const suffixes[PLACE_KIND_COUNT] = {".c", ".c", ".c", ".rst"};
    CULPRIT_CLEANUP(free) struct site_list *sites = calloc(1, sizeof(*sites));
    _cleanup_free_ char *path = NULL;
    _cleanup_free_ char *text = NULL;
    _cleanup_strv_ struct strv files = {0};
    const char *file;
    int result = 0;

    for (size_t i = 0; place->files && place->files[i]; i++)
        strv_append(&files, place->files[i]);
    if (!place->files)
        result = snapshot_list(snapshot, place->directory, suffixes[place->kind], &files, error);
    if (result < 0 || files.count == 0)
        return result;
    file = files.items[random_below(random, files.count)];
    path = path_join(place->directory, file);
    if (!sites || !path || files.failed)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to look for work");
    if (strv_contains(used, path))
        return 0;
    result = find_sites(rewriter, snapshot, path, place->kind, &text, sites, error);
    if (result < 0 || sites->count == 0)
        return result;
    result = apply_site(snapshot, place, file, text, draw_site(sites, random), ret, error);
    if (result < 0)
        return result;
    return strv_append(used, path) ? 1 : culprit_fail(error, CULPRIT_NO_MEMORY, "no memory");
}

static const struct place *draw_place(enum place_kind kind, struct random *random)
{
    size_t count = 0, chosen;

    for (size_t i = 0; i < place_count; i++)
        count += places[i].kind == kind;
    chosen = random_below(random, count);
    for (size_t i = 0; i < place_count; i++)
        if (places[i].kind == kind && chosen-- == 0)
            return &places[i];
    return NULL;
}

int rewriter_apply(struct rewriter *rewriter, struct snapshot *snapshot, enum place_kind kind,
                   struct random *random, struct strv *used, struct rewriting *ret,
                   struct culprit_error *error)
{
    for (unsigned i = 0; i < TRIES; i++) {
        const struct place *place = draw_place(kind, random);
        int result = place ? try_place(rewriter, snapshot, place, random, used, ret, error) : 0;

        if (result != 0)
            return result < 0 ? result : 0;
    }
    return culprit_fail(error, CULPRIT_NOT_FOUND,
                        "there is nothing left to rewrite in this kernel source");
}

void rewriting_clear(struct rewriting *rewriting)
{
    free(rewriting->path);
    free(rewriting->subject);
    *rewriting = (struct rewriting){0};
}
