/* SPDX-License-Identifier: MIT */
/*
 * An engine that only executes: a switch over six operations, 32 lanes each, without predicates,
 * checks or judging. bench_emulate compares itself with it.
 */
#pragma once

/* Thread-instructions a second, in billions: of the CPU's time with one thread, else of the wall's,
 * each thread with rows and memory of its own. */
double bench_naive(unsigned threads);
