/* SPDX-License-Identifier: MIT */
/* Random accesses for the tests that run on a GPU, and their text. */
#pragma once

#include <stdio.h>

#include "smp_model.h"

/* A small generator of its own, so that a seed gives the same accesses everywhere. */
typedef struct gpu_random {
    uint64_t state;
} gpu_random;

uint32_t gpu_random_below(gpu_random *random, uint32_t bound);

/* A valid access of `op`: offsets and addresses drawn from one of several shapes (scattered,
 * strided, permuted, few distinct, equal in pairs), the mask full, random or a prefix (of matrix
 * operations full, which the instruction demands). */
smp_access gpu_random_access(gpu_random *random, smp_op op, uint32_t width_bytes);

/* The same with addresses in few lines of 128 bytes, anywhere in `area_bytes`, and any unit of
 * `width_bytes` in each (or the lane's own). */
smp_access gpu_random_lines(gpu_random *random, smp_op op, uint32_t width_bytes,
                            uint64_t area_bytes);

/* "MASK,OFF0 OFF1 ...,ADDRESS0 ADDRESS1 ...": the fields of a CSV row. */
void gpu_access_print(FILE *out, const smp_access *access);
