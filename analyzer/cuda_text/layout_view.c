/* SPDX-License-Identifier: MIT */
/*
 * Read access to a layout, and the positions of its arrays and elements.
 *
 * All dynamic (extern) arrays begin after the static ones, at a multiple of 16 or of their largest
 * alignment. Source: the size of the section .nv.shared that nvcc 13.0 writes for CC 7.5 and 9.0.
 *
 * CuTe: a shape:stride layout maps each coordinate to a sum of digit x stride. The digits are those
 * of the coordinate in the mixed base of the shapes, first one fastest. Swizzle<B,M,S> then
 * exclusive-ors B bits, S places apart, above the M lowest, which it keeps. Source: CUTLASS
 * documentation, "CuTe Layouts", and cute/swizzle.hpp.
 */
#include <inttypes.h>
#include <string.h>

#include "kernel.h"
#include "layout_view.h"

/* ---- CuTe's layouts ---- */

int64_t smp_mode_offset(const smp_mode_table *table, unsigned dim, int64_t index) {
    const smp_mode *mode = &table->dims[dim];
    int64_t offset = 0;
    for (unsigned i = 0; i + 1 < mode->leaf_count; i++) {
        offset += index % mode->shape[i] * mode->stride[i];
        index /= mode->shape[i];
    }
    return offset + index * mode->stride[mode->leaf_count - 1];
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

#define DYNAMIC_ALIGN 16u

/* ---- Arrays ---- */

int smp_array_find(const smp_layout *kernel, const char *name, size_t length) {
    for (uint32_t i = kernel->array_count; i-- > 0;) {
        const smp_array *array = &kernel->arrays[i];
        if (array->length == length && memcmp(array->name, name, length) == 0)
            return (int)i;
    }
    return -1;
}

uint64_t ct_space_end(const smp_layout *kernel, smp_space space) {
    uint64_t most = 0;
    EACH(const smp_array, a, kernel->arrays, kernel->array_count)
        if (a->space == space && !a->is_dynamic && a->base_bytes + a->size_bytes > most)
            most = a->base_bytes + a->size_bytes;
    return most;
}

uint64_t smp_dynamic_base(const smp_layout *kernel, uint64_t static_bytes) {
    uint64_t align = DYNAMIC_ALIGN;
    EACH(const smp_array, a, kernel->arrays, kernel->array_count)
        if (a->is_dynamic && a->align > align)
            align = a->align;
    return ct_round_up(static_bytes, align);
}

uint64_t smp_array_base(const smp_layout *kernel, const smp_array *array) {
    if (!array->is_dynamic)
        return array->base_bytes;
    return smp_dynamic_base(kernel, ct_space_end(kernel, SMP_SPACE_SHARED)) + array->base_bytes;
}

uint64_t smp_layout_shared_bytes(const smp_layout *kernel) {
    uint64_t most = ct_space_end(kernel, SMP_SPACE_SHARED);
    EACH(const smp_array, a, kernel->arrays, kernel->array_count) {
        uint64_t end = smp_array_base(kernel, a) + a->size_bytes;
        if (a->space == SMP_SPACE_SHARED && a->is_dynamic && end > most)
            most = end;
    }
    return most;
}

/* ---- What a layout holds ---- */

uint32_t smp_layout_array_count(const smp_layout *layout) {
    return layout->array_count;
}

const smp_array *smp_layout_array(const smp_layout *layout, size_t index) {
    return &layout->arrays[index];
}

uint32_t smp_layout_data_count(const smp_layout *layout) {
    return layout->data_count;
}

const smp_array *smp_layout_data_array(const smp_layout *layout, size_t index) {
    const ct_data *data = &layout->data[index];
    const int array = smp_array_find(layout, data->name.text, data->name.length);
    return array >= 0 ? &layout->arrays[array] : NULL;
}

const smp_request *smp_layout_request(const smp_layout *layout, size_t index) {
    return &layout->accesses[index];
}

const smp_constant *smp_layout_constants(const smp_layout *layout, size_t *count) {
    *count = layout->constant_count;
    return layout->constants;
}

const smp_array *smp_layout_target(const smp_layout *layout, size_t index) {
    return &layout->arrays[layout->accesses[index].target.array];
}

uint64_t smp_layout_block_count(const smp_layout *layout) {
    const uint32_t *grid = layout->grid;
    return (uint64_t)grid[0] * grid[1] * grid[2];
}

void smp_layout_go_to_block(smp_layout *layout, uint64_t block) {
    for (int i = 0; i < 3; i++) {
        layout->block_index[i] = (uint32_t)(block % layout->grid[i]);
        block /= layout->grid[i];
    }
}

bool smp_layout_has_kernel(const smp_layout *layout) {
    return layout->has_kernel;
}

size_t smp_layout_access_count(const smp_layout *layout) {
    return layout->access_count;
}

size_t smp_layout_arch_count(const smp_layout *layout) {
    return layout->arch_count;
}

const smp_arch *smp_layout_arch(const smp_layout *layout, size_t index) {
    return layout->archs[index];
}

void smp_layout_block(const smp_layout *layout, uint32_t block[3]) {
    memcpy(block, layout->block, sizeof layout->block);
}

smp_status smp_layout_check_memory(const smp_layout *layout, const smp_arch *arch,
                                   smp_error *error) {
    uint64_t bytes = smp_layout_shared_bytes(layout);
    uint64_t limit = (uint64_t)arch->shared_block_kib * 1024;
    if (bytes <= limit)
        return SMP_OK;
    return smp_error_set(error, SMP_E_RANGE, -1,
                         "the arrays take %" PRIu64
                         " bytes, but a block on %s has at most %" PRIu64,
                         bytes, arch->name, limit);
}

void smp_layout_access_at(const smp_layout *layout, size_t index, smp_layout_access *out) {
    const smp_request *request = &layout->accesses[index];
    *out = (smp_layout_access){.text = request->text,
                               .length = request->length,
                               .is_implied = request->is_implied,
                               .line = request->line,
                               .op = request->op,
                               .width_bytes = request->width_bytes,
                               .parts = request->parts};
}

const char *smp_layout_access_array(const smp_layout *layout, size_t index, size_t *length) {
    const smp_array *array = smp_layout_target(layout, index);
    *length = array->length;
    return array->name;
}
