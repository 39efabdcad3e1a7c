/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which commits of a job cannot change the image. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "sched/settle.h"

static int list_pruned(const struct task *task, struct stored_pruning *ret,
                       struct culprit_error *error)
{
    ret->items = calloc(task->id_count + 1, sizeof *ret->items);
    if (!ret->items)
        return culprit_fail(error, CULPRIT_NO_MEMORY,
                            "cannot keep which commits matter: out of memory");
    for (unsigned c = 1; c < task->id_count; c++) {
        struct stored_pruned *item = &ret->items[ret->count];
        if (task->relevance[c] == RELEVANCE_MATTERS)
            continue;
        item->commit = c;
        snprintf(item->reason, sizeof item->reason, "%s", relevance_name(task->relevance[c]));
        ret->count++;
    }
    return 0;
}

/* Not to know is no reason for a job to fail: it builds what it might have left out. */
static int judge(struct task *task, struct stored_pruning *ret, struct culprit_error *error)
{
    if (task->status == 0)
        return list_pruned(task, ret, error);
    ret->note = strdup(task->error.message);
    if (!ret->note)
        return culprit_fail(error, CULPRIT_NO_MEMORY,
                            "cannot keep why all commits matter: out of memory");
    return 0;
}

static json_t *notice(const struct task *task, const struct stored_pruning *pruning)
{
    char text[1200];

    if (pruning->note)
        snprintf(text, sizeof text, "no commit is left out, for it is not known which matter: %s",
                 pruning->note);
    else
        snprintf(text, sizeof text,
                 "%zu of %u commits cannot change the image and are not considered", pruning->count,
                 task->id_count - 1);
    utf8_repair(text);
    return json_pack("{s:s}", "message", text);
}

int settle_prune(struct task *task, struct culprit_error *error)
{
    CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
    CULPRIT_CLEANUP(stored_pruning_clear) struct stored_pruning pruning = {0};
    struct service *service = task->course->service;

    int status = judge(task, &pruning, error);
    if (status == 0)
        status = store_begin(service->options.store, &transaction, error);
    if (status == 0)
        status = store_pruning_put(service->options.store, task->course->id, &pruning, error);
    if (status == 0)
        status = event_put(service, task->course->id, "notice", notice(task, &pruning), error);
    return status < 0 ? status : store_commit(&transaction, error);
}
