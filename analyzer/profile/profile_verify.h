/* SPDX-License-Identifier: MIT */
/*
 * A profile against hardware counters: what addresses cause, summed a kernel, beside what Nsight
 * Compute counted of the same kernels in another run of the program.
 */
#pragma once

#include "profile.h"

enum { SMP_COUNTED_MAX = 16 };

typedef enum smp_agreement {
    SMP_AGREES,
    SMP_ABOVE,      /* the counter is higher by up to 15 %: passes lost in arbitration */
    SMP_DIFFERS,    /* it is not */
    SMP_OTHER_RUN,  /* the counted run launched the kernel another number of times */
    SMP_INCOMPLETE, /* instructions without a rule, not all was seen, or others' accesses are
                     * counted with it: not comparable */
} smp_agreement;

/* One counter of one kernel. */
typedef struct smp_verified {
    const smp_kernel_profile *kernel;
    const char *what; /* "shared loads", static */
    const char *unit; /* "wavefronts", "sectors" */
    uint64_t predicted;
    uint64_t counted, counted_most; /* the least and the most of all counts */
    uint32_t counts, equal;         /* how often it was counted; of these as predicted */
    uint64_t launches_counted;      /* another number than seen, if a count had one */
    bool is_shared;                 /* a counter of shared memory, where arbitration adds */
    bool is_comparable;             /* if not, only equality says something */
    smp_agreement agreement;
} smp_verified;

typedef struct smp_verification {
    smp_verified *rows;
    uint32_t row_count;
    uint32_t count[SMP_INCOMPLETE + 1]; /* rows by agreement */
    uint32_t kernels_not_counted;       /* of the profile, that the counters know nothing of */
} smp_verification;

/* The metrics to ask for, separated by commas; static. */
const char *smp_verify_metrics(void);

/* Compares *profile with `csv` (as ncu --csv --page raw --print-kernel-base mangled writes it; the
 * text is written to, and needs a byte of room behind `length`). SMP_E_SYNTAX where it holds no
 * table. Clear *out in any case. */
smp_status smp_profile_verify(const smp_profile *profile, char *csv, size_t length,
                              smp_verification *out, smp_error *error);
/* Takes another count of the same profile in: rows then hold both, and are judged by both. */
void smp_verification_join(smp_verification *to, const smp_verification *another);
/* True if counting again may tell more: a sum is above, or differs. */
bool smp_verification_is_open(const smp_verification *verification);
void smp_verification_clear(smp_verification *verification);

/* "equal", "0.4 % above: passes lost in arbitration", ...; its length. */
size_t smp_verified_words(const smp_verified *row, char *text, size_t size);

/* ---- The program once more, under Nsight Compute ---- */

/* Runs argv under ncu (its output goes nowhere) and compares what the profile's runs looked at; up
 * to three times, *counts, while a sum is not equal. Clear *out in any case. Fails where it could
 * not be counted. */
smp_status profile_count(char *const argv[], const smp_profile *profile, smp_verification *out,
                         unsigned *counts, smp_error *error);
