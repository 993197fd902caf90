/* SPDX-License-Identifier: MIT */
/*
 * Poison of a warp's registers, for every bit and lane: unwritten values, and results of
 * instructions that are not emulated.
 */
#pragma once

#include "engine.h"
#include "memory.h"

enum { POISON_WORDS = (ROW_COUNT + PREDICATES + 63) / 64, BOUNDS_KEPT = 16 };

/* Bounds of a row's values in `lanes`, whatever the unwritten bits are: signed numbers from `low`
 * to `high`. If an instruction behind a poisoned guard wrote the row: its values where that guard
 * is true. */
typedef struct emu_bound {
    uint32_t row, lanes;
    uint32_t version; /* of the guard's predicate: bounds from before its last write are void */
    uint8_t guard;    /* as in uop; PREDICATE_TRUE: unconditional */
    int32_t low[ROW], high[ROW];
} emu_bound;

struct emu_poison {
    uint32_t bits[ROW_COUNT][ROW];         /* for each lane's value */
    uint32_t predicates[PREDICATES];       /* lane masks */
    uint32_t version[PREDICATES];          /* number of writes */
    uint32_t from[ROW_COUNT + PREDICATES]; /* the instruction that each came from */
    uint64_t some[POISON_WORDS];           /* bit set of rows, then predicates, that have any */
    emu_bound bounds[BOUNDS_KEPT];         /* the oldest is replaced next */
    uint32_t next_bound;
};

/* What a warp's load last found unwritten, for the message. */
typedef struct emu_unwritten {
    uint32_t lanes, at[SMP_LANES]; /* `at`: byte of shared or local memory */
    uint8_t bytes[SMP_LANES];      /* number of bytes */
    bool is_local;
} emu_unwritten;

/* A word of memory to which poison was stored, the load it came from, and which bits of the word's
 * unwritten bytes are poison. */
typedef struct emu_poisoned_word {
    const uint8_t *word;
    uint32_t from, bits;
    uint64_t serial; /* of the block that stored it */
} emu_poisoned_word;

void emu_poison_reset(emu_warp *warp);
/* Sets the poison of a row in `lanes` to `bits` (NULL: none), and of a predicate to `poison`. */
void emu_poison_set_row(emu_warp *warp, uint32_t row, uint32_t lanes, const uint32_t *bits,
                        uint32_t from);
void emu_poison_set_predicate(emu_warp *warp, uint32_t which, uint32_t lanes, uint32_t poison,
                              uint32_t from);
/* The same for `rows` rows from the one at `offset_bytes` of the warp's file; `bits` goes on in
 * steps of `step`. */
void emu_poison_set_rows(emu_warp *warp, int32_t offset_bytes, unsigned rows, uint32_t lanes,
                         const uint32_t *bits, unsigned step, uint32_t from);
/* From now on, values from this instruction count as known. */
void emu_poison_forget(emu_warp *warp, uint32_t from);
/* Lanes in which rows of the operand have poison. */
uint32_t emu_poison_of(const emu_warp *warp, const emu_operand *operand, unsigned rows);
/* The instruction that the poison of the operands in `lanes` came from, preferring one that is not
 * emulated to a load of unwritten memory. */
uint32_t emu_poison_from(const emu_warp *warp, const uop *u, uint32_t lanes);
/* The same for everything passed to it. */
typedef struct emu_poison_finder {
    const emu_warp *warp;
    uint32_t lanes, from;
    bool is_found;
} emu_poison_finder;
void emu_poison_look(emu_poison_finder *f, uint32_t index, uint32_t poison);
void emu_poison_look_at(emu_poison_finder *f, const emu_operand *operand, unsigned rows);

/* poison_flow.c: propagates poison through an operation in `exec`; `doubt`: lanes for which the
 * guard is poison. */
void emu_poison_flow(emu_warp *warp, const uop *u, uint32_t exec, uint32_t doubt);

/* poison_bounds.c: bounds of an operation's result, to be kept (emu_bounds_keep) if the result is
 * poison in `poison`: unconditional ones, and those where its guard is true. */
typedef struct emu_bounds_made {
    emu_bound always, guarded;
} emu_bounds_made;
void emu_bounds_of_result(const emu_warp *warp, const uop *u, uint32_t exec, uint32_t doubt,
                          emu_bounds_made *made);
void emu_bounds_keep(emu_warp *warp, const emu_bounds_made *made);
/* Forgets the bounds of a row's `lanes`, which are being written. */
void emu_bounds_forget(emu_warp *warp, uint32_t row, uint32_t lanes);
/* For an integer comparison: the lanes that bounds decide. */
uint32_t emu_bounds_decide(const emu_warp *warp, const uop *u);

/* poison_memory.c: a store of poison. */
void emu_poison_store(access_lanes *x, uint32_t lanes, unsigned slot);
void emu_poison_store_matrix(access_lanes *x);
/* Reports that poison from `from` decides something in lane `lane`; counted once for each request
 * that read it. */
void emu_unwritten_found(emu_warp *warp, uint32_t from, unsigned lane);
void emu_poison_free(emu_worker *worker);
