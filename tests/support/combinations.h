/* SPDX-License-Identifier: MIT */
/*
 * Every architecture in every bank mode, with every operation and width that the
 * model gives a number for.
 */
#pragma once

#include "smp_model.h"

#define COMBINATIONS_MAX 4096

typedef struct combination {
    smp_arch arch;
    smp_op op;
    unsigned width_bytes;
} combination;

typedef struct combination_list {
    size_t count;
    combination entries[COMBINATIONS_MAX];
} combination_list;

/* All combinations of one major compute capability, or of all (0). Static storage, refilled by
 * each call. */
const combination_list *combinations_collect(int major);
