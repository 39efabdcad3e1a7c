/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent_test.h"
#include "probe/kernel.h"

/* Two notes as a kernel has them: Xen's (name of four bytes, value of four) and the build id. */
static const unsigned char notes[] = {
    4, 0, 0, 0, 4, 0, 0, 0, 6, 0, 0, 0, 'X', 'e', 'n', 0, 1,    2,    3,    4, /* */
    4, 0, 0, 0, 6, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xde, 0xad, 0xbe, 0xef, 0x00, 0x0f, 0, 0,
};

static void the_build_id_is_found_among_other_notes(void **state)
{
    char build_id[BUILD_ID_SIZE];

    (void)state;
    kernel_build_id(notes, sizeof(notes), build_id);
    assert_string_equal(build_id, "deadbeef000f");
}

static void cut_notes_give_none(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof(notes); length++) {
        /* A copy of just that length, so that a sanitizer sees a read behind it. */
        unsigned char *copy = malloc(length + 1);
        char build_id[BUILD_ID_SIZE];
        memcpy(copy, notes, length);
        kernel_build_id(copy, length, build_id);
        free(copy);
        if (build_id[0])
            fail_msg("%zu bytes of notes give \"%s\"", length, build_id);
    }
}

static void absurd_sizes_give_none(void **state)
{
    unsigned char damaged[sizeof(notes)];
    char build_id[BUILD_ID_SIZE];

    (void)state;
    memcpy(damaged, notes, sizeof(notes));
    memset(damaged, 0xff, 8);
    kernel_build_id(damaged, sizeof(damaged), build_id);
    assert_string_equal(build_id, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_build_id_is_found_among_other_notes),
        cmocka_unit_test(cut_notes_give_none),
        cmocka_unit_test(absurd_sizes_give_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
