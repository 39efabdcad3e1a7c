/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel history to build from, and what a build of one of its commits takes. */
#ifndef CULPRIT_TESTS_INTEGRATION_KERNEL_HISTORY_H
#define CULPRIT_TESTS_INTEGRATION_KERNEL_HISTORY_H

#include <jansson.h>

#include "base/cleanup.h"
#include "base/strv.h"
#include "build/builder.h"
#include "source/repository.h"

enum { EXIT_SKIPPED = 77 };

struct kernel_history {
    char *package;   /* "linux-source-6.1" */
    char *directory; /* where tests keep things between runs */
    struct repository *repository;
    json_t *truth; /* as make-history --truth writes it */
    json_t *commits;
    struct strv fragments;
};

/* Whether this host has kernel source to make a history from; says so if not. */
bool kernel_history_possible(void);

/* Opens the history of 32 commits of seed 1, and makes it first where it is not there yet. */
int kernel_history_open(struct kernel_history *ret, struct culprit_error *error);
void kernel_history_close(struct kernel_history *history);

size_t kernel_history_count(const struct kernel_history *history);
const char *kernel_history_id(const struct kernel_history *history, size_t number);
/* "none", "neutral", "changes", "broken" or "fault"; "base" for number 0. */
const char *kernel_history_effect(const struct kernel_history *history, size_t number);

/* A recipe of that commit with the shipped fragments; lends from the history. */
struct build_recipe kernel_history_recipe(const struct kernel_history *history, size_t number);

#endif
