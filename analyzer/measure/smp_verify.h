/* SPDX-License-Identifier: MIT */
/* Finds accesses whose cost differs from the prediction, and reduces them. */
#pragma once

#include "smp_model.h"
#include "smp_probes.h"

SMP_C_BEGIN

enum { SMP_SHRINK_CANDIDATES_MAX = 64 };

/* The first of `count` candidates that still shows the difference, or `count`. All candidates of a
 * call can be measured together. */
typedef size_t (*smp_shrink_fn)(void *user, const smp_access *candidates, size_t count);

/* Reduces *access: fewer lanes, then lower offsets, as long as a step succeeds. Entries of inactive
 * lanes become 0. */
void smp_access_shrink(smp_access *access, smp_shrink_fn first_that_shows, void *user);

/* ---- Verification ---- */

/* Random accesses, predicted against measured. Sums over groups of accesses are compared; if a sum
 * differs, its accesses are measured one by one, and the one at fault is reduced. */

enum { SMP_VERIFY_ROWS_MAX = 5 * SMP_OP_COUNT };

/* One operation and width. */
typedef struct smp_verify_row {
    smp_op op;
    uint32_t width_bytes;
    uint64_t accesses;     /* compared so far */
    uint64_t not_modelled; /* drawn without a prediction, not compared */
} smp_verify_row;

/* Measures sums[i] over `group` accesses from i x group on, all of one operation and width. */
typedef smp_status (*smp_verify_measure_fn)(void *user, const smp_access *accesses, size_t count,
                                            size_t group, uint64_t *sums, size_t *done,
                                            smp_error *error);

typedef struct smp_verify_job {
    const smp_arch *arch;
    smp_verify_row rows[SMP_VERIFY_ROWS_MAX];
    size_t row_count;
    uint64_t count; /* accesses to compare over all rows; 0 for no limit */
    double seconds; /* time limit, or 0 */
    uint64_t seed;
    size_t group; /* accesses per measured sum */
    smp_verify_measure_fn measure;
    void *user;
    bool (*progress)(void *user, uint64_t done); /* false stops; may be NULL */
    void *progress_user;
} smp_verify_job;

typedef struct smp_verify_result {
    uint64_t accesses, groups;
    uint64_t unconfirmed; /* groups whose sum differed only once */
    double seconds;
    bool differs;       /* if so: */
    bool only_in_group; /* only the sum differs, no single access */
    smp_access found, smallest;
    uint64_t predicted, measured; /* for `smallest`, or for the group if only_in_group */
} smp_verify_result;

/* All operations and widths with a rule on `arch`, even an assumed one, and a counter of their own.
 * `ops` and `widths` (bit w: w bytes) restrict them; 0 for all. */
void smp_verify_rows(const smp_arch *arch, uint32_t ops, uint32_t widths, smp_verify_job *job);

/* Predicts `access` in its counter's unit; false if not modelled. */
bool smp_verify_predict(const smp_arch *arch, const smp_access *access, uint64_t *out);

/* Runs up to the count, the time limit, the first difference, or until `progress` stops it
 * (SMP_E_INTERRUPTED, with a valid *result). */
smp_status smp_verify_run(smp_verify_job *job, smp_verify_result *result, smp_error *error);

SMP_C_END

/* ---- verify_witness.c ---- */

typedef struct verify_witness {
    smp_probe *probe;
    const smp_arch *arch; /* whose rules are tested */
    bool by_clocks;
} verify_witness;

/* Measures one access to decide between counters and clocks. */
smp_status verify_witness_choose(verify_witness *by, smp_error *error);
/* Makes the job use this witness, and keeps only the rows it can measure. */
void verify_witness_set(verify_witness *by, const smp_arch *arch, smp_verify_job *job);
