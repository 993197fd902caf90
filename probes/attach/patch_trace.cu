/* SPDX-License-Identifier: MIT */
/*
 * patch_trace.cu: what patch.cu counts, and each request into the ring of attach_trace.h before
 * that. It is a patch of its own, so that what is not traced costs what it did.
 *
 * The rules of patch_count.cuh hold: votes and no barriers, and branches that all lanes take.
 */
#include "patch_count.cuh"

#include "attach_trace.h"

enum { POSITION_BITS = 48 };

/* What another processor wrote, from where it wrote it. */
DEVICE uint64_t look_beyond(const uint64_t *at) {
    uint64_t value;
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    return value;
}

DEVICE uint32_t look_beyond(const uint32_t *at) {
    uint32_t value;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

/* The position of the first of so many slots, to all lanes. */
DEVICE uint64_t claim(uint32_t lanes, bool is_leader, trace_control *control, uint32_t parts) {
    unsigned long long old = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p atom.global.add.u64 %0, [%2], %3; }"
                 : "+l"(old)
                 : "r"((unsigned)is_leader), "l"(&control->claimed), "l"((unsigned long long)parts)
                 : "memory");
    uint32_t low = spread(lanes, is_leader, (uint32_t)old, 32);
    uint32_t high = spread(lanes, is_leader, (uint32_t)(old >> 32), POSITION_BITS - 32);
    return (uint64_t)high << 32 | low;
}

/* Waits until all slots before `end` are free; false: they will not be. Who claimed earlier slots
 * waits for nobody who claimed later ones. */
DEVICE bool wait_for_room(uint32_t lanes, bool is_leader, trace_control *control, trace_ring *ring,
                          uint64_t end) {
    uint64_t taken = __ldcg(&control->seen);
#pragma unroll 1
    while (any_of(lanes, end - taken > TRACE_SLOTS)) {
        if (any_of(lanes, look_beyond(&ring->is_closed) != 0))
            return false;
        __nanosleep(1000);
        taken = look_beyond(&ring->taken);
        store_if(is_leader, &control->seen, taken);
    }
    return true;
}

/* `lanes` are those whose words count, of `here`, those that execute this. One function a kind: two
 * patches of one instruction that call the same one may find themselves in it together, each with
 * its lanes (FINDINGS.md). */
template <uint32_t kind, uint32_t parts>
SLOW keep(attach_table *table, uint64_t pc, uint32_t what, uint32_t lanes, uint32_t first,
          uint64_t second) {
    uint32_t here = __activemask();
    trace_control *control = (trace_control *)__ldcg(&table->head.trace);
    if (any_of(here, control == nullptr))
        return;
    bool is_leader = warp_lane(0) == warp_lowest(here);
    trace_ring *ring = (trace_ring *)__ldcg(&control->ring);
    uint64_t at = claim(here, is_leader, control, parts);
    if (!wait_for_room(here, is_leader, control, ring, at + parts))
        return;
    trace_slot *slot = &ring->slots[at % TRACE_SLOTS];
    slot->word[warp_lane(0)] = first;
#pragma unroll 1
    for (uint32_t part = 1; part < parts; part++) {
        ring->slots[(at + part) % TRACE_SLOTS].word[warp_lane(0)] = (uint32_t)second;
        second >>= 32;
    }
    store_if(is_leader, &slot->parts, parts);
    store_if(is_leader, &slot->pc, pc);
    store_if(is_leader, &slot->what, what | kind);
    store_if(is_leader, &slot->lanes, lanes);
    __threadfence_system();
    store_if(is_leader, &slot->turn, (uint32_t)(at / TRACE_SLOTS) + 1);
}

/* ---- Kinds of instructions: `what` as in patch_count.cuh ------------------------------------ */

PATCH smp_patch_shared(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags,
                       const void *) {
    if (is_nothing(data))
        return PATCH_SUCCESS;
    attach_table *table = table_of(data);
    uint32_t what = TABLE_WHAT(0, flags & FLAGS_OF_ACCESS, warp_log2(whole(width)), 0, 0);
    keep<SMP_ATTACH_SHARED, 1>(table, pc, what, __activemask(), (uint32_t)(uintptr_t)address, 0);
    count_shared(table, pc, address, width, flags);
    return PATCH_SUCCESS;
}

PATCH smp_patch_matrix(void *data, uint64_t pc, uint32_t address, uint32_t, uint32_t flags,
                       uint32_t matrices, const void *) {
    if (is_nothing(data))
        return PATCH_SUCCESS;
    attach_table *table = table_of(data);
    uint32_t what = TABLE_WHAT(0, flags & FLAGS_OF_ACCESS, 4, matrices, 0);
    uint32_t rows = __activemask() & WARP_ALL >> (32 - 8 * matrices);
    keep<SMP_ATTACH_MATRIX, 1>(table, pc, what, rows, address, 0);
    count_matrix(table, pc, address, flags, matrices);
    return PATCH_SUCCESS;
}

PATCH smp_patch_global(void *data, uint64_t pc, void *pointer, uint32_t width, uint32_t flags,
                       const void *) {
    if (is_nothing(data))
        return PATCH_SUCCESS;
    attach_table *table = table_of(data);
    uint32_t what = TABLE_WHAT(0, flags & FLAGS_OF_GLOBAL, warp_log2(whole(width)), 0, 0);
    uint64_t address = (uint64_t)pointer;
    keep<SMP_ATTACH_GLOBAL, 2>(table, pc, what, __activemask(), (uint32_t)address, address >> 32);
    count_global(table, pc, pointer, width, flags);
    return PATCH_SUCCESS;
}

/* A trace has no local memory. */
PATCH smp_patch_local(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags,
                      const void *) {
    if (!is_nothing(data))
        count_local(table_of(data), pc, address, width, flags);
    return PATCH_SUCCESS;
}

PATCH smp_patch_cluster(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags,
                        const void *) {
    if (is_nothing(data))
        return PATCH_SUCCESS;
    attach_table *table = table_of(data);
    uint32_t what = TABLE_WHAT(0, flags & FLAGS_OF_ACCESS, warp_log2(whole(width)), 0, 0);
    keep<SMP_ATTACH_CLUSTER, 1>(table, pc, what, __activemask(), (uint32_t)(uintptr_t)address, 0);
    count_cluster(table, pc, address, width, flags);
    return PATCH_SUCCESS;
}

PATCH smp_patch_copy(void *data, uint64_t pc, void *source, uint32_t target, uint32_t width) {
    if (is_nothing(data))
        return PATCH_SUCCESS;
    if (source == nullptr) {
        enter_other(data, pc, SMP_ATTACH_FILL);
        return PATCH_SUCCESS;
    }
    attach_table *table = table_of(data);
    uint32_t what = TABLE_WHAT(0, FLAGS_OF_ACCESS, warp_log2(width), 0, 0);
    keep<SMP_ATTACH_COPY, 3>(table, pc, what, __activemask(), target, (uint64_t)source);
    count_copy(table, pc, source, target, width);
    return PATCH_SUCCESS;
}
