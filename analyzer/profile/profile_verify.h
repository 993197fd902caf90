/* SPDX-License-Identifier: MIT */
/*
 * Compares a profile with hardware counters: costs computed from addresses, summed per kernel, and
 * Nsight Compute's counts of the same kernels in another run of the program.
 */
#pragma once

#include "profile.h"
#include "text_buffer.h"

enum { SMP_COUNTED_MAX = 16 };

typedef enum smp_agreement {
    SMP_AGREES,
    SMP_ABOVE,      /* the counter is higher by up to 15 %: passes lost in arbitration */
    SMP_DIFFERS,    /* it differs */
    SMP_OTHER_RUN,  /* the counted run launched the kernel a different number of times */
    SMP_INCOMPLETE, /* not comparable: instructions without a rule, not all was observed, or other
                       accesses are counted with it */
} smp_agreement;

/* A counter of a kernel. */
typedef struct smp_verified {
    const smp_kernel_profile *kernel;
    const char *what; /* "shared loads", static */
    const char *unit; /* "wavefronts", "sectors" */
    uint64_t predicted;
    uint64_t counted, counted_most; /* minimum and maximum of all counts */
    uint32_t counts, equal;         /* number of counts; of these equal to the prediction */
    uint64_t launches_counted;      /* differing number of launches, if a count had one */
    bool is_shared;                 /* a counter of shared memory, which arbitration raises */
    bool is_comparable;             /* if false, only equality is meaningful */
    smp_agreement agreement;
} smp_verified;

typedef struct smp_verification {
    smp_verified *rows;
    uint32_t row_count;
    uint32_t count[SMP_INCOMPLETE + 1]; /* rows by agreement */
    uint32_t kernels_not_counted;       /* kernels of the profile that the counters did not see */
} smp_verification;

/* Compares *profile with `csv` (as ncu --csv --page raw --print-kernel-base mangled writes it; the
 * text is written to, and needs a byte of room behind `length`). SMP_E_SYNTAX where it holds no
 * table. Clear *out in any case. */
smp_status smp_profile_verify(const smp_profile *profile, char *csv, size_t length,
                              smp_verification *out, smp_error *error);
/* Adds another count of the same profile: rows then hold both, and are judged by both. */
void smp_verification_join(smp_verification *to, const smp_verification *another);
/* True if another count may help: a sum is above, or differs. */
bool smp_verification_is_open(const smp_verification *verification);
void smp_verification_clear(smp_verification *verification);

/* Writes "equal", "0.4 % above: passes lost in arbitration", ... and returns its length. */
size_t smp_verified_words(const smp_verified *row, char *text, size_t size);

/* ---- The program once more, under Nsight Compute ---- */

/* Adds ncu's --kernel-id for the first `launches` launches of each kernel, up to 999,999: a regular
 * expression for these numbers, which ncu compares with the whole number of a launch. */
void smp_verify_launches(uint64_t launches, text_buffer *out);

/* Runs argv under ncu, discarding its output, and compares everything that the profile's runs
 * observed: of each kernel the first `launches`, 0 for all. Counts up to three times (*counts)
 * while a sum differs and a minute has not passed. Clear *out in any case. Fails if counting
 * failed. */
smp_status profile_count(char *const argv[], const smp_profile *profile, uint64_t launches,
                         smp_verification *out, unsigned *counts, smp_error *error);
