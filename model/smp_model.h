/* SPDX-License-Identifier: MIT */
/*
 * What one warp-level memory instruction costs, computed.
 *
 * Words used here, in the sense that NVIDIA's documents and profilers give them:
 *   request     one instruction executed by one warp.
 *   bank        one of the parallel, 4- or 8-byte-wide columns of shared memory.
 *   word        what one bank delivers in one pass; its index is offset / bank bytes.
 *   row         one word of every bank: banks x bank bytes consecutive bytes.
 *   wavefront   one pass of the data stage (older tools say transaction).
 *   group       the lanes that are served together; a wide access has several groups.
 *   ways        in one group, the most distinct words on one bank (for atomics: the most
 *               lanes); for a request, the worst group. 1 is free of conflicts.
 *   ideal       min(wavefronts, ceil(lanes x bytes / 128)), twice that for compare-and-swap.
 *   excess      wavefronts - ideal: what a better address pattern would save.
 *   sector      32 consecutive, aligned bytes of global or remote shared memory.
 *
 * The model is pure: no input or output, no allocation, no mutable globals. Every struct
 * belongs to the caller; every string that a struct points to is static. All functions are
 * safe to call from several threads.
 *
 * What the model assumes is listed at the head of model/predict.c; each hardware fact names
 * its source in arch.c, op.c and rule.c.
 */
#ifndef SMP_MODEL_H
#define SMP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Beginning and end of a public header: C names, which the shared library exports. */
#ifdef __cplusplus
#define SMP_C_BEGIN extern "C" {
#define SMP_C_END }
#else
#define SMP_C_BEGIN
#define SMP_C_END
#endif
#if defined(__GNUC__)
#define SMP_API_BEGIN SMP_C_BEGIN _Pragma("GCC visibility push(default)")
#define SMP_API_END _Pragma("GCC visibility pop") SMP_C_END
#else
#define SMP_API_BEGIN SMP_C_BEGIN
#define SMP_API_END SMP_C_END
#endif

SMP_API_BEGIN

#define SMP_VERSION "0.2.0"
#define SMP_LANES 32
#define SMP_GROUPS_MAX 8
#define SMP_ALL_LANES 0xffffffffu
/* The most blocks of a cluster, and the bit at which their number begins in an address of shared
 * memory. */
#define SMP_CLUSTER_BLOCKS_MAX 16
#define SMP_BLOCK_SHIFT 24

#include "smp_arch.h"
#include "smp_op.h"
#include "smp_status.h"

/* ---- Accesses ---- */

/* One request: what 32 lanes ask for in one instruction. Entries of inactive lanes are ignored. */
typedef struct smp_access {
    smp_op op;
    uint32_t width_bytes; /* per lane: 1, 2, 4, 8, 16; 16 for matrix operations (one row) */
    uint32_t active_mask; /* bit l: lane l is active */
    /* Into shared memory; unused by global operations. Of cluster operations, bits 24 to 27 are the
     * block of the cluster, as in the machine's own addresses. */
    uint32_t offset_bytes[SMP_LANES];
    uint64_t address_bytes[SMP_LANES]; /* global memory: ld/st/red.global, source of cp.async */
} smp_access;

/* Lanes whose address counts: the active ones; of matrix operations only the first 8 x matrices. */
uint32_t smp_access_lanes(const smp_access *access);

/* Checks that the hardware would execute `access` on `arch`: width, mask, alignment, range,
 * operation. On failure *error (may be NULL) names the lane and the limit. */
smp_status smp_access_check(const smp_arch *arch, const smp_access *access, smp_error *error);

/* One access of a stream. Fields that the source of the stream does not know are 0 or NULL. */
typedef struct smp_occurrence {
    const smp_access *access;
    uint64_t times;       /* warps that make it; at least 1 */
    size_t index;         /* of the line, statement or combination that makes it */
    const char *site;     /* name of its place in the program */
    const int64_t *ranks; /* blocks of the cluster that the lanes address; NULL: the own one */
    const struct smp_pattern *pattern;     /* that makes it (smp_accesses.h) */
    const struct smp_request_place *place; /* warp and iteration (smp_layout.h) */
} smp_occurrence;

/* Called for each access of a stream; *seen is valid during the call. A status other than SMP_OK
 * ends the stream, whose function returns that status. The visitor has then filled *error, and the
 * stream may put the place in front of the message. */
typedef smp_status (*smp_visit_fn)(void *user, const smp_occurrence *seen, smp_error *error);

/* ---- Prediction ---- */

enum {
    SMP_HAS_WAVEFRONTS = 1u << 0,   /* wavefronts_min/max, ideal, excess, ways, groups */
    SMP_HAS_TRANSACTIONS = 1u << 1, /* transactions, bytes */
    SMP_HAS_BOUNDS = 1u << 2,       /* transactions_min/max: all that is known of them */
};

typedef struct smp_group {
    uint32_t lanes; /* mask of the lanes that it serves */
    uint8_t ways;
    uint8_t wavefronts_min, wavefronts_max;
} smp_group;

/* The cost of a request. A field is meaningful only if its bit in `valid` is set; nothing unknown
 * is ever left as a plausible 0. */
typedef struct smp_counts {
    uint32_t valid; /* SMP_HAS_... */
    smp_evidence evidence;
    const char *note;      /* why not modelled, or a caveat; NULL if none; static */
    uint32_t active_lanes; /* lanes whose address counts */
    uint32_t wavefronts_min, wavefronts_max; /* differ only where the hardware may choose */
    uint32_t ideal;
    uint32_t excess; /* wavefronts_max - ideal */
    uint32_t ways;
    uint32_t transactions;                       /* sectors, lines or segments */
    uint32_t bytes;                              /* that these move */
    uint32_t transactions_min, transactions_max; /* with SMP_HAS_BOUNDS */
    bool paired;                                 /* the pair rule for wide loads merged groups */
    uint32_t group_count;
    smp_group groups[SMP_GROUPS_MAX]; /* the first group_count are set */
} smp_counts;

/* Predicts what `access` costs on `arch`. Fills *out and returns SMP_OK; SMP_E_NOT_MODELLED
 * where no rule is known (out->note says why); or the status of smp_access_check. */
smp_status smp_predict(const smp_arch *arch, const smp_access *access, smp_counts *out);

/* True where lanes of CC 1.x wait for each other although `ways` is 1. A step there serves all
 * lanes on one word, the broadcast word, and one lane of each other bank, so a half-warp in which
 * lanes share several words takes several steps. */
bool smp_counts_take_steps(const smp_arch *arch, const smp_counts *counts);

/* The cost of a load from global memory inside L1, in wavefronts; smp_predict gives its sectors. */
typedef struct smp_l1_counts {
    uint32_t tag_wavefronts;  /* of the tag stage, which looks up at most four lines at once */
    uint32_t hit_wavefronts;  /* of the data stage, if all lines are in L1 */
    uint32_t miss_wavefronts; /* of the data stage, if none is */
} smp_l1_counts;

/* Fills *out for SMP_LD_GLOBAL. SMP_E_NOT_MODELLED for other operations, where no rule was measured
 * (smp_arch.l1_source), and for lanes more than 32 GiB apart; or the status of smp_access_check. */
smp_status smp_l1_predict(const smp_arch *arch, const smp_access *access, smp_l1_counts *out);

/* Wavefronts of the data stage where L1 has some of the lines. `present`: the mask of the lanes
 * whose sector is in L1. For SMP_LD_GLOBAL, and for copies through L1: SMP_CP_ASYNC of 4 and 8
 * bytes, SMP_CP_ASYNC_CA. Errors as above. */
smp_status smp_l1_partly_predict(const smp_arch *arch, const smp_access *access, uint32_t present,
                                 uint32_t *wavefronts);

/* An atomic on shared memory that is compiled to a loop: additions to float and to pairs of
 * halves (4 bytes), to double and to integers of 64 bits (8 bytes). */
typedef struct smp_loop_counts {
    uint32_t turns; /* of the loop, until every lane has updated its word */
    uint32_t atomic_wavefronts, load_wavefronts; /* of all turns */
} smp_loop_counts;

/* Fills *out for SMP_ATOM_SHARED or SMP_RED_SHARED of 4 or 8 bytes of one warp alone; if other
 * warps update the same words, these counts are the least. `unchanged`: the mask of the lanes that
 * leave their word as it is (add 0), which matters for 8 bytes. Errors as above. */
smp_status smp_atomic_loop_predict(const smp_arch *arch, const smp_access *access,
                                   uint32_t unchanged, smp_loop_counts *out);

/* A fetch from a texture of one dimension in linear memory (tex1Dfetch). */
typedef struct smp_texture_counts {
    uint32_t requests; /* groups that have active lanes */
    uint32_t sectors;
    uint32_t tag_wavefronts;
    uint32_t data_wavefronts; /* a warp's first fetch sometimes takes one more */
} smp_texture_counts;

/* Fills *out from the width (1 to 16), mask and addresses of a SMP_LD_GLOBAL. Errors as above. */
smp_status smp_texture_predict(const smp_arch *arch, const smp_access *access,
                               smp_texture_counts *out);

/* Requests that one load of indexed constants (LDC) makes to their cache: one for each different
 * address. The access is a SMP_LD_GLOBAL of 1, 4 or 8 bytes whose addresses are offsets into
 * constant memory. Errors as above. */
smp_status smp_constant_requests(const smp_arch *arch, const smp_access *access, uint32_t *out);

/* Wavefronts that the tensor cores take to read the operands of one wgmma from shared memory: 64
 * rows, `columns` columns (N: 8, 16 ... 256) and 32 bytes of K; B, and also A if it lies there.
 * Their layout does not matter. SMP_E_OP_UNAVAILABLE where there is no wgmma, SMP_E_NOT_MODELLED
 * for other N. */
smp_status smp_wgmma_wavefronts(const smp_arch *arch, uint32_t columns, bool a_is_shared,
                                uint32_t *out);

/* The fewest sectors that can hold what the lanes of an access of `width_bytes` a lane ask for;
 * never more than its transactions. */
uint32_t smp_ideal_sectors(const smp_counts *counts, uint32_t width_bytes);

/* ---- Many accesses ---- */

typedef enum smp_number {
    SMP_NUMBER_U32,
    SMP_NUMBER_I32,
    SMP_NUMBER_U64,
    SMP_NUMBER_I64,
} smp_number;

/* A number for each lane of each row, anywhere in memory: lane l of row r is at `data` + r x
 * row_stride_bytes + l x lane_stride_bytes, aligned or not. */
typedef struct smp_lane_array {
    const void *data;
    ptrdiff_t row_stride_bytes, lane_stride_bytes;
    smp_number number;
} smp_lane_array;

/* Rows of 32 lanes, one row per access. `ops`, `widths` and `masks` have a number for each row;
 * where one of them is NULL, `op`, `width_bytes` or `active_mask` holds for all rows. */
typedef struct smp_many {
    smp_op op;
    uint32_t width_bytes;
    uint32_t active_mask;
    const uint8_t *ops;
    const uint8_t *widths;
    const uint32_t *masks;
    smp_lane_array offsets;   /* of global operations: their addresses */
    smp_lane_array addresses; /* source of cp.async; else unused */
} smp_many;

/* smp_counts without groups and note: fields that are not in `valid` are 0. */
typedef struct smp_row_counts {
    uint32_t transactions, bytes;
    uint16_t wavefronts_min, wavefronts_max, ideal, excess, ways;
    uint16_t transactions_min, transactions_max;
    uint8_t active_lanes;
    uint8_t valid;    /* SMP_HAS_... */
    uint8_t evidence; /* smp_evidence */
    uint8_t status;   /* smp_status: SMP_OK, SMP_E_NOT_MODELLED, or what is wrong with the row */
} smp_row_counts;

/* smp_predict for rows first .. first + count - 1; out[i] is of row first + i. Returns how many
 * rows are wrong, and sets *first_bad and *error (either may be NULL) to the first of these; the
 * others are predicted all the same. Slices of one array may run side by side. */
size_t smp_predict_many(const smp_arch *arch, const smp_many *many, size_t first, size_t count,
                        smp_row_counts *out, size_t *first_bad, smp_error *error);

/* Row `row` as the access that smp_predict_many predicts. Fails if a number is out of range
 * (SMP_E_RANGE, with the lane in error->position), if the operation is unknown, or if a copy has no
 * source. */
smp_status smp_many_access(const smp_many *many, size_t row, smp_access *out, smp_error *error);

/* The place of one lane's first byte. */
typedef struct smp_lane {
    uint32_t offset_bytes;
    uint8_t bank;
    uint8_t group; /* index into smp_counts.groups (of a 1.x wide access: its first request) */
    uint32_t row;  /* offset / (banks x bank bytes) */
} smp_lane;

/* Fills all 32 entries (inactive lanes too) for an access of shared memory that passed
 * smp_access_check. SMP_E_NOT_MODELLED for operations without banks. */
smp_status smp_lanes(const smp_arch *arch, const smp_access *access, smp_lane out[SMP_LANES]);

enum { SMP_MAP_ROWS_MAX = 4 * SMP_LANES };

/* The work of one bank in one wavefront. */
typedef struct smp_map_cell {
    uint32_t lanes; /* mask of the lanes that the bank serves; 0: it is idle */
    uint32_t row;   /* of the word, as in smp_lane; of a pair, that of its first word */
    bool is_pair;   /* two words that come at once (smp_bank_pairs_words) */
} smp_map_cell;

/* One wavefront of a request. */
typedef struct smp_map_row {
    uint32_t group;                /* index into smp_counts.groups */
    bool is_first;                 /* of its group */
    uint32_t busy;                 /* banks that are not idle */
    smp_map_cell cells[SMP_LANES]; /* the first `banks` of the architecture count */
} smp_map_row;

/* The wavefronts of an access of shared memory, or of the shared side of a copy, whose `counts`
 * smp_predict gave: which lanes each bank serves in each. Fills the first `max` rows and returns
 * how many there are, at most SMP_MAP_ROWS_MAX; compare-and-swap makes each twice. It shows one way
 * to serve the request; the hardware may take the words in another order. */
size_t smp_bank_map(const smp_arch *arch, const smp_access *access, const smp_counts *counts,
                    smp_map_row *rows, size_t max);

/* Greatest common divisor; smp_gcd(0, n) = n. */
uint32_t smp_gcd(uint32_t a, uint32_t b);

SMP_API_END
#endif
