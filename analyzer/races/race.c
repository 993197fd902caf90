/* SPDX-License-Identifier: MIT */
/* The race checker's state of a worker, from its first cluster to its last. */
#include "race.h"

#include <stdlib.h>
#include <string.h>

#include "race_state.h"

/* Sets which kinds of knowledge the program's instructions need. */
static void set_uses(const emu_program *program, bool uses[RACE_KNOWS]) {
    uses[KNOWS_ALL] = true;
    uses[KNOWS_RAN] = emu_race_has_relaxed(program);
    EACH(const uop, u, program->uops, program->count) {
        const uop_memory *m = emu_memory_of(program, u);
        uses[KNOWS_FENCED] |= !!m && m->kind >= MEMORY_WARPGROUP;
        uses[KNOWS_LOOSE] |= !!m && m->is_strong && m->is_narrow && m->space != SPACE_GLOBAL;
        if (u->kind != UOP_NOP)
            continue;
        const bool is_near = u->imm == ORDER_FENCE_BLOCK, is_far = u->imm == ORDER_FENCE;
        uses[KNOWS_RELEASED] |= is_near || is_far;
        uses[KNOWS_RELEASED_FAR] |= is_far;
        uses[KNOWS_OBSERVED] |= is_near || is_far || u->imm == ORDER_INVALIDATE;
        uses[KNOWS_OBSERVED_FAR] |= is_far || u->imm == ORDER_INVALIDATE;
        uses[KNOWS_WAITED_FAR] = uses[KNOWS_OBSERVED_FAR];
    }
}

/* The width of the narrowest access, as a power of two: overlaps are multiples of it. */
static uint32_t unit_shift_of(const emu_program *program, memory_space space) {
    uint32_t least = 4;
    EACH(const uop, u, program->uops, program->count) {
        const uop_memory *m = emu_memory_of(program, u);
        if (m && (m->space == space || m->space == SPACE_GENERIC) && m->kind <= MEMORY_ATOMIC &&
            m->width_bytes < least)
            least = m->width_bytes;
    }
    return (uint32_t)__builtin_ctz(least);
}

bool emu_race_make(emu_worker *worker) {
    const emu_run *run = worker->run;
    if (!run->launch->run.races)
        return true;
    emu_race *race = worker->race = calloc(1, sizeof(*race));
    if (!race)
        return false;
    race->worker = worker;
    race->warp_count = worker->block_count * worker->blocks[0].warp_count;
    race->unit_shift = unit_shift_of(run->program, SPACE_SHARED);
    race->global_shift = unit_shift_of(run->program, SPACE_GLOBAL);
    set_uses(run->program, race->uses);
    race->first_flight = 1;
    race->units = (run->shared_bytes >> race->unit_shift) + 16;
    race->uses[KNOWS_FENCED_OWN] = race->uses[KNOWS_FENCED];
    race->origins = calloc(worker->run->program->count + 1, 1);
    if (!race_find_polls(race) || !race_find_collectives(race) || !race->origins)
        return false;
    race->uses[KNOWS_LOOSE] |= race->has_polls;
    for (uint32_t i = 0; i < run->program->memory_count && worker->block_count > 1; i++)
        race->has_narrow |= run->program->memory[i].is_narrow;
    race->is_simple = !run->beside;
    for (unsigned k = KNOWS_ALL + 1; k < RACE_KNOWS; k++)
        race->is_simple &= !race->uses[k];
    race->blocks = calloc(worker->block_count, sizeof(*race->blocks));
    race->warps = calloc(race->warp_count, sizeof(*race->warps));
    return race->blocks && race->warps;
}

static void free_shadow(const emu_race *race, race_shadow *shadow) {
    EACH(race_set, set, shadow->sets, RACE_SETS) {
        for (uint32_t w = 0; w < race->warp_count && set->by_warp; w++)
            free(set->by_warp[w]);
        free(set->by_warp);
        free(set->last);
    }
    free(shadow->writes);
    *shadow = (race_shadow){0};
}

/* Drops what was released and never acquired. */
static void forget_edges(emu_race *race) {
    for (uint32_t b = 0; race->blocks && b < race->worker->block_count; b++) {
        race_block *block = &race->blocks[b];
        block->has_ended = false;
        if (block->visits)
            memset(block->visits, 0, race->warp_count * sizeof(*block->visits));
        for (unsigned i = 0; i < ALL_BARRIERS; i++)
            race_knowledge_drop(&block->arrived[i]);
    }
    for (uint32_t i = 0; i < race->mbarrier_count; i++) {
        race_knowledge_drop(&race->mbarriers[i].arrived);
        race_knowledge_drop(&race->mbarriers[i].open);
    }
    race->mbarrier_count = 0;
    race_knowledge_drop(&race->cluster_arrived);
    race_knowledge_drop(&race->cluster_open);
}

void emu_race_free(emu_worker *worker) {
    emu_race *race = worker->race;
    if (!race)
        return;
    worker->run->out->races_lost |= race->was_over || race->is_over;
    forget_edges(race);
    race_global_clear(race);
    race_places_clear(race);
    free(race->polls);
    free(race->collectives);
    free(race->origins);
    free(race->records);
    for (uint32_t b = 0; race->blocks && b < worker->block_count; b++) {
        free_shadow(race, &race->blocks[b].shadow);
        free(race->blocks[b].visits);
    }
    for (uint32_t w = 0; race->warps && w < race->warp_count; w++)
        for (unsigned l = 0; l < SMP_LANES; l++)
            race_knowledge_drop(&race->warps[w].lanes[l]);
    free(race->mbarriers);
    free(race->flights);
    free(race->events);
    free(race->offsets);
    free(race->blocks);
    free(race->warps);
    free(race);
    worker->race = NULL;
}

static void clear_shadows(emu_race *race) {
    for (uint32_t b = 0; b < race->worker->block_count; b++)
        free_shadow(race, &race->blocks[b].shadow);
    race_global_clear(race);
    race->event = 0;
    race->first_flight = 1;
    race->flight_count = 0;
}

/* All lanes start with everything before the cluster seen. */
static void begin_warp(emu_race *race, race_warp *warp, race_view *view) {
    for (unsigned l = 0; l < SMP_LANES; l++) {
        race_knowledge_drop(&warp->lanes[l]);
        for (unsigned k = 0; k < RACE_KNOWS; k++)
            warp->lanes[l].of[k] =
                k <= KNOWS_FENCED_OWN && race->uses[k] ? race_view_keep(view) : NULL;
        warp->copies[l] = warp->stores[l] = warp->taken[l] = 0;
        warp->waited[l] = 0;
        warp->locks[l] = (struct race_lock){0};
    }
    warp->is_narrow = false;
    warp->published = race->event;
    warp->seen = race->event;
    warp->touched = warp->met = 0;
    warp->matrices = 0;
}

void emu_race_begin(emu_worker *worker) {
    emu_race *race = worker->race;
    if (race->event > RACE_EVENTS_MOST / 2 || race->first_flight > RACE_EVENTS_MOST / 2)
        clear_shadows(race);
    race->was_over |= race->is_over;
    race->is_over = false;
    race->begin = race->event;
    for (uint32_t b = 0; b < worker->block_count; b++)
        race->blocks[b].written = race->blocks[b].met = 0;
    race_forget(race);
    race->first_flight += race->flight_count;
    race->flight_count = 0;
    forget_edges(race);
    if (!race_grid_begin(race))
        race_fail(race);
    if (!race->worker->run->grid)
        race_places_clear(race);
    race_view *view = race_view_new(race->warp_count, race->event);
    if (!view) {
        race_fail(race);
        return;
    }
    for (uint32_t w = 0; w < race->warp_count; w++)
        begin_warp(race, &race->warps[w], view);
    race_view_drop(view);
    race->common = NULL;
}
