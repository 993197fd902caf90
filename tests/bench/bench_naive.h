/* SPDX-License-Identifier: MIT */
/*
 * What an engine without anything but operations does: a switch over six of them, 32 lanes each, no
 * predicates, no checks, nobody who judges. bench_emulate compares itself with it.
 */
#ifndef SMP_BENCH_NAIVE_H
#define SMP_BENCH_NAIVE_H

/* Thread-instructions a second, in billions: of the CPU's time with one thread, else of the wall's,
 * each thread with rows and memory of its own. */
double bench_naive(unsigned threads);

#endif
