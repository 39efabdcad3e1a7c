/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "catalogue.h"

#define NOT_FUNCTIONAL "No functional change."

/* Expressions are POSIX extended ones; '.' matches a newline too. Each rule keeps what the code
 * means: what could change it (a pointer of another type, a function that is not boolean) is ruled
 * out by the pattern or by `needs`. */
const struct rule rules[] = {
    {
        .name = "null-check",
        .pattern = "if \\(([A-Za-z_][A-Za-z0-9_.>-]*) == NULL\\)",
        .replacement = "if (!\\1)",
        .subject = "Use the usual form of a NULL check in %s()",
        .body = "As checkpatch asks for. " NOT_FUNCTIONAL,
    },
    {
        .name = "not-null-check",
        .pattern = "if \\(([A-Za-z_][A-Za-z0-9_.>-]*) != NULL\\)",
        .replacement = "if (\\1)",
        .subject = "Simplify a comparison with NULL in %s()",
        .body = "As checkpatch asks for. " NOT_FUNCTIONAL,
    },
    {
        .name = "unsigned-int",
        .pattern = "(\n\t+)unsigned ([a-z_][a-z_0-9]*(, [a-z_][a-z_0-9]*)*;)",
        .replacement = "\\1unsigned int \\2",
        .subject = "Prefer unsigned int to bare unsigned in %s()",
        .body = NOT_FUNCTIONAL,
    },
    {
        .name = "pr-err",
        .pattern = "(\n\t+)printk\\(KERN_ERR \"",
        .replacement = "\\1pr_err(\"",
        .subject = "Use pr_err() in %s()",
        .body = "Shorter than printk() with a level, and it takes the prefix of the file.",
    },
    {
        .name = "pr-info",
        .pattern = "(\n\t+)printk\\(KERN_INFO \"",
        .replacement = "\\1pr_info(\"",
        .subject = "Use pr_info() in %s()",
        .body = "Shorter than printk() with a level, and it takes the prefix of the file.",
    },
    {
        .name = "dead-initialisation",
        .pattern = "(\n\tint (ret|err|rc|error)) = 0(;\n\n\t\\2 = )",
        .replacement = "\\1\\3",
        .subject = "Remove an initialisation that is never read from %s()",
        .body = "The variable is assigned in the first statement.",
    },
    {
        .name = "sysfs-emit",
        .pattern =
            "(struct device_attribute \\*[a-z]+,[ \n\t]+char \\*buf\\)\n.*)return sprintf\\(buf, ",
        .replacement = "\\1return sysfs_emit(buf, ",
        .needs = "_show\\(",
        .subject = "Use sysfs_emit() in %s()",
        .body =
            "It knows that the buffer is one page, as Documentation/filesystems/sysfs.rst asks.",
    },
    {
        .name = "strscpy",
        .pattern = "(\n\t+)strlcpy\\(",
        .replacement = "\\1strscpy(",
        .subject = "Replace strlcpy() in %s()",
        .body =
            "It reads the whole source even where it does not fit. The value that it returns is\n"
            "not used here.",
    },
    {
        .name = "return-condition",
        .pattern = "\n\tif \\(([^;{}\n]+)\\)\n\t\treturn true;\n\n?\treturn false;\n",
        .replacement = "\n\treturn \\1;\n",
        .needs = "^(static )?(inline )?bool ",
        .subject = "Return the condition itself from %s()",
        .body = NOT_FUNCTIONAL,
    },
    {
        .name = "return-negated-condition",
        .pattern = "\n\tif \\(([^;{}\n]+)\\)\n\t\treturn false;\n\n?\treturn true;\n",
        .replacement = "\n\treturn !(\\1);\n",
        .needs = "^(static )?(inline )?bool ",
        .subject = "Fold the last test of %s() into its return",
        .body = NOT_FUNCTIONAL,
    },
    {
        .name = "zalloc-size",
        .pattern = "(\n\tstruct ([a-z_0-9]+) \\*([a-z_]+);\n.*\n\t+)\\3( = "
                   "kzalloc\\(sizeof\\()struct \\2\\), ",
        .replacement = "\\1\\3\\4*\\3), ",
        .subject = "Allocate by the pointer's own type in %s()",
        .body = "Keeps the size right when the type of the variable changes.",
    },
    {
        .name = "memset-size",
        .pattern = "(\n\tstruct ([a-z_0-9]+) \\*([a-z_]+);\n.*\n\t+memset\\()\\3(, 0, "
                   "sizeof\\()struct \\2\\)\\)",
        .replacement = "\\1\\3\\4*\\3))",
        .subject = "Clear by the pointer's own type in %s()",
        .body = "Keeps the size right when the type of the variable changes.",
    },
    {
        .name = "debug-result",
        .pattern = "\n\n\treturn (ret|err);\n}\n$",
        .replacement = "\n\n\tpr_debug(\"%s: %d\\\\n\", __func__, \\1);\n\n\treturn \\1;\n}\n",
        .needs = "\n\tint (ret|err)[;=, ].*\n\treturn \\1;\n}\n$",
        .subject = "Add a debug message to %s()",
        .body = "Tells how the call ended, in builds with debugging messages. Nothing is added to\n"
                "others.",
    },
    {
        .name = "comment-cannot",
        .pattern = "(\n[ \t]*(/\\*|\\*) ([^\n\"]* )?)can not ",
        .replacement = "\\1cannot ",
        .comment = true,
        .subject = "Fix the spelling of cannot in a comment",
        .body = "Comment only.",
    },
    {
        .name = "comment-the-the",
        .pattern = "(\n[ \t]*(/\\*|\\*) ([^\n\"]* )?)the the ",
        .replacement = "\\1the ",
        .comment = true,
        .subject = "Drop a repeated word from a comment",
        .body = "Comment only.",
    },
    {
        .name = "comment-its",
        .pattern = "(\n[ \t]*(/\\*|\\*) ([^\n\"]* )?)it's own ",
        .replacement = "\\1its own ",
        .comment = true,
        .subject = "Fix an apostrophe in a comment",
        .body = "Comment only.",
    },
    {
        .name = "comment-dont",
        .pattern = "(\n[ \t]*(/\\*|\\*) ([^\n\"]* )?)dont ",
        .replacement = "\\1don't ",
        .comment = true,
        .subject = "Spell don't with its apostrophe in a comment",
        .body = "Comment only.",
    },
};
const size_t rule_count = sizeof(rules) / sizeof(rules[0]);

const struct rule document_rules[] = {
    {
        .name = "cannot",
        .pattern = "([a-z]) can not ([a-z])",
        .replacement = "\\1 cannot \\2",
        .comment = true,
        .subject = "Spell cannot as one word",
        .body = "Found while reading.",
    },
    {
        .name = "the-the",
        .pattern = "([a-z]) the the ([a-z])",
        .replacement = "\\1 the \\2",
        .comment = true,
        .subject = "Remove a repeated \"the\"",
        .body = "Found while reading.",
    },
    {
        .name = "allows-to",
        .pattern = "([a-z]) allows to ([a-z]+) ",
        .replacement = "\\1 makes it possible to \\2 ",
        .comment = true,
        .subject = "Improve the wording of a sentence",
        .body = "\"Allows\" wants an object.",
    },
    {
        .name = "an-user",
        .pattern = "([a-z]) an user",
        .replacement = "\\1 a user",
        .comment = true,
        .subject = "Fix an article",
        .body = "It is \"a user\".",
    },
    {
        .name = "in-order-to",
        .pattern = "([a-z]) in order to ([a-z])",
        .replacement = "\\1 to \\2",
        .comment = true,
        .subject = "Shorten a sentence",
        .body = "\"To\" says the same as \"in order to\".",
    },
    {
        .name = "that-is",
        .pattern = "([a-z]), i\\.e\\. ([a-z])",
        .replacement = "\\1, that is, \\2",
        .comment = true,
        .subject = "Write out an abbreviation",
        .body = "Easier to read for people who know no Latin.",
    },
};
const size_t document_rule_count = sizeof(document_rules) / sizeof(document_rules[0]);
