/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/kernel_parameter.h"

#include <stddef.h>
#include <string.h>

static const char *const reserved[] = {
    "console",
    "culprit.pad",
    "culprit.seed",
    "earlycon",
    "earlyprintk",
    "init",
    "initrd",
    "kaslr",
    "nokaslr",
    "noinitrd",
    "nosoftlockup",
    "nowatchdog",
    "oops",
    "panic",
    "random.trust_bootloader",
    "random.trust_cpu",
    "rdinit",
    "reboot",
    "root",
    "softlockup_panic",
};

bool kernel_parameter_is_word(const char *word)
{
    bool quoted = false;

    for (const char *at = word; *at; at++) {
        if (*at < ' ' || *at > '~' || (*at == ' ' && !quoted))
            return false;
        if (*at == '"')
            quoted = !quoted;
    }
    return *word && !quoted;
}

static bool same_name(const char *name, const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (name[i] != word[i] && !(name[i] == '_' && word[i] == '-'))
            return false;
    return name[length] == '\0';
}

bool kernel_parameter_is_reserved(const char *word)
{
    if (strcmp(word, "--") == 0)
        return true;
    word += *word == '"';
    size_t length = strcspn(word, "=\"");
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (same_name(reserved[i], word, length))
            return true;
    return false;
}
