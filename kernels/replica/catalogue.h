/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the commits of a history are made of: changes written by hand (scheduler), rewriting rules
 * for code anywhere, and the parts of the kernel that they are applied to.
 */
#ifndef CULPRIT_REPLICA_CATALOGUE_H
#define CULPRIT_REPLICA_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>

#include "edit.h"

/* How a commit bears on the image of the guest configurations (kernels/fragments). */
enum effect {
    EFFECT_NONE,    /* touches no file that is built: the image cannot change */
    EFFECT_NEUTRAL, /* touches built code without changing what it does */
    EFFECT_CHANGES, /* changes what built code does, not what the case measures */
    EFFECT_BROKEN,  /* does not compile */
    EFFECT_FAULT,   /* the planted fault */
};

const char *effect_name(enum effect effect);

enum { CHANGE_EDITS_MAXIMUM = 4 };

struct change {
    const char *subject;
    const char *body;
    enum effect effect;
    struct edit edits[CHANGE_EDITS_MAXIMUM]; /* up to the first without a path */
};

/* Scheduler changes without effect on the metric; each can be applied once, in any order. */
extern const struct change sched_changes[];
extern const size_t sched_change_count;

/* A commit that does not compile, and its repair. */
struct breakage {
    struct change broken, fix;
};

extern const struct breakage breakages[];
extern const size_t breakage_count;

/* A rewriting of one place in a file, told as an extended regular expression over one function (or
 * over the whole file, for comments) and a template in which \1 … \9 stand for its groups. */
struct rule {
    const char *name;
    const char *pattern;
    const char *replacement;
    const char *needs;   /* a second expression that the function must match; NULL: none */
    bool comment;        /* matched over the whole file */
    const char *subject; /* %s: the function, or the file for comments */
    const char *body;
};

extern const struct rule rules[];
extern const size_t rule_count;

/* Rewriting rules for documentation. */
extern const struct rule document_rules[];
extern const size_t document_rule_count;

enum place_kind { PLACE_UNBUILT, PLACE_BUILT, PLACE_SCHED, PLACE_DOCUMENT, PLACE_KIND_COUNT };

/* A directory, and what subjects of its commits begin with; %s in the prefix is the file's name
 * without its suffix. For built places the files are named: a directory holds others too. */
struct place {
    enum place_kind kind;
    const char *directory;
    const char *prefix;
    const char *const *files; /* NULL-terminated; NULL: any */
};

extern const struct place places[];
extern const size_t place_count;

#endif
