/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The logs of failed builds, cut to the lines that matter; most are of Linux 6.1 with gcc 12. */
#include <string.h>

#include "build/build_log.h"
#include "scratch.h"

static void fault_of(const char *directory, const char *text, size_t length, enum build_fault *ret,
                     char line[BUILD_FAULT_SIZE])
{
    _cleanup_free_ char *path = path_join(directory, "log");
    struct culprit_error error = {0};

    assert_success(file_write_atomic(path, text, length, 0644, &error));
    assert_success(build_log_fault(path, "/culprit/source", ret, line, &error));
}

static void the_cause_is_found(void **state)
{
    static const struct {
        const char *name;
        const char *log;
        const char *line;
        enum build_fault fault;
    } cases[] = {
        {"syntax",
         "make: Entering directory '/culprit/source'\n"
         "make[1]: Entering directory '/culprit/build'\n"
         "  GEN     Makefile\n"
         "/culprit/source/kernel/sched/fair.c: In function 'culprit_broken':\n"
         "/culprit/source/kernel/sched/fair.c:56:35: error: 'nothing_here' undeclared (first use "
         "in this function)\n"
         "   56 | int culprit_broken(void) { return nothing_here; }\n"
         "/culprit/source/kernel/sched/fair.c:56:35: note: each undeclared identifier is reported "
         "only once for each function it appears in\n"
         "/culprit/source/kernel/sched/fair.c:56:49: error: control reaches end of non-void "
         "function [-Werror=return-type]\n"
         "cc1: some warnings being treated as errors\n"
         "make[4]: *** [/culprit/source/scripts/Makefile.build:255: kernel/sched/fair.o] Error 1\n"
         "make[3]: *** [/culprit/source/scripts/Makefile.build:508: kernel/sched] Error 2\n"
         "make[1]: Leaving directory '/culprit/build'\n"
         "make: *** [Makefile:250: __sub-make] Error 2\n",
         "kernel/sched/fair.c:56:35: error: 'nothing_here' undeclared (first use in this function)",
         BUILD_FAULT_SOURCE},
        {"link",
         "  MODPOST vmlinux.symvers\n"
         "ld: kernel/sched/fair.o: in function `culprit_broken':\n"
         "fair.c:(.text+0x5dd1): undefined reference to `culprit_missing'\n"
         "make[2]: *** [/culprit/source/scripts/Makefile.vmlinux:34: vmlinux] Error 1\n"
         "make[1]: *** [/culprit/source/Makefile:1296: vmlinux] Error 2\n"
         "make: *** [Makefile:250: __sub-make] Error 2\n",
         "kernel/sched/fair.o: fair.c:(.text+0x5dd1): undefined reference to `culprit_missing'",
         BUILD_FAULT_SOURCE},
        {"include",
         "/culprit/source/kernel/sched/fair.c:56:10: fatal error: no_such_header.h: No such file "
         "or directory\n"
         "   56 | #include \"no_such_header.h\"\n"
         "compilation terminated.\n"
         "make[4]: *** [/culprit/source/scripts/Makefile.build:255: kernel/sched/fair.o] Error 1\n"
         "make[3]: *** [/culprit/source/scripts/Makefile.build:508: kernel/sched] Error 2\n"
         "make: *** [Makefile:250: __sub-make] Error 2\n",
         "kernel/sched/fair.c:56:10: fatal error: no_such_header.h: No such file or directory",
         BUILD_FAULT_SOURCE},
        {"kconfig",
         "make: Entering directory '/culprit/source'\n"
         "make[1]: Entering directory '/culprit/config'\n"
         "init/Kconfig:3: syntax error\n"
         "init/Kconfig:2: unknown statement \"this\"\n"
         "make[4]: *** [/culprit/source/scripts/kconfig/Makefile:77: allnoconfig] Error 1\n"
         "make: *** [Makefile:250: __sub-make] Error 2\n",
         "init/Kconfig:3: syntax error", BUILD_FAULT_SOURCE},
        {"makefile",
         "make[4]: *** No rule to make target 'kernel/sched/no_such_file.o', needed by "
         "'kernel/sched/built-in.a'.  Stop.\n"
         "make[4]: *** Waiting for unfinished jobs....\n"
         "make[3]: *** [/culprit/source/scripts/Makefile.build:508: kernel/sched] Error 2\n"
         "make: *** [Makefile:250: __sub-make] Error 2\n",
         "make[4]: *** No rule to make target 'kernel/sched/no_such_file.o', needed by "
         "'kernel/sched/built-in.a'.  Stop.",
         BUILD_FAULT_SOURCE},
        {"asm",
         "/culprit/source/arch/x86/entry/entry_64.S: Assembler messages:\n"
         "/culprit/source/arch/x86/entry/entry_64.S:1609: Error: no such instruction: "
         "`nosuchinstruction %rax'\n"
         "make[4]: *** [/culprit/source/scripts/Makefile.build:390: arch/x86/entry/entry_64.o] "
         "Error 1\n"
         "make[3]: *** [/culprit/source/scripts/Makefile.build:508: arch/x86/entry] Error 2\n",
         "arch/x86/entry/entry_64.S:1609: Error: no such instruction: `nosuchinstruction %rax'",
         BUILD_FAULT_SOURCE},
        {"lld",
         "ld.lld: error: undefined symbol: culprit_missing\n"
         ">>> referenced by fair.c:57 (../kernel/sched/fair.c:57)\n"
         "make[1]: *** [Makefile:1167: vmlinux] Error 1\n",
         "ld.lld: error: undefined symbol: culprit_missing", BUILD_FAULT_SOURCE},
        {"relative paths", "../kernel/sched/core.c:8000:1: error: expected identifier or '('\n",
         "kernel/sched/core.c:8000:1: error: expected identifier or '('", BUILD_FAULT_SOURCE},
        {"a warning is no error",
         "/culprit/source/kernel/fork.c:12:3: warning: error: is only a word here\n"
         "make: *** [Makefile:250: __sub-make] Error 2\n",
         "make: *** [Makefile:250: __sub-make] Error 2", BUILD_FAULT_SOURCE},
        {"out of memory",
         "/culprit/source/mm/slub.c:1:1: error: later\n"
         "gcc: fatal error: Killed signal terminated program cc1\n"
         "compilation terminated.\n",
         "gcc: fatal error: Killed signal terminated program cc1", BUILD_FAULT_HOST},
        {"out of memory in the linker",
         "collect2: fatal error: ld terminated with signal 9 [Killed]\n"
         "compilation terminated.\n"
         "make[2]: *** [scripts/Makefile.host:100: tools/objtool/objtool] Error 1\n",
         "collect2: fatal error: ld terminated with signal 9 [Killed]", BUILD_FAULT_HOST},
        {"out of memory in a program that make runs",
         "  LD      vmlinux.o\n"
         "make[1]: *** [/culprit/source/scripts/Makefile.vmlinux_o:61: vmlinux.o] Killed\n"
         "make: *** [Makefile:250: __sub-make] Error 2\n",
         "make[1]: *** [scripts/Makefile.vmlinux_o:61: vmlinux.o] Killed", BUILD_FAULT_HOST},
        {"out of memory behind a shell",
         "  LD      .tmp_vmlinux.kallsyms1\n"
         "Killed\n"
         "make[1]: *** [/culprit/source/Makefile:1296: vmlinux] Error 137\n",
         "make[1]: *** [Makefile:1296: vmlinux] Error 137", BUILD_FAULT_HOST},
        {"disk full",
         "/tmp/ccHaC4vO.s: Fatal error: can't write 25 bytes to section .text of "
         "mm/slub.o: 'No space left on device'\n"
         "make[3]: *** [scripts/Makefile.build:250: mm/slub.o] Error 1\n",
         "/tmp/ccHaC4vO.s: Fatal error: can't write 25 bytes to section .text of "
         "mm/slub.o: 'No space left on device'",
         BUILD_FAULT_HOST},
        {"a rule writes into the source tree",
         "/bin/sh: 1: cannot create /culprit/source/lib/table.h: Read-only file system\n"
         "make[2]: *** [/culprit/source/lib/Makefile:300: lib/table.h] Error 2\n",
         "/bin/sh: 1: cannot create lib/table.h: Read-only file system", BUILD_FAULT_SOURCE},
        {"a tool is missing",
         "  LEX     scripts/kconfig/lexer.lex.c\n"
         "/bin/sh: 1: flex: not found\n"
         "make[3]: *** [scripts/Makefile.host:9: scripts/kconfig/lexer.lex.c] Error 127\n",
         "/bin/sh: 1: flex: not found", BUILD_FAULT_HOST},
        {"a tool is missing, in bash's words",
         "/bin/bash: line 1: bc: command not found\n"
         "make[2]: *** [/culprit/source/Kbuild:24: include/generated/timeconst.h] Error 127\n",
         "/bin/bash: line 1: bc: command not found", BUILD_FAULT_HOST},
        {"a tool is missing, in make's words",
         "make[2]: bison: No such file or directory\n"
         "make[2]: *** [scripts/Makefile.host:17: scripts/kconfig/parser.tab.c] Error 127\n",
         "make[2]: bison: No such file or directory", BUILD_FAULT_HOST},
        {"a script of the tree is missing",
         "/bin/sh: 1: /culprit/source/scripts/mksysmap: not found\n"
         "make[1]: *** [/culprit/source/Makefile:1296: vmlinux] Error 127\n",
         "make[1]: *** [Makefile:1296: vmlinux] Error 127", BUILD_FAULT_SOURCE},
        {"a script of the tree is missing, in make's words",
         "make[1]: ./scripts/check.sh: No such file or directory\n"
         "make[1]: *** [/culprit/source/Makefile:1300: check] Error 127\n",
         "make[1]: *** [Makefile:1300: check] Error 127", BUILD_FAULT_SOURCE},
        {"a variable of a Makefile is empty",
         "/bin/sh: 1: -o: not found\n"
         "make[2]: *** [/culprit/source/lib/Makefile:300: lib/table.h] Error 127\n",
         "make[2]: *** [lib/Makefile:300: lib/table.h] Error 127", BUILD_FAULT_SOURCE},
        {"a script for another shell",
         "/bin/sh: 3: [[: not found\n"
         "make[2]: *** [/culprit/source/lib/Makefile:300: lib/table.h] Error 2\n",
         "make[2]: *** [lib/Makefile:300: lib/table.h] Error 2", BUILD_FAULT_SOURCE},
        {"the compiler speaks of what is not found",
         "/culprit/source/kernel/fork.c:9:1: error: section attribute not found\n"
         "/bin/sh: 1: of kernel: not found here\n",
         "kernel/fork.c:9:1: error: section attribute not found", BUILD_FAULT_SOURCE},
        {"the compiler shows a line that speaks of a full disk",
         "/culprit/source/fs/ext4/super.c:56:9: error: implicit declaration of function 'warn'\n"
         "   56 |         warn(sb, \"No space left on device\n"
         "12345 | static const char *text = \"Cannot allocate memory\";\n"
         "         pr_err(\"virtual memory exhausted\");\n"
         "/culprit/source/fs/ext4/super.c:60:2: error: #error \"No space left on device\"\n",
         "fs/ext4/super.c:56:9: error: implicit declaration of function 'warn'",
         BUILD_FAULT_SOURCE},
        {"the kernel wants a header of the host",
         "/culprit/source/kernel/fork.c:7:10: fatal error: gelf.h: No such file or directory\n",
         "kernel/fork.c:7:10: fatal error: gelf.h: No such file or directory", BUILD_FAULT_SOURCE},
        {"a library is missing",
         "/culprit/source/tools/objtool/include/objtool/elf.h:10:10: fatal error: gelf.h: No such "
         "file or directory\n",
         "tools/objtool/include/objtool/elf.h:10:10: fatal error: gelf.h: No such file or "
         "directory",
         BUILD_FAULT_HOST},
        {"no user namespaces",
         "bwrap: No permissions to create new namespace, likely because the kernel does not allow "
         "non-privileged user namespaces.\n",
         "bwrap: No permissions to create new namespace, likely because the kernel does not allow "
         "non-privileged user namespaces.",
         BUILD_FAULT_HOST},
        {"only the last line", "something odd\nhappened here \n\n", "happened here",
         BUILD_FAULT_SOURCE},
        {"control characters", "a.c:1:2: error: \x1b[31mred\ttext\r\n",
         "a.c:1:2: error:  [31mred text", BUILD_FAULT_SOURCE},
        {"no end of line", "a.c:1:2: error: cut", "a.c:1:2: error: cut", BUILD_FAULT_SOURCE},
        {"nothing", "", "", BUILD_FAULT_SOURCE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum build_fault fault;
        char line[BUILD_FAULT_SIZE];

        fault_of(*state, cases[i].log, strlen(cases[i].log), &fault, line);
        if (strcmp(line, cases[i].line) != 0 || fault != cases[i].fault)
            fail_msg("%s: \"%s\" (%s)", cases[i].name, line,
                     fault == BUILD_FAULT_HOST ? "host" : "source");
    }
}

/* A log is another's text: lines without end and bytes without meaning. */
static void hostile_logs_are_survived(void **state)
{
    enum { LENGTH = 3 << 20 };
    static const char last[] = "\nb.c:1:1: error: after all that\n";
    _cleanup_free_ char *log = malloc(LENGTH + sizeof last);
    enum build_fault fault;
    char line[BUILD_FAULT_SIZE];

    assert_non_null(log);
    memset(log, 'x', LENGTH);
    for (size_t i = 0; i < LENGTH / 3; i++)
        log[i] = (char)(i % 251 == 10 ? 0 : i % 251);
    memcpy(log + LENGTH, last, sizeof last);
    fault_of(*state, log, LENGTH + strlen(last), &fault, line);
    assert_string_equal(line, "b.c:1:1: error: after all that");
    memset(log, 'y', LENGTH);
    memcpy(log, "a.c:1:1: error: ", 16);
    fault_of(*state, log, LENGTH, &fault, line);
    assert_int_equal(strlen(line), BUILD_FAULT_SIZE - 1);
}

static void a_missing_log_is_told(void **state)
{
    struct culprit_error error = {0};
    enum build_fault fault;
    char line[BUILD_FAULT_SIZE];

    (void)state;
    assert_failure(build_log_fault("/nonexistent/log", "/s", &fault, line, &error),
                   CULPRIT_NOT_FOUND);
    assert_contains(error.message, "/nonexistent/log");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(the_cause_is_found),
        scratch_test(hostile_logs_are_survived),
        cmocka_unit_test(a_missing_log_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
