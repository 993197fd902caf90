/* SPDX-License-Identifier: MIT */
/*
 * Bulk copies and reductions (PTX: cp.async.bulk, cp.reduce.async.bulk), and stores and reductions
 * that arrive in another block's shared memory (st.async, red.async). Their barriers are signalled
 * by the end of the instruction.
 */
#include <string.h>

#include "memory.h"
#include "race.h"

/* One side of a lane's copy; `race`: the access's number in the race detector, 0: not checked, or a
 * read of global memory. */
typedef struct bulk_side {
    uint64_t address;
    uint32_t bytes, race;
    unsigned lane;
    bool is_shared, is_written;
} bulk_side;

static void see_race(const access_lanes *x, uint32_t lanes, const bulk_side *side) {
    if (side->is_shared && side->race != 0)
        emu_race_bulk(x, lanes, side->race, side->is_written);
    if (side->is_shared || !x->worker->race)
        return;
    emu_race_far(x, x->address, lanes,
                 (race_far){.kind = !side->is_written ? MEMORY_LOAD
                                    : x->m->reduces   ? MEMORY_ATOMIC
                                                      : MEMORY_STORE,
                            .width = 16,
                            .flight = side->race,
                            .owner = (int)side->lane,
                            .is_proxy = true});
}

/* 16 bytes for each lane, so that the usual checks of lanes apply. */
static bool reach_bulk(access_lanes *x, const bulk_side *side, uint8_t **first) {
    for (uint32_t at = 0; at < side->bytes; at += 16 * ROW) {
        uint32_t rest = (side->bytes - at) / 16;
        uint32_t lanes = rest >= ROW ? SMP_ALL_LANES : (1u << rest) - 1;
        for (unsigned l = 0; l < ROW; l++)
            x->address[l] = side->address + at + 16 * l;
        if (!(side->is_shared ? emu_check_shared(x, lanes) : emu_check_global(x, lanes)))
            return false;
        see_race(x, lanes, side);
        if (side->is_shared)
            emu_shared_seen(x, lanes, !side->is_written, side->is_written);
        if (at == 0)
            *first = x->bytes[0];
    }
    return true;
}

void emu_reduce(const uop_memory *m, uint32_t width, uint8_t *to, const uint8_t *from,
                uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i += width) {
        uint64_t value = 0;
        memcpy(&value, from + i, width);
        emu_change(to + i, width, m, value, 0);
    }
}

static void reduce(const access_lanes *x, uint8_t *to, const uint8_t *from, uint32_t bytes) {
    const uint8_t type = x->m->type;
    const bool is_wide = type == TYPE_U64 || type == TYPE_S64 || type == TYPE_F64;
    emu_reduce(x->m, is_wide ? 8 : 4, to, from, bytes);
}

/* Copies or reduces bytes that were translated. */
static void act(const access_lanes *x, uint8_t *to, const uint8_t *from, uint32_t bytes) {
    if (x->m->reduces)
        reduce(x, to, from, bytes);
    else
        memmove(to, from, bytes);
}

/* Numbers a copy for the race detector; 0 if it is off. */
static uint32_t begin_race(const access_lanes *x, unsigned lane, bool writes) {
    return x->worker->race ? emu_race_begin_bulk(x, lane, writes) : 0;
}

static void act_in_block(access_lanes *x, unsigned lane, uint64_t to, uint64_t barrier,
                         const uint8_t *from, uint32_t bytes) {
    uint8_t *target = NULL;
    const uint32_t race = begin_race(x, lane, true);
    x->width = 16;
    if (race != 0)
        emu_race_bulk_ends(x, race, barrier);
    const bulk_side side = {to, bytes, race, lane, true, !x->m->reduces};
    if (!reach_bulk(x, &side, &target))
        return;
    act(x, target, from, bytes);
    emu_bytes_arrive(x, barrier, bytes);
}

static void copy_out(access_lanes *x, unsigned lane, uint32_t source, uint64_t to, uint32_t bytes) {
    const bool is_seen = x->worker->race;
    const bulk_side in = {source, bytes, begin_race(x, lane, false), lane, true, false};
    const bulk_side out = {to,   bytes, is_seen ? emu_race_begin_write(x, lane) : 0,
                           lane, false, true};
    uint8_t *from = NULL, *into = NULL;
    if (reach_bulk(x, &in, &from) && reach_bulk(x, &out, &into))
        act(x, into, from, bytes);
}

void emu_bulk_copy(access_lanes *x, uint32_t exec) {
    const unsigned lane = (unsigned)__builtin_ctz(exec);
    const uint32_t *at = emu_row_of(x->warp, &x->m->at.uniform);
    const uint32_t *source = emu_row_of(x->warp, &x->m->from.uniform);
    const uint32_t size = emu_row_of(x->warp, &x->u->a)[0], bytes = (size & 0xffff) * 16;
    uint64_t wide_at = lanes_pair(at, 0);
    uint64_t wide_source = lanes_pair(source, 0);
    uint8_t *from = NULL;
    uint32_t in_block = at[0] & ((1u << SMP_BLOCK_SHIFT) - 1);
    uint32_t barrier = at[ROW] & ((1u << SMP_BLOCK_SHIFT) - 1);
    if (bytes == 0)
        return;
    if (x->m->bulk == BULK_FROM_SHARED) {
        copy_out(x, lane, source[0], wide_at, bytes);
        return;
    }
    bool is_between = x->m->bulk == BULK_BETWEEN_BLOCKS;
    const uint32_t race = is_between ? begin_race(x, lane, false) : 0;
    if (race != 0)
        emu_race_bulk_ends(x, race, at[ROW]);
    const bulk_side side = {
        is_between ? source[0] : wide_source, bytes, race, lane, is_between, false};
    if (!reach_bulk(x, &side, &from))
        return;
    if (!x->m->is_multicast)
        act_in_block(x, lane, at[0], at[ROW], from, bytes);
    for (uint32_t rank = 0; rank < 16 && x->m->is_multicast; rank++)
        if (size >> (16 + rank) & 1)
            act_in_block(x, lane, in_block | (uint64_t)rank << SMP_BLOCK_SHIFT,
                         barrier | (uint64_t)rank << SMP_BLOCK_SHIFT, from, bytes);
}

/* The address, and the barrier's in the next register, are in shared memory of the cluster. */
void emu_async_store(access_lanes *x, uint32_t lanes) {
    const uint32_t *at = emu_row_of(x->warp, &x->m->at.base);
    const uint32_t *a = emu_row_of(x->warp, &x->u->a);
    const uint32_t bytes = x->width;
    EACH_LANE x->address[l] = at[l] + (uint64_t)x->m->at.offset_bytes;
    if (!emu_check_shared(x, lanes))
        return;
    emu_shared_seen(x, lanes, x->m->reduces, !x->m->reduces);
    EACH_LANE_OF(l, lanes) {
        const uint32_t race = begin_race(x, l, true);
        if (race == 0)
            break;
        emu_race_bulk_ends(x, race, at[ROW + l]);
        emu_race_bulk(x, 1u << l, race, true);
    }
    EACH_LANE_OF(l, lanes) {
        uint32_t words[4];
        for (unsigned i = 0; i < bytes / 4; i++)
            words[i] = a[i * ROW + l];
        act(x, x->bytes[l], (const uint8_t *)words, bytes);
    }
    EACH_LANE_OF(l, lanes)
        emu_bytes_arrive(x, at[ROW + l], bytes);
}
