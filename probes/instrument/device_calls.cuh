/* SPDX-License-Identifier: MIT */
/*
 * The functions that the Compute Sanitizer calls for the lanes that execute an instruction. They do
 * nothing without a table. The including file defines what happens to a request before it is
 * counted: KEEP(kind, parts, what, lanes, first, second) does nothing, or puts it into the ring of
 * instrument_trace.h.
 */
#pragma once

#include "device_count.cuh"

/* The `what` of a request of `width` bytes per lane, without its kind. */
#define WHAT_OF(flags, width) TABLE_WHAT(0, flags, warp_log2(whole(width)), 0, 0)

PATCH smp_patch_shared(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags,
                       const void *) {
    if (is_nothing(data))
        return PATCH_SUCCESS;
    KEEP(SMP_INSTRUMENT_SHARED, 1, WHAT_OF(flags & FLAGS_OF_ACCESS, width), __activemask(),
         (uint32_t)(uintptr_t)address, 0);
    count_near<SMP_INSTRUMENT_SHARED, enter_shared>(data, pc, address, width, flags);
    return PATCH_SUCCESS;
}

PATCH smp_patch_matrix(void *data, uint64_t pc, uint32_t address, uint32_t, uint32_t flags,
                       uint32_t matrices, const void *) {
    if (is_nothing(data))
        return PATCH_SUCCESS;
    KEEP(SMP_INSTRUMENT_MATRIX, 1, TABLE_WHAT(0, flags & FLAGS_OF_ACCESS, 4, matrices, 0),
         __activemask() & WARP_ALL >> (32 - 8 * matrices), address, 0);
    count_matrix(data, pc, address, flags, matrices);
    return PATCH_SUCCESS;
}

PATCH smp_patch_global(void *data, uint64_t pc, void *pointer, uint32_t width, uint32_t flags,
                       const void *) {
    if (is_nothing(data))
        return PATCH_SUCCESS;
    KEEP(SMP_INSTRUMENT_GLOBAL, 2, WHAT_OF(flags & FLAGS_OF_GLOBAL, width), __activemask(),
         (uint32_t)(uint64_t)pointer, (uint64_t)pointer >> 32);
    count_global(data, pc, pointer, width, flags);
    return PATCH_SUCCESS;
}

/* Traces leave out local memory. */
PATCH smp_patch_local(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags,
                      const void *) {
    if (!is_nothing(data))
        count_near<SMP_INSTRUMENT_LOCAL, enter_local>(data, pc, address, width, flags);
    return PATCH_SUCCESS;
}

PATCH smp_patch_cluster(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags,
                        const void *) {
    if (is_nothing(data))
        return PATCH_SUCCESS;
    KEEP(SMP_INSTRUMENT_CLUSTER, 1, WHAT_OF(flags & FLAGS_OF_ACCESS, width), __activemask(),
         (uint32_t)(uintptr_t)address, 0);
    count_cluster(data, pc, address, width, flags);
    return PATCH_SUCCESS;
}

/* Stores and reductions that arrive at a barrier: packets like those of an atomic, at any width. */
DEVICE void count_async(void *data, uint64_t pc, uint32_t address, uint32_t width) {
    if (is_nothing(data))
        return;
    KEEP(SMP_INSTRUMENT_CLUSTER, 1, WHAT_OF(FLAGS_OF_ACCESS, width), __activemask(), address, 0);
    count_cluster(data, pc, (void *)(uintptr_t)address, width, FLAGS_OF_ACCESS);
}

PATCH smp_patch_async_store(void *data, uint64_t pc, uint32_t address, uint32_t, void *,
                            uint32_t width) {
    count_async(data, pc, address, width);
    return PATCH_SUCCESS;
}

PATCH smp_patch_async_reduction(void *data, uint64_t pc, uint32_t address, uint32_t,
                                uint32_t width) {
    count_async(data, pc, address, width);
    return PATCH_SUCCESS;
}

PATCH smp_patch_copy(void *data, uint64_t pc, void *source, uint32_t target, uint32_t width) {
    if (is_nothing(data))
        return PATCH_SUCCESS;
    /* Lanes that read nothing and write zeros; the others go on without them. */
    if (source == nullptr) {
        enter_other(data, pc, SMP_INSTRUMENT_FILL);
        return PATCH_SUCCESS;
    }
    KEEP(SMP_INSTRUMENT_COPY, 3, TABLE_WHAT(0, FLAGS_OF_ACCESS, warp_log2(width), 0, 0),
         __activemask(), target, (uint64_t)source);
    count_copy(data, pc, (uint64_t)source, target, width);
    return PATCH_SUCCESS;
}
