/* SPDX-License-Identifier: MIT */
/*
 * CuTe layouts. A shape:stride layout maps each coordinate to a sum of digit x stride, the digits
 * being those of the coordinate in the mixed base of the shapes, first one fastest. Swizzle<B,M,S>
 * then exclusive-ors B bits, S places apart, above the M lowest, which it keeps. Source: CUTLASS
 * documentation, "CuTe Layouts", and cute/swizzle.hpp.
 */
#include <string.h>

#include "layout_view.h"

int64_t smp_mode_offset(const smp_mode_table *table, unsigned dim, int64_t index) {
    const smp_mode *mode = &table->dims[dim];
    int64_t offset = 0;
    for (unsigned i = 0; i + 1 < mode->leaf_count; i++) {
        offset += index % mode->shape[i] * mode->stride[i];
        index /= mode->shape[i];
    }
    return offset + index * mode->stride[mode->leaf_count - 1];
}

int64_t smp_mode_table_offset(const smp_mode_table *table, int64_t index) {
    int64_t offset = 0;
    for (unsigned d = 0; d < table->dim_count; d++) {
        const int64_t extent = table->dims[d].extent;
        offset += smp_mode_offset(table, d, index % extent);
        index /= extent;
    }
    return offset;
}

static uint64_t swizzle_index(smp_swizzle swizzle, uint64_t index) {
    unsigned distance = (unsigned)(swizzle.shift < 0 ? -swizzle.shift : swizzle.shift);
    uint64_t bits = (UINT64_C(1) << swizzle.bits) - 1;
    uint64_t low = bits << swizzle.base, high = low << distance;
    return swizzle.shift < 0 ? index ^ ((index & low) << distance)
                             : index ^ ((index & high) >> distance);
}

int64_t smp_swizzle_bytes(const smp_mode_table *table, int64_t offset) {
    if (offset < 0)
        return offset;
    int64_t index = offset / table->element_bytes, rest = offset % table->element_bytes;
    uint64_t swizzled = swizzle_index(table->swizzle, (uint64_t)index);
    return (int64_t)swizzled * table->element_bytes + rest;
}

/* The exclusive-or changes no bit above those it writes: blocks of this many elements are permuted
 * in themselves. */
static int64_t swizzle_atom(smp_swizzle swizzle) {
    int upwards = swizzle.shift < 0 ? -swizzle.shift : 0;
    return INT64_C(1) << (swizzle.bits + swizzle.base + upwards);
}

int64_t smp_mode_table_span(const smp_mode_table *table) {
    int64_t last = 0;
    for (unsigned d = 0; d < table->dim_count; d++) {
        const smp_mode *mode = &table->dims[d];
        for (unsigned i = 0; i < mode->leaf_count; i++)
            last += (int64_t)(mode->shape[i] - 1) * mode->stride[i];
    }
    int64_t atom = table->swizzle.present ? swizzle_atom(table->swizzle) : 1;
    return (last + atom) / atom * atom;
}

void smp_mode_table_row_major(smp_mode_table *table) {
    int64_t stride = 1;
    for (unsigned d = table->dim_count; d-- > 0;) {
        smp_mode *mode = &table->dims[d];
        mode->leaf_count = 1;
        mode->shape[0] = mode->extent;
        mode->stride[0] = stride;
        stride *= mode->extent;
    }
    table->is_row_major = true;
}

int64_t smp_array_element(const smp_array *array, uint64_t index, uint32_t digits[SMP_DIMS_MAX]) {
    const smp_mode_table *table = &array->table;
    int64_t offset = 0;
    for (uint32_t d = table->dim_count; d-- > 0;) {
        uint32_t extent = table->dims[d].extent;
        digits[d] = (uint32_t)(index % extent);
        index /= extent;
        offset += smp_mode_offset(table, d, digits[d]);
    }
    offset *= table->element_bytes;
    return table->swizzle.present ? smp_swizzle_bytes(table, offset) : offset;
}
