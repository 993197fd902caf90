/* SPDX-License-Identifier: MIT */
/*
 * Tracks which bytes of shared and local memory are written: four bits for each word. A load of
 * unwritten bytes poisons those of its result (poison.c); a store of poison makes bytes unwritten
 * again. Instructions that read memory without moving it (atomics, barriers, copies to global
 * memory) are a finding at once if no byte of a word is written; a partly written word may end in
 * padding.
 */
#include <stdlib.h>

#include "poison.h"

enum { ALL_BYTES = 15, WORDS_KNOWN_LOG2 = 16 };

static uint32_t words_of(const access_lanes *x) {
    return (x->width + 3u) / 4;
}

/* The bytes of its word that a lane accesses. */
static uint8_t own_bytes(const access_lanes *x, unsigned l) {
    const unsigned bytes = x->width >= 4 ? ALL_BYTES : (1u << x->width) - 1;
    return (uint8_t)(x->width >= 4 ? bytes : bytes << (x->address[l] & 3) & ALL_BYTES);
}

static emu_block *block_of(const access_lanes *x, unsigned l) {
    return &emu_cluster_of(x->warp->block)[x->address[l] >> SMP_BLOCK_SHIFT];
}

static size_t word_in(const access_lanes *x, unsigned l, const uint8_t *memory) {
    return (size_t)(x->bytes[l] - memory) / 4;
}

static uint32_t *writer_of(const access_lanes *x, unsigned l) {
    const emu_block *block = x->warp->block;
    return &block->local_writer[word_in(x, l, block->local)];
}

/* Written bytes of a word, as bits. */
static uint8_t written_bytes(const access_lanes *x, unsigned l, unsigned slot, uint32_t word) {
    if (slot == SLOT_SHARED) {
        const emu_block *block = block_of(x, l);
        return block->is_written[word_in(x, l, block->shared) + word];
    }
    const uint32_t writer = writer_of(x, l)[word];
    return (writer & ~15u) == emu_local_stamp(x->worker) ? writer & ALL_BYTES : 0;
}

/* Marks `bytes` of a word as written or unwritten. */
static void set_written(const access_lanes *x, unsigned l, unsigned slot, uint32_t word,
                        uint8_t bytes, bool is_written) {
    const uint8_t before = written_bytes(x, l, slot, word);
    const uint8_t now = (uint8_t)(is_written ? before | bytes : before & ~bytes);
    if (slot != SLOT_SHARED) {
        writer_of(x, l)[word] = emu_local_stamp(x->worker) | now;
        return;
    }
    emu_block *block = block_of(x, l);
    block->is_written[word_in(x, l, block->shared) + word] = now;
    block->unwritten += before == ALL_BYTES;
    block->unwritten -= now == ALL_BYTES;
    if (!is_written) /* invalidates requests that were found written */
        x->worker->written_serial++;
}

static void mark(const access_lanes *x, uint32_t lanes, unsigned slot) {
    EACH_LANE_OF(l, lanes) {
        for (uint32_t i = 0; i < words_of(x); i++)
            set_written(x, l, slot, i, own_bytes(x, l), true);
    }
}

/* ---- Poison in memory ---- */

/* The bits of a word's bytes (a mask), and the bytes that have any of the bits. */
static uint32_t bits_of_bytes(unsigned bytes) {
    return (bytes & 1) * 0xffu | (bytes >> 1 & 1) * 0xff00u | (bytes >> 2 & 1) * 0xff0000u |
           (bytes >> 3 & 1) * 0xff000000u;
}

static unsigned bytes_of_bits(uint32_t bits) {
    unsigned bytes = 0;
    for (unsigned b = 0; b < 4; b++)
        bytes |= (unsigned)((bits >> 8 * b & 0xff) != 0) << b;
    return bytes;
}

static emu_poisoned_word *place_of(emu_worker *worker, const uint8_t *word) {
    const uint64_t hash = (uint64_t)(uintptr_t)word / 4 * 0x9e3779b97f4a7c15u;
    if (!worker->poisoned)
        worker->poisoned = calloc((size_t)1 << WORDS_KNOWN_LOG2, sizeof(*worker->poisoned));
    return worker->poisoned ? &worker->poisoned[hash >> (64 - WORDS_KNOWN_LOG2)] : NULL;
}

/* The record of a word; NULL if there is none or it is an earlier block's. */
static emu_poisoned_word *known_of(const access_lanes *x, const uint8_t *word) {
    emu_poisoned_word *at = place_of(x->worker, word);
    return at && at->word == word && at->serial == x->worker->block_serial ? at : NULL;
}

static uint32_t index_of(const access_lanes *x) {
    return (uint32_t)(x->u - x->worker->run->program->uops);
}

static uint32_t from_of(const access_lanes *x, const uint8_t *word) {
    const emu_poisoned_word *at = known_of(x, word);
    return at ? at->from : index_of(x);
}

/* The poisoned bits of a word, if these bytes of it are unwritten. */
static uint32_t unwritten_bits(const access_lanes *x, const uint8_t *word, unsigned bytes) {
    const emu_poisoned_word *at = known_of(x, word);
    return bits_of_bytes(bytes) & (at ? at->bits : 0xffffffffu);
}

/* Records that `bits` stored to `bytes` of the word are poison. */
static void keep_from(const access_lanes *x, const uint8_t *word, unsigned bytes, uint32_t bits,
                      uint32_t from) {
    emu_poisoned_word *at = place_of(x->worker, word);
    const uint32_t others = unwritten_bits(x, word, ALL_BYTES & ~bytes);
    if (at)
        *at = (emu_poisoned_word){word, from, bits | others, x->worker->block_serial};
}

/* ---- Findings ---- */

static uint32_t place_in_space(const access_lanes *x, unsigned l, unsigned slot) {
    return slot == SLOT_SHARED ? (uint32_t)(x->bytes[l] - block_of(x, l)->shared) - x->reserved
                               : (uint32_t)x->address[l];
}

/* All warps that the worker runs. */
static uint32_t warps_of(const emu_worker *worker) {
    return worker->block_count * worker->blocks[0].warp_count;
}

/* Records unwritten `bytes` of lane `l`, starting at `byte` of its access. */
static void remember(const access_lanes *x, unsigned l, unsigned slot, unsigned byte,
                     unsigned bytes) {
    emu_worker *worker = x->worker;
    const uint32_t count = worker->run->program->count;
    if (!worker->unwritten)
        worker->unwritten = calloc((size_t)count + 1, sizeof(*worker->unwritten));
    if (!worker->unwritten)
        return;
    emu_unwritten **of_warps = &worker->unwritten[index_of(x)];
    if (!*of_warps)
        *of_warps = calloc(warps_of(worker), sizeof(**of_warps));
    if (!*of_warps)
        return;
    emu_unwritten *seen = &(*of_warps)[emu_warp_number(x->warp)];
    seen->is_local = slot != SLOT_SHARED;
    seen->lanes |= 1u << l;
    seen->at[l] = place_in_space(x, l, slot) + byte;
    seen->bytes[l] = (uint8_t)bytes;
}

/* What the warp's own load found, else what another warp found and passed on; NULL if out of
 * memory. */
static const emu_unwritten *seen_by(const emu_warp *warp, uint32_t from) {
    const emu_worker *worker = warp->block->worker;
    const emu_unwritten *of_warps = worker->unwritten ? worker->unwritten[from] : NULL;
    if (!of_warps || of_warps[emu_warp_number(warp)].lanes != 0)
        return of_warps ? &of_warps[emu_warp_number(warp)] : NULL;
    return FIND(one, of_warps, warps_of(worker), one->lanes != 0);
}

void emu_unwritten_found(emu_warp *warp, uint32_t from, unsigned lane) {
    emu_worker *worker = warp->block->worker;
    const emu_unwritten *seen = seen_by(warp, from);
    const uop *u = &worker->run->program->uops[from];
    if (!seen) {
        worker->judge.is_out_of_memory = true;
        return;
    }
    const unsigned l = seen->lanes >> lane & 1 ? lane : (unsigned)__builtin_ctz(seen->lanes);
    emu_found_at(warp, u, lane, SMP_FINDING_UNINITIALISED,
                 (emu_target){seen->at[l], !seen->is_local, NULL, FOUND_THERE},
                 seen->is_local
                     ? "%u bytes at byte %u of the thread's local memory, which it has not written"
                     : "%u bytes at byte %u of shared memory, which no thread has written",
                 seen->bytes[l], seen->at[l]);
    emu_poison_forget(warp, from);
}

/* The unwritten bytes of a lane's word, as positions in its result. */
static unsigned missing_bytes(const access_lanes *x, unsigned l, unsigned slot, uint32_t word) {
    const unsigned missing = own_bytes(x, l) & ~written_bytes(x, l, slot, word);
    return x->width >= 4 ? missing : missing >> (x->address[l] & 3);
}

/* Records a lane's unwritten bytes, or those of words without any written one (`in_words`); returns
 * its words that have some, as bits. */
static unsigned find_missing(const access_lanes *x, unsigned l, unsigned slot, bool in_words) {
    unsigned first = 0, count = 0, words = 0;
    for (uint32_t i = 0; i < words_of(x); i++) {
        const unsigned missing = missing_bytes(x, l, slot, i);
        if (missing == 0 || (in_words && written_bytes(x, l, slot, i) & own_bytes(x, l)))
            continue;
        first = words == 0 ? 4 * i + (unsigned)__builtin_ctz(missing) : first;
        count += (unsigned)__builtin_popcount(missing);
        words |= 1u << i;
    }
    if (words != 0)
        remember(x, l, slot, first, count);
    return words;
}

/* For accesses that move nothing: true if every word has written bytes. */
static bool check(const access_lanes *x, uint32_t lanes, unsigned slot) {
    EACH_LANE_OF(l, lanes) {
        if (find_missing(x, l, slot, true) == 0)
            continue;
        emu_unwritten_found(x->warp, index_of(x), l);
        return false;
    }
    return true;
}

/* ---- Loads ---- */

static void poison_rows(access_lanes *x, uint32_t lanes, uint32_t bits[][ROW], unsigned rows,
                        uint32_t from) {
    const uint32_t first = (uint32_t)x->u->d / ROW_BYTES;
    if (x->u->d == ROW_SINK * ROW_BYTES)
        return;
    for (unsigned i = 0; i < rows * ROW && x->warp->tracks_poison; i++) /* from its address */
        bits[i / ROW][i % ROW] |= x->warp->poison->bits[first + i / ROW][i % ROW];
    emu_poison_set_rows(x->warp, x->u->d, rows, lanes, bits[0], ROW, from);
}

/* The unwritten bits of a lane's word in its result, extended like its sign. */
static uint32_t missing_bits(const access_lanes *x, unsigned l, unsigned slot, uint32_t word) {
    const unsigned first = x->width < 4 ? x->address[l] & 3 : 0;
    const unsigned missing = missing_bytes(x, l, slot, word) << first;
    const uint8_t *at = x->bytes[l] - first + 4 * (size_t)word;
    const uint32_t bits = unwritten_bits(x, at, missing) >> 8 * first;
    const bool has_sign = x->m->extend && x->width < 4 && bits >> (8 * x->width - 1) & 1;
    return has_sign ? bits | 0xffffffffu << 8 * x->width : bits;
}

/* A load of unwritten bytes; true if everything is written. */
static bool poison_load(access_lanes *x, uint32_t lanes, unsigned slot) {
    uint32_t bits[4][ROW] = {{0}}, from = 0;
    bool is_found = false;
    EACH_LANE_OF(l, lanes) {
        const unsigned words = find_missing(x, l, slot, false);
        const uint8_t *first = x->bytes[l] - (x->width < 4 ? x->address[l] & 3 : 0);
        if (words != 0 && !is_found)
            from = from_of(x, first + 4 * (size_t)__builtin_ctz(words));
        is_found |= words != 0;
        EACH_LANE_OF(i, words)
            bits[i][l] = missing_bits(x, l, slot, i);
    }
    if (is_found)
        poison_rows(x, lanes, bits, x->u->d_rows < 4 ? x->u->d_rows : 4, from);
    return !is_found;
}

static bool poison_load_matrix(access_lanes *x) {
    uint32_t bits[4][ROW] = {{0}};
    bool is_found = false;
    for (unsigned i = 0; i < 2 * SMP_LANES * x->m->matrices; i++) {
        const matrix_half at = emu_matrix_half(x->m, i);
        const uint8_t written = written_bytes(x, at.lane, SLOT_SHARED, at.column / 2);
        if ((written >> at.column % 2 * 2 & 3) == 3)
            continue;
        is_found = true;
        remember(x, at.lane, SLOT_SHARED, 0, x->width);
        bits[at.matrix][at.owner] |= 0xffffu << at.shift;
    }
    if (is_found)
        poison_rows(x, SMP_ALL_LANES, bits, x->m->matrices, index_of(x));
    return !is_found;
}

/* ---- Stores of poison ---- */

static void store_word(const access_lanes *x, unsigned l, unsigned slot, uint32_t word) {
    const uint32_t row = (uint32_t)x->u->a.offset / ROW_BYTES + word;
    const unsigned poison = bytes_of_bits(x->warp->poison->bits[row][l]) &
                            (x->width >= 4 ? ALL_BYTES : (1u << x->width) - 1);
    const uint32_t bits = x->warp->poison->bits[row][l] & bits_of_bytes(poison);
    const uint32_t from = x->warp->poison->from[row];
    const unsigned first = x->width >= 4 ? 0 : x->address[l] & 3;
    if (poison == 0)
        return;
    if (slot != SLOT_GLOBAL) {
        set_written(x, l, slot, word, (uint8_t)(poison << first), false);
        keep_from(x, x->bytes[l] - first + 4 * (size_t)word, own_bytes(x, l), bits << 8 * first,
                  from);
    } else if (poison & 1) { /* padding does not begin a word */
        emu_unwritten_found(x->warp, from, l);
    }
}

void emu_poison_store(access_lanes *x, uint32_t lanes, unsigned slot) {
    EACH_LANE_OF(l, lanes) {
        for (uint32_t i = 0; i < words_of(x); i++)
            store_word(x, l, slot, i);
    }
}

void emu_poison_store_matrix(access_lanes *x) {
    const emu_poison *p = x->warp->poison;
    for (unsigned i = 0; i < 2 * SMP_LANES * x->m->matrices; i++) {
        const matrix_half at = emu_matrix_half(x->m, i);
        const uint32_t row = (uint32_t)x->u->a.offset / ROW_BYTES + at.matrix;
        if ((p->bits[row][at.owner] >> at.shift & 0xffff) == 0)
            continue;
        set_written(x, at.lane, SLOT_SHARED, at.column / 2, (uint8_t)(3 << at.column % 2 * 2),
                    false);
        keep_from(x, x->bytes[at.lane] + 4 * (size_t)(at.column / 2), ALL_BYTES, 0xffffffffu,
                  p->from[row]);
    }
}

/* ---- Each access ---- */

bool emu_shared_seen(access_lanes *x, uint32_t lanes, bool reads, bool writes) {
    bool any = false, is_written = true;
    for (uint32_t i = 0; i < x->worker->cluster_blocks; i++)
        any = any || emu_cluster_of(x->warp->block)[i].unwritten != 0;
    if (any && reads && x->m->kind == MEMORY_LOAD)
        is_written = poison_load(x, lanes, SLOT_SHARED);
    else if (any && reads && x->m->kind == MEMORY_MATRIX_LOAD)
        is_written = poison_load_matrix(x);
    else if (any && reads)
        is_written = check(x, lanes, SLOT_SHARED);
    if (any && writes)
        mark(x, lanes, SLOT_SHARED);
    return is_written;
}

void emu_local_seen(access_lanes *x, uint32_t lanes, bool reads, bool writes) {
    if (reads && x->m->kind == MEMORY_LOAD)
        poison_load(x, lanes, SLOT_LOCAL);
    else if (reads)
        check(x, lanes, SLOT_LOCAL);
    if (writes)
        mark(x, lanes, SLOT_LOCAL);
}

void emu_poison_free(emu_worker *worker) {
    for (uint32_t i = 0; worker->unwritten && i < worker->run->program->count; i++)
        free(worker->unwritten[i]);
    free(worker->unwritten);
    free(worker->poisoned);
}
