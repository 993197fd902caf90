/* SPDX-License-Identifier: MIT */
/*
 * Poison of a warp's registers, bit by bit and lane by lane: values that nobody has written, and
 * what instructions without a meaning here have left.
 */
#pragma once

#include "memory.h"
#include "warp.h"

enum { POISON_WORDS = (ROW_COUNT + PREDICATES + 63) / 64, BOUNDS_KEPT = 16 };

/* What a row holds in `lanes`, whatever the unwritten bits are: signed numbers from `low` to
 * `high`. Where a guard is poison, and an instruction behind it has written the row: what it holds
 * where that guard lets instructions run. */
typedef struct emu_bound {
    uint32_t row, lanes;
    uint32_t version; /* of the guard's predicate: bounds of before it was written are none */
    uint8_t guard;    /* as in uop; PREDICATE_TRUE: always */
    int32_t low[ROW], high[ROW];
} emu_bound;

struct emu_poison {
    uint32_t bits[ROW_COUNT][ROW];         /* of each lane's value */
    uint32_t predicates[PREDICATES];       /* masks of lanes */
    uint32_t version[PREDICATES];          /* so often was it written */
    uint32_t from[ROW_COUNT + PREDICATES]; /* the instruction that it comes from */
    uint64_t some[POISON_WORDS];           /* bits of rows, then of predicates, that have any */
    emu_bound bounds[BOUNDS_KEPT];         /* the oldest is the next to go */
    uint32_t next_bound;
};

/* What a load of a warp found unwritten last, for the message. */
typedef struct emu_unwritten {
    uint32_t lanes, at[SMP_LANES]; /* byte of shared or local memory */
    uint8_t bytes[SMP_LANES];      /* so many */
    bool is_local;
} emu_unwritten;

/* A word of memory to which poison was stored, where that came from, and the bits of the word's
 * unwritten bytes that nobody has written. */
typedef struct emu_poisoned_word {
    const uint8_t *word;
    uint32_t from, bits;
    uint64_t serial; /* of the block that did it */
} emu_poisoned_word;

void emu_poison_reset(emu_warp *warp);
/* `lanes` of a row get their `bits` (NULL: none), those of a predicate what is in `poison`. */
void emu_poison_set_row(emu_warp *warp, uint32_t row, uint32_t lanes, const uint32_t *bits,
                        uint32_t from);
void emu_poison_set_predicate(emu_warp *warp, uint32_t which, uint32_t lanes, uint32_t poison,
                              uint32_t from);
/* What comes from the instruction counts as known. */
void emu_poison_forget(emu_warp *warp, uint32_t from);
/* Lanes in which rows that the operand names have some. */
uint32_t emu_poison_of(const emu_warp *warp, const emu_operand *operand, unsigned rows);
/* The instruction that poison of the instruction's operands in `lanes` comes from: one that is not
 * understood before one that has read what nobody has written. */
uint32_t emu_poison_from(const emu_warp *warp, const uop *u, uint32_t lanes);
/* The same, of what is shown to it. */
typedef struct emu_poison_finder {
    const emu_warp *warp;
    uint32_t lanes, from;
    bool is_found;
} emu_poison_finder;
void emu_poison_look(emu_poison_finder *f, uint32_t index, uint32_t poison);
void emu_poison_look_at(emu_poison_finder *f, const emu_operand *operand, unsigned rows);

/* poison_flow.c: what an operation makes of poison in `exec`; `doubt`: lanes of which nobody knows
 * whether it runs. */
void emu_poison_flow(emu_warp *warp, const uop *u, uint32_t exec, uint32_t doubt);

/* poison_bounds.c: what an operation makes of bounds, to be kept (emu_bounds_keep) when its result
 * is poison in `poison`: always, and where its guard lets it run. */
typedef struct emu_bounds_made {
    emu_bound always, guarded;
} emu_bounds_made;
void emu_bounds_of_result(const emu_warp *warp, const uop *u, uint32_t exec, uint32_t doubt,
                          emu_bounds_made *made);
void emu_bounds_keep(emu_warp *warp, const emu_bounds_made *made);
/* `lanes` of the row are written. */
void emu_bounds_forget(emu_warp *warp, uint32_t row, uint32_t lanes);
/* Of a comparison of whole numbers: lanes that bounds decide. */
uint32_t emu_bounds_decide(const emu_warp *warp, const uop *u);

/* poison_memory.c: a load of bytes that nobody has written; stores of such. True: all is written.
 */
bool emu_poison_load(access_lanes *x, uint32_t lanes, unsigned slot);
bool emu_poison_load_matrix(access_lanes *x);
void emu_poison_store(access_lanes *x, uint32_t lanes, unsigned slot);
void emu_poison_store_matrix(access_lanes *x);
/* Poison from `from` decides something in lane `lane`: counted once for each request that read it.
 */
void emu_unwritten_found(emu_warp *warp, uint32_t from, unsigned lane);
/* Bytes of a word that are written: bit by byte. */
uint8_t emu_written_bytes(const access_lanes *x, unsigned l, unsigned slot, uint32_t word);
void emu_poison_free(emu_worker *worker);
