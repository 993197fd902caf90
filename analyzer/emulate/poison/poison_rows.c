/* SPDX-License-Identifier: MIT */
/*
 * Which bits of a warp's registers and which predicates are poison, and the instruction that it
 * came from. poison.c and poison_flow.c propagate it.
 */
#include <stdlib.h>
#include <string.h>

#include "poison.h"

static void note(emu_poison *p, uint32_t index, bool has_any) {
    const uint64_t bit = 1ull << index % 64;
    p->some[index / 64] = has_any ? p->some[index / 64] | bit : p->some[index / 64] & ~bit;
}

/* Chooses between two origins of a row's poison: an instruction that is not emulated wins. */
static uint32_t more_serious(const emu_warp *warp, uint32_t a, uint32_t b) {
    return warp->block->worker->run->program->uops[a].kind == UOP_UNKNOWN ? a : b;
}

void emu_poison_reset(emu_warp *warp) {
    if (warp->tracks_poison)
        memset(warp->poison, 0, sizeof(*warp->poison));
    warp->tracks_poison = false;
    warp->stores_poison = false;
}

static bool begin(emu_warp *warp) {
    if (!warp->poison)
        warp->poison = calloc(1, sizeof(*warp->poison));
    if (!warp->poison) {
        warp->block->worker->judge.is_out_of_memory = true;
        return false;
    }
    for (unsigned i = 0; i < BOUNDS_KEPT; i++)
        warp->poison->bounds[i].lanes = 0;
    warp->tracks_poison = true;
    return true;
}

void emu_poison_set_row(emu_warp *warp, uint32_t row, uint32_t lanes, const uint32_t *bits,
                        uint32_t from) {
    uint32_t kept = 0, made = 0;
    if (!warp->tracks_poison && !begin(warp))
        return;
    emu_poison *p = warp->poison;
    emu_bounds_forget(warp, row, lanes);
    if (!bits && !(p->some[row / 64] >> row % 64 & 1))
        return;
    for (unsigned l = 0; l < ROW; l++) {
        const bool is_set = lanes >> l & 1;
        const uint32_t now = !is_set ? p->bits[row][l] : bits ? bits[l] : 0;
        made |= is_set ? now : 0;
        kept |= is_set ? 0 : now;
        p->bits[row][l] = now;
    }
    if (made != 0)
        p->from[row] = kept != 0 ? more_serious(warp, p->from[row], from) : from;
    note(p, row, (kept | made) != 0);
}

void emu_poison_set_predicate(emu_warp *warp, uint32_t which, uint32_t lanes, uint32_t poison,
                              uint32_t from) {
    if (which % 8 == PREDICATE_TRUE || (!warp->tracks_poison && !begin(warp)))
        return;
    emu_poison *p = warp->poison;
    p->version[which]++;
    const uint32_t kept = p->predicates[which] & ~lanes, made = poison & lanes;
    uint32_t *const of = &p->from[ROW_COUNT + which];
    if (made != 0)
        *of = kept != 0 ? more_serious(warp, *of, from) : from;
    p->predicates[which] = kept | made;
    note(p, ROW_COUNT + which, (kept | made) != 0);
}

void emu_poison_set_rows(emu_warp *warp, int32_t offset_bytes, unsigned rows, uint32_t lanes,
                         const uint32_t *bits, unsigned step, uint32_t from) {
    for (unsigned i = 0; i < rows; i++)
        emu_poison_set_row(warp, (uint32_t)offset_bytes / ROW_BYTES + i, lanes,
                           bits ? bits + i * step : NULL, from);
}

static uint32_t of_row(const emu_poison *p, uint32_t row) {
    return p->some[row / 64] >> row % 64 & 1 ? LANES_WHERE(p->bits[row][l]) : 0;
}

uint32_t emu_poison_of(const emu_warp *warp, const emu_operand *operand, unsigned rows) {
    uint32_t mask = 0;
    for (unsigned i = 0; i < rows && !(operand->offset & 1); i++)
        mask |= of_row(warp->poison, (uint32_t)operand->offset / ROW_BYTES + i);
    return mask;
}

void emu_poison_forget(emu_warp *warp, uint32_t from) {
    for (uint32_t i = 0; warp->tracks_poison && i < ROW_COUNT + PREDICATES; i++) {
        if (warp->poison->from[i] != from || !(warp->poison->some[i / 64] >> i % 64 & 1))
            continue;
        if (i < ROW_COUNT)
            emu_poison_set_row(warp, i, SMP_ALL_LANES, NULL, 0);
        else
            emu_poison_set_predicate(warp, i - ROW_COUNT, SMP_ALL_LANES, 0, 0);
    }
}

/* ---- Where it comes from ---- */

void emu_poison_look(emu_poison_finder *f, uint32_t index, uint32_t poison) {
    if ((poison & f->lanes) == 0)
        return;
    const uint32_t from = f->warp->poison->from[index];
    f->from = f->is_found ? more_serious(f->warp, f->from, from) : from;
    f->is_found = true;
}

void emu_poison_look_at(emu_poison_finder *f, const emu_operand *operand, unsigned rows) {
    for (unsigned i = 0; i < rows && !(operand->offset & 1); i++) {
        const uint32_t row = (uint32_t)operand->offset / ROW_BYTES + i;
        emu_poison_look(f, row, of_row(f->warp->poison, row));
    }
}

uint32_t emu_poison_from(const emu_warp *warp, const uop *u, uint32_t lanes) {
    emu_poison_finder f = {.warp = warp, .lanes = lanes};
    const uint8_t predicates[] = {u->guard & 15, u->p & 15, u->q & 15, u->r & 15};
    EACH(const emu_operand, one, u->sources, 3)
        emu_poison_look_at(&f, one, one->rows);
    for (unsigned i = 0; i < 4; i++)
        emu_poison_look(&f, ROW_COUNT + predicates[i], warp->poison->predicates[predicates[i]]);
    for (uint32_t i = 0; i < PREDICATES && !f.is_found; i++) /* P2R */
        emu_poison_look(&f, ROW_COUNT + i, warp->poison->predicates[i]);
    return f.from;
}
