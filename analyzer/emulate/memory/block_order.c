/* SPDX-License-Identifier: MIT */
/*
 * A shadow of each array that a launch writes. Reads before an array's first write are not kept, so
 * arrays that are only read cost nothing; a store that does not change the value is ignored. Other
 * workers may be updating the shadow at the same time: conflicts may be missed, but every reported
 * one is real.
 */
#include "block_order.h"
#include "lanes.h"
#include "list.h"

#include <stdlib.h>
#include <string.h>

#include "heap.h"

enum { MANY = -1 };

void emu_block_order_start(emu_run *run) {
    if (!run->launch->run.races && run->cluster_count > 1 && run->cluster_count < UINT32_MAX - 1)
        run->shadows = calloc(run->memory->count + 1, sizeof(emu_shadow));
}

void emu_block_order_end(emu_run *run) {
    for (uint32_t i = 0; run->shadows && i < run->memory->count; i++) {
        free(run->shadows[i].writer);
        free(run->shadows[i].reader);
    }
    free(run->shadows);
    run->shadows = NULL;
}

void emu_block_order_meet(emu_worker *worker) {
    worker->has_met = true;
}

static void tell(emu_warp *warp, const uop *u, const smp_emu_array *array, unsigned lane,
                 uint64_t word, uint32_t other, bool other_writes) {
    emu_worker *worker = warp->block->worker;
    uint8_t *told = &worker->order_told[u - worker->run->program->uops];
    uint32_t at[3];
    if (*told)
        return;
    *told = 1;
    emu_block_place(worker->run->launch, other - 1, 0, at);
    const emu_target target = {array->address + 4 * word, false, array, FOUND_THERE};
    if (other == (uint32_t)MANY)
        emu_found_at(warp, u, lane, SMP_FINDING_ORDER, target,
                     "byte %llu of %.80s, which other blocks read: what they read depends on the "
                     "order of blocks",
                     (unsigned long long)(4 * word), array->name);
    else
        emu_found_at(
            warp, u, lane, SMP_FINDING_ORDER, target,
            "byte %llu of %.80s, which block (%u,%u,%u) %s, too: the result depends on the "
            "order of blocks",
            (unsigned long long)(4 * word), array->name, at[0], at[1], at[2],
            other_writes ? "writes" : "reads");
}

/* Word i that a lane stores. */
static uint32_t stored(const emu_warp *warp, const uop *u, unsigned lane, unsigned i) {
    const uint32_t *rows = emu_row_of(warp, &u->a);
    return rows[i * ROW + lane];
}

typedef struct order_access {
    emu_warp *warp;
    const uop *u;
    const smp_emu_array *array;
    uint32_t me;
} order_access;

static bool is_other(const order_access *x, uint32_t who) {
    return who != 0 && who != x->me;
}

static void read_word(const order_access *x, uint32_t *writer, uint32_t *reader, uint64_t word,
                      unsigned lane) {
    if (is_other(x, writer[word]))
        tell(x->warp, x->u, x->array, lane, word, writer[word], true);
    if (reader[word] != x->me)
        reader[word] = reader[word] == 0 ? x->me : (uint32_t)MANY;
}

static void write_word(const order_access *x, uint32_t *writer, const uint32_t *reader,
                       uint64_t word, unsigned lane, uint32_t value) {
    uint32_t now;
    bool by_other = is_other(x, writer[word]);
    if (by_other || (reader && is_other(x, reader[word]))) {
        memcpy(&now, x->array->bytes + 4 * word, 4);
        if (now != value)
            tell(x->warp, x->u, x->array, lane, word, by_other ? writer[word] : reader[word],
                 by_other);
    }
    if (!by_other)
        writer[word] = x->me;
}

/* Records contiguous words; false without recording if another cluster accessed one in a
 * conflicting way. `other`: writers for a read, readers for a write, or NULL. */
LANES_CLONED static bool keep_row(const uint32_t *other, uint32_t *own, uint32_t me, uint64_t word,
                                  uint32_t count, bool is_read) {
    uint32_t foreign = 0, is_new = 0;
    own += word;
    for (uint32_t i = 0; other && i < count; i++)
        foreign |= other[word + i] != 0 && other[word + i] != me ? 1 : 0;
    for (uint32_t i = 0; i < count; i++) {
        foreign |= !is_read && own[i] != 0 && own[i] != me ? 1 : 0;
        is_new |= own[i] != me && own[i] != (uint32_t)MANY ? 1 : 0;
    }
    /* Skips stores to cache lines that several workers share if nothing changes. */
    for (uint32_t i = 0; foreign == 0 && is_new != 0 && i < count; i++)
        own[i] = own[i] == 0 || own[i] == me ? me : (uint32_t)MANY;
    return foreign == 0;
}

void emu_block_order_access(emu_warp *warp, const uop *u, const uop_memory *m,
                            const smp_emu_array *array, int64_t from, const uint32_t *offset,
                            uint32_t lanes) {
    emu_run *run = warp->block->worker->run;
    emu_shadow *shadow = &run->shadows[array - run->memory->arrays];
    const order_access x = {warp, u, array, warp->block->worker->cluster + 1};
    bool is_read = m->kind == MEMORY_LOAD;
    uint32_t *writer = __atomic_load_n(&shadow->writer, __ATOMIC_ACQUIRE);
    uint32_t *reader = __atomic_load_n(&shadow->reader, __ATOMIC_ACQUIRE);
    if (array->address == EMU_HEAP) /* memory of one block belonged to another before */
        return;
    if ((is_read && !writer) || (!is_read && m->width_bytes < 4))
        return;
    if (is_read)
        reader = ZEROED_ONCE(shadow->reader, array->size_bytes / 4 + 1);
    else
        writer = ZEROED_ONCE(shadow->writer, array->size_bytes / 4 + 1);
    if (!writer || (is_read && !reader))
        return;
    unsigned words = m->width_bytes <= 4 ? 1 : m->width_bytes / 4;
    if (lanes == SMP_ALL_LANES && m->width_bytes == 4 * words &&
        emu_is_even(offset, m->width_bytes) &&
        keep_row(is_read ? writer : reader, is_read ? reader : writer, x.me,
                 (uint64_t)(from + (int32_t)offset[0]) / 4, words * ROW, is_read))
        return;
    EACH_LANE_OF(l, lanes) {
        uint64_t word = (uint64_t)(from + (int32_t)offset[l]) / 4;
        for (unsigned i = 0; i < words; i++)
            if (is_read)
                read_word(&x, writer, reader, word + i, l);
            else
                write_word(&x, writer, reader, word + i, l, stored(warp, u, l, i));
    }
}
