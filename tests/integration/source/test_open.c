/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "git_fixture.h"
#include "scratch.h"
#include "source/guard.h"

/*     A--B--C--D     each commit has a file of its own name */
static const struct fixture_commit graph[] = {
    {.name = "A"},
    {.name = "B", .parents = {"A"}},
    {.name = "C", .parents = {"B"}},
    {.name = "D", .parents = {"C"}},
};

static char *origin(const char *scratch)
{
    char *path = path_join(scratch, "origin.git");

    fixture_repository(path, graph, sizeof(graph) / sizeof(graph[0]));
    free(fixture_shell("git --git-dir '%s' branch main D; git --git-dir '%s' config"
                       " uploadpack.allowFilter true; git --git-dir '%s' symbolic-ref HEAD"
                       " refs/heads/main",
                       path, path, path));
    return path;
}

static void assert_reads(struct repository *repository, const char *good, const char *bad,
                         unsigned count)
{
    struct culprit_error error = {0};
    struct commit_range range = {0};
    char good_id[COMMIT_ID_SIZE], bad_id[COMMIT_ID_SIZE];

    fixture_id(repository, good, good_id);
    fixture_id(repository, bad, bad_id);
    assert_success(repository_range(repository, good_id, bad_id, false, &range, &error));
    assert_int_equal(range.count, count);
    commit_range_clear(&range);
}

static void opens_every_kind_of_clone(void **state)
{
    static const struct {
        const char *what, *make;
    } cases[] = {
        {"bare", "git clone -q --bare origin.git clone"},
        {"with a work tree", "git clone -q origin.git clone"},
        {"its git directory", "git clone -q origin.git whole; ln -s whole/.git clone"},
        {"a linked worktree",
         "git clone -q origin.git first; cd first; git worktree add -q --detach ../clone"},
        {"with per-worktree configuration",
         "git clone -q origin.git clone; cd clone; git config extensions.worktreeConfig true;"
         " git config core.repositoryformatversion 1"},
        {"packed, with a commit graph",
         "git clone -q --bare origin.git clone; cd clone; git gc -q; git commit-graph write"},
        {"borrowing objects", "git clone -q --shared --bare origin.git clone"},
        {"somebody else's", "git clone -q --bare origin.git clone; chown -R 65534 clone || true"},
    };
    _cleanup_free_ char *from = origin(*state);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
        _cleanup_free_ char *path = path_join(*state, "clone");
        struct culprit_error error = {0};

        free(fixture_shell("cd '%s'; rm -rf clone first whole; %s", (char *)*state, cases[i].make));
        if (repository_open("clone", path, *state, NULL, &repository, &error) < 0)
            fail_msg("%s: %s", cases[i].what, error.message);
        assert_reads(repository, "A", "D", 4);
        assert_success(repository_fetch(repository, NULL, &error));
    }
}

static void reads_a_shallow_clone_as_far_as_it_goes(void **state)
{
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    _cleanup_free_ char *from = origin(*state);
    _cleanup_free_ char *path = path_join(*state, "shallow");
    struct culprit_error error = {0};
    char id[COMMIT_ID_SIZE];

    free(fixture_shell("git clone -q --depth 3 'file://%s' '%s'; cd '%s'; git tag -f B HEAD~2 >&2;"
                       " git tag -f C HEAD~1 >&2",
                       from, path, path));
    repository = fixture_open(path, *state);
    assert_reads(repository, "C", "main", 2);
    assert_reads(repository, "B", "main", 3);
    assert_failure(repository_resolve(repository, "v0.1", id, &error), CULPRIT_NOT_FOUND);
    assert_contains(error.message, "--unshallow");
}

static void says_what_a_partial_clone_lacks(void **state)
{
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    _cleanup_free_ char *from = origin(*state);
    _cleanup_free_ char *path = path_join(*state, "partial");
    _cleanup_free_ char *tree = path_join(*state, "tree");
    struct culprit_error error = {0};
    char id[COMMIT_ID_SIZE];

    free(fixture_shell("git clone -q --bare --filter=blob:none 'file://%s' '%s'", from, path));
    repository = fixture_open(path, *state);
    assert_reads(repository, "A", "D", 4);
    fixture_id(repository, "B", id);
    assert_failure(
        repository_checkout(repository, &(struct checkout){.commit_id = id}, tree, NULL, &error),
        CULPRIT_UNSUPPORTED);
    assert_contains(error.message, "fetch --refetch --no-filter");
    /* The command that it names does bring them. */
    free(fixture_shell("git -C '%s' fetch -q --refetch --no-filter origin '+refs/*:refs/*'", path));
    assert_success(
        repository_checkout(repository, &(struct checkout){.commit_id = id}, tree, NULL, &error));
}

static void mirrors_a_url(void **state)
{
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    CULPRIT_CLEANUP(repository_free) struct repository *again = NULL;
    _cleanup_free_ char *from = origin(*state);
    _cleanup_free_ char *url = text_format("file://%s", from);
    _cleanup_free_ char *cache = path_join(*state, "cache");
    struct culprit_error error = {0};
    char before[COMMIT_ID_SIZE], after[COMMIT_ID_SIZE];

    repository = fixture_open(url, cache);
    assert_reads(repository, "A", "main", 4);
    fixture_id(repository, "main", before);
    free(fixture_shell("export GIT_DIR='%s'; git update-ref refs/heads/main"
                       " $(git commit-tree -m E -p D D^{tree}); git tag E main; git tag -d A",
                       from));
    fixture_id(repository, "main", after);
    assert_string_equal(before, after);
    assert_success(repository_fetch(repository, NULL, &error));
    fixture_id(repository, "main", after);
    assert_string_not_equal(before, after);
    assert_reads(repository, "B", "E", 4);
    /* What is mirrored needs the remote no more. */
    free(fixture_shell("rm -rf '%s'", from));
    again = fixture_open(url, cache);
    assert_reads(again, "B", "E", 4);
}

static void says_why_it_cannot_open(void **state)
{
    static const struct {
        const char *name, *location;
        enum culprit_code code;
        const char *says;
    } cases[] = {
        {"linux", "/no/such/place", CULPRIT_NOT_FOUND, "/no/such/place"},
        {"linux", "/proc", CULPRIT_NOT_FOUND, "no git repository"},
        {"linux", "file:///no/such/place.git", CULPRIT_UNAVAILABLE, "/no/such/place.git"},
        {"linux", "http://me:hunter2@127.0.0.1:9/linux.git", CULPRIT_UNAVAILABLE,
         "http://127.0.0.1:9/linux.git"},
        {"../linux", "/", CULPRIT_INVALID, "cannot name"},
        {"", "/", CULPRIT_INVALID, "cannot name"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct repository *repository = NULL;
        struct culprit_error error = {0};

        assert_failure(
            repository_open(cases[i].name, cases[i].location, *state, NULL, &repository, &error),
            cases[i].code);
        assert_contains(error.message, cases[i].says);
        assert_null(strstr(error.message, "hunter2"));
    }
}

static void a_cancelled_mirror_leaves_nothing(void **state)
{
    _cleanup_free_ char *from = origin(*state);
    _cleanup_free_ char *url = text_format("file://%s", from);
    _cleanup_free_ char *cache = path_join(*state, "cache");
    _cleanup_free_ char *left = NULL;
    struct repository *repository = NULL;
    struct culprit_error error = {0};
    struct cancel *cancel = NULL;

    assert_success(cancel_new(&cancel, &error));
    cancel_request(cancel);
    assert_failure(repository_open("fixture", url, cache, cancel, &repository, &error),
                   CULPRIT_CANCELLED);
    cancel_free(cancel);
    left = fixture_shell("ls -A '%s'", cache);
    assert_string_equal(left, "");
}

/* A server that takes connections and says nothing; its port. */
static uint16_t listen_silently(int *ret_fd)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    *ret_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(*ret_fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(*ret_fd, 8), 0);
    assert_int_equal(getsockname(*ret_fd, (struct sockaddr *)&address, &size), 0);
    return ntohs(address.sin_port);
}

/* The fetch is on its way once the connection is there. */
static void *cancel_when_connected(void *context)
{
    struct {
        int listener;
        struct cancel *cancel;
    } *task = context;
    int fd = accept(task->listener, NULL, NULL);

    cancel_request(task->cancel);
    return (void *)(intptr_t)fd;
}

static void a_silent_server_does_not_hold_a_cancelled_fetch(void **state)
{
    static const char *const schemes[] = {"http", "https", "git"};

    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        struct {
            int listener;
            struct cancel *cancel;
        } task;
        _cleanup_free_ char *url = text_format("%s://127.0.0.1:%u/x.git", schemes[i],
                                               listen_silently(&task.listener));
        struct repository *repository = NULL;
        struct culprit_error error = {0};
        pthread_t thread;
        void *fd;

        assert_success(cancel_new(&task.cancel, &error));
        assert_int_equal(pthread_create(&thread, NULL, cancel_when_connected, &task), 0);
        assert_failure(repository_open("silent", url, *state, task.cancel, &repository, &error),
                       CULPRIT_CANCELLED);
        pthread_join(thread, &fd);
        close((int)(intptr_t)fd);
        close(task.listener);
        cancel_free(task.cancel);
    }
}

/* Every time that a blocked call is tried again it is broken off again; words put it off. */
static void silence_breaks_calls_off(void **state)
{
    const uint64_t silence = UINT64_C(200) * 1000000;
    struct culprit_error error = {0};
    struct guard *guard = NULL;
    int ends[2];
    char byte;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    uint64_t start = clock_monotonic(&clock_system);
    assert_success(guard_begin(NULL, silence, &guard, &error));
    for (int i = 0; i < 3; i++)
        assert_int_equal(recv(ends[0], &byte, 1, 0), -1);
    assert_true(clock_monotonic(&clock_system) - start >= silence);
    guard_heard(guard);
    assert_false(guard_end(guard));
    close(ends[0]);
    close(ends[1]);
}

static void resolves_names(void **state)
{
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    _cleanup_free_ char *from = origin(*state);
    static const char *const same[] = {"D",    "main",       "refs/heads/main",
                                       "HEAD", "D^{commit}", "main~0"};
    static const char *const wrong[] = {"nothing",  "0000000000000000000000000000000000000000",
                                        ":/D",      "main^{/D}",
                                        "main@{1}", "-x",
                                        "",         "D^{tree}"};
    char id[COMMIT_ID_SIZE], other[COMMIT_ID_SIZE], abbreviated[13];
    struct culprit_error error = {0};

    free(fixture_shell("git --git-dir '%s' tag -a -m annotated annotated D", from));
    repository = fixture_open(from, *state);
    fixture_id(repository, "annotated", id);
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        fixture_id(repository, same[i], other);
        assert_string_equal(id, other);
    }
    memcpy(abbreviated, id, 12);
    abbreviated[12] = '\0';
    fixture_id(repository, abbreviated, other);
    assert_string_equal(id, other);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (repository_resolve(repository, wrong[i], other, &error) == 0)
            fail_msg("\"%s\" was resolved to %s", wrong[i], other);
        assert_true(error.code == CULPRIT_NOT_FOUND || error.code == CULPRIT_INVALID);
    }
    error = (struct culprit_error){0};
    assert_failure(repository_resolve(repository, "nothing", other, &error), CULPRIT_NOT_FOUND);
    assert_contains(error.message, "fixture");
}

static void shows_a_commit(void **state)
{
    CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
    _cleanup_free_ char *from = origin(*state);
    _cleanup_free_ char *message = NULL, *stat = NULL, *root = NULL, *root_stat = NULL, *cut = NULL,
                        *cut_stat = NULL;
    struct culprit_error error = {0};
    char id[COMMIT_ID_SIZE];

    repository = fixture_open(from, *state);
    fixture_id(repository, "B", id);
    assert_success(repository_show(repository, id, 4096, &message, &stat, &error));
    assert_string_equal(message, "B");
    assert_contains(stat, "1 file changed, 1 insertion(+)");
    assert_success(repository_show(repository, id, 5, &cut, &cut_stat, &error));
    assert_int_equal(strlen(cut_stat), 5);
    fixture_id(repository, "A", id);
    assert_success(repository_show(repository, id, 4096, &root, &root_stat, &error));
    assert_string_equal(root_stat, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(opens_every_kind_of_clone),
        scratch_test(reads_a_shallow_clone_as_far_as_it_goes),
        scratch_test(says_what_a_partial_clone_lacks),
        scratch_test(mirrors_a_url),
        scratch_test(says_why_it_cannot_open),
        scratch_test(a_cancelled_mirror_leaves_nothing),
        scratch_test(a_silent_server_does_not_hold_a_cancelled_fetch),
        scratch_test(silence_breaks_calls_off),
        scratch_test(resolves_names),
        scratch_test(shows_a_commit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
