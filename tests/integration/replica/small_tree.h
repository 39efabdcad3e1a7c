/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree of a few hundred small files in which every edit of the catalogue finds its anchor and
 * every place has something to rewrite: stands in for kernel source where that would be slow. */
#ifndef CULPRIT_TESTS_SMALL_TREE_H
#define CULPRIT_TESTS_SMALL_TREE_H

/* Writes it below `directory`; a failure fails the test. `flag` is the name that the kernel gives
 * to the sharing of a cache; `without` (may be NULL) a file that is left out. */
void small_tree_write(const char *directory, const char *flag, const char *without);

#endif
