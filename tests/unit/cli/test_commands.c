/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program as its user sees it: output, errors and exit status, without a server or a guest. */
#include "scratch.h"

#include <string.h>

#include "base/path.h"
#include "cli/cli.h"

enum { WORDS_MAXIMUM = 16 };

struct run {
    char *out, *err;
    int status;
};

static void run_clear_cleanup(struct run *run)
{
    free(run->out);
    free(run->err);
}

#define _cleanup_run_ __attribute__((cleanup(run_clear_cleanup)))

static struct run run_culprit(const char *const *words)
{
    struct run run = {0};
    size_t out_length, err_length;
    FILE *out = open_memstream(&run.out, &out_length);
    FILE *err = open_memstream(&run.err, &err_length);
    char *argv[WORDS_MAXIMUM + 2] = {strdup("culprit")};
    int argc = 1;

    for (; words[argc - 1]; argc++)
        argv[argc] = strdup(words[argc - 1]);
    run.status = cli_main(argc, argv, out, err, NULL);
    fclose(out);
    fclose(err);
    while (argc > 0)
        free(argv[--argc]);
    return run;
}

static const struct command_case {
    const char *words[WORDS_MAXIMUM];
    int status;
    const char *out; /* a part of it; NULL: it must be empty */
    const char *err;
} cases[] = {
    {{"--version"}, 0, "culprit 0.", NULL},
    {{"--help"}, 0, "submit", NULL},
    {{"help"}, 0, "finds the commit that made a kernel slower", NULL},
    {{"help", "try"}, 0, "--seed N", NULL},
    {{"try", "--help"}, 0, "--seed N", NULL},
    {{"help", "frob"}, 4, NULL, "culprit: there is no command \"frob\""},
    {{NULL}, 4, NULL, "usage: culprit COMMAND"},
    {{"subnit"}, 4, NULL, "culprit: there is no command \"subnit\"; did you mean \"submit\"?"},
    {{"workload"}, 0, "wakeup", NULL},
    {{"workload", "show", "wakeup"}, 0, "wakeup.latency.p99", NULL},
    {{"workload", "show", "wakup"}, 5, NULL, "did you mean \"wakeup\"?"},
    {{"workload", "sow", "wakeup"}, 4, NULL, "workload: list or show, not \"sow\""},
    {{"topology"}, 0, "x5472", NULL},
    {{"topology", "list"}, 0, "vm-40cpu-smt", NULL},
    {{"topology", "show", "x5472"}, 0, "0-1 2-3 4-5 6-7", NULL},
    {{"topology", "show", "x5473"}, 5, NULL, "x5472"},
    {{"topology", "show"},
     4,
     NULL,
     "topology needs more arguments: culprit topology show NAME (see"},
    {{"topology", "check"}, 4, NULL, "culprit topology check NAME [--kernel BZIMAGE]"},
    {{"topology", "frob"}, 4, NULL, "topology: list, show or check, not \"frob\""},
    {{"topology", "check", "pair"}, 4, NULL, "no kernel to boot: give --kernel BZIMAGE"},
    {{"topology", "check", "pair", "--kernel", "/nonexistent/bzImage"},
     5,
     NULL,
     "cannot boot /nonexistent/bzImage: No such file or directory"},
    {{"topology", "check", "pair", "--kernel", "/dev/null", "--engine", "fast"},
     4,
     NULL,
     "there is no engine \"fast\""},
    {{"try"}, 4, NULL, "which workload?"},
    {{"try", "wakeup"}, 4, NULL, "which topology?"},
    {{"try", "wakeup", "--runtim", "5s"}, 4, NULL, "did you mean \"runtime\"?"},
    {{"try", "wakeup", "runtime=5"}, 4, NULL, "workload wakeup: "},
    {{"try", "wakeup", "runtime"}, 4, NULL, "\"runtime\" is not a workload option"},
    {{"try", "-t", "pair", "-k", "/dev/null", "--seed", "9223372036854775808", "wakeup"},
     4,
     NULL,
     "--seed"},
    {{"try", "-t", "pair", "-k", "/dev/null", "--memory", "1MiB", "wakeup"},
     4,
     NULL,
     "--memory: topology pair takes 512MiB to 64GiB, not 1MiB"},
    {{"try", "-t", "pair", "-k", "/dev/null", "wakeup"},
     4,
     NULL,
     "cannot boot /dev/null: it is no x86 kernel image (bzImage)"},
    {{"calibrate"}, 4, NULL, "(see \"culprit help calibrate\")"},
    {{"calibrate", "wakeup"}, 4, NULL, "which topology?"},
    {{"calibrate", "--workload", "wakup", "-t", "pair"}, 4, NULL, "did you mean \"wakeup\"?"},
    {{"calibrate", "-t", "pair", "-k", "/dev/null", "--workload", "wakeup", "runtime=1s"},
     4,
     NULL,
     "it is no x86 kernel image"},
    {{"calibrate", "--trials", "5", "wakeup"}, 4, NULL, "--trials"},
    {{"calibrate", "--trials", "2001", "wakeup"}, 4, NULL, "--trials"},
    {{"calibrate", "--alpha", "nan", "wakeup"}, 4, NULL, "--alpha"},
    {{"calibrate", "--comparisons", "9", "wakeup"}, 4, NULL, "--comparisons"},
    {{"topology", "check", "pair", "--kernel", "/proc/self/exe"}, 4, NULL, "it is an ELF file"},
    {{"show", "x"}, 4, NULL, "not a job's number"},
    {{"show"}, 4, NULL, "show needs an argument"},
    {{"show", "1", "2"}, 4, NULL, "show does not take \"2\""},
    {{"show", "1", "--server", "localhost"}, 4, NULL, "must be an http:// or https:// URL"},
    {{"show", "1", "--server", "http://127.0.0.1:1"}, 6, NULL, "is culpritd running there?"},
    {{"list", "--state", "a&b"}, 4, NULL, "--state takes one word"},
    {{"report", "1", "--format", "pdf"}, 4, NULL, "text, json, mail or bisect-log"},
    {{"submit", "/nonexistent/job.yaml"}, 5, NULL, "/nonexistent/job.yaml"},
    {{"list", "--frob"}, 4, NULL, "list: there is no option \"--frob\""},
    /* Options of all commands stand before one as well as after it. */
    {{"--server", "http://127.0.0.1:1", "list"}, 6, NULL, "is culpritd running there?"},
    {{"--server=http://127.0.0.1:1", "show", "1"}, 6, NULL, "is culpritd running there?"},
    {{"--json", "topology", "show", "pair"}, 0, "\"name\": \"pair\"", NULL},
    {{"--json", "--server", "http://127.0.0.1:1", "workload", "list"}, 0, "[", NULL},
    {{"--server", "http://127.0.0.1:1", "list", "--server", "http://127.0.0.1:2"},
     4,
     NULL,
     "--server is given twice"},
    {{"--help", "try"}, 0, "--seed N", NULL},
    {{"--json", "--help"}, 0, "finds the commit", NULL},
    {{"--json", "frob"}, 4, "\"error\"", "there is no command \"frob\""},
    {{"--server", "http://127.0.0.1:1"}, 4, NULL, "usage: culprit COMMAND"},
    {{"--server"}, 4, NULL, "usage: culprit COMMAND"},
    {{"--kernel", "/dev/null", "try"}, 4, NULL, "\"--kernel\" before the command"},
    {{"--version", "list"}, 0, "culprit 0.", NULL},
};

static void test_commands(void **state)
{
    (void)state;
    unsetenv("CULPRIT_KERNEL");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        _cleanup_run_ struct run run = run_culprit(cases[i].words);
        const char *name = cases[i].words[0] ? cases[i].words[0] : "";

        if (run.status != cases[i].status || (cases[i].out && !strstr(run.out, cases[i].out)) ||
            (!cases[i].out && *run.out) || (cases[i].err && !strstr(run.err, cases[i].err)) ||
            (!cases[i].err && *run.err))
            fail_msg("case %zu (%s): status %d\nout: %s\nerr: %s", i, name, run.status, run.out,
                     run.err);
    }
}

/* With --json every answer is one JSON document, an error too. */
static void test_json(void **state)
{
    static const struct {
        const char *words[WORDS_MAXIMUM];
        int status;
    } outputs[] = {
        {{"workload", "--json"}, 0},
        {{"workload", "show", "exec", "--json"}, 0},
        {{"topology", "--json"}, 0},
        {{"topology", "show", "pair", "--json"}, 0},
        {{"topology", "show", "nothing", "--json"}, 5},
        {{"show", "--json"}, 4},
        {{"list", "--json", "--frob"}, 4},
        {{"list", "--json", "--server", "http://127.0.0.1:1"}, 6},
    };

    (void)state;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        _cleanup_run_ struct run run = run_culprit(outputs[i].words);
        json_error_t where;
        json_t *value = json_loads(run.out, JSON_REJECT_DUPLICATES, &where);

        assert_int_equal(run.status, outputs[i].status);
        if (!value)
            fail_msg("case %zu: %s in \"%s\"", i, where.text, run.out);
        if (run.status != 0)
            assert_non_null(
                json_string_value(json_object_get(json_object_get(value, "error"), "message")));
        json_decref(value);
    }
}

/* The table of commands is sound, and each has a help text. */
static void test_every_command_has_help(void **state)
{
    (void)state;
    assert_true(cli_command_count >= 12);
    for (size_t i = 0; i < cli_command_count; i++) {
        const struct cli_command *command = cli_commands[i];
        const char *const words[] = {"help", command->name, NULL};
        _cleanup_run_ struct run run = run_culprit(words);

        assert_int_equal(run.status, 0);
        assert_contains(run.out, command->summary);
        assert_contains(run.out, "--json");
        assert_non_null(command->run);
        assert_ptr_equal(cli_command_find(command->name), command);
    }
}

/* docs/cli.md names every command and every exit status. */
static void test_reference_is_complete(void **state)
{
    _cleanup_free_ char *text = NULL;
    struct culprit_error error = {0};

    (void)state;
    assert_success(file_read(CULPRIT_SOURCE_DIR "/docs/cli.md", 1 << 20, &text, NULL, &error));
    for (size_t i = 0; i < cli_command_count; i++) {
        _cleanup_free_ char *entry = text_format("`%s", cli_commands[i]->name);

        if (!strstr(text, entry) && strcmp(cli_commands[i]->name, "help") != 0)
            fail_msg("docs/cli.md does not know %s", cli_commands[i]->name);
    }
    for (int code = 0; code < CULPRIT_CODE_COUNT; code++) {
        int status = culprit_code_exit_status((enum culprit_code)code);
        _cleanup_free_ char *entry = text_format("\n| %d | ", status);

        if (!strstr(text, entry))
            fail_msg("docs/cli.md does not know exit status %d", status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_every_command_has_help),
        cmocka_unit_test(test_reference_is_complete),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
