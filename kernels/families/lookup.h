/* SPDX-License-Identifier: MIT */
/*
 * Shapes of the table look-ups, shared by their scripts (lookup.c) and their kernels (lookup.cu).
 * Internal to kernels/.
 *
 * A case has as many records as rows and as many values as columns. A record is four floats: the
 * coefficients of a cubic on its part of 0 to 1.
 */
#pragma once

#include "families.h"

SMP_C_BEGIN

#define SMP_LOOKUP_FIELDS 4 /* floats per record */
#define SMP_LOOKUP_PADDED 5
#define SMP_LOOKUP_COPIES 8 /* copies: one for each 16 bytes of the banks */
#define SMP_LOOKUP_EACH 4   /* values per load of a thread */
#define SMP_LOOKUP_THREADS 512
#define SMP_LOOKUP_BLOCKS 264 /* at most */
#define SMP_LOOKUP_RECORDS_MAX 4096
#define SMP_LOOKUP_COPIES_MAX 1000 /* records, with copies: 125 KiB */
/* The table lies in front of the values, which begin at a multiple of this many bytes. */
#define SMP_LOOKUP_ALIGN 256

smp_launch_function smp_lookup_launch_global, smp_lookup_launch_shared, smp_lookup_launch_padded,
    smp_lookup_launch_swizzled, smp_lookup_launch_vector, smp_lookup_launch_copies;

/* Bytes of the table, with the padding behind it. */
static inline uint64_t smp_lookup_table_bytes(uint64_t records) {
    return smp_divide_up(records * SMP_LOOKUP_FIELDS * sizeof(float), SMP_LOOKUP_ALIGN) *
           SMP_LOOKUP_ALIGN;
}

/* Vectors of values; the last one is padded. */
static inline uint64_t smp_lookup_vectors(const smp_kernel_case *problem) {
    return smp_divide_up(problem->columns, SMP_LOOKUP_EACH);
}

static inline uint32_t smp_lookup_blocks(const smp_kernel_case *problem) {
    const uint64_t chunks = smp_divide_up(smp_lookup_vectors(problem), SMP_LOOKUP_THREADS);
    return chunks < SMP_LOOKUP_BLOCKS ? (uint32_t)chunks : SMP_LOOKUP_BLOCKS;
}
SMP_C_END
