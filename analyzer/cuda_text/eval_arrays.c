/* SPDX-License-Identifier: MIT */
/*
 * Where arrays lie. Dynamic (extern) arrays all begin behind the static ones, at a multiple of 16
 * or of the largest alignment that one of them asks for: the size of the section .nv.shared that
 * nvcc 13.0 writes for CC 7.5 and 9.0.
 */
#include <string.h>

#include "kernel.h"

#define DYNAMIC_ALIGN 16u

int ct_array_find(const ct_kernel *kernel, const char *name, size_t length) {
    for (uint32_t i = kernel->array_count; i-- > 0;) {
        const smp_array *array = &kernel->arrays[i];
        if (array->length == length && memcmp(array->name, name, length) == 0)
            return (int)i;
    }
    return -1;
}

uint64_t ct_space_end(const ct_kernel *kernel, smp_space space, uint32_t count) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        const smp_array *a = &kernel->arrays[i];
        if (a->space == space && !a->is_dynamic && a->base_bytes + a->size_bytes > most)
            most = a->base_bytes + a->size_bytes;
    }
    return most;
}

static uint64_t static_end(const ct_kernel *kernel) {
    return ct_space_end(kernel, SMP_SPACE_SHARED, kernel->array_count);
}

uint64_t ct_dynamic_base(const ct_kernel *kernel, uint64_t static_bytes) {
    uint64_t align = DYNAMIC_ALIGN;
    for (uint32_t i = 0; i < kernel->array_count; i++) {
        const smp_array *a = &kernel->arrays[i];
        if (a->is_dynamic && a->align > align)
            align = a->align;
    }
    return ct_round_up(static_bytes, align);
}

uint64_t ct_array_base(const ct_kernel *kernel, const smp_array *array) {
    if (!array->is_dynamic)
        return array->base_bytes;
    return ct_dynamic_base(kernel, static_end(kernel)) + array->base_bytes;
}

uint64_t ct_shared_size(const ct_kernel *kernel) {
    uint64_t most = static_end(kernel);
    for (uint32_t i = 0; i < kernel->array_count; i++) {
        const smp_array *a = &kernel->arrays[i];
        uint64_t end = ct_array_base(kernel, a) + a->size_bytes;
        if (a->space == SMP_SPACE_SHARED && a->is_dynamic && end > most)
            most = end;
    }
    return most;
}
