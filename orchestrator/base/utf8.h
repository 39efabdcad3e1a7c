/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts from outside (commit subjects in old encodings, compiler messages cut within a character,
 * console lines) must be UTF-8 before they go into JSON. */
#ifndef CULPRIT_BASE_UTF8_H
#define CULPRIT_BASE_UTF8_H

/* Puts '?' in the place of every byte that belongs to no valid character (RFC 3629: neither
 * surrogates nor overlong forms). NULL does nothing. */
void utf8_repair(char *text);

#endif
