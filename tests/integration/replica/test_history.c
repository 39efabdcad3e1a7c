/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <jansson.h>
#include <string.h>

#include "base/process.h"
#include "layout.h"
#include "scratch.h"
#include "small_tree.h"
#include "source/repository.h"

/* Runs a shell command line in the scratch directory; its output is the caller's. */
static char *shell(const char *directory, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static char *shell(const char *directory, const char *format, ...)
{
    _cleanup_strv_ struct strv argv = {0};
    struct culprit_error error = {0};
    char *output = NULL, line[4096];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    strv_append(&argv, "sh");
    strv_append(&argv, "-ec");
    strv_appendf(&argv, "export GIT_CONFIG_GLOBAL=/dev/null; make=%s; %s", CULPRIT_MAKE_HISTORY,
                 line);
    if (process_capture(&argv, &(struct process_options){.directory = directory}, 1 << 20, &output,
                        &error) < 0)
        fail_msg("%s: %s", line, error.message);
    return output;
}

static int tree_setup(void **state)
{
    int result = scratch_setup(state);
    _cleanup_free_ char *tree = path_join(*state, "linux-6.99.7");

    if (result == 0) {
        small_tree_write(tree, "SD_SHARE_PKG_RESOURCES", NULL);
        free(shell(*state, "tar -cJf source.tar.xz linux-6.99.7"));
    }
    return result;
}

static json_t *truth_of(const char *directory, const char *name)
{
    _cleanup_free_ char *path = path_join(directory, name);
    json_error_t error;
    json_t *truth = json_load_file(path, 0, &error);

    if (!truth)
        fail_msg("%s: %s", path, error.text);
    return truth;
}

static const char *string_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* The truth's numbers are those of culprit's own walk over the range, and its ids git's. */
static void check_numbers(const char *directory, const char *name, const json_t *truth)
{
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    _cleanup_free_ char *path = path_join(directory, name);
    const json_t *history = json_object_get(truth, "history");
    struct commit_range range = {0};
    struct culprit_error error = {0};
    char good[COMMIT_ID_SIZE], bad[COMMIT_ID_SIZE];

    assert_success(repository_open("history", path, directory, NULL, &repository, &error));
    assert_success(repository_resolve(repository, "good", good, &error));
    assert_success(repository_resolve(repository, "bad", bad, &error));
    assert_string_equal(good, string_at(truth, "good"));
    assert_string_equal(bad, string_at(truth, "bad"));
    assert_success(repository_range(repository, good, bad, false, &range, &error));
    assert_int_equal(range.count, json_array_size(history));
    for (unsigned i = 0; i < range.count; i++)
        if (strcmp(range.commits[i].id, string_at(json_array_get(history, i), "id")) != 0)
            fail_msg("commit %u is %s in the repository and %s in the truth", i,
                     range.commits[i].subject, string_at(json_array_get(history, i), "subject"));
    commit_range_clear(&range);
}

static void check_culprit(const char *directory, const char *name, const json_t *truth)
{
    const char *id = string_at(json_object_get(truth, "culprit"), "id");
    _cleanup_free_ char *found = shell(
        directory,
        "export GIT_DIR=%s; git grep -c 'busiest->group_type > group_fully_busy) &&' %s~1 --"
        " kernel/sched/fair.c | wc -l; git grep -c 'busiest->group_type > group_fully_busy) &&' %s "
        "--"
        " kernel/sched/fair.c | wc -l; git log -S'busiest->group_type > group_fully_busy) &&'"
        " --format=%%H -m --first-parent good..bad -- kernel/sched/fair.c | wc -l",
        name, id, id);

    assert_string_equal(found, "1\n0\n1\n");
}

static void check_style(const char *directory, const char *name, const json_t *truth)
{
    long long count = json_integer_value(json_object_get(truth, "commits"));
    _cleanup_free_ char *commits = shell(directory, "git -C %s rev-list --count good..bad", name);
    _cleanup_free_ char *foreign = shell(directory,
                                         "git -C %s log --format='%%ae%%n%%ce%%n%%B' | grep @ |"
                                         " grep -v 'example.org' || true",
                                         name);
    _cleanup_free_ char *unsigned_ = shell(
        directory,
        "git -C %s log --no-merges --format='%%H %%(trailers:key=Signed-off-by,separator=;)'"
        " good..bad | grep -v Signed-off-by || true",
        name);
    _cleanup_free_ char *dates = shell(
        directory,
        "git -C %s log --topo-order --format=%%ct --first-parent | sort -c -n -r"
        " 2>&1 || true",
        name);

    assert_int_equal(atoll(commits), count);
    assert_string_equal(foreign, "");
    assert_string_equal(unsigned_, "");
    assert_string_equal(dates, "");
}

static void writes_what_it_says(void **state)
{
    static const struct {
        unsigned commits, seed;
        const char *place;
    } cases[] = {
        {1, 1, "any"}, {7, 2, "any"}, {12, 3, "side"}, {32, 1, "any"},   {32, 2, "side"},
        {32, 3, "1"},  {32, 3, "32"}, {64, 4, "main"}, {256, 5, "side"}, {256, 6, "any"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        json_t *truth;

        free(shell(*state,
                   "rm -rf h t; $make --case lb-spare-capacity --source ./source.tar.xz"
                   " --base-cache cache --commits %u --seed %u --place %s --out h --truth t",
                   cases[i].commits, cases[i].seed, cases[i].place));
        truth = truth_of(*state, "t");
        check_numbers(*state, "h", truth);
        check_culprit(*state, "h", truth);
        check_style(*state, "h", truth);
        if (strcmp(cases[i].place, "side") == 0)
            assert_string_equal(string_at(json_object_get(truth, "culprit"), "line"), "side");
        json_decref(truth);
    }
}

/* None: no culprit in the truth, and the fault's text is not in the history. Two: both, at places
 * of their own, each once. */
static void writes_as_many_faults_as_asked_for(void **state)
{
    static const char count[] = "git -C h log --format=%%H -m --first-parent -G'%s' good..bad --"
                                " kernel/sched/fair.c | wc -l";

    for (unsigned faults = 0; faults <= LAYOUT_FAULTS_MAXIMUM; faults++) {
        _cleanup_free_ char *first = NULL, *second = NULL;
        json_t *truth;

        free(shell(*state,
                   "rm -rf h t; $make --case lb-spare-capacity --source ./source.tar.xz"
                   " --base-cache cache --commits 24 --seed 5 --faults %u --out h --truth t",
                   faults));
        truth = truth_of(*state, "t");
        check_numbers(*state, "h", truth);
        assert_int_equal(json_array_size(json_object_get(truth, "faults")), faults);
        assert_int_equal(json_object_get(truth, "culprit") != NULL, faults == 1);
        first = shell(*state, count, "group_type > group_fully_busy. &&");
        second = shell(*state, count, "normalized_sysctl_sched_latency.= 12000000ULL");
        assert_int_equal(atoi(first), faults >= 1);
        assert_int_equal(atoi(second), faults >= 2);
        json_decref(truth);
    }
}

/* Archive or tree, with or without a cache, now or then: the same ids. And another seed, others. */
static void gives_the_same_ids_everywhere(void **state)
{
    _cleanup_free_ char *all = shell(
        *state, "m=\"$make --case lb-spare-capacity --commits 24\";"
                " $m --source ./source.tar.xz --base-cache cache --out a >&2;"
                " $m --source ./source.tar.xz --base-cache cache --out b >&2;"
                " $m --source ./source.tar.xz --no-base-cache --out c >&2;"
                " $m --source ./linux-6.99.7 --out d >&2;"
                " $m --source ./source.tar.xz --base-cache cache --seed 2 --out e >&2;"
                " for h in a b c d e; do git -C $h rev-parse bad; done | uniq -c |"
                " sed 's/^ *//' | cut -d' ' -f1");

    assert_string_equal(all, "4\n1\n");
}

static void needs_the_cache_no_more(void **state)
{
    free(shell(*state, "$make --case lb-spare-capacity --commits 8 --source ./source.tar.xz"
                       " --base-cache cache --out h; rm -rf cache; git -C h fsck --full >&2;"
                       " git clone -q h work; cd work; test -f kernel/sched/fair.c"));
}

static void bisects_with_git_in_it(void **state)
{
    json_t *truth;
    _cleanup_free_ char *log = NULL;

    free(shell(*state, "$make --case lb-spare-capacity --commits 32 --seed 4 --place side"
                       " --source ./source.tar.xz --base-cache cache --out h --truth t"));
    truth = truth_of(*state, "t");
    log = shell(
        *state,
        "cd h; export GIT_DIR=.; git bisect start bad good >&2; git bisect run sh -c"
        " '! git merge-base --is-ancestor %s BISECT_HEAD' >&2; git bisect log > ../log;"
        " git bisect reset >&2; git bisect replay ../log >&2; git rev-parse refs/bisect/bad",
        string_at(json_object_get(truth, "culprit"), "id"));
    log[strcspn(log, "\n")] = '\0';
    assert_string_equal(log, string_at(json_object_get(truth, "culprit"), "id"));
    json_decref(truth);
}

static void plants_by_the_newer_flag_too(void **state)
{
    _cleanup_free_ char *tree = path_join(*state, "newer");

    small_tree_write(tree, "SD_SHARE_LLC", NULL);
    free(shell(*state, "$make --case lb-spare-capacity --commits 9 --source ./newer --out h;"
                       " git -C h grep -q SD_SHARE_LLC good; ! git -C h grep -q SD_SHARE_LLC bad"));
}

static void says_what_is_wrong(void **state)
{
    static const char made[] = "--case lb-spare-capacity --source ./source.tar.xz --no-base-cache";
    static const struct {
        const char *arguments, *says;
    } cases[] = {
        {"--case lb-spare-capacity --source linux-source-9.9 --out h",
         "apt-get install linux-source-9.9"},
        {"--case lb-spare-capacity --source ./nothing --out h", "./nothing"},
        {"--case no-such-case --source ./source.tar.xz --out h", "--list-cases"},
        {"--case lb-spare-capacity --source ./source.tar.xz", "--out"},
        {"--source ./source.tar.xz --out h", "--case"},
        {"--case lb-spare-capacity --source ./source.tar.xz --out h --truth h/t", "outside"},
        {"--case lb-spare-capacity --commits 0 --out h", "0"},
        {"--case lb-spare-capacity --commits 10x --out h", "10x"},
        {"--case lb-spare-capacity --commits 257 --out h", "257"},
        {"--case lb-spare-capacity --faults 3 --out h", "3"},
        {"--case lb-spare-capacity --faults 0 --place main --out h", "no fault"},
        {"--case lb-spare-capacity --commits 7 --place side --out h", "no side branch"},
        {"--case lb-spare-capacity --source ./garbage --no-base-cache --out h", "garbage"},
        {"--case lb-spare-capacity --source ./other.tar --no-base-cache --out h", "not kernel"},
        {"--case lb-spare-capacity --source ./without --out h", "kernel/sched/fair.c"},
        {"--case lb-spare-capacity --source ./changed --commits 1 --out h",
         "kernel/sched/fair.c, calculate_imbalance()"},
    };
    _cleanup_free_ char *without = path_join(*state, "without");

    small_tree_write(without, "SD_SHARE_LLC", "kernel/sched/fair.c");
    free(shell(*state, "printf garbage > garbage; mkdir d; touch d/f; tar -cf other.tar d;"
                       " cp -r linux-6.99.7 changed;"
                       " sed -i 's/SD_SHARE_PKG_RESOURCES/SD_OTHER/' changed/kernel/sched/fair.c"));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        _cleanup_free_ char *said = shell(
            *state, "rm -rf h; if $make %s 2>&1; then echo succeeded; fi", cases[i].arguments);

        free(shell(*state, "! test -e h"));
        if (!strstr(said, cases[i].says) || strstr(said, "succeeded"))
            fail_msg("make-history %s: \"%s\" does not say \"%s\"", cases[i].arguments, said,
                     cases[i].says);
    }
    {
        _cleanup_free_ char *said = shell(*state, "$make %s --out d 2>&1 || true", made);

        assert_contains(said, "not empty");
    }
}

#define tree_test(function) cmocka_unit_test_setup_teardown(function, tree_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(writes_what_it_says),
        tree_test(writes_as_many_faults_as_asked_for),
        tree_test(gives_the_same_ids_everywhere),
        tree_test(needs_the_cache_no_more),
        tree_test(bisects_with_git_in_it),
        tree_test(plants_by_the_newer_flag_too),
        tree_test(says_what_is_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
