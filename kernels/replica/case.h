/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The faults that can be planted: old regressions brought back, and for each one that makes it
 * worse. */
#ifndef CULPRIT_REPLICA_CASE_H
#define CULPRIT_REPLICA_CASE_H

#include "catalogue.h"
#include "layout.h"

enum { CASE_VARIANTS_MAXIMUM = 4 };

struct replica_fault {
    /* The same fault for different kernels; the first whose anchors are there is taken. */
    struct change variants[CASE_VARIANTS_MAXIMUM];
    size_t variant_count;
};

struct replica_case {
    const char *name;
    const char *summary;
    const char *metric; /* where it shows */
    /* The regression, and what makes it worse where it is there already. */
    struct replica_fault faults[LAYOUT_FAULTS_MAXIMUM];
};

extern const struct replica_case replica_cases[];
extern const size_t replica_case_count;

/* NULL when there is none of that name. */
const struct replica_case *replica_case_find(const char *name);

#endif
