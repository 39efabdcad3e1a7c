/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sections "source", "workloads", "metric", "criterion", "confirm", "budget" and "notify". */
#include <stdlib.h>
#include <string.h>

#include "base/line_pattern.h"
#include "base/units.h"
#include "job/sections.h"

#define HOUR_NS UINT64_C(3600000000000)

/* What git would take as a revision of a commit, less ranges, paths and options. */
static READER_TYPE(read_revision)
{
    int r = read_word(reader, node, field, target);
    const char *text = node->text;

    if (r < 0)
        return r;
    if (text[0] == '-' || strstr(text, "..") || strpbrk(text, ":?*[\\"))
        return reader_fail(reader, node,
                           "\"%.60s\" names no single commit: a branch, a tag or a commit id is "
                           "expected",
                           text);
    return 0;
}

#define FIELD(type, member) #member, .offset = offsetof(struct type, member)

READER_TYPE(read_source)
{
    static const struct reader_field fields[] = {
        {FIELD(job_source, repository), .read = read_word, .minimum = 1, .maximum = 64,
         .required = true},
        {FIELD(job_source, commit), .read = read_revision, .minimum = 1, .maximum = 200},
        {FIELD(job_source, good), .read = read_revision, .minimum = 1, .maximum = 200},
        {FIELD(job_source, bad), .read = read_revision, .minimum = 1, .maximum = 200},
        {FIELD(job_source, first_parent), .read = read_boolean},
    };

    (void)field;
    return reader_mapping(reader, node, fields, sizeof fields / sizeof *fields, target);
}

static int read_option(struct reader *reader, struct workload_request *request,
                       const struct document_node *key, const struct document_node *node)
{
    const struct option_schema *option = workload_option_find(request->schema, key->text);
    struct culprit_error inner;
    const char *text;

    if (!option) {
        workload_request_set(request, key->text, "", &inner);
        return reader_fail_with(reader, key, &inner);
    }
    if (option->type == OPTION_COUNT)
        text = reader_plain(reader, node, "a whole number");
    else if (option->type == OPTION_BOOLEAN)
        text = reader_plain(reader, node, "true or false");
    else
        text = reader_scalar(reader, node, "one value");
    if (!text)
        return -(int)CULPRIT_INVALID;
    if (workload_request_set(request, key->text, text, &inner) < 0)
        return reader_fail_with(reader, node, &inner);
    return 0;
}

static int read_options(struct reader *reader, struct workload_request *request,
                        const struct document_node *node)
{
    struct culprit_error inner;

    if (node->kind == DOCUMENT_SEQUENCE || (node->kind == DOCUMENT_SCALAR && node->text[0]))
        return reader_fail(reader, node, "a mapping of options is expected, found %s",
                           document_describe(node));
    for (size_t i = 0; i < node->count; i++) {
        size_t mark = reader_enter(reader, node->keys[i]->text);
        int r = read_option(reader, request, node->keys[i], node->values[i]);

        if (r < 0)
            return r;
        reader_leave(reader, mark);
    }
    if (workload_request_check(request, &inner) < 0)
        return reader_fail_with(reader, node, &inner);
    return 0;
}

static int read_workload(struct reader *reader, const struct document_node *node,
                         struct workload_request *request)
{
    struct culprit_error inner;
    size_t mark;
    int r;

    if (node->kind != DOCUMENT_MAPPING || node->count != 1)
        return reader_fail(reader, node,
                           "one workload with its options is expected, such as "
                           "\"wakeup: {runtime: 30s}\"; found %s",
                           node->kind == DOCUMENT_MAPPING ? "a mapping of several keys or none"
                                                          : document_describe(node));
    if (workload_request_init(node->keys[0]->text, request, &inner) < 0)
        return reader_fail_with(reader, node->keys[0], &inner);
    mark = reader_enter(reader, node->keys[0]->text);
    r = read_options(reader, request, node->values[0]);
    if (r == 0)
        reader_leave(reader, mark);
    return r;
}

READER_TYPE(read_workloads)
{
    struct job *job = target;
    int r = reader_check_list(reader, node, 1, JOB_WORKLOADS_MAXIMUM);

    (void)field;
    if (r < 0)
        return r;
    job->workloads = calloc(node->count, sizeof *job->workloads);
    if (!job->workloads)
        return reader_fail_memory(reader);
    for (size_t i = 0; i < node->count; i++) {
        size_t mark = reader_enter_item(reader, i);

        r = read_workload(reader, node->values[i], &job->workloads[job->workload_count++]);
        if (r < 0)
            return r;
        reader_leave(reader, mark);
    }
    return 0;
}

static READER_TYPE(read_direction)
{
    static const char *const words[] = {"lower", "higher"};
    size_t place;
    int r = reader_choice(reader, node, "direction", words, 2, &place);

    (void)field;
    if (r == 0)
        *(enum metric_direction *)target = place == 0 ? BETTER_LOWER : BETTER_HIGHER;
    return r;
}

/* "20%" of the good side's median, or a number in the metric's unit. */
static READER_TYPE(read_min_effect)
{
    struct job_metric *metric = target;
    const char *text = reader_scalar(reader, node, "a percentage or a number");
    struct culprit_error inner;
    double percent;
    int r;

    (void)field;
    if (!text)
        return -(int)CULPRIT_INVALID;
    metric->relative = strchr(text, '%') != NULL;
    if (!metric->relative)
        return reader_real(reader, node, 0.001, 1e12, &metric->min_effect);
    r = parse_percent(text, 10000.0, &percent, &inner);
    if (r < 0)
        return reader_fail_with(reader, node, &inner);
    if (percent < 0.01)
        return reader_fail(reader, node, "%s is too small an effect: 0.01%% is the least", text);
    metric->min_effect = percent / 100.0;
    return 0;
}

READER_TYPE(read_metric)
{
    static const struct reader_field fields[] = {
        {FIELD(job_metric, name), .read = read_word, .minimum = 1, .maximum = 96, .required = true},
        {FIELD(job_metric, better), .read = read_direction},
        {"min_effect", .read = read_min_effect},
    };
    struct job_metric *metric = target;

    (void)field;
    metric->line = node->line;
    metric->column = node->column;
    return reader_mapping(reader, node, fields, sizeof fields / sizeof *fields, target);
}

/* Compiled here to be checked; whoever searches a console compiles it again. */
static READER_TYPE(read_pattern)
{
    CULPRIT_CLEANUP(line_pattern_free) struct line_pattern *pattern = NULL;
    struct job_criterion *criterion = target;
    struct culprit_error inner;
    int r = read_line(reader, node, field, &criterion->console);

    if (r == 0 && line_pattern_new(criterion->console, &pattern, &inner) < 0)
        return reader_fail_with(reader, node, &inner);
    criterion->kind = CRITERION_CONSOLE;
    return r;
}

static READER_TYPE(read_exit)
{
    static const char *const words[] = {"workload"};
    struct job_criterion *criterion = target;
    size_t place;
    int r = reader_choice(reader, node, "thing that exits", words, 1, &place);

    (void)field;
    criterion->kind = CRITERION_EXIT;
    return r;
}

READER_TYPE(read_criterion)
{
    static const struct reader_field fields[] = {
        {"console", .read = read_pattern, .minimum = 1, .maximum = LINE_PATTERN_MAXIMUM},
        {"exit", .read = read_exit},
    };
    struct job_criterion *criterion = target;
    int r = reader_mapping(reader, node, fields, sizeof fields / sizeof *fields, target);

    (void)field;
    criterion->line = node->line;
    criterion->column = node->column;
    if (r == 0 && node->count != 1)
        return reader_fail(reader, node, "one of \"console\" and \"exit\" is expected, found %s",
                           node->count ? "both" : "neither");
    return r;
}

READER_TYPE(read_confirm)
{
    static const struct reader_field fields[] = {
        {FIELD(job_confirm, alignment), .read = read_boolean},
        {FIELD(job_confirm, revert), .read = read_boolean},
    };

    (void)field;
    return reader_mapping(reader, node, fields, sizeof fields / sizeof *fields, target);
}

READER_TYPE(read_budget)
{
    static const struct reader_field fields[] = {
        {FIELD(job_budget, builds), .read = read_unsigned, .minimum = 1, .maximum = 10000},
        {FIELD(job_budget, trials), .read = read_unsigned, .minimum = 1, .maximum = 100000},
        {"time", .offset = offsetof(struct job_budget, time_ns), .read = read_duration,
         .minimum = UINT64_C(60000000000), .maximum = 24 * 365 * HOUR_NS},
    };

    (void)field;
    return reader_mapping(reader, node, fields, sizeof fields / sizeof *fields, target);
}

/* local@domain of unquoted words (RFC 5321), which is all that may stand in a mail's header. */
static int check_address(struct reader *reader, const struct document_node *node)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const char *text = node->text;
    const char *at = strchr(text, '@');
    size_t local = at ? (size_t)(at - text) : 0;

    for (const char *c = text; at && *c; c++) {
        bool allowed = strchr(letters, *c) || strchr("-.", *c) || c == at ||
                       (c < at && strchr("!#$%&'*+/=?^_`{|}~", *c));

        if (!allowed)
            at = NULL;
    }
    if (!at || local == 0 || local > 64 || strlen(text) > 254 || at[1] == '\0' || text[0] == '.' ||
        at[-1] == '.' || strchr(".-", at[1]) || strstr(text, "..") ||
        strchr(".-", text[strlen(text) - 1]))
        return reader_fail(reader, node, "\"%.100s\" is no mail address like name@example.org",
                           text);
    return 0;
}

static READER_TYPE(read_mail)
{
    int r = read_words(reader, node, field, target);

    for (size_t i = 0; r == 0 && i < node->count; i++) {
        size_t mark = reader_enter_item(reader, i);

        r = check_address(reader, node->values[i]);
        if (r == 0)
            reader_leave(reader, mark);
    }
    return r;
}

READER_TYPE(read_notify)
{
    static const struct reader_field fields[] = {
        {FIELD(job, mail), .read = read_mail, .minimum = 0, .maximum = JOB_MAIL_MAXIMUM},
    };

    (void)field;
    return reader_mapping(reader, node, fields, sizeof fields / sizeof *fields, target);
}
