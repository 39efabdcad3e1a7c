/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build directories in small: .cmd files cut down to the lines and words that matter, as kbuild of
 * Linux 6.1 and 6.12 writes them. */
#include <string.h>

#include "base/buffer.h"
#include "build/read_inputs.h"
#include "scratch.h"

static struct culprit_error error;

/* All paths in order, a space behind each. */
static char *paths_of(const struct inputs *inputs)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(1 << 16);
    char *paths, *end;

    assert_success(inputs_write(inputs, &text, &error));
    paths = strdup(strchr(text.data, '\n') + 1);
    end = strstr(paths, ".\n");
    while (end != paths && end[-1] != '\n')
        end = strstr(end + 1, ".\n");
    *end = '\0';
    for (char *at = paths; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    return paths;
}

static void each_cmd_names_what_was_read(void **state)
{
    static const struct {
        const char *name;
        const char *text;
        const char *paths;
    } cases[] = {
        {"a compiled source",
         "cmd_kernel/fork.o := gcc -Wp,-MMD,kernel/.fork.o.d -nostdinc "
         "-I/culprit/source/arch/x86/include -I./arch/x86/include/generated "
         "-I/culprit/source/include -include /culprit/source/include/linux/kconfig.h -D__KERNEL__ "
         "-fmacro-prefix-map=/culprit/source/= -O2 -I /culprit/source/kernel "
         "-DKBUILD_MODFILE='\"kernel/fork\"' -c -o kernel/fork.o /culprit/source/kernel/fork.c ; "
         "./tools/objtool/objtool --orc kernel/fork.o\n"
         "\n"
         "source_kernel/fork.o := /culprit/source/kernel/fork.c\n"
         "\n"
         "deps_kernel/fork.o := \\\n"
         "    $(wildcard include/config/SMP) \\\n"
         "  /culprit/source/include/linux/compiler-version.h \\\n"
         "  include/generated/autoconf.h \\\n"
         "  /culprit/source/kernel/sched/../smpboot.h \\\n"
         "  /usr/lib/gcc/x86_64-linux-gnu/12/include/stdarg.h \\\n"
         "\n"
         "kernel/fork.o: $(deps_kernel/fork.o)\n",
         "include/linux/compiler-version.h include/linux/kconfig.h kernel/fork.c "
         "kernel/smpboot.h "},
        {"a compiled source of 6.12",
         "savedcmd_mm/slub.o := gcc -Wp,-MMD,mm/.slub.o.d -c -o mm/slub.o "
         "/culprit/source/mm/slub.c \n"
         "\n"
         "source_mm/slub.o := /culprit/source/mm/slub.c\n",
         "mm/slub.c "},
        {"a generated table",
         "cmd_arch/x86/include/generated/asm/syscalls_64.h := sh "
         "/culprit/source/scripts/syscalltbl.sh --abis common,64 "
         "/culprit/source/arch/x86/entry/syscalls/syscall_64.tbl "
         "arch/x86/include/generated/asm/syscalls_64.h\n",
         "arch/x86/entry/syscalls/syscall_64.tbl scripts/syscalltbl.sh "},
        {"a pipe and quotes",
         "cmd_arch/x86/boot/cpu.h := awk -f \"/culprit/source/arch/x86/boot/a.awk\" "
         "'/culprit/source/arch/x86/boot/b.txt'|cat>/culprit/source/c.h;cat</culprit/source/d.h\n",
         "arch/x86/boot/a.awk arch/x86/boot/b.txt c.h d.h "},
        {"an object file", "cmd_vmlinux.o := ld -m elf_x86_64 -r -o vmlinux.o vmlinux.a\n", ""},
        {"a list of prerequisites",
         "/culprit/build/tools/objtool/fixdep.o: /culprit/source/tools/build/fixdep.c \\\n"
         " /usr/include/stdc-predef.h /usr/include/stdio.h\n",
         "tools/build/fixdep.c "},
        {"another tree of a like name",
         "cmd_a.o := gcc -c /culprit/source2/a.c /culprit/sourcery/b.c /culprit/source\n", ""},
        {"the end of the text", "/culprit/source/a.c", "a.c "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CULPRIT_CLEANUP(inputs_free) struct inputs *inputs = NULL;
        _cleanup_free_ char *paths = NULL;

        assert_success(inputs_new("x86", &inputs, &error));
        assert_success(
            inputs_of_cmd(cases[i].text, strlen(cases[i].text), "/culprit/source", inputs, &error));
        paths = paths_of(inputs);
        if (strcmp(paths, cases[i].paths) != 0)
            fail_msg("%s: \"%s\" instead of \"%s\"", cases[i].name, paths, cases[i].paths);
    }
}

static const char auto_conf_cmd[] = "autoconfig := include/config/auto.conf\n"
                                    "\n"
                                    "deps_config := \\\n"
                                    "\tKconfig \\\n"
                                    "\t$(srctree)/init/Kconfig \\\n"
                                    "\tarch/arm/crypto/Kconfig\n"
                                    "\n"
                                    "$(autoconfig): $(deps_config)\n"
                                    "\n"
                                    "ifneq \"$(SRCARCH)\" \"x86\"\n"
                                    "include/config/auto.conf: FORCE\n"
                                    "endif\n";

static void kconfig_files_are_listed(void **state)
{
    CULPRIT_CLEANUP(inputs_free) struct inputs *inputs = NULL;
    _cleanup_free_ char *paths = NULL;

    (void)state;
    assert_success(inputs_new("x86", &inputs, &error));
    assert_success(inputs_of_kconfig(auto_conf_cmd, inputs, &error));
    paths = paths_of(inputs);
    assert_string_equal(paths, "Kconfig arch/arm/crypto/Kconfig init/Kconfig ");
    assert_failure(inputs_of_kconfig("$(deps_config): ;\n", inputs, &error), CULPRIT_INVALID);
}

static void put(const char *directory, const char *name, const char *text)
{
    _cleanup_free_ char *path = path_join(directory, name);
    _cleanup_free_ char *parent = path_directory(path);

    assert_success(file_make_directories(parent, 0755, &error));
    assert_success(file_write_atomic(path, text, strlen(text), 0644, &error));
}

static void make_build(const char *build)
{
    put(build, "include/config/auto.conf.cmd", auto_conf_cmd);
    put(build, "include/config/auto.conf", "\nCONFIG_SMP=y\n");
    put(build, "init/.main.o.cmd",
        "source_init/main.o := /culprit/source/init/main.c\n\ndeps_init/main.o := \\\n"
        "  /culprit/source/include/linux/kconfig.h \\\n\n");
    put(build, "scripts/kconfig/.conf.o.cmd",
        "source_scripts/kconfig/conf.o := /culprit/source/scripts/kconfig/conf.c\n");
    put(build, "tools/objtool/.fixdep.o.d", "fixdep.o: /culprit/source/tools/build/fixdep.c\n");
    put(build, "kernel/fork.cmd", "/culprit/source/kernel/not_hidden.c\n");
    put(build, "kernel/.fork.o", "/culprit/source/kernel/not_a_list.c\n");
}

static void a_build_directory_is_read(void **state)
{
    CULPRIT_CLEANUP(inputs_free) struct inputs *inputs = NULL;
    _cleanup_free_ char *build = path_join(*state, "build");
    _cleanup_free_ char *paths = NULL;

    make_build(build);
    assert_success(read_inputs(build, "/culprit/source", "x86", &inputs, &error));
    paths = paths_of(inputs);
    assert_string_equal(paths, "Kconfig arch/arm/crypto/Kconfig include/linux/kconfig.h "
                               "init/Kconfig init/main.c scripts/kconfig/conf.c "
                               "tools/build/fixdep.c ");
}

/* No list is better than one with holes. */
static void what_is_not_understood_gives_no_list(void **state)
{
    static const struct {
        const char *name, *text; /* NULL: removed */
        enum culprit_code code;
    } cases[] = {
        {"include/config/auto.conf.cmd", NULL, CULPRIT_NOT_FOUND},
        {"include/config/auto.conf.cmd", "nothing\n", CULPRIT_INVALID},
        {"include/config/auto.conf", NULL, CULPRIT_NOT_FOUND},
        {"include/config/auto.conf", "\nCONFIG_IKHEADERS=y\n", CULPRIT_UNSUPPORTED},
        {"init/.main.o.cmd", NULL, CULPRIT_INVALID},
        {"init/.main.o.cmd", "source_init/main.o := ../source/init/main.c\n", CULPRIT_INVALID},
        {"scripts/kconfig/.conf.o.cmd", NULL, CULPRIT_INVALID},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        _cleanup_free_ char *build = text_format("%s/%zu", (const char *)*state, i);
        _cleanup_free_ char *path = path_join(build, cases[i].name);
        struct inputs *inputs = NULL;

        make_build(build);
        assert_success(file_remove_tree(path, &error));
        if (cases[i].text)
            put(build, cases[i].name, cases[i].text);
        assert_failure(read_inputs(build, "/culprit/source", "x86", &inputs, &error),
                       cases[i].code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_cmd_names_what_was_read),
        cmocka_unit_test(kconfig_files_are_listed),
        scratch_test(a_build_directory_is_read),
        scratch_test(what_is_not_understood_gives_no_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
