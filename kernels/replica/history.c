/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history.h"

#include <string.h>

#include "base/file.h"
#include "people.h"
#include "rewrite.h"

enum {
    FIRST_COMMIT_TIME = 1672617600, /* 2023-01-02: the day after the import */
    HOUR = 3600,
    COMMIT_GAP_HOURS = 30,  /* at most, between two commits */
    REVIEW_HOURS = 10 * 24, /* at most, from writing to applying */
    FIXES_DIGITS = 12,
};

struct writer {
    git_repository *git;
    const struct replica_case *which;
    const struct layout *layout;
    struct history_result *result;
    struct rewriter *rewriter;
    struct snapshot main, side;
    struct random random;   /* of the commit at hand */
    struct strv used_files; /* by rewriting rules */
    bool *used_changes;     /* [sched_change_count] */
    const struct change *reverted;
    const struct breakage *breakage;
    uint64_t seed;
    int64_t time;
    struct culprit_error *error;
};

static void writer_clear(struct writer *writer)
{
    git_repository_free(writer->git);
    rewriter_free(writer->rewriter);
    strv_free(&writer->used_files);
    free(writer->used_changes);
}

static inline void writer_clear_cleanup(struct writer *writer)
{
    writer_clear(writer);
}

static int out_of_memory(struct writer *writer)
{
    return culprit_fail(writer->error, CULPRIT_NO_MEMORY, "no memory to write a history");
}

/* Applies all edits of a change or none. */
static int apply_change(struct snapshot *line, const struct change *change, bool revert,
                        struct culprit_error *error)
{
    git_oid before = line->tree;

    for (int i = 0; i < CHANGE_EDITS_MAXIMUM; i++) {
        /* Edits are taken back in the opposite order. */
        const struct edit *edit = &change->edits[revert ? CHANGE_EDITS_MAXIMUM - 1 - i : i];
        int result;

        if (!edit->path)
            continue;
        result = revert ? edit_revert(line, edit, error) : edit_apply(line, edit, error);
        if (result < 0) {
            line->tree = before;
            culprit_error_prefix(error, "\"%s\"", change->subject);
            return result;
        }
    }
    return 0;
}

/* What a commit says, once its edits are in the line's tree. */
struct told {
    const char *subject, *body, *fixes, *path;
    enum effect effect;
};

static int commit(struct writer *writer, struct snapshot *line, unsigned number,
                  const struct told *told)
{
    struct history_record *record = &writer->result->records[number];
    const struct snapshot_person *author = people_draw_author(&writer->random);
    const struct snapshot_person *committer = people_maintainer(told->path);
    _cleanup_free_ char *message = NULL;
    int result;

    message = people_message(told->subject, told->body, told->fixes, author, committer,
                             &writer->random);
    record->subject = strdup(told->subject);
    record->path = strdup(told->path);
    record->effect = told->effect;
    if (!message || !record->subject || !record->path)
        return out_of_memory(writer);
    result = snapshot_commit(
        line,
        &(struct snapshot_commit){
            .author = author,
            .committer = committer,
            .author_time = writer->time -
                           HOUR * (int64_t)(1 + random_below(&writer->random, REVIEW_HOURS)),
            .commit_time = writer->time,
            .message = message,
        },
        writer->error);
    if (result == 0)
        git_oid_tostr(record->id, sizeof(record->id), &line->tip);
    return result;
}

static int commit_change(struct writer *writer, struct snapshot *line, unsigned number,
                         const struct change *change, const char *fixes)
{
    int result = apply_change(line, change, false, writer->error);

    if (result < 0)
        return result;
    return commit(writer, line, number,
                  &(struct told){change->subject, change->body, fixes, change->edits[0].path,
                                 change->effect});
}

static int commit_rewriting(struct writer *writer, struct snapshot *line, unsigned number,
                            enum place_kind kind)
{
    CULPRIT_CLEANUP(rewriting_clear) struct rewriting done = {0};
    bool built = kind == PLACE_BUILT || kind == PLACE_SCHED;
    int result = rewriter_apply(writer->rewriter, line, kind, &writer->random, &writer->used_files,
                                &done, writer->error);

    if (result < 0)
        return result;
    return commit(writer, line, number,
                  &(struct told){done.subject, done.body, NULL, done.path,
                                 built ? EFFECT_NEUTRAL : EFFECT_NONE});
}

/* A change from the catalogue that was not used yet and fits this kernel; NULL: none is left.
 * `effect_wanted`: EFFECT_NONE for any. Its edits are in the line's tree then. */
static const struct change *take_change(struct writer *writer, struct snapshot *line,
                                        enum effect effect_wanted)
{
    size_t first = random_below(&writer->random, sched_change_count);
    struct culprit_error ignored;

    for (size_t i = 0; i < sched_change_count; i++) {
        size_t index = (first + i) % sched_change_count;
        const struct change *change = &sched_changes[index];

        if (writer->used_changes[index] ||
            (effect_wanted != EFFECT_NONE && change->effect != effect_wanted) ||
            apply_change(line, change, false, &ignored) < 0)
            continue;
        writer->used_changes[index] = true;
        return change;
    }
    return NULL;
}

/* Puts the change by that will be reverted later. It changes what the code does: nobody reverts a
 * comment. */
static int reserve_reverted(struct writer *writer)
{
    struct snapshot trial = writer->main;

    if (writer->layout->reverted == 0)
        return 0;
    writer->reverted = take_change(writer, &trial, EFFECT_CHANGES);
    if (!writer->reverted)
        return culprit_fail(writer->error, CULPRIT_NOT_FOUND,
                            "no scheduler change of the catalogue fits this kernel source");
    return 0;
}

/* When the catalogue is used up: a clean-up in the scheduler, or else anywhere. */
static int commit_scheduler(struct writer *writer, struct snapshot *line, unsigned number)
{
    const struct change *change;

    if (number == writer->layout->reverted)
        return commit_change(writer, line, number, writer->reverted, NULL);
    change = take_change(writer, line, EFFECT_NONE);
    if (change)
        return commit(writer, line, number,
                      &(struct told){change->subject, change->body, NULL, change->edits[0].path,
                                     change->effect});
    if (commit_rewriting(writer, line, number, PLACE_SCHED) == 0)
        return 0;
    return commit_rewriting(writer, line, number, PLACE_BUILT);
}

static const struct replica_fault *fault_at(const struct writer *writer, unsigned number)
{
    unsigned i = 0;

    while (writer->layout->faults[i] != number)
        i++;
    return &writer->which->faults[i];
}

static int commit_fault(struct writer *writer, struct snapshot *line, unsigned number)
{
    const struct replica_fault *fault = fault_at(writer, number);
    int result = 0;

    for (size_t i = 0; i < fault->variant_count; i++) {
        const struct change *change = &fault->variants[i];

        result = apply_change(line, change, false, writer->error);
        if (result == 0)
            return commit(writer, line, number,
                          &(struct told){change->subject, change->body, NULL, change->edits[0].path,
                                         change->effect});
    }
    culprit_error_prefix(writer->error, "cannot plant %s in this kernel source",
                         writer->which->name);
    return result;
}

static int commit_fix(struct writer *writer, struct snapshot *line, unsigned number)
{
    const struct history_record *broken = &writer->result->records[number - 1];
    _cleanup_free_ char *fixes = text_format("%.*s (\"%s\")", FIXES_DIGITS, broken->id,
                                             broken->subject);

    if (!fixes)
        return out_of_memory(writer);
    return commit_change(writer, line, number, &writer->breakage->fix, fixes);
}

static int commit_revert(struct writer *writer, struct snapshot *line, unsigned number, bool again)
{
    const struct change *change = writer->reverted;
    const struct history_record *original = &writer->result->records[writer->layout->reverted];
    _cleanup_free_ char *subject = NULL;
    _cleanup_free_ char *body = NULL;
    int result;

    if (!change)
        return culprit_fail(writer->error, CULPRIT_INTERNAL, "there is no change to revert");
    result = apply_change(line, change, !again, writer->error);
    if (result < 0)
        return result;
    subject = text_format("%s \"%s\"", again ? "Reapply" : "Revert", change->subject);
    body = again ? text_format("The report that led to the revert had another cause. Apply commit\n"
                               "%s again.",
                               original->id)
                 : text_format("This reverts commit %s.\n\nIt is suspected of slowing down a "
                               "server workload.",
                               original->id);
    if (!subject || !body)
        return out_of_memory(writer);
    return commit(writer, line, number,
                  &(struct told){subject, body, NULL, change->edits[0].path, change->effect});
}

static int commit_merge(struct writer *writer, unsigned number)
{
    static const char subject[] = "Merge branch 'topic/cleanups' into main";
    const struct snapshot_person *committer = people_maintainer("");
    struct history_record *record = &writer->result->records[number];
    int result = snapshot_merge(&writer->main, &writer->side,
                                &(struct snapshot_commit){
                                    .author = committer,
                                    .committer = committer,
                                    .author_time = writer->time,
                                    .commit_time = writer->time,
                                    .message = "Merge branch 'topic/cleanups' into main\n",
                                },
                                writer->error);

    if (result < 0)
        return result;
    record->subject = strdup(subject);
    record->effect = EFFECT_NEUTRAL;
    git_oid_tostr(record->id, sizeof(record->id), &writer->main.tip);
    return record->subject ? 0 : out_of_memory(writer);
}

static int write_slot(struct writer *writer, unsigned number)
{
    enum slot_kind kind = writer->layout->kinds[number];
    struct snapshot *line = layout_on_side(writer->layout, number) ? &writer->side : &writer->main;

    switch (kind) {
    case SLOT_UNBUILT:
        return commit_rewriting(writer, line, number, PLACE_UNBUILT);
    case SLOT_DOCUMENT:
        return commit_rewriting(writer, line, number, PLACE_DOCUMENT);
    case SLOT_BUILT:
        return commit_rewriting(writer, line, number, PLACE_BUILT);
    case SLOT_SCHED:
        return commit_scheduler(writer, line, number);
    case SLOT_FAULT:
        return commit_fault(writer, line, number);
    case SLOT_BROKEN:
        return commit_change(writer, line, number, &writer->breakage->broken, NULL);
    case SLOT_FIX:
        return commit_fix(writer, line, number);
    case SLOT_REVERT:
    case SLOT_REAPPLY:
        return commit_revert(writer, line, number, kind == SLOT_REAPPLY);
    case SLOT_MERGE:
        return commit_merge(writer, number);
    case SLOT_NONE:
        break;
    }
    return culprit_fail(writer->error, CULPRIT_INTERNAL, "commit %u has no kind", number);
}

static int write_commits(struct writer *writer)
{
    const struct layout *layout = writer->layout;

    for (unsigned number = 1; number <= layout->count; number++) {
        struct history_record *record = &writer->result->records[number];
        int result;

        /* A stream of its own for each commit: one drawing more does not change the others. */
        random_seed(&writer->random, writer->seed ^ ((uint64_t)number << 32));
        random_seed(&writer->random, random_next(&writer->random));
        writer->time += HOUR * (int64_t)(1 + random_below(&writer->random, COMMIT_GAP_HOURS)) +
                        (int64_t)random_below(&writer->random, HOUR);
        record->kind = layout->kinds[number];
        record->side = layout_on_side(layout, number);
        result = write_slot(writer, number);
        if (result < 0) {
            culprit_error_prefix(writer->error, "cannot make commit %u", number);
            return result;
        }
        if (layout->side_count > 0 && number == layout->fork)
            writer->side = writer->main;
    }
    return 0;
}

static int set_reference(struct writer *writer, const char *name, const git_oid *id)
{
    git_reference *reference = NULL;
    int status = git_reference_create(&reference, writer->git, name, id, true, NULL);

    git_reference_free(reference);
    return status < 0 ? snapshot_fail(writer->error, "cannot set %s", name) : 0;
}

static int begin(struct writer *writer, const char *directory, git_oid *ret_base)
{
    struct history_record *record = &writer->result->records[0];
    int result = rewriter_new(&writer->rewriter, writer->error);

    if (result < 0)
        return result;
    writer->used_changes = calloc(sched_change_count, sizeof(bool));
    record->subject = strdup("the imported kernel source");
    if (!writer->used_changes || !record->subject)
        return out_of_memory(writer);
    if (git_repository_open_bare(&writer->git, directory) < 0 ||
        git_reference_name_to_id(ret_base, writer->git, "refs/heads/main") < 0)
        return snapshot_fail(writer->error, "cannot read the base of the history in %s", directory);
    git_oid_tostr(record->id, sizeof(record->id), ret_base);
    result = snapshot_begin(writer->git, ret_base, &writer->main, writer->error);
    writer->side = writer->main;
    random_seed(&writer->random, writer->seed);
    writer->breakage = &breakages[random_below(&writer->random, breakage_count)];
    return result < 0 ? result : reserve_reverted(writer);
}

int history_write(const char *directory, const struct replica_case *which,
                  const struct layout *layout, uint64_t seed, struct history_result *ret,
                  struct culprit_error *error)
{
    CULPRIT_CLEANUP(writer_clear)
    struct writer writer = {
        .which = which,
        .layout = layout,
        .result = ret,
        .seed = seed,
        .time = FIRST_COMMIT_TIME,
        .error = error,
    };
    git_oid base;
    int result;

    *ret = (struct history_result){.count = layout->count + 1};
    result = begin(&writer, directory, &base);
    if (result == 0)
        result = write_commits(&writer);
    if (result == 0)
        result = set_reference(&writer, "refs/heads/main", &writer.main.tip);
    if (result == 0)
        result = set_reference(&writer, "refs/tags/good", &base);
    if (result == 0)
        result = set_reference(&writer, "refs/tags/bad", &writer.main.tip);
    return result;
}

void history_result_clear(struct history_result *result)
{
    for (unsigned i = 0; i < result->count; i++) {
        free(result->records[i].subject);
        free(result->records[i].path);
    }
    *result = (struct history_result){0};
}
