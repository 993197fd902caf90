/* SPDX-License-Identifier: MIT */
/*
 * Results that depend on which block runs first: a word of global memory that one cluster writes
 * and another accesses, with nothing between them that could order the two.
 */
#pragma once

#include "engine.h"

/* The clusters that accessed each word of an array: their numbers plus one; 0 if there is none yet.
 */
typedef struct emu_shadow {
    uint32_t *writer; /* NULL until the array is written */
    uint32_t *reader; /* NULL until it is read after the first write */
} emu_shadow;

/* For a launch of more than one cluster; does nothing if out of memory. */
void emu_block_order_start(emu_run *run);
void emu_block_order_end(emu_run *run);
/* Call before a plain load or store of `lanes` at array->bytes + from + offset[l] (signed), all of
 * it inside; reports conflicts with other clusters. */
void emu_block_order_access(emu_warp *warp, const uop *u, const uop_memory *m,
                            const smp_emu_array *array, int64_t from, const uint32_t *offset,
                            uint32_t lanes);
/* The cluster has synchronized with others (an atomic whose result it uses, or a load or store that
 * is strong in PTX's memory model): from here on it counts as ordered. */
void emu_block_order_meet(emu_worker *worker);

/* Reads of an array that was never written are not kept. */
static inline bool emu_block_order_is_written(const emu_run *run, const smp_emu_array *array) {
    return __atomic_load_n(&run->shadows[array - run->memory->arrays].writer, __ATOMIC_ACQUIRE);
}

static inline bool emu_block_order_is_kept(const emu_worker *worker) {
    return worker->run->shadows && !worker->has_met;
}
