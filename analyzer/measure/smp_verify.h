/* SPDX-License-Identifier: MIT */
/*
 * smp_verify.h: hunting for accesses that cost what was not predicted, and reducing them.
 */
#pragma once

#include "smp_model.h"
#include "smp_probes.h"

SMP_C_BEGIN

enum { SMP_SHRINK_CANDIDATES_MAX = 64 };

/* The first of `count` candidates that still shows the difference, or `count` if none does. All
 * candidates of a call can be tried at once, which is what a GPU wants. */
typedef size_t (*smp_shrink_fn)(void *user, const smp_access *candidates, size_t count);

/* Makes *access as small as it gets: first fewer lanes, then lower offsets, for as long as a
 * step helps. Entries of inactive lanes become 0. */
void smp_access_shrink(smp_access *access, smp_shrink_fn first_that_shows, void *user);

/* ---- Verification ---- */

/* Random accesses, predicted against measured. Sums over groups of accesses are compared; a sum
 * that differs is measured again one by one until the access is found, which is then reduced to
 * the smallest that still differs. */

enum { SMP_VERIFY_ROWS_MAX = 5 * SMP_OP_COUNT };

/* One operation of one width. */
typedef struct smp_verify_row {
    smp_op op;
    uint32_t width_bytes;
    uint64_t accesses;     /* compared so far */
    uint64_t not_modelled; /* drawn, but without a prediction, and so not compared */
} smp_verify_row;

/* Measures sums[i] of accesses i x group .., all of one operation and width. */
typedef smp_status (*smp_verify_measure_fn)(void *user, const smp_access *accesses, size_t count,
                                            size_t group, uint64_t *sums, size_t *done,
                                            smp_error *error);

typedef struct smp_verify_job {
    const smp_arch *arch;
    smp_verify_row rows[SMP_VERIFY_ROWS_MAX];
    size_t row_count;
    uint64_t count; /* accesses to compare, of all rows together; 0: no end */
    double seconds; /* stop after these; 0: no end */
    uint64_t seed;
    size_t group; /* accesses whose costs are summed in one measurement */
    smp_verify_measure_fn measure;
    void *user;
    bool (*progress)(void *user, uint64_t done); /* false stops; may be NULL */
    void *progress_user;
} smp_verify_job;

typedef struct smp_verify_result {
    uint64_t accesses, groups;
    uint64_t unconfirmed; /* groups whose sum differed once, and not when measured again */
    double seconds;
    bool differs;       /* then: */
    bool only_in_group; /* the sum differs again and again, but no access of it does alone */
    smp_access found, smallest;
    uint64_t predicted, measured; /* of `smallest`; of the group if only_in_group */
} smp_verify_result;

/* Every operation and width for which the model has a rule on `arch`, if only an assumed one, and
 * that a counter sees alone. `ops` and `widths` (bit w: w bytes) restrict it; 0 is all. */
void smp_verify_rows(const smp_arch *arch, uint32_t ops, uint32_t widths, smp_verify_job *job);

/* What `access` should cost in its counter's unit; false if the model does not say. */
bool smp_verify_predict(const smp_arch *arch, const smp_access *access, uint64_t *out);

/* Until the count, the time, the first access that differs, or the progress says so
 * (SMP_E_INTERRUPTED, with a good *result so far). */
smp_status smp_verify_run(smp_verify_job *job, smp_verify_result *result, smp_error *error);

SMP_C_END

/* ---- verify_witness.c ---- */

typedef struct verify_witness {
    smp_probe *probe;
    const smp_arch *arch; /* whose rules are held against it */
    bool by_clocks;
} verify_witness;

/* One access tells whether the counters may be read, or the clocks have to do. */
smp_status verify_witness_choose(verify_witness *by, smp_error *error);
/* The job is measured so, and keeps the rows of which this witness says something. */
void verify_witness_set(verify_witness *by, const smp_arch *arch, smp_verify_job *job);
