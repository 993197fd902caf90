/* SPDX-License-Identifier: MIT */
/*
 * cloned.h: marks functions of plain loops over lanes that are compiled for several instruction
 * sets; the loader picks the best one for the CPU. Internal to analyzer/.
 */
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(SMP_CLONES)
#define LANES_CLONED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define LANES_CLONED
#endif
