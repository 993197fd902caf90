/* SPDX-License-Identifier: MIT */
/*
 * Layouts that are not plain row-major arrays: CuTe's shape:stride and Swizzle<B,M,S>.
 * All numbers count elements of the array.
 */
#ifndef SMP_ARRAY_LAYOUT_H
#define SMP_ARRAY_LAYOUT_H

#include "smp_model.h"

enum { SMP_DIMS_MAX = 4, SMP_LEAVES_MAX = 6 };

/* Index in one dimension -> sum of (digit x stride), digits by the shapes, the first fastest. */
typedef struct smp_mode {
    uint32_t extent; /* product of the shapes; 0: unknown (only the first dimension) */
    uint32_t leaf_count;
    uint32_t shape[SMP_LEAVES_MAX];
    int64_t stride[SMP_LEAVES_MAX];
} smp_mode;

/* CuTe: x ^ ((x & mask) >> shift), the mask having `bits` bits from bit base + max(0, shift); a
 * negative shift goes the other way. */
typedef struct smp_swizzle {
    bool present;
    uint8_t bits, base;
    int8_t shift;
} smp_swizzle;

typedef struct smp_mode_table {
    uint32_t dim_count;
    smp_mode dims[SMP_DIMS_MAX];
    smp_swizzle swizzle;
    uint32_t element_bytes;
    bool is_row_major; /* strides are those of a C array */
} smp_mode_table;

/* Offset in elements of `index` in dimension `dim`. */
int64_t smp_mode_offset(const smp_mode_table *table, unsigned dim, int64_t index);
/* The same of an index into all dimensions together, the first one fastest. */
int64_t smp_mode_table_offset(const smp_mode_table *table, int64_t index);
uint64_t smp_swizzle_index(smp_swizzle swizzle, uint64_t index);
/* Swizzles the element that byte `offset` lies in. */
int64_t smp_swizzle_bytes(const smp_mode_table *table, int64_t offset);
/* Elements that the table reaches: the largest offset + 1, rounded up to whole swizzle atoms. */
int64_t smp_mode_table_span(const smp_mode_table *table);
/* Sets the strides of a C array over the extents. */
void smp_mode_table_row_major(smp_mode_table *table);

#endif
