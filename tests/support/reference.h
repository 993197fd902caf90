/* SPDX-License-Identifier: MIT */
/*
 * The model once more, written from the documents alone and as plainly as possible.
 *
 * Sets are arrays searched from front to back, wavefronts are simulated pass by pass, and the
 * choices of CC 1.x hardware are all tried. Nothing here reads a table of the model: a rule is
 * selected by the compute capability and the operation. The tests ask both and expect one answer.
 *
 * Caller owns all structs; accesses must have passed smp_access_check. Not thread-safe: the search
 * over CC 1.x choices keeps what it has found.
 */
#pragma once

#include "smp_model.h"

#define REFERENCE_HALF_WARP 16

typedef struct reference_group {
    uint32_t lanes;
    unsigned ways, min, max;
} reference_group;

/* The cost of a request according to the documents; both bounds of smp_counts. */
typedef struct reference_counts {
    bool has_wavefronts, has_transactions, has_bounds; /* none or only bounds: not modelled */
    unsigned active_lanes;
    unsigned wavefronts_min, wavefronts_max, ideal, ways;
    unsigned transactions, bytes;
    unsigned transactions_min, transactions_max;
    bool paired;
    unsigned group_count; /* groups with at least one lane */
    reference_group groups[SMP_GROUPS_MAX];
} reference_counts;

/* One lane's request for one word of one bank (CC 1.x, 4 bytes). */
typedef struct reference_wish {
    unsigned bank, word;
} reference_wish;

typedef struct reference_range {
    unsigned min, max;
} reference_range;

/* A copy of 16 bytes: rounds of the tag stage, sectors. */
void reference_bypass(const smp_access *access, unsigned *rounds, unsigned *sectors);

/* Wavefronts of reductions and local memory inside L1; 0 if not applicable. */
typedef struct reference_units {
    unsigned tag, data;
    unsigned returned; /* of the data stage, if an atomic returns something */
    unsigned sectors;
} reference_units;

/* A reduction of 4 or 8 bytes. */
reference_units reference_reduction(const smp_access *access);
/* A load whose addresses are bytes of each thread's local memory; that of the warp begins at line
 * `first_line`. `data` is of a hit. */
reference_units reference_local(const smp_access *access, uint64_t first_line);

/* Fills *out for an access on compute capability major.minor with banks of `bank_bytes`. */
void reference_predict(int major, int minor, unsigned bank_bytes, const smp_access *access,
                       reference_counts *out);

/* Lanes whose address counts. */
uint32_t reference_lanes(const smp_access *access);

/* Fewest and most steps in which CC 1.x hardware can serve `count` (at most 16) reads, over every
 * choice that it has at every step. Banks that differ only by name, and words of one bank that as
 * many lanes want, are taken as the same state. */
reference_range reference_broadcast(const reference_wish *wishes, unsigned count);

/* The same without those symmetries: every single lane is a choice of its own. Slow. */
reference_range reference_broadcast_literal(const reference_wish *wishes, unsigned count);

/* Transactions and bytes of global memory and of another block's shared memory, or their bounds. */
void reference_transactions(int major, int minor, const smp_access *access, reference_counts *out);

/* True if the tag hash is known: all active lanes are in one aligned block of 32 GiB. */
bool reference_hash_is_known(const smp_access *access);
/* The waiting lanes that one wavefront of the tag stage takes. */
uint32_t reference_tag_wavefront(const smp_access *access, uint32_t waiting);
