/* SPDX-License-Identifier: MIT */
/*
 * A worker's state of races from its first cluster to its last.
 */
#include "race.h"

#include <stdlib.h>
#include <string.h>

#include "race_state.h"

/* As many bytes as every access to shared memory has at least: what two of them have in common is
 * a multiple. */
static uint32_t unit_shift_of(const emu_program *program) {
    uint32_t least = 4;
    for (uint32_t i = 0; i < program->count; i++) {
        const uop *u = &program->uops[i];
        if (u->memory < 0)
            continue;
        const uop_memory *m = &program->memory[u->memory];
        const bool is_shared = m->space == SPACE_SHARED || m->space == SPACE_GENERIC;
        if (is_shared && m->kind <= MEMORY_ATOMIC && m->width_bytes < least)
            least = m->width_bytes;
    }
    return (uint32_t)__builtin_ctz(least);
}

bool emu_race_make(emu_worker *worker) {
    const emu_run *run = worker->run;
    if (!run->launch->races)
        return true;
    emu_race *race = worker->race = calloc(1, sizeof(*race));
    if (race == NULL)
        return false;
    race->worker = worker;
    race->warp_count = worker->block_count * worker->blocks[0].warp_count;
    race->unit_shift = unit_shift_of(run->program);
    race->units = (run->shared_bytes >> race->unit_shift) + 16;
    race->blocks = calloc(worker->block_count, sizeof(*race->blocks));
    race->warps = calloc(race->warp_count, sizeof(*race->warps));
    return race->blocks != NULL && race->warps != NULL;
}

static void free_block(emu_race *race, race_block *block) {
    for (unsigned s = 0; s < RACE_SETS; s++) {
        race_set *set = &block->shadow.sets[s];
        for (uint32_t w = 0; w < race->warp_count && set->by_warp != NULL; w++)
            free(set->by_warp[w]);
        free(set->by_warp);
        free(set->last);
    }
    free(block->shadow.writes);
    for (unsigned b = 0; b < BLOCK_BARRIERS; b++)
        race_view_drop(block->arrived[b]);
}

void emu_race_free(emu_worker *worker) {
    emu_race *race = worker->race;
    if (race == NULL)
        return;
    for (uint32_t b = 0; race->blocks != NULL && b < worker->block_count; b++)
        free_block(race, &race->blocks[b]);
    for (uint32_t w = 0; race->warps != NULL && w < race->warp_count; w++)
        for (unsigned l = 0; l < SMP_LANES; l++)
            race_view_drop(race->warps[w].view[l]);
    race_view_drop(race->cluster_arrived);
    race_view_drop(race->cluster_open);
    free(race->events);
    free(race->offsets);
    free(race->blocks);
    free(race->warps);
    free(race);
    worker->race = NULL;
}

void race_forget(emu_race *race) {
    race->first_event = race->event + 1;
    race->offset_count = 0;
}

static void clear_shadows(emu_race *race) {
    const size_t bytes = race->units * sizeof(uint32_t);
    for (uint32_t b = 0; b < race->worker->block_count; b++) {
        race_shadow *shadow = &race->blocks[b].shadow;
        if (shadow->writes != NULL)
            memset(shadow->writes, 0, bytes);
        for (unsigned s = 0; s < RACE_SETS; s++) {
            const race_set *set = &shadow->sets[s];
            if (set->last != NULL)
                memset(set->last, 0, bytes);
            for (uint32_t w = 0; w < race->warp_count && set->by_warp != NULL; w++)
                if (set->by_warp[w] != NULL)
                    memset(set->by_warp[w], 0, bytes);
        }
    }
    race->event = 0;
}

void emu_race_begin(emu_worker *worker) {
    emu_race *race = worker->race;
    if (race->event > RACE_EVENTS_MOST / 2)
        clear_shadows(race);
    race->is_over = false;
    race_forget(race);
    race_view *view = race_view_new(race->warp_count, race->event);
    if (view == NULL) {
        race_fail(race);
        return;
    }
    for (uint32_t w = 0; w < race->warp_count; w++) {
        for (unsigned l = 0; l < SMP_LANES; l++) {
            race_view_drop(race->warps[w].view[l]);
            race->warps[w].view[l] = race_view_keep(view);
        }
        race->warps[w].seen = race->event;
    }
    for (uint32_t b = 0; b < worker->block_count; b++)
        for (unsigned i = 0; i < BLOCK_BARRIERS; i++) {
            race_view_drop(race->blocks[b].arrived[i]);
            race->blocks[b].arrived[i] = NULL;
        }
    race_view_drop(race->cluster_arrived);
    race_view_drop(race->cluster_open);
    race->cluster_arrived = race->cluster_open = NULL;
    race_view_drop(view);
}
