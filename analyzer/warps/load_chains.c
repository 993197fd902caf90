/* SPDX-License-Identifier: MIT */
/*
 * Chains of loads: found once in the program. Each worker learns what follows a request of the
 * first member, and relies on it from then on.
 */
#include "load_chains.h"

#include <stdlib.h>
#include <string.h>

#include "warp.h"

enum {
    LINKS = 128 /* requests of a first member; beyond them the members are counted one by one */
};

/* ---- In the program ---- */

static bool is_member(const emu_program *program, const uop *u) {
    if (u->kind != UOP_MEMORY || u->guard != PREDICATE_TRUE)
        return false;
    const uop_memory *m = &program->memory[u->memory];
    return m->kind == MEMORY_LOAD && m->space == SPACE_SHARED && m->width_bytes >= 4 &&
           !m->at.is_wide && !m->at.is_uniform_wide;
}

/* True if both start at the same place, ignoring the offset. */
static bool is_same(const emu_operand *a, const emu_operand *b) {
    return a->rows == b->rows && (a->rows == 0 || a->offset == b->offset);
}

static bool is_together(const uop_memory *a, const uop_memory *b) {
    return a->width_bytes == b->width_bytes && a->at.scale == b->at.scale &&
           is_same(&a->at.base, &b->at.base) && is_same(&a->at.uniform, &b->at.uniform);
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
        program->series[program->series_count++] = (emu_chain){.first = used, .count = count};
        for (uint32_t k = 0; k < count; k++) {
            uop *u = &program->uops[members[k]];
            u->series = program->series_count;
            u->series_place = (uint16_t)k;
            u->series_distance =
                (int32_t)(program->memory[u->memory].at.offset_bytes -
                          program->memory[program->uops[i].memory].at.offset_bytes);
        }
        for (uint32_t k = count - 1; k-- > 1;) /* the first member runs by itself */
            if (members[k + 1] == members[k] + 1)
                program->uops[members[k]].run_length = program->uops[members[k + 1]].run_length + 1;
        used += count;
    }
    return true;
}

/* ---- A worker's ---- */

bool emu_chain_make(emu_judge *judge, const emu_program *program) {
    judge->program = program;
    judge->series = calloc(program->series_count + 1, sizeof(*judge->series));
    for (uint32_t s = 0; judge->series && s < program->series_count; s++)
        for (uint32_t k = 0; k < program->series[s].count; k++) {
            const uop *u = &program->uops[program->series_members[program->series[s].first + k]];
            judge->sites[program->memory[u->memory].sites + SLOT_SHARED].series = s + 1;
        }
    return judge->series;
}

void emu_chain_free(emu_judge *judge) {
    for (uint32_t s = 0; judge->series && s < judge->program->series_count; s++)
        free(judge->series[s].links);
    free(judge->series);
}

static emu_site *site_of(const emu_judge *judge, const uop *u) {
    return &judge->sites[judge->program->memory[u->memory].sites + SLOT_SHARED];
}

static const uop *member(const emu_judge *judge, uint32_t series, uint32_t place) {
    const emu_program *program = judge->program;
    return &program->uops[program->series_members[program->series[series].first + place]];
}

static uint16_t *rows_of(const emu_judge *judge, uint32_t series, uint32_t link) {
    const emu_chain_state *state = &judge->series[series];
    uint16_t *rows = (uint16_t *)(void *)(state->links + LINKS);
    return rows + (size_t)link * (judge->program->series[series].count - 1);
}

/* Allocates the links, followed by their rows. */
static bool make_links(emu_chain_state *state, const emu_chain *series) {
    if (!state->links)
        state->links =
            calloc(LINKS, sizeof(*state->links) + (series->count - 1) * sizeof(uint16_t));
    return state->links;
}

/* Decides after the first member whether the requests of the others are known. */
static void first_ran(emu_warp *warp, const uop *u) {
    const emu_block *block = warp->block;
    emu_judge *judge = &block->worker->judge;
    emu_chain_state *state = &judge->series[u->series - 1];
    const emu_site *site = site_of(judge, u);
    const uint32_t row = (uint32_t)(site->last - site->rows);
    if (row >= LINKS || !make_links(state, &judge->program->series[u->series - 1]))
        return;
    emu_link *link = &state->links[row];
    state->link = row;
    state->request = site->last;
    if (link->is_known &&
        (block->unwritten == 0 || link->written_in == block->worker->written_serial)) {
        state->trusted = judge->stretch;
        link->count++;
    } else {
        state->learning = judge->stretch;
        state->learned = 0;
    }
}

/* True if `row` is the request that follows from the first member's. */
static bool follows(const emu_request *first, const emu_request *row, int32_t distance) {
    uint32_t differs = row->mask ^ SMP_ALL_LANES;
    for (unsigned l = 0; l < SMP_LANES; l++)
        differs |= row->offset[l] ^ (first->offset[l] + (uint32_t)distance);
    return differs == 0;
}

static void other_ran(emu_warp *warp, const uop *u) {
    const emu_block *block = warp->block;
    emu_judge *judge = &block->worker->judge;
    const uint32_t index = u->series - 1;
    emu_chain_state *state = &judge->series[index];
    const emu_site *site = site_of(judge, u);
    const emu_request *row = site->last;
    emu_link *link = &state->links[state->link];
    if (!row || !follows(state->request, row, u->series_distance) ||
        (block->unwritten != 0 && row->written_in != block->worker->written_serial)) {
        state->learning = 0;
        return;
    }
    uint16_t *known = &rows_of(judge, index, state->link)[u->series_place - 1];
    const uint16_t at = (uint16_t)(row - site->rows);
    if (link->is_known && *known != at) { /* its table was emptied since */
        state->learning = 0;
        return;
    }
    *known = at;
    if (++state->learned + 1 == judge->program->series[index].count) {
        link->is_known = true;
        link->written_in = block->worker->written_serial;
    }
}

void emu_chain_ran(emu_warp *warp, const uop *u) {
    const emu_worker *worker = warp->block->worker;
    const emu_judge *judge = &worker->judge;
    if (worker->block_count > 1 || worker->is_stopped || judge->trace || !site_of(judge, u)->last)
        return;
    if (u->series_place == 0)
        first_ran(warp, u);
    else if (judge->series[u->series - 1].learning == judge->stretch)
        other_ran(warp, u);
}

void emu_chain_cut(emu_judge *judge, const uop *u) {
    for (uint32_t s = 0; s < judge->program->series_count; s++) {
        const emu_chain_state *state = &judge->series[s];
        for (uint32_t k = 1;
             state->trusted == judge->stretch && k < judge->program->series[s].count; k++)
            if (member(judge, s, k) >= u)
                site_of(judge, member(judge, s, k))
                    ->rows[rows_of(judge, s, state->link)[k - 1]]
                    .count--;
    }
}

static void settle(emu_judge *judge, uint32_t series) {
    emu_chain_state *state = &judge->series[series];
    for (uint32_t i = 0; state->links && i < LINKS; i++) {
        emu_link *link = &state->links[i];
        for (uint32_t k = 1; link->count != 0 && k < judge->program->series[series].count; k++)
            site_of(judge, member(judge, series, k))
                ->rows[rows_of(judge, series, i)[k - 1]]
                .count += link->count;
        *link = (emu_link){0};
    }
    state->learning = 0;
}

void emu_chain_settle(emu_judge *judge, const emu_site *site) {
    if (site->series != 0)
        settle(judge, site->series - 1);
}

void emu_chain_settle_all(emu_judge *judge) {
    for (uint32_t s = 0; judge->series && s < judge->program->series_count; s++)
        settle(judge, s);
}
