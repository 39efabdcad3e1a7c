/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bearer tokens of the REST API. Only their SHA-256 is kept: a token carries 200 random bits, so
 * nothing slower than a plain digest is needed.
 */
#ifndef CULPRIT_STORE_TOKENS_H
#define CULPRIT_STORE_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strv.h"
#include "store/store.h"

enum token_scope {
    TOKEN_READ = 1 << 0,
    TOKEN_SUBMIT = 1 << 1,
    TOKEN_ADMIN = 1 << 2,
};

enum { TOKEN_TEXT_SIZE = 64 };

/* "read", "submit" (which may read), "admin" (which may all). */
bool token_scopes_from_name(const char *name, unsigned *ret_scopes);

/* Makes a token; ret_token is shown to a person once and kept nowhere. CONFLICT: name taken. */
int store_token_add(struct store *store, const char *name, unsigned scopes,
                    char ret_token[TOKEN_TEXT_SIZE], struct culprit_error *error);
/* DENIED when there is no such token. */
int store_token_check(struct store *store, const char *token, unsigned *ret_scopes,
                      struct culprit_error *error);
int store_token_remove(struct store *store, const char *name, struct culprit_error *error);
int store_token_names(struct store *store, struct strv *ret_names, struct culprit_error *error);

#endif
