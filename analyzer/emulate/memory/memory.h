/* SPDX-License-Identifier: MIT */
/* What memory instructions do, by file. */
#pragma once

#include <string.h>

#include "engine.h"
#include "lanes.h"
#include "warp.h"

/* Loads lane l's data from `from` into `rows` rows, or stores it. */
static inline void emu_load_lane(uint32_t *d, unsigned rows, const uop_memory *m, unsigned l,
                                 const uint8_t *from) {
    uint32_t words[4] = {0};
    memcpy(words, from, m->width_bytes);
    if (m->extend && m->width_bytes < 4)
        words[0] = m->width_bytes == 1 ? (uint32_t)(int8_t)words[0] : (uint32_t)(int16_t)words[0];
    for (unsigned i = 0; i < rows; i++)
        d[i * ROW + l] = words[i];
}

static inline void emu_store_lane(const uint32_t *a, const uop_memory *m, unsigned l, uint8_t *to) {
    uint32_t words[4] = {a[l]};
    for (unsigned i = 1; i < m->width_bytes / 4u; i++)
        words[i] = a[i * ROW + l];
    memcpy(to, words, m->width_bytes);
}

/* The part of the address that all lanes share. */
LANES_INLINE uint64_t emu_added(const emu_warp *warp, const memory_address *at) {
    const uint32_t *uniform = emu_row_of(warp, &at->uniform);
    return (uint64_t)at->offset_bytes + (at->is_uniform_wide ? lanes_pair(uniform, 0) : uniform[0]);
}

/* One half that a matrix instruction moves: its place in registers and in memory. Row r of matrix i
 * is at the address of lane 8 i + r. Lane l holds two neighbours of row l / 4, or of the transposed
 * matrix. */
typedef struct matrix_half {
    unsigned matrix, owner, word,
        shift; /* the lane that holds it, and its word from the first row */
    unsigned lane, column;
} matrix_half;

static inline matrix_half emu_matrix_half(const uop_memory *m, unsigned index) {
    const unsigned j = index % 2, l = index / 2 % ROW, matrix = index / 2 / ROW;
    const unsigned a = l / 4, b = l % 4 * 2 + j, row = m->is_transposed ? b : a;
    return (matrix_half){.matrix = matrix,
                         .owner = l,
                         .word = matrix * ROW + l,
                         .shift = 16 * j,
                         .lane = 8 * matrix + row,
                         .column = m->is_transposed ? a : b};
}

/* memory_act.c: loads, stores and atomics of `lanes`, after translation. */
void emu_act(access_lanes *x, uint32_t lanes);
void emu_act_matrix(access_lanes *x);
/* bounds_check.c: translates the lanes' addresses to pointers; false if one is out of bounds. */
bool emu_check_global(access_lanes *x, uint32_t lanes);
/* The same for the first `bytes` of lane l's access. */
bool emu_check_part(access_lanes *x, unsigned l, uint32_t bytes);
bool emu_check_shared(access_lanes *x, uint32_t lanes);
bool emu_check_local(access_lanes *x, uint32_t lanes);
/* poison_memory.c: tracks written bytes. False if some of it is unwritten. */
bool emu_shared_seen(access_lanes *x, uint32_t lanes, bool reads, bool writes);
/* The same for local memory. */
void emu_local_seen(access_lanes *x, uint32_t lanes, bool reads, bool writes);
/* Applies the atomic operation of `m` to `width` bytes (2: halves), safely beside other threads.
 * Returns the old value; for 2, the word that contains it. */
uint64_t emu_change(uint8_t *bytes, uint32_t width, const uop_memory *m, uint64_t a, uint64_t b);
/* The result of an atomic operation on `old` with a, and with b if it compares. */
uint64_t emu_combined(uint8_t op, uint8_t type, uint64_t old, uint64_t a, uint64_t b);
/* mbarrier.c: executes an instruction on barriers for `lanes`; emu_bytes_arrive counts expected
 * bytes. */
void emu_sync(access_lanes *x, uint32_t lanes);
void emu_bytes_arrive(access_lanes *x, uint64_t address, uint32_t bytes);
/* bulk.c, tensor_copy.c: a bulk copy that one thread of `exec` issues. */
void emu_bulk_copy(access_lanes *x, uint32_t exec);
/* Reduces numbers of `width` bytes into others, by the operation of `m`. */
void emu_reduce(const uop_memory *m, uint32_t width, uint8_t *to, const uint8_t *from,
                uint32_t bytes);
void emu_async_store(access_lanes *x, uint32_t lanes);
void emu_tensor_copy(access_lanes *x, uint32_t exec);
/* texture_access.c: textures and surfaces */
void emu_texture_access(access_lanes *x, uint32_t exec);
/* warpgroup.c */
void emu_warpgroup(access_lanes *x, uint32_t exec);
/* request_cache.c: the fast path for requests that occurred before; false if it did nothing. */
bool emu_request_cached(emu_warp *warp, const uop *u, const uop_memory *m, uint32_t exec);
