/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "layout.h"
#include "scratch.h"

enum { SEEDS = 40 };

static int make_with(unsigned faults, unsigned commits, uint64_t seed, struct layout *ret,
                     struct culprit_error *error)
{
    return layout_make(&(struct layout_options){.commits = commits, .seed = seed, .faults = faults},
                       ret, error);
}

/* With one fault. */
static int make(unsigned commits, uint64_t seed, enum place_wanted place, unsigned number,
                struct layout *ret, struct culprit_error *error)
{
    return layout_make(
        &(struct layout_options){
            .commits = commits, .seed = seed, .faults = 1, .place = place, .number = number},
        ret, error);
}

static unsigned count_kind(const struct layout *layout, enum slot_kind kind)
{
    unsigned count = 0;

    for (unsigned i = 1; i <= layout->count; i++)
        count += layout->kinds[i] == kind;
    return count;
}

static unsigned find_kind(const struct layout *layout, enum slot_kind kind)
{
    for (unsigned i = 1; i <= layout->count; i++)
        if (layout->kinds[i] == kind)
            return i;
    return 0;
}

/* The first parent of a commit, as the drawing in layout.h has it. */
static unsigned parent_of(const struct layout *layout, unsigned number)
{
    if (layout->side_count > 0 && number == layout->side_first)
        return layout->fork;
    if (layout->side_count > 0 && number == layout->merge)
        return layout->side_first - 1;
    return number - 1;
}

static void check_special(const struct layout *layout, const char *what)
{
    unsigned broken = find_kind(layout, SLOT_BROKEN), fix = find_kind(layout, SLOT_FIX);
    unsigned revert = find_kind(layout, SLOT_REVERT), reapply = find_kind(layout, SLOT_REAPPLY);

    if (count_kind(layout, SLOT_FAULT) != layout->fault_count)
        fail_msg("%s: %u faults, and %u commits that are one", what, layout->fault_count,
                 count_kind(layout, SLOT_FAULT));
    for (unsigned i = 0; i < layout->fault_count; i++)
        if (layout->kinds[layout->faults[i]] != SLOT_FAULT)
            fail_msg("%s: %u should be a fault", what, layout->faults[i]);
    if (layout->count >= 12 && count_kind(layout, SLOT_BROKEN) != 1)
        fail_msg("%s: %u broken commits", what, count_kind(layout, SLOT_BROKEN));
    if (broken && (count_kind(layout, SLOT_FIX) != 1 || parent_of(layout, fix) != broken))
        fail_msg("%s: the child of the broken commit %u does not repair it", what, broken);
    for (unsigned i = 1; broken && i <= layout->count; i++)
        if (i != fix && parent_of(layout, i) == broken)
            fail_msg("%s: %u too is a child of the broken commit %u", what, i, broken);
    if (layout->reverted &&
        !(layout->kinds[layout->reverted] == SLOT_SCHED && layout->reverted < revert &&
          revert < reapply && !layout_on_side(layout, layout->reverted) &&
          !layout_on_side(layout, revert) && !layout_on_side(layout, reapply)))
        fail_msg("%s: %u is reverted by %u and applied again by %u", what, layout->reverted, revert,
                 reapply);
    if (layout->count >= 24 && !layout->reverted)
        fail_msg("%s: nothing is reverted", what);
}

static void check_side(const struct layout *layout, const char *what)
{
    if (layout->count < 8) {
        assert_int_equal(layout->side_count, 0);
        return;
    }
    if (layout->side_count < 2 || layout->side_first <= layout->fork + 1 ||
        layout->merge != layout->side_first + layout->side_count || layout->merge > layout->count ||
        layout->kinds[layout->merge] != SLOT_MERGE || count_kind(layout, SLOT_MERGE) != 1)
        fail_msg("%s: fork %u, side %u+%u, merge %u", what, layout->fork, layout->side_first,
                 layout->side_count, layout->merge);
}

static void holds_for_all_sizes_and_seeds(void **state)
{
    (void)state;
    for (unsigned count = 1; count <= LAYOUT_COMMITS_MAXIMUM; count++) {
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct culprit_error error = {0};
            struct layout layout;
            char what[64];
            unsigned idle;

            snprintf(what, sizeof(what), "%u commits, seed %u", count, (unsigned)seed);
            assert_success(make(count, seed, PLACE_ANYWHERE, 0, &layout, &error));
            check_side(&layout, what);
            check_special(&layout, what);
            if (count_kind(&layout, SLOT_NONE) > 0)
                fail_msg("%s: a commit has no kind", what);
            idle = count_kind(&layout, SLOT_UNBUILT) + count_kind(&layout, SLOT_DOCUMENT);
            if (count > 1 && 3 * idle < count)
                fail_msg("%s: only %u commits cannot change the image", what, idle);
        }
    }
}

static void equal_seeds_give_equal_layouts(void **state)
{
    struct culprit_error error = {0};
    struct layout first, second;
    unsigned differ = 0;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        assert_success(make(32, seed, PLACE_ANYWHERE, 0, &first, &error));
        assert_success(make(32, seed, PLACE_ANYWHERE, 0, &second, &error));
        assert_memory_equal(&first, &second, sizeof(first));
        assert_success(make(32, seed + 1, PLACE_ANYWHERE, 0, &second, &error));
        differ += memcmp(first.kinds, second.kinds, sizeof(first.kinds)) != 0;
    }
    assert_int_equal(differ, SEEDS);
}

/* In 32 commits, of which 4 are on the side branch: each place but the merge comes up. */
static void the_fault_can_be_anywhere(void **state)
{
    unsigned side = 0, quarters[4] = {0};

    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct culprit_error error = {0};
        struct layout layout;

        assert_success(make(32, seed, PLACE_ANYWHERE, 0, &layout, &error));
        side += layout_on_side(&layout, layout.faults[0]);
        quarters[(layout.faults[0] - 1) / 8]++;
    }
    if (side < 25 || side > 90)
        fail_msg("%u of 400 faults are on the side branch, expected are about 52", side);
    for (unsigned i = 0; i < 4; i++)
        if (quarters[i] < 60 || quarters[i] > 140)
            fail_msg("%u of 400 faults are in quarter %u", quarters[i], i);
}

static void the_fault_goes_where_it_is_put(void **state)
{
    struct culprit_error error = {0};
    struct layout layout;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        assert_success(make(32, seed, PLACE_ON_SIDE, 0, &layout, &error));
        assert_true(layout_on_side(&layout, layout.faults[0]));
        assert_success(make(32, seed, PLACE_ON_MAIN, 0, &layout, &error));
        assert_false(layout_on_side(&layout, layout.faults[0]));
        for (unsigned number = 1; number <= 32; number++) {
            if (number == layout.merge)
                continue;
            assert_success(make(32, seed, PLACE_AT_NUMBER, number, &layout, &error));
            assert_int_equal(layout.faults[0], number);
            check_special(&layout, "a place asked for");
        }
    }
}

/* Any number of faults, at places of their own, and the rest as it is in every history. */
static void has_as_many_faults_as_asked_for(void **state)
{
    static const unsigned sizes[] = {3, 8, 16, 32, 64, LAYOUT_COMMITS_MAXIMUM};

    (void)state;
    for (unsigned faults = 0; faults <= LAYOUT_FAULTS_MAXIMUM; faults++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                struct culprit_error error = {0};
                struct layout layout;
                char what[64];

                snprintf(what, sizeof what, "%u faults, %u commits, seed %u", faults, sizes[i],
                         (unsigned)seed);
                assert_success(make_with(faults, sizes[i], seed, &layout, &error));
                assert_int_equal(layout.fault_count, faults);
                check_side(&layout, what);
                check_special(&layout, what);
                assert_int_equal(count_kind(&layout, SLOT_NONE), 0);
            }
        }
    }
}

/* By the drawing in layout.h, commit by commit. */
static bool is_ancestor(const struct layout *layout, unsigned ancestor, unsigned number)
{
    if (number <= ancestor)
        return number == ancestor;
    return is_ancestor(layout, ancestor, parent_of(layout, number)) ||
           (number == layout->merge && is_ancestor(layout, ancestor, layout->merge - 1));
}

static void the_second_fault_descends_from_the_first(void **state)
{
    unsigned side_then_main = 0, main_then_side = 0, next = 0, last = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct culprit_error error = {0};
        struct layout layout;
        unsigned first, second;

        assert_success(make_with(2, 16, seed, &layout, &error));
        first = layout.faults[0];
        second = layout.faults[1];
        if (first == second || !is_ancestor(&layout, first, second))
            fail_msg("seed %u: %u is no ancestor of %u", (unsigned)seed, first, second);
        side_then_main += layout_on_side(&layout, first) && !layout_on_side(&layout, second);
        main_then_side += !layout_on_side(&layout, first) && layout_on_side(&layout, second);
        next += second == first + 1;
        last += second == 16;
    }
    if (!side_then_main || !main_then_side || !next || !last)
        fail_msg("%u from the side branch to the main line, %u there, %u next to it, %u at the tip",
                 side_then_main, main_then_side, next, last);
}

static void refuses_impossible_places(void **state)
{
    struct culprit_error error = {0};
    struct layout layout;

    (void)state;
    assert_success(make(32, 1, PLACE_ANYWHERE, 0, &layout, &error));
    assert_failure(make(32, 1, PLACE_AT_NUMBER, layout.merge, &layout, &error), CULPRIT_INVALID);
    assert_contains(error.message, "merge");
    assert_failure(make(32, 1, PLACE_AT_NUMBER, 33, &layout, &error), CULPRIT_INVALID);
    assert_failure(make(7, 1, PLACE_ON_SIDE, 0, &layout, &error), CULPRIT_INVALID);
    assert_contains(error.message, "no side branch");
    assert_failure(make_with(2, 1, 1, &layout, &error), CULPRIT_INVALID);
    assert_contains(error.message, "two faults");
    assert_failure(
        layout_make(
            &(struct layout_options){
                .commits = 32, .seed = 1, .faults = 2, .place = PLACE_AT_NUMBER, .number = 32},
            &layout, &error),
        CULPRIT_INVALID);
    assert_contains(error.message, "no room after");
    assert_failure(make_with(3, 32, 1, &layout, &error), CULPRIT_INVALID);
    assert_failure(
        layout_make(&(struct layout_options){.commits = 32, .seed = 1, .place = PLACE_ON_MAIN},
                    &layout, &error),
        CULPRIT_INVALID);
    assert_contains(error.message, "no fault");
    assert_failure(make(0, 1, PLACE_ANYWHERE, 0, &layout, &error), CULPRIT_INVALID);
    assert_failure(make(257, 1, PLACE_ANYWHERE, 0, &layout, &error), CULPRIT_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_for_all_sizes_and_seeds),
        cmocka_unit_test(equal_seeds_give_equal_layouts),
        cmocka_unit_test(the_fault_can_be_anywhere),
        cmocka_unit_test(the_fault_goes_where_it_is_put),
        cmocka_unit_test(the_second_fault_descends_from_the_first),
        cmocka_unit_test(has_as_many_faults_as_asked_for),
        cmocka_unit_test(refuses_impossible_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
