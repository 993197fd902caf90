/* SPDX-License-Identifier: MIT */
/*
 * device_patch.cu: the functions that the Compute Sanitizer calls for the lanes that execute an
 * instruction. They do nothing without a table.
 */
#include "device_count.cuh"

PATCH smp_patch_shared(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags,
                       const void *) {
    if (!is_nothing(data))
        count_shared(table_of(data), pc, address, width, flags);
    return PATCH_SUCCESS;
}

PATCH smp_patch_matrix(void *data, uint64_t pc, uint32_t address, uint32_t, uint32_t flags,
                       uint32_t matrices, const void *) {
    if (!is_nothing(data))
        count_matrix(table_of(data), pc, address, flags, matrices);
    return PATCH_SUCCESS;
}

PATCH smp_patch_global(void *data, uint64_t pc, void *pointer, uint32_t width, uint32_t flags,
                       const void *) {
    if (!is_nothing(data))
        count_global(table_of(data), pc, pointer, width, flags);
    return PATCH_SUCCESS;
}

PATCH smp_patch_local(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags,
                      const void *) {
    if (!is_nothing(data))
        count_local(table_of(data), pc, address, width, flags);
    return PATCH_SUCCESS;
}

PATCH smp_patch_cluster(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags,
                        const void *) {
    if (!is_nothing(data))
        count_cluster(table_of(data), pc, address, width, flags);
    return PATCH_SUCCESS;
}

PATCH smp_patch_copy(void *data, uint64_t pc, void *source, uint32_t target, uint32_t width) {
    if (is_nothing(data))
        return PATCH_SUCCESS;
    /* Lanes that read nothing and write zeros; the others go on without them. */
    if (source == nullptr)
        enter_other(data, pc, SMP_INSTRUMENT_FILL);
    else
        count_copy(table_of(data), pc, source, target, width);
    return PATCH_SUCCESS;
}
