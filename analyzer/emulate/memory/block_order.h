/* SPDX-License-Identifier: MIT */
/*
 * Results that depend on which block runs first: words of global memory that one cluster of blocks
 * writes and another reads or writes, too, with nothing between them that could order both.
 */
#pragma once

#include "warp.h"

/* Who came to a word of an array: clusters' numbers plus one; 0: nobody yet. */
typedef struct emu_shadow {
    uint32_t *writer; /* NULL until the array is written */
    uint32_t *reader; /* NULL until it is read after that */
} emu_shadow;

/* For a launch of more than one cluster; nothing is kept without memory for it. */
void emu_block_order_start(emu_run *run);
void emu_block_order_end(emu_run *run);
/* Before a plain load or store of `lanes` at array->bytes + from + offset[l] (signed), all of it
 * inside: tells of what another cluster did there. */
void emu_block_order_access(emu_warp *warp, const uop *u, const uop_memory *m,
                            const smp_emu_array *array, int64_t from, const uint32_t *offset,
                            uint32_t lanes);
/* The cluster has seen what others wrote and said so (an atomic whose result it uses, a load or
 * store that is strong in PTX's memory model): from here on it is taken to be in order. */
void emu_block_order_meet(emu_worker *worker);

/* Reads of an array that nobody has written are not kept. */
static inline bool emu_block_order_is_written(const emu_run *run, const smp_emu_array *array) {
    return __atomic_load_n(&run->shadows[array - run->memory->arrays].writer, __ATOMIC_ACQUIRE) !=
           NULL;
}

static inline bool emu_block_order_is_kept(const emu_worker *worker) {
    return worker->run->shadows != NULL && !worker->has_met;
}
