/* SPDX-License-Identifier: MIT */
/*
 * Copies of a tensor's box between global and shared memory through a tensor map (PTX:
 * cp.async.bulk.tensor in tile mode, cp.reduce.async.bulk.tensor). In shared memory the box has its
 * first dimension innermost, in rows as wide as the swizzle if there is one; swizzling XORs the
 * address of 16 bytes with higher bits. Elements outside the tensor are read as zero or NaN and not
 * written, except for the rest of 16 bytes that begin inside. Interleaved layouts and im2col are
 * not supported.
 */
#include <string.h>

#include "memory.h"
#include "race.h"
#include "tensor_map.h"

enum { CHUNK = 16, SHARED_ALIGNMENT = 128 };

typedef struct tensor_copy {
    access_lanes *x;
    emu_tensor_map map;
    int64_t at[TENSOR_RANKS];
    uint32_t count[TENSOR_RANKS]; /* elements of the box */
    uint32_t shared, row_bytes, pitch_bytes;
    uint32_t lanes; /* pending chunks */
    uint64_t global[SMP_LANES];
    uint8_t valid[SMP_LANES]; /* bytes of the chunk inside the tensor */
    const smp_emu_array *array;
    uint32_t race;     /* access number in the race detector */
    uint32_t race_far; /* the same for its writes to global memory */
    unsigned lane;     /* the issuing lane */
} tensor_copy;

static bool fail(const tensor_copy *c, smp_finding_kind kind, const char *what, long long number) {
    emu_found(c->x->warp, c->x->u, 0, kind, what, number);
    return false;
}

/* TF32: rounds to nearest even. Denormals stay, even for types that flush them. */
static void convert(const tensor_copy *c, uint8_t *bytes) {
    uint32_t words[CHUNK / 4];
    if (!c->map.rounds_to_tf32)
        return;
    memcpy(words, bytes, CHUNK);
    for (unsigned i = 0; i < CHUNK / 4; i++) {
        uint32_t w = words[i];
        if ((w & 0x7fffffff) > 0x7f800000)
            words[i] = 0x7fffe000;
        else
            words[i] = (w + 0xfff + (w >> 13 & 1)) & 0xffffe000;
    }
    memcpy(bytes, words, CHUNK);
}

static void load_chunk(const tensor_copy *c, uint8_t *to, const uint8_t *from, uint32_t valid) {
    static const uint8_t nan_bytes[] = {0xf7, 0x7f};
    uint8_t bytes[CHUNK];
    for (unsigned i = 0; i < CHUNK; i++)
        bytes[i] = c->map.fills_nan ? nan_bytes[i % 2] : 0;
    if (valid != 0)
        memcpy(bytes, from, valid);
    if (valid == CHUNK)
        convert(c, bytes);
    memcpy(to, bytes, CHUNK);
}

static void reduce_chunk(const tensor_copy *c, uint8_t *to, const uint8_t *from, uint32_t valid) {
    static const uint8_t types[TENSOR_TYPES] = {
        [TENSOR_U32] = TYPE_U32,     [TENSOR_S32] = TYPE_S32,   [TENSOR_U64] = TYPE_U64,
        [TENSOR_S64] = TYPE_S64,     [TENSOR_F16] = TYPE_F16X2, [TENSOR_F32] = TYPE_F32,
        [TENSOR_F32_FTZ] = TYPE_F32, [TENSOR_F64] = TYPE_F64,   [TENSOR_BF16] = TYPE_BF16X2};
    uop_memory what = *c->x->m;
    what.type = types[c->map.type];
    emu_reduce(&what, c->map.element_bytes, to, from, valid);
}

/* The bytes of a chunk in global memory; NULL if out of bounds. */
static uint8_t *reach(tensor_copy *c, uint64_t address, uint32_t bytes) {
    const smp_emu_memory *memory = c->x->worker->run->memory;
    const smp_emu_array *a = c->array;
    if (!a || address < a->address || address - a->address + bytes > a->size_bytes)
        a = c->array = smp_emu_memory_find(memory, address);
    if (a && address - a->address + bytes <= a->size_bytes)
        return a->bytes + (address - a->address);
    emu_found_at(c->x->warp, c->x->u, 0, SMP_FINDING_OUT_OF_BOUNDS,
                 (emu_target){address, false, NULL, FOUND_THERE},
                 "%u bytes of a tensor at global address 0x%llx: no array is there", bytes,
                 (unsigned long long)address);
    return NULL;
}

/* For chunks that are partly outside the tensor, only the shared side is checked. */
static void see_race(const tensor_copy *c, uint32_t lanes, bool is_load) {
    uint32_t whole = 0;
    EACH_LANE_OF(l, lanes)
        whole |= (uint32_t)(c->valid[l] == CHUNK) << l;
    emu_race_bulk(c->x, lanes, c->race, is_load);
    emu_race_far(c->x, c->global, whole,
                 (race_far){.kind = is_load            ? MEMORY_LOAD
                                    : c->x->m->reduces ? MEMORY_ATOMIC
                                                       : MEMORY_STORE,
                            .width = CHUNK,
                            .flight = is_load ? 0 : c->race_far,
                            .owner = (int)c->lane,
                            .is_proxy = true});
}

/* Moves the pending chunks, whose shared addresses are in x->address. */
static bool flush(tensor_copy *c) {
    access_lanes *x = c->x;
    bool is_load = x->m->bulk == BULK_TO_SHARED;
    if (c->lanes == 0)
        return true;
    uint32_t lanes = (uint32_t)((1ull << c->lanes) - 1);
    if (!emu_check_shared(x, lanes))
        return false;
    if (c->race != 0)
        see_race(c, lanes, is_load);
    emu_shared_seen(x, lanes, !is_load, is_load);
    for (unsigned l = 0; l < c->lanes; l++) {
        uint8_t *global = c->valid[l] != 0 ? reach(c, c->global[l], c->valid[l]) : NULL;
        if (!global && c->valid[l] != 0)
            return false;
        if (is_load)
            load_chunk(c, x->bytes[l], global, c->valid[l]);
        else if (c->valid[l] != 0 && x->m->reduces)
            reduce_chunk(c, global, x->bytes[l], c->valid[l]);
        else if (c->valid[l] != 0)
            memcpy(global, x->bytes[l], c->valid[l]);
    }
    c->lanes = 0;
    return true;
}

static bool add_chunk(tensor_copy *c, uint32_t shared, uint64_t global, uint32_t valid) {
    static const uint8_t masks[] = {0, 1, 3, 7};
    uint32_t block = shared >> SMP_BLOCK_SHIFT << SMP_BLOCK_SHIFT;
    uint32_t in_block = shared - block;
    in_block ^= (in_block >> 7 & masks[c->map.swizzle]) << 4;
    c->x->address[c->lanes] = block | in_block;
    c->global[c->lanes] = global;
    c->valid[c->lanes] = (uint8_t)valid;
    return ++c->lanes < SMP_LANES || flush(c);
}

/* Moves one row along the first dimension, from the global address `global`; is_outside: all of it
 * is outside the tensor. */
static bool move_row(tensor_copy *c, uint32_t shared, uint64_t global, bool is_outside) {
    for (uint32_t at = 0; at < c->row_bytes; at += CHUNK) {
        int64_t from = c->at[0] * c->map.element_bytes + at;
        int64_t inside = (int64_t)(c->map.size[0] * c->map.element_bytes) - from;
        uint32_t valid = is_outside || from < 0 || inside <= 0 ? 0
                         : inside < CHUNK                      ? (uint32_t)inside
                                                               : CHUNK;
        if (valid != 0 && c->x->m->bulk == BULK_FROM_SHARED)
            valid = CHUNK;
        if (!add_chunk(c, shared + at, global + (uint64_t)from, valid))
            return false;
    }
    return true;
}

static bool move_box(tensor_copy *c) {
    uint32_t rows = 1;
    for (uint32_t i = 1; i < c->map.rank; i++)
        rows *= c->count[i];
    c->lanes = 0;
    for (uint32_t row = 0; row < rows; row++) {
        uint64_t address = c->map.address;
        bool is_outside = false;
        for (uint32_t i = 1, rest = row; i < c->map.rank; rest /= c->count[i++]) {
            int64_t at = c->at[i] + (int64_t)(rest % c->count[i]) * c->map.step[i];
            is_outside |= at < 0 || at >= (int64_t)c->map.size[i];
            address += (uint64_t)at * c->map.stride_bytes[i];
        }
        if (!move_row(c, c->shared + row * c->pitch_bytes, address, is_outside))
            return false;
    }
    return flush(c);
}

static bool can_reduce(const tensor_copy *c) {
    tensor_type type = c->map.type;
    bool is_float = type >= TENSOR_F16, is_half = type == TENSOR_F16 || type == TENSOR_BF16;
    return type >= TENSOR_U32 &&
           (!is_float || c->x->m->act == ATOMIC_ADD || (is_half && c->x->m->act <= ATOMIC_MAX));
}

static bool read_map(tensor_copy *c, uint64_t address) {
    const smp_emu_array *array = smp_emu_memory_find(c->x->worker->run->memory, address);
    if (!array || array->address + array->size_bytes - address < TENSOR_MAP_BYTES)
        return fail(c, SMP_FINDING_OUT_OF_BOUNDS, "no tensor map at address 0x%llx",
                    (long long)address);
    if (address % 64 != 0)
        return fail(c, SMP_FINDING_MISALIGNED,
                    "a tensor map at address 0x%llx, which is not a multiple of 64",
                    (long long)address);
    if (!emu_tensor_map_read(array->bytes + (address - array->address), &c->map))
        return fail(c, SMP_FINDING_UNKNOWN,
                    "the bytes at address 0x%llx are not a known tensor map", (long long)address);
    if (c->map.interleave != INTERLEAVE_NONE)
        return fail(c, SMP_FINDING_UNKNOWN, "a tensor map with interleaved layout %lld",
                    (long long)c->map.interleave);
    if (c->map.rank != c->x->m->depth)
        return fail(c, SMP_FINDING_UNKNOWN, "a tensor map of %lld dimensions, unlike the copy",
                    (long long)c->map.rank);
    if (c->x->m->reduces && !can_reduce(c))
        return fail(c, SMP_FINDING_UNKNOWN, "a reduction of tensor type %lld",
                    (long long)c->map.type);
    return true;
}

static bool shape_box(tensor_copy *c) {
    static const uint8_t widths[] = {0, 32, 64, 128};
    uint32_t swizzled = widths[c->map.swizzle];
    c->row_bytes = c->map.box[0] * c->map.element_bytes;
    c->pitch_bytes = c->row_bytes < swizzled ? swizzled : c->row_bytes;
    for (uint32_t i = 0; i < TENSOR_RANKS; i++)
        c->count[i] =
            i == 0 ? c->map.box[0] : (c->map.box[i] + c->map.step[i] - 1) / c->map.step[i];
    if (c->row_bytes % CHUNK != 0 || (swizzled != 0 && c->row_bytes > swizzled))
        return fail(c, SMP_FINDING_UNKNOWN, "rows of %lld bytes in a box", c->row_bytes);
    if (c->at[0] * (int64_t)c->map.element_bytes % CHUNK != 0)
        return fail(c, SMP_FINDING_MISALIGNED,
                    "a box that starts at element %lld, whose byte is not a multiple of 16",
                    c->at[0]);
    for (uint32_t i = 0; i < c->map.rank && c->x->m->bulk == BULK_FROM_SHARED; i++)
        if (c->at[i] < 0)
            return fail(
                c, SMP_FINDING_OUT_OF_BOUNDS,
                "a box written from coordinate %lld: only reads may start before the tensor",
                c->at[i]);
    if (c->shared % SHARED_ALIGNMENT != 0)
        return fail(c, SMP_FINDING_MISALIGNED,
                    "a box at shared address 0x%llx, which is not a multiple of 128", c->shared);
    return true;
}

static uint32_t box_bytes(const tensor_copy *c) {
    uint32_t bytes = c->map.element_bytes;
    for (uint32_t i = 0; i < c->map.rank; i++)
        bytes *= c->count[i];
    return bytes;
}

/* "[UR8], [UR16]": the box's shared address, its barrier for loads, coordinates; the map. */
void emu_tensor_copy(access_lanes *x, uint32_t exec) {
    const uint32_t *at = emu_row_of(x->warp, &x->m->at.uniform);
    const uint32_t *map = emu_row_of(x->warp, &x->m->from.uniform);
    bool is_load = x->m->bulk == BULK_TO_SHARED;
    tensor_copy c = {.x = x, .shared = at[0], .lane = (unsigned)__builtin_ctz(exec)};
    for (uint32_t i = 0; i < x->m->depth; i++)
        c.at[i] = (int32_t)at[(is_load + 1 + i) * ROW];
    if (!read_map(&c, lanes_pair(map, 0)) || !shape_box(&c))
        return;
    uint32_t in_block = (1u << SMP_BLOCK_SHIFT) - 1, barrier = is_load ? at[ROW] : 0;
    uint32_t own = at[0] & ~in_block, ranks = 0;
    if (x->m->is_multicast)
        ranks = emu_row_of(x->warp, &x->u->a)[0] >> 16;
    for (uint32_t rank = 0; rank < 16; rank++) {
        bool is_here = x->m->is_multicast ? ranks >> rank & 1 : rank == own >> SMP_BLOCK_SHIFT;
        uint32_t block = rank << SMP_BLOCK_SHIFT;
        if (!is_here)
            continue;
        c.shared = (at[0] & in_block) | block;
        x->width = CHUNK;
        if (x->worker->race)
            c.race = emu_race_begin_bulk(x, c.lane, is_load);
        if (x->worker->race && !is_load)
            c.race_far = emu_race_begin_write(x, c.lane);
        if (c.race != 0 && is_load)
            emu_race_bulk_ends(x, c.race, (barrier & in_block) | block);
        if (!move_box(&c))
            return;
        if (is_load)
            emu_bytes_arrive(x, (barrier & in_block) | block, box_bytes(&c));
    }
}
