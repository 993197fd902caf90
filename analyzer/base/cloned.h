/* SPDX-License-Identifier: MIT */
/*
 * Marks functions of plain loops over lanes that are compiled for several instruction sets; the
 * loader picks the best one for the CPU. Internal to analyzer/.
 */
#pragma once

#if !defined(__x86_64__) || !defined(__GNUC__) || defined(__clang__) || !defined(SMP_CLONES)
#define LANES_CLONED
#elif __GNUC__ < 12 /* knows the levels, but not how a loader picks one (Ubuntu 22.04: 11) */
#define LANES_CLONED \
    __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define LANES_CLONED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
