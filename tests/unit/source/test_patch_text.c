/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "scratch.h"
#include "source/patch_text.h"

#define HUNK     "@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n"
#define GIT_HUNK "diff --git a/f.c b/f.c\n--- a/f.c\n+++ b/f.c\n" HUNK

struct split_case {
    const char *what, *text;
    size_t parts;
    const char *first; /* the first part, to the letter; NULL: not looked at */
};

static void splits(void **state)
{
    static const struct split_case cases[] = {
        {"a git diff stays as it is", GIT_HUNK, 1, GIT_HUNK},
        {"a plain diff gets a git header, without diff's times",
         "--- old/f.c\t2020-01-01 00:00:00\n+++ new/f.c\t2020-01-02 00:00:00\n" HUNK, 1, GIT_HUNK},
        {"Index: lines of quilt are left out",
         "Index: l/f.c\n=====\n--- l.orig/f.c\n+++ l/f.c\n" HUNK, 1, GIT_HUNK},
        {"headers, message, diffstat and signature of a mail are left out",
         "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\n"
         "From: A <a@example.org>\nSubject: [PATCH] x\n\nText.\n--- nothing\n---\n"
         " f.c | 2 +-\n\n" GIT_HUNK "-- \n2.39.5\n\n",
         1, GIT_HUNK},
        {"a mail with CRLF line ends",
         "From: a\r\n\r\ndiff --git a/f.c b/f.c\r\n--- a/f.c\r\n+++ b/f.c\r\n@@ -1,2 +1,2 @@\r\n"
         " one\r\n-two\r\n+zwei\r\n",
         1, GIT_HUNK},
        {"a blank context line whose blank was eaten",
         "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n\n-two\n+zwei\n", 1,
         "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n \n-two\n+zwei\n"},
        {"an mbox of two mails",
         "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\n" GIT_HUNK
         "From 1123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\n" GIT_HUNK,
         2, GIT_HUNK},
        {"the same file twice, without a mail between", GIT_HUNK GIT_HUNK, 2, GIT_HUNK},
        {"a new file by diff", "--- /dev/null\n+++ b/dir/n.c\n@@ -0,0 +1 @@\n+x\n", 1,
         "diff --git a/dir/n.c b/dir/n.c\nnew file mode 100644\n--- /dev/null\n+++ b/dir/n.c\n"
         "@@ -0,0 +1 @@\n+x\n"},
        {"a deleted file by diff", "--- a/o.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", 1,
         "diff --git a/o.c b/o.c\ndeleted file mode 100644\n--- a/o.c\n+++ /dev/null\n"
         "@@ -1 +0,0 @@\n-x\n"},
        {"lines in a hunk that look like headers",
         "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n--- a/x\n+++ b/x\n @@ -1 +1 @@\n",
         1,
         "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n--- a/x\n+++ b/x\n @@ -1 +1 @@\n"},
        {"no newline at the end of the file",
         "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"
         "\\ No newline at end of file\n",
         1,
         "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"
         "\\ No newline at end of file\n"},
        {"a mode change alone", "diff --git a/s b/s\nold mode 100644\nnew mode 100755\n", 1,
         "diff --git a/s b/s\nold mode 100644\nnew mode 100755\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct culprit_error error = {0};
        _cleanup_strv_ struct strv parts = {0};

        if (patch_text_split(cases[i].text, &parts, &error) < 0)
            fail_msg("%s: %s", cases[i].what, error.message);
        if (parts.count != cases[i].parts)
            fail_msg("%s: %zu parts instead of %zu", cases[i].what, parts.count, cases[i].parts);
        if (cases[i].first && strcmp(parts.items[0], cases[i].first) != 0)
            fail_msg("%s: \"%s\" instead of \"%s\"", cases[i].what, parts.items[0], cases[i].first);
    }
}

static void refuses(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "no diff"},
        {"Dear all,\n--- \nbest wishes\n", "no diff"},
        {"diff --git a/k/f.c b/k/f.c\n--- a/k/f.c\n+++ b/k/f.c\n@@ -1,3 +1,3 @@\n one\n-two\n",
         "k/f.c: hunk 1"},
        {GIT_HUNK "@@ -9,9 +9,9 @@\n one\nFrom here on it is cut\n", "f.c: hunk 2"},
        {"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -x +1 @@\n+x\n", "malformed header"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct culprit_error error = {0};
        _cleanup_strv_ struct strv parts = {0};

        assert_failure(patch_text_split(cases[i].text, &parts, &error), CULPRIT_FAILED);
        assert_contains(error.message, cases[i].says);
    }
}

static void has_limits(void **state)
{
    struct culprit_error error = {0};
    _cleanup_strv_ struct strv parts = {0};
    _cleanup_free_ char *text = malloc(PATCH_TEXT_MAXIMUM + 2);

    (void)state;
    assert_non_null(text);
    memset(text, 'x', PATCH_TEXT_MAXIMUM + 1);
    text[PATCH_TEXT_MAXIMUM + 1] = '\0';
    assert_failure(patch_text_split(text, &parts, &error), CULPRIT_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits),
        cmocka_unit_test(refuses),
        cmocka_unit_test(has_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
