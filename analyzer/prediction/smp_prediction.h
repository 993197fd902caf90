/* SPDX-License-Identifier: MIT */
/* The predicted and measured cost of one access on one architecture, and why. */
#pragma once

#include "smp_accesses.h"
#include "smp_probes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a measured count comes from. */
typedef enum smp_origin { SMP_NOT_MEASURED, SMP_LIVE, SMP_RECORDED } smp_origin;

typedef struct smp_measured {
    smp_origin origin;
    smp_status why;   /* why it was not measured on a GPU; SMP_OK with SMP_LIVE */
    char reason[256]; /* `why` in words: one clause */
    char device[64], driver[32], cuda[16], counter[128], date[16];
    /* Wavefronts or transactions, as predicted; SMP_NOT_COUNTED if clocks cannot tell. */
    uint64_t count;
    bool is_at_most; /* the clocks cannot tell `count` from less */
    bool has_cycles; /* cycles were measured */
    double cycles;
    bool clocks_differ; /* the measured cycles contradict the count */
} smp_measured;

/* Everything known about one access on one architecture. */
typedef struct smp_prediction {
    smp_arch arch;    /* a copy, with the bank mode in force */
    bool has_pattern; /* `pattern` describes the access */
    smp_pattern pattern;
    smp_access access;
    smp_status status; /* from smp_predict: SMP_OK or SMP_E_NOT_MODELLED */
    smp_counts counts;
    bool has_l1; /* a load from global memory with known L1 behaviour */
    smp_l1_counts l1;
    smp_measured measured;
} smp_prediction;

/* Predicts report->access on report->arch and looks for a measurement: with `probe` (may be NULL)
 * on its GPU if that is of this architecture, else in the recorded ones. `why_no_probe` is the
 * reason to give if there is neither. Fills status, counts and measured. */
void smp_prediction_fill(smp_prediction *report, smp_probe *probe, const smp_error *why_no_probe);
/* The text that reproduces the run: the pattern's options, or --access with the batch line. Returns
 * its length. */
size_t smp_prediction_pattern(const smp_prediction *report, char *text, size_t size);

/* The fewest transactions that could move as many bytes: lanes x bytes over the largest transaction
 * there is, summed over the hardware's requests for the access (the warp, or on 1.x its
 * half-warps); at most its transactions. Only for accesses with transactions. */
uint32_t smp_prediction_ideal_transactions(const smp_prediction *report);

/* Writes a sentence that explains the cost: "stride 32 words shares a factor 32 with the 32 banks,
 * so ...". */
size_t smp_prediction_why(const smp_prediction *report, char *text, size_t size);

/* "32 lanes read 4 bytes each, 33 words apart"; returns its length. */
size_t smp_prediction_words(const smp_prediction *report, char *text, size_t size);

/* True if a prediction and a measurement contradict each other. */
bool smp_prediction_differs(const smp_prediction *report);

/* Stores a measurement of `access` on the GPU of `probe`. */
void smp_measured_take(smp_measured *out, smp_probe *probe, const smp_access *access,
                       const smp_reading *reading);
/* "32", "at most 2 by clocks (1.65 cycles)"; returns its length. */
size_t smp_measured_words(const smp_measured *measured, char *text, size_t size);

/* True if the counter of `op` counts wavefronts, false if it counts transactions. */
static inline bool smp_op_counts_wavefronts(smp_op op) {
    smp_space space = smp_ops(NULL)[op].space;
    return space == SMP_SPACE_SHARED || space == SMP_SPACE_COPY;
}

/* The prediction for a counter: maximum wavefronts, or transactions. */
static inline uint64_t smp_prediction_count(const smp_prediction *report) {
    return report->counts.valid & SMP_HAS_WAVEFRONTS ? report->counts.wavefronts_max
                                                     : report->counts.transactions;
}

/* The constant distance in bytes between neighbouring lanes of a shared memory access; -1 if it
 * varies or lanes are inactive. */
int64_t smp_access_stride(const smp_access *access);

#ifdef __cplusplus
}
#endif
