/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "small_tree.h"

#include <string.h>

#include "base/buffer.h"
#include "case.h"
#include "scratch.h"

enum { FILES_PER_PLACE = 6, EDITS_MAXIMUM = 256, FILE_MAXIMUM = 1 << 20 };

struct edit_list {
    const struct edit *edits[EDITS_MAXIMUM];
    size_t count;
};

static void add_change(struct edit_list *list, const struct change *change)
{
    for (size_t i = 0; i < CHANGE_EDITS_MAXIMUM && change->edits[i].path; i++) {
        assert_true(list->count < EDITS_MAXIMUM);
        list->edits[list->count++] = &change->edits[i];
    }
}

/* The variant for kernels that call the flag so; without any, the first. */
static void collect_fault(struct edit_list *list, const struct replica_fault *fault,
                          const char *flag)
{
    size_t taken = 0;

    for (size_t i = 0; i < fault->variant_count; i++)
        if (strstr(fault->variants[i].edits[0].anchor, flag))
            taken = i;
    add_change(list, &fault->variants[taken]);
}

static void collect(struct edit_list *list, const char *flag)
{
    for (size_t i = 0; i < sched_change_count; i++)
        add_change(list, &sched_changes[i]);
    for (size_t i = 0; i < breakage_count; i++)
        add_change(list, &breakages[i].broken);
    for (size_t i = 0; i < replica_case_count; i++)
        for (size_t f = 0; f < LAYOUT_FAULTS_MAXIMUM; f++)
            collect_fault(list, &replica_cases[i].faults[f], flag);
}

static void write_file(const char *directory, const char *path, const char *text)
{
    _cleanup_free_ char *name = path_join(directory, path);
    _cleanup_free_ char *parent = strndup(name, (size_t)(strrchr(name, '/') - name));
    struct culprit_error error = {0};

    assert_success(file_make_directories(parent, 0755, &error));
    assert_success(file_write_atomic(name, text, strlen(text), 0644, &error));
}

/* All anchors of one function, each on lines of its own, in the catalogue's order. */
static void put_function(struct buffer *text, const struct edit_list *list, const struct edit *of)
{
    buffer_printf(text, "static int %s(void)\n{\n", of->function);
    for (size_t i = 0; i < list->count; i++) {
        const struct edit *edit = list->edits[i];
        bool line = edit->anchor[strlen(edit->anchor) - 1] == '\n';

        if (strcmp(edit->path, of->path) == 0 && edit->function &&
            strcmp(edit->function, of->function) == 0 && !strstr(text->data, edit->anchor))
            buffer_printf(text, "%s%s", edit->anchor, line ? "" : "\n");
    }
    buffer_puts(text, "}\n\n");
}

/* Rules that rewrite code find a check for NULL in each file. */
static const char work[] = "int work(struct thing *thing)\n{\n\tunsigned i;\n\tint ret = 0;\n\n"
                           "\tret = thing_get(thing);\n\tif (thing == NULL)\n\t\treturn -EINVAL;\n"
                           "\n\treturn ret;\n}\n";

static void write_edited(const char *directory, const struct edit_list *list, const char *path)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(FILE_MAXIMUM);

    buffer_printf(&text, "/* %s */\n", path);
    for (size_t i = 0; i < list->count; i++) {
        const struct edit *edit = list->edits[i];
        _cleanup_free_ char *head = text_format("static int %s(void)\n{\n", edit->function);

        if (strcmp(edit->path, path) != 0)
            continue;
        if (!edit->function)
            buffer_printf(&text, "int %s\n", edit->anchor);
        else if (!strstr(text.data, head))
            put_function(&text, list, edit);
    }
    buffer_puts(&text, work);
    write_file(directory, path, text.data);
}

static void write_place(const char *directory, const struct place *place)
{
    static const char document[] = "Title\n=====\n\nThis can not be, in order to be the the.\n";
    bool is_document = place->kind == PLACE_DOCUMENT;

    for (unsigned i = 0; place->files ? place->files[i] != NULL : i < FILES_PER_PLACE; i++) {
        _cleanup_free_ char *made = text_format("file%u%s", i, is_document ? ".rst" : ".c");
        _cleanup_free_ char *path = path_join(place->directory,
                                              place->files ? place->files[i] : made);
        _cleanup_free_ char *full = path_join(directory, path);

        if (!file_exists(full))
            write_file(directory, path, is_document ? document : work);
    }
}

void small_tree_write(const char *directory, const char *flag, const char *without)
{
    struct edit_list list = {.count = 0};

    collect(&list, flag);
    write_file(directory, "Makefile",
               "VERSION = 6\nPATCHLEVEL = 99\nSUBLEVEL = 7\nEXTRAVERSION =\n");
    for (size_t i = 0; i < list.count; i++)
        write_edited(directory, &list, list.edits[i]->path);
    for (size_t i = 0; i < place_count; i++)
        write_place(directory, &places[i]);
    if (without) {
        _cleanup_free_ char *path = path_join(directory, without);
        struct culprit_error error = {0};

        assert_success(file_remove_tree(path, &error));
    }
}
