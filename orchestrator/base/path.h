/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of files, and the places of this user's files. Every result is a new string that the
 * caller frees, or NULL without memory. */
#ifndef CULPRIT_BASE_PATH_H
#define CULPRIT_BASE_PATH_H

/* "a/b" of "a" and "b", with one slash between them; "b" of "" and "b". */
char *path_join(const char *directory, const char *name);

/* "a/b" of "a/b/c", "." of "c", "/" of "/c". */
char *path_directory(const char *path);

/* printf into a new string. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* $XDG_CACHE_HOME/culprit, else ~/.cache/culprit; likewise ~/.local/state/culprit. Not created.
 * NULL also if the user has no home. */
char *path_cache_home(void);
char *path_state_home(void);

/* $XDG_RUNTIME_DIR/culprit; else culprit-UID in the temporary directory, which is created with
 * mode 0700. NULL also if that one belongs to somebody else or is open to others. */
char *path_runtime_home(void);

#endif
