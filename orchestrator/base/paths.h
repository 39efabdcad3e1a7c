/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the files lie that culprit ships: topologies, guest images, kernel configuration
 * fragments. In order of precedence:
 *
 *  1. $CULPRIT_DATA_DIR, which then holds topologies/, images/ and fragments/;
 *  2. source and build tree, for a program that runs from within the build tree;
 *  3. share/culprit beside the program's bin/ (an installation that was moved);
 *  4. share/culprit of the prefix given when culprit was built.
 *
 * Each function gives a path that the caller frees, or NULL without memory. Whether it exists is
 * found out by whoever opens it. Thread-safe, as long as nobody changes the environment.
 */
#ifndef CULPRIT_BASE_PATHS_H
#define CULPRIT_BASE_PATHS_H

char *paths_topologies(void); /* directory of NAME.yaml */
char *paths_images(void);     /* directory of NAME.cpio */
char *paths_fragments(void);  /* directory of NAME.config */

/* The initramfs of a guest image by its name ("minimal"). */
char *paths_image(const char *name);

#endif
