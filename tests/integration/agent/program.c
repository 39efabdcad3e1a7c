/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

int program_begin(void **state)
{
    struct program *program = calloc(1, sizeof(*program));

    if (!program)
        return -1;
    snprintf(program->directory, sizeof(program->directory), "/tmp/culprit-test-XXXXXX");
    *state = program;
    return mkdtemp(program->directory) ? 0 : -1;
}

static void path_of(const struct program *program, const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", program->directory, name);
}

int program_end(void **state)
{
    struct program *program = *state;
    char path[128];

    path_of(program, "plan", path);
    unlink(path);
    path_of(program, "records", path);
    unlink(path);
    rmdir(program->directory);
    json_decref(program->records);
    free(program);
    return 0;
}

void program_start(struct program *program, const char *const arguments[])
{
    char *words[16] = {getenv("AGENT")};
    int status;

    assert_non_null(words[0]);
    for (size_t i = 0; arguments[i]; i++)
        words[i + 1] = strdup(arguments[i]);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execv(words[0], words);
        _exit(127);
    }
    for (size_t i = 1; words[i]; i++)
        free(words[i]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status))
        fail_msg("the agent was ended by signal %d", WTERMSIG(status));
    program->exit_status = WEXITSTATUS(status);
}

/* The statistics of this machine stay as they are. */
static const char *schedstats_now(void)
{
    FILE *file = fopen("/proc/sys/kernel/sched_schedstats", "re");
    int now = file ? fgetc(file) : '0';

    if (file)
        fclose(file);
    return now == '1' ? "on" : "off";
}

static void read_records(struct program *program, const char *path)
{
    char line[4098];
    FILE *file = fopen(path, "re");

    assert_non_null(file);
    json_decref(program->records);
    program->records = json_array();
    while (fgets(line, sizeof(line), file)) {
        json_error_t error;
        json_t *record = json_loads(line, 0, &error);
        if (!record)
            fail_msg("%s: \"%s\"", error.text, line);
        assert_int_equal(json_integer_value(json_object_get(record, "n")),
                         json_array_size(program->records));
        json_array_append_new(program->records, record);
    }
    fclose(file);
}

void program_run(struct program *program, const char *head, const char *workloads)
{
    char plan[128], records[128];

    path_of(program, "plan", plan);
    path_of(program, "records", records);
    FILE *file = fopen(plan, "we");
    assert_non_null(file);
    if (head)
        fputs(head, file);
    else
        fprintf(file, "culprit-plan 1\nseed 7\nschedstats %s\n", schedstats_now());
    fprintf(file, "%send\n", workloads);
    assert_int_equal(fclose(file), 0);
    program_start(program, (const char *[]){"--plan", plan, "--port", records, NULL});
    read_records(program, records);
}

json_t *program_record(const struct program *program, const char *type, const char *name)
{
    size_t index;
    json_t *record;

    json_array_foreach (program->records, index, record) {
        const char *its_name = json_string_value(json_object_get(record, "name"));
        if (strcmp(json_string_value(json_object_get(record, "t")), type) == 0 &&
            (!name || (its_name && strcmp(its_name, name) == 0)))
            return record;
    }
    fail_msg("there is no %s record %s", type, name ? name : "");
    return NULL;
}

const char *program_last_log(const struct program *program)
{
    const char *text = "";
    size_t index;
    json_t *record;

    json_array_foreach (program->records, index, record) {
        if (strcmp(json_string_value(json_object_get(record, "t")), "log") == 0)
            text = json_string_value(json_object_get(record, "text"));
    }
    return text;
}

size_t program_count(const struct program *program, const char *type)
{
    size_t index, count = 0;
    json_t *record;

    json_array_foreach (program->records, index, record)
        count += strcmp(json_string_value(json_object_get(record, "t")), type) == 0;
    return count;
}

const char *program_failure(const struct program *program)
{
    size_t size = json_array_size(program->records);
    json_t *last = json_array_get(program->records, size - 1);

    assert_int_equal(program_count(program, "failure"), 1);
    assert_string_equal(json_string_value(json_object_get(last, "t")), "end");
    assert_int_equal(json_integer_value(json_object_get(last, "records")), size - 1);
    assert_int_equal(program->exit_status, 1);
    return json_string_value(json_object_get(program_record(program, "failure", NULL), "reason"));
}
