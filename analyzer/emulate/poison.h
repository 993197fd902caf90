/* SPDX-License-Identifier: MIT */
/*
 * Poison of a warp's registers, byte by byte and lane by lane: values that nobody has written, and
 * what instructions without a meaning here have left.
 */
#ifndef SMP_EMU_POISON_H
#define SMP_EMU_POISON_H

#include "memory.h"
#include "warp.h"

enum { POISON_BYTES = 4, POISON_WORDS = (ROW_COUNT + PREDICATES + 63) / 64 };

struct emu_poison {
    uint32_t bytes[ROW_COUNT][POISON_BYTES]; /* masks of lanes */
    uint32_t predicates[PREDICATES];
    uint32_t from[ROW_COUNT + PREDICATES]; /* the instruction that it comes from */
    uint64_t some[POISON_WORDS];           /* bits of rows, then of predicates, that have any */
};

/* What a load of a warp found unwritten last, for the message. */
typedef struct emu_unwritten {
    uint32_t lanes, at[SMP_LANES]; /* byte of shared or local memory */
    uint8_t bytes[SMP_LANES];      /* so many */
    bool is_local;
} emu_unwritten;

/* Memory to which poison was stored, and where that came from. */
typedef struct emu_poisoned_word {
    const uint8_t *word;
    uint32_t from;
} emu_poisoned_word;

/* poison_rows.c */
void emu_poison_reset(emu_warp *warp);
/* `lanes` of a row, or of a predicate, get what is in `bytes` of them. */
void emu_poison_set_row(emu_warp *warp, uint32_t row, uint32_t lanes,
                        const uint32_t bytes[POISON_BYTES], uint32_t from);
void emu_poison_set_predicate(emu_warp *warp, uint32_t which, uint32_t lanes, uint32_t poison,
                              uint32_t from);
/* What comes from the instruction counts as known. */
void emu_poison_forget(emu_warp *warp, uint32_t from);
/* Of rows that the operand names, in any byte. */
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

#endif
