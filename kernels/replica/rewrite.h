/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds a place in the kernel where a rewriting rule applies, and applies it: one small clean-up,
 * of the kind that most commits are. Which one, the random numbers say.
 */
#ifndef CULPRIT_REPLICA_REWRITE_H
#define CULPRIT_REPLICA_REWRITE_H

#include "base/random.h"
#include "catalogue.h"

struct rewriter;

/* What was done; strings are the caller's. */
struct rewriting {
    char *path;
    char *subject;
    const char *body; /* of the rule: static */
};

int rewriter_new(struct rewriter **ret, struct culprit_error *error);
void rewriter_free(struct rewriter *rewriter);
DEFINE_CLEANUP(struct rewriter *, rewriter_free);

/* Edits one file of a place of the kind. `used` holds the files that are taken, and gets the new
 * one: each file is rewritten at most once, so lines of development merge. NOT_FOUND when many
 * tries met no file with work left. */
int rewriter_apply(struct rewriter *rewriter, struct snapshot *snapshot, enum place_kind kind,
                   struct random *random, struct strv *used, struct rewriting *ret,
                   struct culprit_error *error);
void rewriting_clear(struct rewriting *rewriting);

static inline void rewriting_clear_cleanup(struct rewriting *rewriting)
{
    rewriting_clear(rewriting);
}

#endif
