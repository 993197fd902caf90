/* SPDX-License-Identifier: MIT */
/*
 * The fast path: a load or store whose offsets are in its site's table is neither costed again nor,
 * except at its ends, checked again. Everything else is left to memory.c, which also makes the
 * table entries.
 */
#include <string.h>

#include "block_order.h"
#include "heap.h"
#include "memory.h"
#include "race.h"

typedef uint32_t loose_word __attribute__((aligned(1), may_alias));
typedef uint32_t four __attribute__((vector_size(16), aligned(4), may_alias));

#ifdef __clang__
#define CHOOSE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define CHOOSE(a, b, ...) __builtin_shuffle(a, b, (four){__VA_ARGS__})
#endif

enum { ALL_BYTES = 15 }; /* of a word */

/* ---- The lanes' offsets, as the table has them; lanes that do not take part have 0 ---- */

LANES_INLINE uint32_t kept(uint32_t value, uint32_t lanes, unsigned l) {
    return lanes >> l & 1 ? value : 0;
}

/* Computes offsets; true if they equal those of `seen`. */
LANES_INLINE bool shared_offsets(const uint32_t *base, unsigned scale, uint32_t add, uint32_t lanes,
                                 const emu_request *seen, uint32_t *offset) {
    const uint32_t first = seen->first, stride = seen->stride;
    uint32_t differs = lanes ^ seen->mask;
    if (seen->shape != REQUEST_ANY && lanes == SMP_ALL_LANES)
        for (unsigned l = 0; l < ROW; l++) {
            offset[l] = (base[l] << scale) + add;
            differs |= offset[l] ^ (first + l * stride);
        }
    else
        for (unsigned l = 0; l < ROW; l++) {
            offset[l] = kept((base[l] << scale) + add, lanes, l);
            differs |= offset[l] ^ seen->offset[l];
        }
    return differs == 0;
}

/* Computes offsets from the address of lane `from`, whose offset is `add`; sets *is_far if some are
 * not within 2 GiB or the same 4 GiB. */
LANES_INLINE bool global_offsets(const uint32_t *base, unsigned from, uint32_t add, uint32_t lanes,
                                 const emu_request *seen, uint32_t *offset, bool *is_far) {
    const uint32_t low = base[from], high = base[ROW + from];
    const uint32_t first = seen->first, stride = seen->stride;
    uint32_t differs = lanes ^ seen->mask, far = 0;
    bool is_whole = lanes == SMP_ALL_LANES, is_even = seen->shape != REQUEST_ANY && is_whole;
    if (is_whole)
        for (unsigned l = 0; l < ROW; l++) {
            uint32_t distance = base[l] - low, is_below = 0u - (uint32_t)(base[l] < low);
            far |= (base[ROW + l] ^ high) | ((distance ^ is_below) & 0x80000000u);
            offset[l] = distance + add;
        }
    else
        for (unsigned l = 0; l < ROW; l++) {
            uint32_t distance = base[l] - low, is_below = 0u - (uint32_t)(base[l] < low);
            uint32_t part = 0u - (lanes >> l & 1);
            far |= ((base[ROW + l] ^ high) | ((distance ^ is_below) & 0x80000000u)) & part;
            offset[l] = (distance + add) & part;
        }
    if (is_even)
        for (unsigned l = 0; l < ROW; l++)
            differs |= offset[l] ^ (first + l * stride);
    else
        for (unsigned l = 0; l < ROW; l++)
            differs |= offset[l] ^ seen->offset[l];
    *is_far = far != 0;
    return differs == 0;
}

/* ---- What is moved ---- */

/* Transposes four rows of 32 and 32 groups of four words, in 4 x 4 tiles. */
LANES_INLINE void transpose_four(const four in[4], four out[4]) {
    four a = CHOOSE(in[0], in[1], 0, 4, 1, 5);
    four b = CHOOSE(in[2], in[3], 0, 4, 1, 5);
    four c = CHOOSE(in[0], in[1], 2, 6, 3, 7);
    four d = CHOOSE(in[2], in[3], 2, 6, 3, 7);
    out[0] = CHOOSE(a, b, 0, 1, 4, 5);
    out[1] = CHOOSE(a, b, 2, 3, 6, 7);
    out[2] = CHOOSE(c, d, 0, 1, 4, 5);
    out[3] = CHOOSE(c, d, 2, 3, 6, 7);
}

LANES_INLINE void load_fours(uint32_t *d, const uint8_t *at, const uint32_t *offset) {
    for (unsigned l = 0; l < ROW; l += 4) {
        four in[4], out[4];
        for (unsigned i = 0; i < 4; i++)
            in[i] = *(const four *)(const void *)(at + (int32_t)offset[l + i]);
        transpose_four(in, out);
        for (unsigned i = 0; i < 4; i++)
            *(four *)(void *)&d[i * ROW + l] = out[i];
    }
}

LANES_INLINE void store_fours(const uint32_t *a, uint8_t *at, const uint32_t *offset) {
    for (unsigned l = 0; l < ROW; l += 4) {
        four in[4], out[4];
        for (unsigned i = 0; i < 4; i++)
            in[i] = *(const four *)(const void *)&a[i * ROW + l];
        transpose_four(in, out);
        for (unsigned i = 0; i < 4; i++)
            *(four *)(void *)(at + (int32_t)offset[l + i]) = out[i];
    }
}

/* For aligned words. */
LANES_INLINE void load_words(uint32_t *restrict d, const loose_word *restrict at,
                             const uint32_t *restrict offset) {
    for (unsigned l = 0; l < ROW; l++)
        d[l] = at[(int32_t)offset[l] >> 2];
}

LANES_INLINE uint32_t word_at(const uint8_t *at) {
    uint32_t word;
    memcpy(&word, at, 4);
    return word;
}

/* Loads evenly spaced words four at a time: rows that are stored word by word are slow to read back
 * soon after. */
LANES_INLINE void load_even(uint32_t *d, const uint8_t *at, uint32_t stride) {
    const int64_t step = (int32_t)stride;
    for (unsigned l = 0; l < ROW; l += 4, at += 4 * step)
        *(four *)(void *)&d[l] =
            (four){word_at(at), word_at(at + step), word_at(at + 2 * step), word_at(at + 3 * step)};
}

LANES_INLINE void load_same(uint32_t *d, const uint8_t *at) {
    const uint32_t word = word_at(at);
    for (unsigned l = 0; l < ROW; l++)
        d[l] = word;
}

/* Loads pairs of words, four at a time, into two rows. */
LANES_INLINE void load_pairs(uint32_t *d, const uint8_t *at, const uint32_t *offset) {
    for (unsigned l = 0; l < ROW; l += 4) {
        uint64_t in[4];
        for (unsigned i = 0; i < 4; i++)
            memcpy(&in[i], at + (int32_t)offset[l + i], 8);
        *(four *)(void *)&d[l] =
            (four){(uint32_t)in[0], (uint32_t)in[1], (uint32_t)in[2], (uint32_t)in[3]};
        *(four *)(void *)&d[ROW + l] = (four){(uint32_t)(in[0] >> 32), (uint32_t)(in[1] >> 32),
                                              (uint32_t)(in[2] >> 32), (uint32_t)(in[3] >> 32)};
    }
}

/* Loads `words` words for every lane. */
LANES_INLINE void load_all(uint32_t *d, unsigned words, const uint8_t *at,
                           const emu_request *request, const uint32_t *offset) {
    if (request->shape == REQUEST_SAME) {
        for (unsigned i = 0; i < words; i++)
            load_same(d + i * ROW, at + (int32_t)request->first + 4 * i);
    } else if (words == 4) {
        load_fours(d, at, offset);
    } else if (words == 2) {
        load_pairs(d, at, offset);
    } else if (request->shape == REQUEST_CONSECUTIVE) {
        lanes_copy(d, at + (int32_t)request->first);
    } else if (request->shape == REQUEST_EVEN) {
        load_even(d, at + (int32_t)request->first, request->stride);
    } else {
        load_words(d, (const loose_word *)(const void *)at, offset);
    }
}

LANES_INLINE void load(uint32_t *d, const uop *u, const uop_memory *m, const uint8_t *at,
                       const emu_request *request, const uint32_t *offset) {
    if (request->mask == SMP_ALL_LANES && m->width_bytes >= 4)
        load_all(d, m->width_bytes / 4, at, request, offset);
    else
        EACH_LANE_OF(l, request->mask)
            emu_load_lane(d, u->d_rows, m, l, at + (int32_t)offset[l]);
}

LANES_INLINE void store(const uint32_t *a, const uop_memory *m, uint8_t *at,
                        const emu_request *request, const uint32_t *offset) {
    if (request->mask != SMP_ALL_LANES || m->width_bytes < 4 || m->width_bytes == 8)
        EACH_LANE_OF(l, request->mask)
            emu_store_lane(a, m, l, at + (int32_t)offset[l]);
    else if (m->width_bytes == 16)
        store_fours(a, at, offset);
    else if (request->shape == REQUEST_CONSECUTIVE)
        lanes_copy(at + (int32_t)request->first, a);
    else
        for (unsigned l = 0; l < ROW; l++)
            memcpy(at + (int32_t)offset[l], &a[l], 4);
}

LANES_INLINE void move(emu_warp *warp, const uop *u, const uop_memory *m, uint8_t *at,
                       uint32_t site, emu_request *request, const uint32_t *offset) {
    emu_judge_came(&warp->block->worker->judge, site, request);
    if (m->kind == MEMORY_LOAD)
        load(emu_result(warp, u), u, m, at, request, offset);
    else
        store(emu_row_of(warp, &u->a), m, at, request, offset);
}

/* ---- The two spaces ---- */

/* Contiguous words; false if some are unwritten and this does not write them. */
static bool see_row(emu_block *block, uint32_t first, uint32_t count, bool writes) {
    uint8_t *is_written = &block->is_written[first];
    uint32_t written = 0;
    for (uint32_t i = 0; i < count; i++)
        written += is_written[i] == ALL_BYTES;
    if (written != count && writes) {
        memset(is_written, ALL_BYTES, count);
        block->unwritten -= count - written;
    }
    return written == count || writes;
}

/* Called until a block has written all of its shared memory; false if it reads an unwritten
 * word. */
static bool see_words(emu_block *block, const uop_memory *m, uint32_t reserved, emu_request *seen,
                      const uint32_t *offset) {
    const uint32_t words = (m->width_bytes + 3u) / 4;
    uint8_t all = m->width_bytes == 4 && seen->mask == SMP_ALL_LANES ? ALL_BYTES : 0;
    if (words * 4 == m->width_bytes && seen->shape == REQUEST_CONSECUTIVE) {
        all = see_row(block, (reserved + offset[0]) / 4, words * ROW, m->kind == MEMORY_STORE)
                  ? ALL_BYTES
                  : 0;
    } else {
        for (unsigned l = 0; all && l < ROW; l++)
            all &= block->is_written[(reserved + offset[l]) / 4];
    }
    for (uint32_t lanes = all == ALL_BYTES ? 0 : seen->mask; lanes != 0; lanes &= lanes - 1) {
        const uint32_t at = reserved + offset[__builtin_ctz(lanes)];
        const uint8_t bytes = (uint8_t)(((1u << m->width_bytes % 16) - 1) << (at & 3));
        const uint8_t own = m->width_bytes < 4 ? bytes : ALL_BYTES;
        for (uint32_t i = 0; i < words; i++) {
            uint8_t *is_written = &block->is_written[at / 4 + i];
            if ((own & ~*is_written) == 0)
                continue;
            if (m->kind == MEMORY_LOAD)
                return false;
            *is_written |= own;
            block->unwritten -= *is_written == ALL_BYTES;
        }
    }
    seen->written_in = block->worker->written_serial;
    return true;
}

/* `distance`: bytes added to all offsets. */
static void see_race(emu_warp *warp, const uop *u, const uop_memory *m, const emu_request *request,
                     uint32_t distance, const uint32_t *offset) {
    uint32_t moved[ROW];
    if (m->kind == MEMORY_LOAD && request->shape != REQUEST_ANY && request->mask == SMP_ALL_LANES &&
        emu_race_read(warp, u, m->width_bytes, request->first + distance, request->stride))
        return;
    for (unsigned l = 0; l < ROW; l++)
        moved[l] = offset[l] + distance;
    emu_race_shared(warp, u, m, request->mask, moved);
}

static void see_races(emu_warp *warp, const uop *u, const uop *end, const emu_request *request) {
    if (request->shape != REQUEST_ANY && request->mask == SMP_ALL_LANES &&
        emu_race_reads(warp, u, end, request->first, request->stride))
        return;
    for (; u < end; u++)
        see_race(warp, u, &warp->block->worker->run->program->memory[u->memory], request,
                 (uint32_t)u->series_distance, request->offset);
}

LANES_CLONED static bool again_shared(emu_warp *warp, const uop *u, const uop_memory *m,
                                      uint32_t exec) {
    emu_block *block = warp->block;
    emu_worker *worker = block->worker;
    const emu_program *program = worker->run->program;
    uint32_t site = m->sites + SLOT_SHARED, offset[ROW];
    emu_request *seen = emu_judge_expected(&worker->judge, site);
    if (!seen || m->at.is_wide || m->at.is_uniform_wide || worker->block_count > 1)
        return false;
    uint32_t reserved = program->function->shared_reserved_bytes;
    uint32_t add = (uint32_t)emu_added(warp, &m->at) - reserved;
    const uint32_t *base = emu_row_of(warp, &m->at.base);
    bool is_expected = shared_offsets(base, m->at.scale, add, exec, seen, offset);
    if (!is_expected && !(seen = emu_judge_find(&worker->judge, site, exec, offset)))
        return false;
    if (block->unwritten != 0 && seen->written_in != worker->written_serial &&
        !see_words(block, m, reserved, seen, offset))
        return false;
    if (worker->race)
        see_race(warp, u, m, seen, 0, offset);
    move(warp, u, m, block->shared + reserved, site, seen, offset);
    return true;
}

LANES_CLONED void emu_chain_load(emu_warp *warp, const uop *u, const uop *end,
                                 const emu_request *request) {
    const emu_block *block = warp->block;
    const uint8_t *from =
        block->shared + block->worker->run->program->function->shared_reserved_bytes;
    if (block->worker->race)
        see_races(warp, u, end, request);
    for (; u < end; u++)
        load_all(emu_result(warp, u), u->d_rows, from + u->series_distance, request,
                 request->offset);
}

static bool is_live(const smp_emu_array *heap, uint64_t from, const emu_request *seen,
                    uint32_t width) {
    bool is_fine = true;
    for (uint32_t lanes = seen->mask; lanes != 0 && is_fine; lanes &= lanes - 1)
        is_fine = emu_heap_is_live(
            heap, from + (uint64_t)(int32_t)seen->offset[__builtin_ctz(lanes)], width);
    return is_fine;
}

/* True if all of a request is inside the array; its offsets count from `from` bytes into it.
 * Unsigned numbers wrap. */
LANES_INLINE bool is_inside(const smp_emu_array *array, uint64_t from, const emu_request *seen,
                            const uop_memory *m) {
    const uint64_t least = from + (uint64_t)(int64_t)seen->least;
    const uint64_t end = from + (uint64_t)(int64_t)seen->most + m->width_bytes;
    return least <= array->size_bytes && end <= array->size_bytes && end >= least &&
           (!array->live || is_live(array, from, seen, m->width_bytes));
}

LANES_INLINE void order_and_move(emu_warp *warp, const uop *u, const uop_memory *m,
                                 const smp_emu_array *array, uint64_t from, emu_request *seen,
                                 const uint32_t *offset) {
    emu_worker *worker = warp->block->worker;
    if (worker->race)
        emu_race_global(warp, u, m, array, (int64_t)from, offset, seen->mask);
    if (m->is_strong)
        emu_block_order_meet(worker);
    else if (emu_block_order_is_kept(worker) &&
             (m->kind == MEMORY_STORE || emu_block_order_is_written(worker->run, array)))
        emu_block_order_access(warp, u, m, array, (int64_t)from, offset, seen->mask);
    move(warp, u, m, array->bytes + (int64_t)from, m->sites + SLOT_GLOBAL, seen, offset);
}

/* The common case: all lanes, evenly spaced as before. */
LANES_CLONED static bool again_even(emu_warp *warp, const uop *u, const uop_memory *m) {
    emu_worker *worker = warp->block->worker;
    const emu_program *program = worker->run->program;
    const smp_emu_array *array = worker->last_array[u - program->uops];
    emu_request *seen = worker->judge.sites[m->sites + SLOT_GLOBAL].expected;
    if (!seen || seen->shape == REQUEST_ANY || !array || !m->at.is_wide || m->at.scale != 0)
        return false;
    const uint32_t *base = emu_row_of(warp, &m->at.base);
    const uint32_t low = base[0], high = base[ROW], stride = seen->stride;
    const uint64_t address = (low | (uint64_t)high << 32) + emu_added(warp, &m->at);
    uint32_t differs = ((uint32_t)address & 255) ^ seen->first;
    for (unsigned l = 0; l < ROW; l++)
        differs |= (base[l] ^ (low + l * stride)) | (base[ROW + l] ^ high);
    /* No carry occurs between the first lane and the last. */
    const int64_t last = (int64_t)low + (int64_t)(int32_t)stride * (ROW - 1);
    const uint64_t from = (address & ~(uint64_t)255) - array->address;
    if (differs != 0 || last < 0 || last > UINT32_MAX || !is_inside(array, from, seen, m))
        return false;
    order_and_move(warp, u, m, array, from, seen, seen->offset);
    return true;
}

LANES_CLONED static bool again_global(emu_warp *warp, const uop *u, const uop_memory *m,
                                      uint32_t exec) {
    emu_worker *worker = warp->block->worker;
    const emu_program *program = worker->run->program;
    const smp_emu_array *array = worker->last_array[u - program->uops];
    uint32_t site = m->sites + SLOT_GLOBAL, offset[ROW];
    emu_request *seen = emu_judge_expected(&worker->judge, site);
    if (!seen || !array || !m->at.is_wide || m->at.scale != 0)
        return false;
    const uint32_t *base = emu_row_of(warp, &m->at.base);
    unsigned first = (unsigned)__builtin_ctz(exec);
    uint64_t address = (base[first] | (uint64_t)base[ROW + first] << 32) + emu_added(warp, &m->at);
    bool is_far;
    bool is_expected =
        global_offsets(base, first, (uint32_t)address & 255, exec, seen, offset, &is_far);
    if (is_far)
        return false;
    if (!is_expected && !(seen = emu_judge_find(&worker->judge, site, exec, offset)))
        return false;
    const uint64_t from = (address & ~(uint64_t)255) - array->address;
    if (!is_inside(array, from, seen, m))
        return false;
    order_and_move(warp, u, m, array, from, seen, offset);
    return true;
}

/* ---- Local memory: words at one place in that of each lane ---- */

typedef struct local_words {
    uint32_t *memory, *writer;         /* of lane 0 */
    uint32_t lane_words, words, stamp; /* `stamp`: of written words */
} local_words;

/* False if some lane has not written all of them. */
LANES_INLINE bool is_local_written(const local_words *at, uint32_t lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t *writer = at->writer + (size_t)__builtin_ctz(lanes) * at->lane_words;
        bool is_written = true;
        for (uint32_t i = 0; i < at->words; i++)
            is_written &= writer[i] == at->stamp;
        if (!is_written)
            return false;
    }
    return true;
}

LANES_INLINE void load_local(uint32_t *d, const local_words *at, uint32_t lanes) {
    EACH_LANE_OF(l, lanes) {
        for (uint32_t i = 0; i < at->words; i++)
            d[i * ROW + l] = at->memory[(size_t)l * at->lane_words + i];
    }
}

LANES_INLINE void store_local(const uint32_t *a, const local_words *at, uint32_t lanes) {
    EACH_LANE_OF(l, lanes) {
        for (uint32_t i = 0; i < at->words; i++) {
            at->memory[(size_t)l * at->lane_words + i] = a[i * ROW + l];
            at->writer[(size_t)l * at->lane_words + i] = at->stamp;
        }
    }
}

/* Finds the lanes' common offset; false if they differ or words do not fit there. */
LANES_INLINE bool local_offset(const emu_warp *warp, const uop_memory *m, uint32_t exec,
                               uint32_t *out) {
    const emu_run *run = warp->block->worker->run;
    const uint32_t size = run->local_bytes, width = m->width_bytes;
    if (width < 4 || m->at.is_wide || m->at.is_uniform_wide || m->at.scale != 0 ||
        m->at.base.rows != 1)
        return false;
    const uint32_t *base = emu_row_of(warp, &m->at.base);
    const uint32_t first = base[__builtin_ctz(exec)];
    const uint32_t at = first + (uint32_t)emu_added(warp, &m->at);
    uint32_t differs = 0;
    for (unsigned l = 0; l < ROW; l++)
        differs |= kept(base[l] ^ first, exec, l);
    *out = at;
    return differs == 0 && at % width == 0 && at < size && size - at >= width;
}

LANES_CLONED static bool again_local(emu_warp *warp, const uop *u, const uop_memory *m,
                                     uint32_t exec) {
    const emu_block *block = warp->block;
    emu_worker *worker = block->worker;
    const uint32_t site = m->sites + SLOT_LOCAL, lane_words = worker->run->local_bytes / 4;
    emu_request *seen = emu_judge_expected(&worker->judge, site);
    uint32_t from, offset[ROW];
    if (!seen || !local_offset(warp, m, exec, &from))
        return false;
    uint32_t differs = exec ^ seen->mask;
    for (unsigned l = 0; l < ROW; l++) {
        offset[l] = kept(from & 255, exec, l);
        differs |= offset[l] ^ seen->offset[l];
    }
    if (differs != 0 && !(seen = emu_judge_find(&worker->judge, site, exec, offset)))
        return false;
    const size_t word = (size_t)warp->index * ROW * lane_words + from / 4;
    const local_words at = {(uint32_t *)(void *)block->local + word, block->local_writer + word,
                            lane_words, m->width_bytes / 4u, emu_local_stamp(worker) | ALL_BYTES};
    if (m->kind == MEMORY_LOAD && !is_local_written(&at, exec))
        return false;
    emu_judge_came(&worker->judge, site, seen);
    if (m->kind == MEMORY_LOAD)
        load_local(emu_result(warp, u), &at, exec);
    else
        store_local(emu_row_of(warp, &u->a), &at, exec);
    return true;
}

bool emu_request_cached(emu_warp *warp, const uop *u, const uop_memory *m, uint32_t exec) {
    if (m->kind != MEMORY_LOAD && m->kind != MEMORY_STORE)
        return false;
    if (warp->block->worker->judge.trace) /* a trace needs every request */
        return false;
    if (m->space == SPACE_SHARED)
        return again_shared(warp, u, m, exec);
    if (m->space == SPACE_LOCAL)
        return again_local(warp, u, m, exec);
    return m->space == SPACE_GLOBAL &&
           ((exec == SMP_ALL_LANES && again_even(warp, u, m)) || again_global(warp, u, m, exec));
}
