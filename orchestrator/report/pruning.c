/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/pruning.h"

#include "report/headline.h"

static const char *const words[RELEVANCE_COUNT] = {
    [RELEVANCE_EMPTY] = "without a change",    [RELEVANCE_DOCUMENTATION] = "documentation",
    [RELEVANCE_TOOLS] = "tools and tests",     [RELEVANCE_ARCHITECTURE] = "other architectures",
    [RELEVANCE_NOT_COMPILED] = "not compiled",
};

struct tally {
    unsigned pruned, by_reason[RELEVANCE_COUNT];
};

static struct tally count(const struct report *report)
{
    struct tally tally = {0};

    for (size_t c = 1; c < report->commit_count; c++) {
        tally.pruned += report->commits[c].relevance != RELEVANCE_MATTERS;
        tally.by_reason[report->commits[c].relevance]++;
    }
    return tally;
}

static void write_tally(struct buffer *out, const struct report *report)
{
    struct tally tally = count(report);
    const char *before = " (";

    buffer_printf(out, "%u of %zu commits cannot change the image under this configuration",
                  tally.pruned, report->commit_count - 1);
    for (int r = RELEVANCE_EMPTY; r < RELEVANCE_COUNT; r++) {
        if (tally.by_reason[r] == 0)
            continue;
        buffer_printf(out, "%s%u %s", before, tally.by_reason[r], words[r]);
        before = ", ";
    }
    buffer_puts(out, tally.pruned ? ") and were not considered." : ".");
}

void pruning_write(struct buffer *out, const struct report *report)
{
    const struct report_pruning *pruning = &report->pruning;

    if (!pruning->known || report->commit_count < 2)
        return;
    if (pruning->note && *pruning->note) {
        buffer_printf(out,
                      "Which commits cannot change the image is not known, so that all were "
                      "considered: %s.",
                      pruning->note);
    } else if (pruning->withdrawn) {
        buffer_puts(out, "Some commits seemed unable to change the image, by the files that they "
                         "change; what came of building ");
        headline_commit(out, report, pruning->witness);
        buffer_puts(out, " contradicts that, so that all were considered.");
    } else {
        write_tally(out, report);
    }
}

static json_t *reasons_json(const struct tally *tally)
{
    json_t *object = json_object();

    for (int r = RELEVANCE_EMPTY; object && r < RELEVANCE_COUNT; r++)
        json_object_set_new(object, relevance_name((enum relevance)r),
                            json_integer(tally->by_reason[r]));
    return object;
}

json_t *pruning_json(const struct report *report)
{
    const struct report_pruning *pruning = &report->pruning;
    struct tally tally = count(report);
    bool noted = pruning->note && *pruning->note;
    bool withdrawn = pruning->withdrawn && pruning->witness < report->commit_count;

    if (!pruning->known || report->commit_count < 2)
        return json_null();
    return json_pack("{s:I, s:I, s:o, s:s?, s:s?}", "commits", (json_int_t)report->commit_count - 1,
                     "pruned", (json_int_t)tally.pruned, "by_reason", reasons_json(&tally), "note",
                     noted ? pruning->note : NULL, "withdrawn_by",
                     withdrawn ? report->commits[pruning->witness].id : NULL);
}
