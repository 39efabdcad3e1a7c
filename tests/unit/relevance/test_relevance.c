/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a change of each kind of file can do to an image. */
#include <string.h>

#include "relevance/relevance.h"
#include "scratch.h"

static struct culprit_error error;

/* As the builds of both ends read it, in small. */
static const char *const read_files[] = {
    "Kconfig",
    "Documentation/Kconfig",
    "arch/arm64/crypto/Kconfig",
    "arch/x86/Kconfig",
    "arch/x86/include/asm/processor.h",
    "arch/x86/kernel/vmlinux.lds.S",
    "arch/x86/lib/memcpy_64.S",
    "drivers/pci/pci.c",
    "drivers/pci/pci.h",
    "include/linux/sched.h",
    "include/uapi/linux/sched.h",
    "init/main.c",
    "kernel/sched/core.c",
    "kernel/sched/fair.c",
    "tools/objtool/check.c",
};

static void set_up(struct relevance_range *range)
{
    *range = (struct relevance_range){0};
    assert_success(inputs_new("x86", &range->inputs, &error));
    for (size_t i = 0; i < sizeof read_files / sizeof read_files[0]; i++)
        assert_success(inputs_add(range->inputs, read_files[i], strlen(read_files[i]), &error));
}

static void tear_down(struct relevance_range *range)
{
    inputs_free(range->inputs);
    relevance_range_clear(range);
}

static void expect(const struct relevance_range *range, const char *path, bool added,
                   enum relevance expected)
{
    enum relevance found = relevance_of_path(range, path, added);

    if (found != expected)
        fail_msg("%s%s: %s instead of %s", path, added ? " (added)" : "", relevance_name(found),
                 relevance_name(expected));
}

static void each_path_has_its_answer(void **state)
{
    static const struct {
        const char *path;
        enum relevance changed, added;
    } cases[] = {
        /* What the builds read. */
        {"kernel/sched/core.c", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"include/linux/sched.h", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"arch/x86/kernel/vmlinux.lds.S", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"arch/arm64/crypto/Kconfig", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"Documentation/Kconfig", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        /* What says how to build. */
        {"Makefile", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"kernel/Makefile", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"drivers/gpu/drm/amd/Makefile", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"drivers/gpu/drm/Kconfig.debug", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"include/asm-generic/Kbuild", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"drivers/firmware/efi/Kbuild", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"arch/x86/Makefile_32.cpu", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"arch/Kconfig", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"Documentation/Makefile", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        /* Programs that make runs, and what they read. */
        {"scripts/mod/modpost.c", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"scripts/checkpatch.pl", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"usr/gen_init_cpio.c", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"arch/x86/tools/relocs.c", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"tools/objtool/elf.c", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"tools/include/linux/list.h", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"tools/lib/subcmd/help.c", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"tools/arch/x86/lib/insn.c", RELEVANCE_NOT_COMPILED, RELEVANCE_NOT_COMPILED},
        {"tools/arch/x86/lib/x86-opcode-map.txt", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        /* Of no kind whose way into an image is known. */
        {"kernel/time/timeconst.bc", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"arch/x86/entry/syscalls/syscall_64.tbl", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"drivers/net/oui.c_shipped", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"lib/raid6/unroll.awk", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"localversion-next", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"rust/kernel/lib.rs", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        /* Nobody builds from it. */
        {"MAINTAINERS", RELEVANCE_DOCUMENTATION, RELEVANCE_DOCUMENTATION},
        {"kernel/MAINTAINERS", RELEVANCE_MATTERS, RELEVANCE_MATTERS},
        {"Documentation/scheduler/sched-eevdf.rst", RELEVANCE_DOCUMENTATION,
         RELEVANCE_DOCUMENTATION},
        {"Documentation/devicetree/bindings/Makefile", RELEVANCE_DOCUMENTATION,
         RELEVANCE_DOCUMENTATION},
        {"LICENSES/preferred/GPL-2.0", RELEVANCE_DOCUMENTATION, RELEVANCE_DOCUMENTATION},
        {"drivers/staging/README", RELEVANCE_DOCUMENTATION, RELEVANCE_DOCUMENTATION},
        {"scripts/.gitignore", RELEVANCE_DOCUMENTATION, RELEVANCE_DOCUMENTATION},
        /* Not of this kernel. */
        {"tools/perf/builtin-sched.c", RELEVANCE_TOOLS, RELEVANCE_TOOLS},
        {"tools/testing/selftests/sched/Makefile", RELEVANCE_TOOLS, RELEVANCE_TOOLS},
        {"tools/arch/arm64/include/asm/barrier.h", RELEVANCE_TOOLS, RELEVANCE_TOOLS},
        {"arch/arm64/kernel/process.c", RELEVANCE_ARCHITECTURE, RELEVANCE_ARCHITECTURE},
        {"arch/arm64/boot/dts/qcom/Makefile", RELEVANCE_ARCHITECTURE, RELEVANCE_ARCHITECTURE},
        {"arch/arm64/configs/defconfig", RELEVANCE_ARCHITECTURE, RELEVANCE_ARCHITECTURE},
        {"arch/arm64/include/asm/processor.h", RELEVANCE_ARCHITECTURE, RELEVANCE_ARCHITECTURE},
        {"arch/x86_64/other.c", RELEVANCE_ARCHITECTURE, RELEVANCE_ARCHITECTURE},
        /* Not of this configuration. */
        {"drivers/gpu/drm/amd/amdgpu/amdgpu_device.c", RELEVANCE_NOT_COMPILED,
         RELEVANCE_NOT_COMPILED},
        {"arch/x86/kvm/mmu/mmu.c", RELEVANCE_NOT_COMPILED, RELEVANCE_NOT_COMPILED},
        {"kernel/sched/other.c", RELEVANCE_NOT_COMPILED, RELEVANCE_NOT_COMPILED},
        {"drivers/gpu/drm/i915/gem.h", RELEVANCE_NOT_COMPILED, RELEVANCE_NOT_COMPILED},
        /* A new file may be found where another was. */
        {"include/linux/amdgpu.h", RELEVANCE_NOT_COMPILED, RELEVANCE_MATTERS},
        {"arch/x86/include/asm/hyperv.h", RELEVANCE_NOT_COMPILED, RELEVANCE_MATTERS},
        {"drivers/pci/sched.h", RELEVANCE_NOT_COMPILED, RELEVANCE_MATTERS},
        {"drivers/gpu/pci.h", RELEVANCE_NOT_COMPILED, RELEVANCE_MATTERS},
        {"drivers/gpu/pci.c", RELEVANCE_NOT_COMPILED, RELEVANCE_NOT_COMPILED},
        {"arch/x86/lib/memcpy_64.c", RELEVANCE_NOT_COMPILED, RELEVANCE_MATTERS},
        {"kernel/sched/fair.S", RELEVANCE_NOT_COMPILED, RELEVANCE_MATTERS},
    };
    struct relevance_range range;

    (void)state;
    set_up(&range);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect(&range, cases[i].path, false, cases[i].changed);
        expect(&range, cases[i].path, true, cases[i].added);
    }
    tear_down(&range);
}

/* Where a commit of the range changes build rules, a file may be compiled between the ends. */
static void changed_rules_put_their_directory_in_doubt(void **state)
{
    static const struct {
        const char *rule, *path;
        enum relevance expected;
    } cases[] = {
        {"drivers/gpu/Makefile", "drivers/gpu/core.c", RELEVANCE_MATTERS},
        {"drivers/gpu/Kbuild", "drivers/gpu/core.h", RELEVANCE_MATTERS},
        {"drivers/gpu/Kconfig", "drivers/gpu/core.c", RELEVANCE_MATTERS},
        {"drivers/gpu/Makefile", "drivers/gpu/drm/core.c", RELEVANCE_NOT_COMPILED},
        {"drivers/gpu/drm/Makefile", "drivers/gpu/core.c", RELEVANCE_NOT_COMPILED},
        {"drivers/gpu/Makefile.c", "drivers/gpu/core.c", RELEVANCE_MATTERS},
        {"drivers/gpu/Other.c", "drivers/gpu/core.c", RELEVANCE_NOT_COMPILED},
        {"drivers/gpu/Makefile", "drivers/gpu/README", RELEVANCE_DOCUMENTATION},
        {"arch/arm64/kernel/Makefile", "arch/arm64/kernel/process.c", RELEVANCE_ARCHITECTURE},
        {"tools/perf/Makefile", "tools/perf/perf.c", RELEVANCE_TOOLS},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct relevance_range range;

        set_up(&range);
        assert_success(relevance_note_rules(&range, cases[i].rule, &error));
        expect(&range, cases[i].path, false, cases[i].expected);
        tear_down(&range);
    }
}

static void answers_are_joined(void **state)
{
    (void)state;
    for (int a = 0; a < RELEVANCE_COUNT; a++) {
        for (int b = 0; b < RELEVANCE_COUNT; b++) {
            enum relevance both = relevance_join((enum relevance)a, (enum relevance)b);
            int expected = a == RELEVANCE_MATTERS || b == RELEVANCE_MATTERS ? 0 : a > b ? a : b;

            assert_int_equal(both, expected);
        }
    }
}

static void names_lead_back(void **state)
{
    enum relevance found;

    (void)state;
    for (int r = 0; r < RELEVANCE_COUNT; r++) {
        assert_true(relevance_from_name(relevance_name((enum relevance)r), &found));
        assert_int_equal(found, r);
    }
    assert_false(relevance_from_name("", &found));
    assert_false(relevance_from_name("Documentation", &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_path_has_its_answer),
        cmocka_unit_test(changed_rules_put_their_directory_in_doubt),
        cmocka_unit_test(answers_are_joined),
        cmocka_unit_test(names_lead_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
