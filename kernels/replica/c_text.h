/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Just enough of C in the kernel's style to find a function: its name begins a line's declarator
 * at column 0, its body runs from a line "{" to the next line "}". Pure.
 */
#ifndef CULPRIT_REPLICA_C_TEXT_H
#define CULPRIT_REPLICA_C_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { C_NAME_SIZE = 80 };

struct c_function {
    char name[C_NAME_SIZE];
    size_t start; /* offset of the line with its name */
    size_t end;   /* offset after the "}" line */
};

/* The first function that starts at or after `from`. */
bool c_next_function(const char *text, size_t from, struct c_function *ret);

bool c_find_function(const char *text, const char *name, struct c_function *ret);

#endif
