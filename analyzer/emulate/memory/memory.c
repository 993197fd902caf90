/* SPDX-License-Identifier: MIT */
/*
 * Memory instructions: computes the lanes' addresses, translates them, and counts the request. An
 * access out of bounds or misaligned is a finding and has no effect.
 */
#include "memory.h"

#include <string.h>

#include "block_order.h"
#include "heap.h"
#include "poison.h"
#include "race.h"

/* 32-bit addresses wrap. */
static void addresses(emu_warp *warp, const memory_address *at, bool is_wide, uint64_t *address) {
    const uint32_t *base = emu_row_of(warp, &at->base);
    const uint64_t add = emu_added(warp, at);
    if (at->is_wide)
        EACH_LANE address[l] = (lanes_pair(base, l) << at->scale) + add;
    else
        EACH_LANE address[l] = ((uint64_t)base[l] << at->scale) + add;
    if (!is_wide)
        EACH_LANE address[l] &= 0xffffffffu;
}

/* ---- One space at a time ---- */

static emu_request *judge_shared(access_lanes *x, uint32_t lanes) {
    emu_request *request = NULL;
    const uint32_t rank = x->warp->block->rank,
                   own = lanes & LANES_WHERE(x->address[l] >> SMP_BLOCK_SHIFT == rank);
    uint32_t offset[SMP_LANES];
    EACH_LANE offset[l] = emu_shared_offset(x, x->address[l]);
    if (own != 0)
        request = emu_judge_shared(&x->worker->judge, x->m->sites + SLOT_SHARED, own, offset, NULL);
    if (lanes & ~own) {
        uint64_t other[SMP_LANES];
        EACH_LANE other[l] = (x->address[l] >> SMP_BLOCK_SHIFT << SMP_BLOCK_SHIFT) + offset[l];
        emu_judge_global(&x->worker->judge, x->m->sites + SLOT_CLUSTER, lanes & ~own, other);
    }
    return own == lanes ? request : NULL;
}

/* Memory of any block, including the own one. */
static void judge_async(access_lanes *x, uint32_t lanes) {
    uint64_t at[SMP_LANES];
    EACH_LANE at[l] = (x->address[l] & 0xffffffffu) - x->reserved;
    emu_judge_global(&x->worker->judge, x->m->sites + SLOT_CLUSTER, lanes, at);
}

static void access_shared(access_lanes *x, uint32_t lanes) {
    emu_request *request = judge_shared(x, lanes);
    if (x->worker->race)
        emu_race_access(x, lanes, x->m->kind);
    bool is_written =
        emu_shared_seen(x, lanes, x->m->kind != MEMORY_STORE, x->m->kind != MEMORY_LOAD);
    if (request && is_written)
        request->written_in = x->worker->written_serial;
}

/* What global memory's checkers see, one array at a time. */
static void see_global(access_lanes *x, uint32_t lanes) {
    const bool keeps_order = x->m->kind <= MEMORY_STORE && emu_block_order_is_kept(x->worker);
    uint32_t offset[SMP_LANES] = {0}, here;
    const smp_emu_array *array;
    if (x->m->is_strong || (x->m->kind == MEMORY_ATOMIC && x->m->returns))
        emu_block_order_meet(x->worker);
    while ((keeps_order || x->worker->race) &&
           (array = emu_next_array(x->worker->run->memory, x->address, x->width, &lanes, &here,
                                   offset))) {
        if (keeps_order)
            emu_block_order_access(x->warp, x->u, x->m, array, 0, offset, here);
        if (x->worker->race && array->size_bytes < INT32_MAX)
            emu_race_global(x->warp, x->u, x->m, array, 0, offset, here);
    }
}

/* Translates, counts, and executes an access. */
static void access_space(access_lanes *x, uint32_t lanes, unsigned slot) {
    if (lanes == 0)
        return;
    x->slot = slot;
    bool is_there = slot == SLOT_SHARED   ? emu_check_shared(x, lanes)
                    : slot == SLOT_GLOBAL ? emu_check_global(x, lanes)
                                          : emu_check_local(x, lanes);
    if (!is_there)
        return;
    if (slot == SLOT_LOCAL)
        emu_local_seen(x, lanes, x->m->kind != MEMORY_STORE, x->m->kind != MEMORY_LOAD);
    if (slot == SLOT_SHARED)
        access_shared(x, lanes);
    else
        emu_judge_global(&x->worker->judge, x->m->sites + slot, lanes, x->address);
    if (slot == SLOT_GLOBAL)
        see_global(x, lanes);
    emu_act(x, lanes);
    if (x->warp->stores_poison)
        emu_poison_store(x, lanes, slot);
}

/* Sorts generic addresses by window and turns them into offsets. */
static void split_generic(access_lanes *x, uint32_t lanes, uint32_t of_slot[SLOTS]) {
    memset(of_slot, 0, SLOTS * sizeof(*of_slot));
    EACH_LANE_OF(l, lanes) {
        unsigned slot = SLOT_GLOBAL;
        if (x->address[l] - EMU_SHARED_WINDOW < EMU_WINDOW_BYTES) {
            slot = SLOT_SHARED;
            x->address[l] -= EMU_SHARED_WINDOW;
        } else if (x->address[l] - EMU_LOCAL_WINDOW < EMU_WINDOW_BYTES) {
            slot = SLOT_LOCAL;
            x->address[l] -= EMU_LOCAL_WINDOW;
        }
        of_slot[slot] |= 1u << l;
    }
}

static void query(access_lanes *x, uint32_t lanes) {
    uint32_t of_slot[SLOTS];
    split_generic(x, lanes, of_slot);
    const uint8_t of = x->m->query;
    uint32_t result = of_slot[of == 'L' ? SLOT_LOCAL : of == 'G' ? SLOT_GLOBAL : SLOT_SHARED];
    result |= of == 'D' ? of_slot[SLOT_CLUSTER] : 0;
    uint32_t *predicate = &x->warp->predicates[x->u->p_out];
    if (x->u->p_out != PREDICATE_TRUE)
        *predicate = (*predicate & ~lanes) | result;
}

static void load_constant(access_lanes *x, uint32_t lanes) {
    const emu_bank *bank = &x->worker->run->program->banks[x->m->bank];
    if (ANY(at, x->address, SMP_LANES,
            lanes >> (at - x->address) & 1 && *at != x->address[__builtin_ctz(lanes)]))
        emu_judge_other(&x->worker->judge, x->m->sites + SLOT_GLOBAL, lanes);
    EACH_LANE_OF(l, x->u->ignores_exec ? SMP_ALL_LANES : lanes) {
        const uint64_t at = x->address[l];
        const bool is_inside = at + x->width <= bank->size_bytes;
        bool is_known = is_inside;
        for (uint32_t i = 0; i < x->width && is_known; i++)
            is_known = bank->bytes[bank->size_bytes + at + i];
        if (is_known) {
            emu_load_lane(emu_result(x->warp, x->u), x->u->d_rows, x->m, l, bank->bytes + at);
            continue;
        }
        if (is_inside)
            emu_found(
                x->warp, x->u, l, SMP_FINDING_UNKNOWN,
                "byte %llu of constant bank %u, which only the driver knows (the address of a "
                "function of its own, or of another module)",
                (unsigned long long)at, x->m->bank);
        else
            emu_found(x->warp, x->u, l, SMP_FINDING_OUT_OF_BOUNDS,
                      "%u bytes at byte %llu of constant bank %u, which has %u", x->width,
                      (unsigned long long)at, x->m->bank, bank->size_bytes);
        return;
    }
}

/* Writes zeros for lanes whose predicate is false, and for the last zeros[l] bytes of lane l. */
static void move_copy(const access_lanes *x, uint32_t lanes, uint32_t reads, uint8_t *const *from,
                      const uint8_t *zeros) {
    EACH_LANE_OF(l, lanes) {
        uint32_t bytes = reads >> l & 1 ? x->width - zeros[l] : 0;
        memset(x->bytes[l], 0, x->width);
        if (bytes != 0)
            memcpy(x->bytes[l], from[l], bytes);
    }
}

/* Checks only what is read: a copy past the end of an array may say how much of it exists. */
static bool reach_source(access_lanes *x, uint32_t reads, const uint8_t *zeros) {
    const uint32_t cut = reads & LANES_WHERE(zeros[l] != 0);
    if (reads != cut && !emu_check_global(x, reads & ~cut))
        return false;
    EACH_LANE_OF(l, cut) {
        if (!emu_check_part(x, l, x->width - zeros[l]))
            return false;
    }
    return true;
}

/* Checks both sides of a copy. */
static void copy(access_lanes *x, uint32_t lanes) {
    uint64_t global[SMP_LANES], shared[SMP_LANES];
    uint8_t *from[SMP_LANES], zeros[SMP_LANES] = {0};
    uint32_t reads = lanes & emu_predicate(x->warp, x->u->p);
    memcpy(shared, x->address, sizeof(shared));
    addresses(x->warp, &x->m->from, x->m->from.is_wide || x->m->from.is_uniform_wide, x->address);
    for (unsigned l = 0; l < SMP_LANES && x->m->fills_zeros; l++) {
        zeros[l] = (uint8_t)(x->address[l] & (x->width - 1));
        x->address[l] -= zeros[l];
    }
    memcpy(global, x->address, sizeof(global));
    if (!reach_source(x, reads, zeros))
        return;
    memcpy(from, x->bytes, sizeof(from));
    if (x->worker->race)
        emu_race_far(x, global, reads,
                     (race_far){.kind = MEMORY_LOAD, .width = x->width, .owner = -1});
    memcpy(x->address, shared, sizeof(shared));
    if (!emu_check_shared(x, lanes))
        return;
    if (x->worker->race)
        emu_race_copy(x, lanes);
    uint32_t offset[SMP_LANES];
    EACH_LANE offset[l] = emu_shared_offset(x, shared[l]);
    /* Lanes that only write zeros are a request of their own, as NVIDIA's profiling tools report
     * them. */
    if (reads != 0)
        emu_judge_shared(&x->worker->judge, x->m->sites + SLOT_SHARED, reads, offset, global);
    if (reads != lanes)
        emu_judge_other(&x->worker->judge, x->m->sites + SLOT_FILL, lanes & ~reads);
    emu_shared_seen(x, lanes, false, true);
    move_copy(x, lanes, reads, from, zeros);
}

static void access_matrix(access_lanes *x, uint32_t exec) {
    uint32_t lanes = exec & (SMP_ALL_LANES >> (32 - 8 * x->m->matrices));
    if (exec != SMP_ALL_LANES) {
        emu_found(x->warp, x->u, (unsigned)__builtin_ctz(exec), SMP_FINDING_UNKNOWN,
                  "a matrix instruction by part of a warp");
        return;
    }
    if (!emu_check_shared(x, lanes))
        return;
    judge_shared(x, lanes);
    bool is_load = x->m->kind == MEMORY_MATRIX_LOAD;
    if (x->worker->race)
        emu_race_access(x, lanes, is_load ? MEMORY_LOAD : MEMORY_STORE);
    emu_shared_seen(x, lanes, is_load, !is_load);
    emu_act_matrix(x);
    if (x->warp->stores_poison)
        emu_poison_store_matrix(x);
}

/* "LDG.E R50, [R52], P6" loads zero where the predicate is false; other cuBLAS kernels use two
 * instructions for that. */
static uint32_t load_zeros(const access_lanes *x, uint32_t exec) {
    const uint32_t held = emu_predicate(x->warp, x->u->p);
    uint32_t *d = emu_result(x->warp, x->u);
    for (unsigned i = 0; i < x->u->d_rows; i++)
        EACH_LANE_OF(l, exec & ~held)
            d[i * ROW + l] = 0;
    return exec & held;
}

static void access_spaces(access_lanes *x, uint32_t exec) {
    static const uint8_t slot_of[] = {
        [SPACE_GLOBAL] = SLOT_GLOBAL, [SPACE_SHARED] = SLOT_SHARED, [SPACE_LOCAL] = SLOT_LOCAL};
    uint32_t of_slot[SLOTS] = {0};
    if (x->m->kind == MEMORY_LOAD && x->u->p != PREDICATE_TRUE)
        exec = load_zeros(x, exec);
    if (x->m->space == SPACE_GENERIC)
        split_generic(x, exec, of_slot);
    else
        of_slot[slot_of[x->m->space]] = exec;
    for (unsigned slot = 0; slot < SLOT_CLUSTER; slot++)
        access_space(x, of_slot[slot], slot);
    if (x->u->p_out != PREDICATE_TRUE &&
        x->m->act != ATOMIC_CAST_SPIN) /* an atomic on halves: done in any space */
        x->warp->predicates[x->u->p_out] |= exec;
}

static void (*const acts[])(access_lanes *x, uint32_t exec) = {
    [MEMORY_LOAD] = access_spaces,
    [MEMORY_STORE] = access_spaces,
    [MEMORY_ATOMIC] = access_spaces,
    [MEMORY_MATRIX_LOAD] = access_matrix,
    [MEMORY_MATRIX_STORE] = access_matrix,
    [MEMORY_COPY] = copy,
    [MEMORY_QUERY] = query,
    [MEMORY_CONSTANT] = load_constant,
    [MEMORY_SYNC] = emu_sync,
    [MEMORY_TEXTURE] = emu_texture_access,
    [MEMORY_WARPGROUP] = emu_warpgroup,
    [MEMORY_BULK_COPY] = emu_bulk_copy,
    [MEMORY_TENSOR_COPY] = emu_tensor_copy,
    [MEMORY_ASYNC_STORE] = emu_async_store,
};

void emu_memory(emu_warp *warp, const uop *u, uint32_t exec) {
    emu_worker *worker = warp->block->worker;
    const emu_program *program = worker->run->program;
    access_lanes x;
    x.warp = warp;
    x.worker = worker;
    x.u = u;
    x.m = &program->memory[u->memory];
    if (!warp->stores_poison && emu_request_cached(warp, u, x.m, exec))
        return;
    x.width = x.m->width_bytes;
    x.reserved = program->function->shared_reserved_bytes;
    const bool is_wide = x.m->at.is_wide || x.m->at.is_uniform_wide ||
                         x.m->space == SPACE_GENERIC || x.m->space == SPACE_GLOBAL;
    if (x.m->kind != MEMORY_TEXTURE)
        addresses(warp, &x.m->at, is_wide && x.m->kind != MEMORY_CONSTANT, x.address);
    if (worker->judge.sites[x.m->sites + SLOT_CLUSTER].is_async)
        judge_async(&x, exec);
    else if (x.m->kind >= MEMORY_TEXTURE)
        emu_judge_other(&worker->judge, x.m->sites + SLOT_GLOBAL, exec);
    acts[x.m->kind](&x, exec);
}
