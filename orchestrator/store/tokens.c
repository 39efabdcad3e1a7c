/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/tokens.h"

#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/random.h"
#include "store/database.h"

bool token_scopes_from_name(const char *name, unsigned *ret_scopes)
{
    static const struct {
        const char *name;
        unsigned scopes;
    } table[] = {
        {"read", TOKEN_READ},
        {"submit", TOKEN_READ | TOKEN_SUBMIT},
        {"admin", TOKEN_READ | TOKEN_SUBMIT | TOKEN_ADMIN},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(table[i].name, name) == 0) {
            *ret_scopes = table[i].scopes;
            return true;
        }
    }
    return false;
}

/* "cpt_" and 40 digits of a 32-character alphabet, 5 bits each: 200 random bits. */
static int make_token(char ret[TOKEN_TEXT_SIZE], struct culprit_error *error)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz234567";
    unsigned char bytes[40];

    int status = random_secret(bytes, sizeof bytes, error);
    if (status < 0)
        return status;
    int length = snprintf(ret, TOKEN_TEXT_SIZE, "cpt_");
    for (size_t i = 0; i < sizeof bytes; i++)
        ret[length++] = alphabet[bytes[i] % 32];
    ret[length] = '\0';
    explicit_bzero(bytes, sizeof bytes);
    return 0;
}

int store_token_add(struct store *store, const char *name, unsigned scopes,
                    char ret_token[TOKEN_TEXT_SIZE], struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    char token[TOKEN_TEXT_SIZE], digest[DIGEST_HEX_SIZE];

    int status = make_token(token, error);
    if (status == 0)
        status = statement_prepare(
            store, "INSERT INTO tokens (name, digest, scopes, created_ns) VALUES (?, ?, ?, ?)",
            "add the token", &statement, error);
    if (status < 0)
        return status;
    digest_bytes(token, strlen(token), digest);
    bind_text(&statement, name);
    bind_text(&statement, digest);
    bind_integer(&statement, scopes);
    bind_integer(&statement, (int64_t)clock_realtime(store->clock));
    status = statement_run(&statement, error);
    if (status == -CULPRIT_CONFLICT)
        return culprit_fail(error, CULPRIT_CONFLICT, "there is a token named '%s' already", name);
    if (status < 0)
        return status;
    memcpy(ret_token, token, sizeof token);
    explicit_bzero(token, sizeof token);
    return 0;
}

int store_token_check(struct store *store, const char *token, unsigned *ret_scopes,
                      struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    char digest[DIGEST_HEX_SIZE];

    int status = statement_prepare(store, "SELECT scopes FROM tokens WHERE digest = ?",
                                   "check the token", &statement, error);
    if (status < 0)
        return status;
    digest_bytes(token, strlen(token), digest);
    bind_text(&statement, digest);
    status = statement_step(&statement, error);
    if (status == 0)
        return culprit_fail(error, CULPRIT_DENIED, "the bearer token is not known here");
    if (status < 0)
        return status;
    *ret_scopes = (unsigned)read_integer(&statement);
    return 0;
}

int store_token_remove(struct store *store, const char *name, struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store, "DELETE FROM tokens WHERE name = ?", "remove the token",
                                   &statement, error);
    if (status < 0)
        return status;
    bind_text(&statement, name);
    status = statement_run(&statement, error);
    if (status == 0 && database_changes(store) == 0)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "there is no token named '%s'", name);
    return status;
}

int store_token_names(struct store *store, struct strv *ret_names, struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store, "SELECT name FROM tokens ORDER BY name",
                                   "list the tokens", &statement, error);
    if (status < 0)
        return status;
    while ((status = statement_step(&statement, error)) > 0) {
        _cleanup_free_ char *name = read_text(&statement);
        if (!name || !strv_append(ret_names, name))
            return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot list the tokens: out of memory");
    }
    return status;
}
