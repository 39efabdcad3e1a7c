/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside settle*.c: each puts what came of one kind of task into the store. Negative: the store did
 * not take it, and the task is to be settled again. */
#ifndef CULPRIT_SCHED_SETTLE_H
#define CULPRIT_SCHED_SETTLE_H

#include "sched/course.h"

int settle_resolve(struct task *task, struct culprit_error *error);
int settle_engine(struct task *task, struct culprit_error *error);
/* 1: it goes on as something else. */
int settle_identify(struct task *task, struct culprit_error *error);
int settle_build(struct task *task, struct culprit_error *error);
int settle_prune(struct task *task, struct culprit_error *error);
int settle_trial(struct task *task, struct culprit_error *error);

/* Nothing came of it: its lease ends. */
int settle_nothing(struct task *task, struct culprit_error *error);

#endif
