/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "main/smtp_mailer.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

enum { PASSWORD_MAXIMUM = 1024 };

struct smtp_mailer {
    struct mailer mailer;
    struct smtp_options options;
    const char *from;
    char *password;
};

static int deliver(struct mailer *mailer, const struct strv *recipients, const char *message,
                   struct cancel *cancel, struct culprit_error *error)
{
    struct smtp_mailer *self = (struct smtp_mailer *)mailer;
    return smtp_deliver(&self->options, self->from, recipients, message, cancel, error);
}

static const struct mailer_ops ops = {.deliver = deliver};

static int read_password(const char *path, char **ret, struct culprit_error *error)
{
    struct stat status;

    if (stat(path, &status) < 0)
        return culprit_fail_errno(error, errno, "cannot read the mail password %s", path);
    if (status.st_mode & (S_IRWXG | S_IRWXO))
        return culprit_fail(error, CULPRIT_DENIED,
                            "the mail password %s is open to others: chmod 600 it", path);
    int result = file_read(path, PASSWORD_MAXIMUM, ret, NULL, error);
    if (result == 0)
        (*ret)[strcspn(*ret, "\r\n")] = '\0';
    return result;
}

int smtp_mailer_new(const struct config *config, struct mailer **ret, struct culprit_error *error)
{
    struct smtp_mailer *self = calloc(1, sizeof *self);
    CULPRIT_CLEANUP(smtp_mailer_free) struct mailer *mailer = self ? &self->mailer : NULL;

    if (!self)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot set up mail: out of memory");
    self->mailer.ops = &ops;
    self->from = config->mail.from;
    if (config->mail.password_file) {
        int status = read_password(config->mail.password_file, &self->password, error);
        if (status < 0)
            return status;
    }
    self->options = (struct smtp_options){
        .host = config->mail.host,
        .port = config->mail.port,
        .security = config->mail.security,
        .user = config->mail.user,
        .password = self->password,
        .ca_file = config->mail.ca_file,
    };
    *ret = take(mailer);
    return 0;
}

void smtp_mailer_free(struct mailer *mailer)
{
    struct smtp_mailer *self = (struct smtp_mailer *)mailer;

    if (!self)
        return;
    if (self->password)
        explicit_bzero(self->password, strlen(self->password));
    free(self->password);
    free(self);
}
