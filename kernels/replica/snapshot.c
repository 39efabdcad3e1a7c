/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "snapshot.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int snapshot_fail(struct culprit_error *error, const char *format, ...)
{
    const git_error *last = git_error_last();
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return culprit_fail(error, CULPRIT_IO, "%s: %s", text,
                        last && last->message ? last->message : "libgit2 gives no reason");
}

int snapshot_begin(git_repository *git, const git_oid *commit, struct snapshot *ret,
                   struct culprit_error *error)
{
    git_commit *object = NULL;

    if (git_commit_lookup(&object, git, commit) < 0)
        return snapshot_fail(error, "cannot begin a line of development");
    *ret = (struct snapshot){.git = git, .tip = *commit, .tree = *git_commit_tree_id(object)};
    git_commit_free(object);
    return 0;
}

static int find_entry(const struct snapshot *snapshot, const char *path, git_tree_entry **ret)
{
    git_tree *tree = NULL;
    int status = git_tree_lookup(&tree, snapshot->git, &snapshot->tree);

    if (status == 0)
        status = git_tree_entry_bypath(ret, tree, path);
    git_tree_free(tree);
    return status;
}

int snapshot_read(const struct snapshot *snapshot, const char *path, char **ret,
                  struct culprit_error *error)
{
    git_tree_entry *entry = NULL;
    git_blob *blob = NULL;
    char *text = NULL;
    int status = find_entry(snapshot, path, &entry);

    if (status == GIT_ENOTFOUND)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "the kernel source has no file %s", path);
    if (status == 0)
        status = git_blob_lookup(&blob, snapshot->git, git_tree_entry_id(entry));
    git_tree_entry_free(entry);
    if (status < 0)
        return snapshot_fail(error, "cannot read %s", path);
    text = strndup(git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
    git_blob_free(blob);
    if (!text)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to read %s", path);
    *ret = text;
    return 0;
}

int snapshot_write(struct snapshot *snapshot, const char *path, const char *text,
                   struct culprit_error *error)
{
    git_tree_update update = {.action = GIT_TREE_UPDATE_UPSERT, .path = path};
    git_tree_entry *entry = NULL;
    git_tree *tree = NULL;
    int status = find_entry(snapshot, path, &entry);

    update.filemode = status == 0 ? git_tree_entry_filemode(entry) : GIT_FILEMODE_BLOB;
    git_tree_entry_free(entry);
    status = git_blob_create_from_buffer(&update.id, snapshot->git, text, strlen(text));
    if (status == 0)
        status = git_tree_lookup(&tree, snapshot->git, &snapshot->tree);
    if (status == 0)
        status = git_tree_create_updated(&snapshot->tree, snapshot->git, tree, 1, &update);
    git_tree_free(tree);
    return status < 0 ? snapshot_fail(error, "cannot write %s", path) : 0;
}

static bool ends_with(const char *text, const char *suffix)
{
    size_t length = strlen(text), wanted = strlen(suffix);

    return length > wanted && strcmp(text + length - wanted, suffix) == 0;
}

int snapshot_list(const struct snapshot *snapshot, const char *directory, const char *suffix,
                  struct strv *ret, struct culprit_error *error)
{
    git_tree_entry *entry = NULL;
    git_tree *tree = NULL;
    int status = find_entry(snapshot, directory, &entry);

    if (status == GIT_ENOTFOUND)
        return 0;
    if (status == 0)
        status = git_tree_lookup(&tree, snapshot->git, git_tree_entry_id(entry));
    git_tree_entry_free(entry);
    if (status < 0)
        return snapshot_fail(error, "cannot list %s", directory);
    for (size_t i = 0; i < git_tree_entrycount(tree); i++) {
        const git_tree_entry *file = git_tree_entry_byindex(tree, i);

        if (git_tree_entry_filemode(file) == GIT_FILEMODE_BLOB &&
            ends_with(git_tree_entry_name(file), suffix))
            strv_append(ret, git_tree_entry_name(file));
    }
    git_tree_free(tree);
    if (ret->failed)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to list %s", directory);
    return 0;
}

static int write_commit(struct snapshot *snapshot, const git_oid *tree_id, const git_oid *other,
                        const struct snapshot_commit *commit)
{
    git_signature *author = NULL, *committer = NULL;
    git_commit *parents[2] = {NULL, NULL};
    git_tree *tree = NULL;
    int status;

    status = git_signature_new(&author, commit->author->name, commit->author->mail,
                               commit->author_time, 0);
    if (status == 0)
        status = git_signature_new(&committer, commit->committer->name, commit->committer->mail,
                                   commit->commit_time, 0);
    if (status == 0)
        status = git_tree_lookup(&tree, snapshot->git, tree_id);
    if (status == 0)
        status = git_commit_lookup(&parents[0], snapshot->git, &snapshot->tip);
    if (status == 0 && other)
        status = git_commit_lookup(&parents[1], snapshot->git, other);
    if (status == 0) {
        const git_commit *lent[2] = {parents[0], parents[1]};

        status = git_commit_create(&snapshot->tip, snapshot->git, NULL, author, committer, NULL,
                                   commit->message, tree, other ? 2 : 1, lent);
    }
    git_signature_free(author);
    git_signature_free(committer);
    git_commit_free(parents[0]);
    git_commit_free(parents[1]);
    git_tree_free(tree);
    return status;
}

int snapshot_commit(struct snapshot *snapshot, const struct snapshot_commit *commit,
                    struct culprit_error *error)
{
    git_commit *tip = NULL;
    bool edited;

    if (git_commit_lookup(&tip, snapshot->git, &snapshot->tip) < 0)
        return snapshot_fail(error, "cannot commit");
    edited = !git_oid_equal(git_commit_tree_id(tip), &snapshot->tree);
    git_commit_free(tip);
    if (!edited)
        return culprit_fail(error, CULPRIT_INTERNAL, "there is nothing in the commit \"%.72s\"",
                            commit->message);
    if (write_commit(snapshot, &snapshot->tree, NULL, commit) < 0)
        return snapshot_fail(error, "cannot commit");
    return 0;
}

int snapshot_merge(struct snapshot *snapshot, const struct snapshot *other,
                   const struct snapshot_commit *commit, struct culprit_error *error)
{
    git_commit *ours = NULL, *theirs = NULL;
    git_index *index = NULL;
    int status = git_commit_lookup(&ours, snapshot->git, &snapshot->tip);
    bool conflict = false;

    if (status == 0)
        status = git_commit_lookup(&theirs, snapshot->git, &other->tip);
    if (status == 0)
        status = git_merge_commits(&index, snapshot->git, ours, theirs, NULL);
    if (status == 0)
        conflict = git_index_has_conflicts(index);
    if (status == 0 && !conflict)
        status = git_index_write_tree_to(&snapshot->tree, index, snapshot->git);
    if (status == 0 && !conflict)
        status = write_commit(snapshot, &snapshot->tree, &other->tip, commit);
    git_index_free(index);
    git_commit_free(ours);
    git_commit_free(theirs);
    if (conflict)
        return culprit_fail(error, CULPRIT_FAILED, "the side branch does not merge cleanly");
    return status < 0 ? snapshot_fail(error, "cannot merge the side branch") : 0;
}
