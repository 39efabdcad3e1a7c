/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/history.h"

#include <stdint.h>
#include <string.h>

#include "base/file.h"

enum {
    COLOURS = REACHED_FROM_GOOD | REACHED_FROM_BAD,
    COMMON = COLOURS,
    /* Clocks of committers differ: common ancestors are followed until they are this much older
     * than the oldest commit that only one side was seen to reach. */
    CLOCK_SKEW_SECONDS = 86400,
    SHALLOW_FILE_MAXIMUM = 16 << 20,
};

struct history {
    struct repository *repository;
    struct history_node **table; /* open addressing, by id */
    size_t capacity, count;
    struct history_node **heap; /* newest first */
    size_t heap_count, heap_capacity;
    size_t unsettled; /* queued nodes that are not beyond a merge base */
    git_oid *cut;     /* commits where a shallow clone ends */
    size_t cut_count;
    git_time_t oldest_own; /* of bad's own commits so far */
    unsigned maximum;
    size_t own;
};

static size_t slot_of(const git_oid *id, size_t capacity)
{
    uint64_t hash;

    memcpy(&hash, id->id, sizeof(hash));
    return (size_t)(hash & (capacity - 1));
}

static struct history_node **find_slot(struct history_node **table, size_t capacity,
                                       const git_oid *id)
{
    size_t slot = slot_of(id, capacity);

    while (table[slot] && !git_oid_equal(&table[slot]->id, id))
        slot = (slot + 1) & (capacity - 1);
    return &table[slot];
}

static bool grow_table(struct history *history)
{
    size_t capacity = history->capacity ? history->capacity * 2 : 4096;
    struct history_node **table = calloc(capacity, sizeof(struct history_node *));

    if (!table)
        return false;
    for (size_t i = 0; i < history->capacity; i++)
        if (history->table[i])
            *find_slot(table, capacity, &history->table[i]->id) = history->table[i];
    free(history->table);
    history->table = table;
    history->capacity = capacity;
    return true;
}

struct history_node *history_find(struct history *history, const git_oid *id)
{
    return history->capacity ? *find_slot(history->table, history->capacity, id) : NULL;
}

static struct history_node *intern(struct history *history, const git_oid *id)
{
    struct history_node *node, **slot;

    if (history->count * 2 >= history->capacity && !grow_table(history))
        return NULL;
    slot = find_slot(history->table, history->capacity, id);
    if (*slot)
        return *slot;
    node = calloc(1, sizeof(*node));
    if (!node)
        return NULL;
    node->id = *id;
    *slot = node;
    history->count++;
    return node;
}

static bool is_cut(const struct history *history, const git_oid *id)
{
    for (size_t i = 0; i < history->cut_count; i++)
        if (git_oid_equal(&history->cut[i], id))
            return true;
    return false;
}

static int out_of_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to walk the history");
}

/* Reads a commit's time and parents; the commits where a shallow clone ends count as roots. */
static int parse(struct history *history, struct history_node *node, struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_commit_free) git_commit *commit = NULL;
    char text[COMMIT_ID_SIZE];
    unsigned count;
    int status;

    if (node->parsed)
        return 0;
    status = git_commit_lookup(&commit, history->repository->git, &node->id);
    if (status < 0) {
        git_id_text(&node->id, text);
        return git_fail_object(error, history->repository, status,
                               "cannot read commit %s of repository %s", text,
                               history->repository->name);
    }
    node->parsed = 1;
    node->time = git_commit_time(commit);
    count = is_cut(history, &node->id) ? 0 : git_commit_parentcount(commit);
    if (count == 0)
        return 0;
    node->parents = calloc(count, sizeof(struct history_node *));
    if (!node->parents)
        return out_of_memory(error);
    for (unsigned i = 0; i < count; i++) {
        node->parents[i] = intern(history, git_commit_parent_id(commit, i));
        if (!node->parents[i])
            return out_of_memory(error);
        node->parent_count++;
    }
    return 0;
}

static bool newer(const struct history_node *a, const struct history_node *b)
{
    return a->time != b->time ? a->time > b->time : git_oid_cmp(&a->id, &b->id) < 0;
}

static bool heap_push(struct history *history, struct history_node *node)
{
    size_t at = history->heap_count;

    if (at == history->heap_capacity) {
        size_t capacity = history->heap_capacity ? history->heap_capacity * 2 : 256;
        struct history_node **heap = reallocarray(history->heap, capacity,
                                                  sizeof(struct history_node *));

        if (!heap)
            return false;
        history->heap = heap;
        history->heap_capacity = capacity;
    }
    for (; at > 0 && newer(node, history->heap[(at - 1) / 2]); at = (at - 1) / 2)
        history->heap[at] = history->heap[(at - 1) / 2];
    history->heap[at] = node;
    history->heap_count++;
    return true;
}

static struct history_node *heap_pop(struct history *history)
{
    struct history_node *top = history->heap[0];
    struct history_node *last = history->heap[--history->heap_count];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= history->heap_count)
            break;
        if (child + 1 < history->heap_count &&
            newer(history->heap[child + 1], history->heap[child]))
            child++;
        if (!newer(history->heap[child], last))
            break;
        history->heap[at] = history->heap[child];
        at = child;
    }
    history->heap[at] = last;
    return top;
}

static void count_own(struct history *history, const struct history_node *node, unsigned before)
{
    bool was = (before & COLOURS) == REACHED_FROM_BAD;
    bool is = (node->flags & COLOURS) == REACHED_FROM_BAD;

    if (is && !was) {
        history->own++;
        if (node->time < history->oldest_own)
            history->oldest_own = node->time;
    } else if (was && !is) {
        history->own--;
    }
}

/* Adds colours to a node and queues it when that says something new. */
static int colour(struct history *history, struct history_node *node, unsigned flags,
                  struct culprit_error *error)
{
    unsigned before = node->flags;
    int result;

    if ((before & flags) == flags)
        return 0;
    result = parse(history, node, error);
    if (result < 0)
        return result;
    node->flags |= flags;
    count_own(history, node, before);
    if (before & HISTORY_QUEUED) {
        if ((node->flags & BEYOND_MERGE_BASE) && !(before & BEYOND_MERGE_BASE))
            history->unsettled--;
        return 0;
    }
    node->flags |= HISTORY_QUEUED;
    if (!(node->flags & BEYOND_MERGE_BASE))
        history->unsettled++;
    return heap_push(history, node) ? 0 : out_of_memory(error);
}

static int advance(struct history *history, struct culprit_error *error)
{
    struct history_node *node = heap_pop(history);
    unsigned flags;

    node->flags &= ~(unsigned)HISTORY_QUEUED;
    if (!(node->flags & BEYOND_MERGE_BASE))
        history->unsettled--;
    flags = node->flags & (COLOURS | BEYOND_MERGE_BASE);
    if ((flags & COLOURS) == COMMON)
        flags |= BEYOND_MERGE_BASE;
    for (unsigned i = 0; i < node->parent_count; i++) {
        int result = colour(history, node->parents[i], flags, error);

        if (result < 0)
            return result;
    }
    if (history->own > history->maximum)
        return culprit_fail(error, CULPRIT_LIMIT,
                            "more than %u commits lie between good and bad in repository %s",
                            history->maximum, history->repository->name);
    return 0;
}

static bool settled(const struct history *history)
{
    if (history->heap_count == 0)
        return true;
    return history->unsettled == 0 &&
           history->heap[0]->time < history->oldest_own - CLOCK_SKEW_SECONDS;
}

/* One id a line in the file "shallow" of the git directory. */
static int read_cuts(struct history *history, struct culprit_error *error)
{
    _cleanup_free_ char *path = NULL;
    _cleanup_free_ char *text = NULL;
    size_t lines = 0;
    int result;

    if (!history->repository->shallow)
        return 0;
    path = text_format("%sshallow", git_repository_commondir(history->repository->git));
    if (!path)
        return out_of_memory(error);
    result = file_read(path, SHALLOW_FILE_MAXIMUM, &text, NULL, error);
    if (result < 0)
        return result;
    for (const char *p = text; (p = strchr(p, '\n')); p++)
        lines++;
    history->cut = calloc(lines + 1, sizeof(git_oid));
    if (!history->cut)
        return out_of_memory(error);
    for (const char *p = text; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
        if (strlen(p) >= GIT_OID_HEXSZ &&
            git_oid_fromstrn(&history->cut[history->cut_count], p, GIT_OID_HEXSZ) == 0)
            history->cut_count++;
    return 0;
}

int history_walk(struct repository *repository, const git_oid *good, const git_oid *bad,
                 unsigned maximum, struct history **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(history_free) struct history *history = calloc(1, sizeof(*history));
    const git_oid *ends[] = {good, bad};
    const unsigned colours[] = {REACHED_FROM_GOOD, REACHED_FROM_BAD};
    int result;

    if (!history)
        return out_of_memory(error);
    history->repository = repository;
    history->oldest_own = INT64_MAX;
    history->maximum = maximum;
    result = read_cuts(history, error);
    for (unsigned i = 0; result == 0 && i < 2; i++) {
        struct history_node *node = intern(history, ends[i]);

        result = node ? colour(history, node, colours[i], error) : out_of_memory(error);
    }
    while (result == 0 && !settled(history))
        result = advance(history, error);
    if (result == 0)
        *ret = take(history);
    return result;
}

void history_free(struct history *history)
{
    if (!history)
        return;
    for (size_t i = 0; i < history->capacity; i++) {
        if (history->table[i])
            free(history->table[i]->parents);
        free(history->table[i]);
    }
    free(history->table);
    free(history->heap);
    free(history->cut);
    free(history);
}

struct history_node *history_merge_base(struct history *history)
{
    struct history_node *best = NULL;

    for (size_t i = 0; i < history->capacity; i++) {
        struct history_node *node = history->table[i];

        if (node && (node->flags & COLOURS) == COMMON && !(node->flags & BEYOND_MERGE_BASE) &&
            (!best || newer(node, best)))
            best = node;
    }
    return best;
}
