/* SPDX-License-Identifier: MIT */
/* Chains of loads: found once in the program, and checked whenever the first member has run. */
#include "load_chains.h"

#include <stdlib.h>

#include "lane_loops.h"
#include "warp.h"

/* ---- In the program ---- */

static bool is_member(const emu_program *program, const uop *u) {
    if (u->kind != UOP_MEMORY || u->guard != PREDICATE_TRUE)
        return false;
    const uop_memory *m = &program->memory[u->memory];
    return m->kind == MEMORY_LOAD && m->space == SPACE_SHARED && m->width_bytes >= 4 &&
           !m->at.is_wide && !m->at.is_uniform_wide;
}

static bool is_together(const uop_memory *a, const uop_memory *b) {
    return a->width_bytes == b->width_bytes && a->at.scale == b->at.scale &&
           (a->at.offset_bytes - b->at.offset_bytes) % a->width_bytes == 0 &&
           emu_is_one_operand(&a->at.base, &b->at.base) &&
           emu_is_one_operand(&a->at.uniform, &b->at.uniform);
}

/* True if `u` certainly leaves the row unchanged. */
static bool keeps(const emu_program *program, const uop *u, const emu_operand *row) {
    if (row->rows == 0 || row->offset & 1)
        return true;
    const memory_kind kind = u->kind == UOP_MEMORY ? program->memory[u->memory].kind : MEMORY_LOAD;
    if (kind == MEMORY_STORE || kind == MEMORY_COPY)
        return true;
    if (kind != MEMORY_LOAD && kind != MEMORY_CONSTANT && kind != MEMORY_SYNC)
        return false;
    return row->offset < u->d || row->offset >= u->d + u->d_rows * ROW_BYTES;
}

/* Collects the members after the first; returns how many. */
static uint32_t collect(const emu_program *program, uint32_t first, uint32_t *members) {
    const uop *uops = program->uops, *end = &uops[first] + uops[first].straight;
    const uop_memory *m = &program->memory[uops[first].memory];
    uint32_t count = 0;
    members[count++] = first;
    for (const uop *u = &uops[first];
         keeps(program, u, &m->at.base) && keeps(program, u, &m->at.uniform) && ++u < end;)
        if (is_member(program, u) && u->series == 0 && count < UINT16_MAX &&
            is_together(m, &program->memory[u->memory]))
            members[count++] = (uint32_t)(u - uops);
    return count;
}

bool emu_chain_find(emu_program *program) {
    program->series_members = malloc((program->count + 1) * sizeof(*program->series_members));
    program->series = malloc((program->count + 1) * sizeof(*program->series));
    if (!program->series_members || !program->series)
        return false;
    uint32_t used = 0;
    for (uint32_t i = 0; i < program->count; i++) {
        uint32_t *members = program->series_members + used;
        if (!is_member(program, &program->uops[i]) || program->uops[i].series != 0)
            continue;
        const uint32_t count = collect(program, i, members);
        if (count < 2)
            continue;
        emu_chain *made = &program->series[program->series_count++];
        *made = (emu_chain){.first = used, .count = count};
        for (uint32_t k = 0; k < count; k++) {
            uop *u = &program->uops[members[k]];
            u->series = program->series_count;
            u->series_place = (uint16_t)k;
            u->series_distance =
                (int32_t)(program->memory[u->memory].at.offset_bytes -
                          program->memory[program->uops[i].memory].at.offset_bytes);
            made->least = u->series_distance < made->least ? u->series_distance : made->least;
            made->most = u->series_distance > made->most ? u->series_distance : made->most;
        }
        for (uint32_t k = count - 1; k-- > 1;) /* the first member runs by itself */
            if (members[k + 1] == members[k] + 1)
                program->uops[members[k]].run_length = program->uops[members[k + 1]].run_length + 1;
        used += count;
    }
    return true;
}

/* ---- A worker's ---- */

static const uop *member(const emu_judge *judge, uint32_t series, uint32_t place) {
    return emu_chain_member(judge->program, series, place);
}

static emu_site *site_of(const emu_judge *judge, const uop *u) {
    return &judge->sites[emu_chain_site(judge->program, u)];
}

bool emu_chain_make(emu_judge *judge, const emu_program *program) {
    judge->program = program;
    judge->series = calloc(program->series_count + 1, sizeof(*judge->series));
    for (uint32_t s = 0; judge->series && s < program->series_count; s++)
        site_of(judge, member(judge, s, 0))->series = s + 1;
    return judge->series;
}

/* Whether what the others read is inside of the block's shared memory. */
static bool is_inside(const emu_block *block, const emu_chain *chain, const emu_request *request,
                      uint32_t width) {
    const uint32_t bytes =
        block->shared_bytes - block->worker->run->program->function->shared_reserved_bytes;
    return (int64_t)request->least + chain->least >= 0 &&
           (int64_t)request->most + chain->most + width <= bytes;
}

/* Whether all that the others read has been written. */
static bool is_written(const emu_block *block, const emu_judge *judge, uint32_t series,
                       const emu_request *request) {
    enum { ALL_BYTES = 15 };
    const uint32_t reserved = judge->program->function->shared_reserved_bytes;
    uint8_t written = ALL_BYTES;
    for (uint32_t k = 1; k < judge->program->series[series].count && written == ALL_BYTES; k++) {
        const uop *u = member(judge, series, k);
        const uint32_t add = reserved + (uint32_t)u->series_distance;
        for (uint32_t i = 0; i < judge->program->memory[u->memory].width_bytes / 4u; i++)
            for (unsigned l = 0; l < ROW; l++)
                written &= block->is_written[(request->offset[l] + add) / 4 + i];
    }
    return written == ALL_BYTES;
}

void emu_chain_ran(emu_warp *warp, const uop *u) {
    const emu_block *block = warp->block;
    emu_worker *worker = block->worker;
    emu_judge *judge = &worker->judge;
    const uint32_t series = u->series - 1;
    emu_request *request = site_of(judge, u)->last;
    if (worker->block_count > 1 || worker->is_stopped || judge->trace || !request ||
        request->mask != SMP_ALL_LANES ||
        !is_inside(block, &judge->program->series[series], request,
                   judge->program->memory[u->memory].width_bytes))
        return;
    if (block->unwritten != 0 && request->others_written_in != worker->written_serial) {
        if (!is_written(block, judge, series, request))
            return;
        request->others_written_in = worker->written_serial;
    }
    request->others++;
    judge->series[series] = (emu_chain_state){judge->stretch, request};
}

void emu_chain_cut(emu_judge *judge, const uop *u) {
    for (uint32_t s = 0; s < judge->program->series_count; s++) {
        const emu_chain_state *state = &judge->series[s];
        if (state->trusted != judge->stretch ||
            member(judge, s, judge->program->series[s].count - 1) < u)
            continue;
        state->request->others--;
        emu_judge_others(judge, s, state->request, u, 1);
    }
}
