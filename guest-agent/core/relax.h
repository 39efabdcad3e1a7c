/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a loop that waits for the clock does between two looks at it: tells the CPU that it only
 * waits. In the deterministic engine this is more than a hint. All virtual CPUs share one host
 * thread there and each runs until its slice of instructions is used up or it gives way, so that
 * a woken CPU waits for whole slices (milliseconds) of CPUs that spin without giving way. With
 * the hint it is their turn after a few instructions each, and wakeup latencies are a tenth.
 */
#ifndef CULPRIT_AGENT_RELAX_H
#define CULPRIT_AGENT_RELAX_H

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#else
    __asm__ volatile("" ::: "memory");
#endif
}

#endif
