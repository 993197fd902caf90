/* SPDX-License-Identifier: MIT */
/*
 * What conflicts are worth: the times of a program's kernels, taken in a run without patches, and
 * the part of them in which shared memory's data stage was busy.
 *
 * The rule is smp_gain_predict's.
 */
#pragma once

#include "instrument_dump.h"
#include "profile.h"

/* By kernel name, registers and block, of all processes of one run. */
typedef struct smp_times {
    smp_instrument_time *list;
    size_t count;
} smp_times;

/* SMP_E_MEMORY or SMP_OK. */
smp_status smp_times_add(smp_times *into, const smp_instrument_dump *dump, smp_error *error);
void smp_times_clear(smp_times *times);

/* The part of the kernel's gain_us that `excess` of its wavefronts come to; 0 if it has none. */
double smp_gain_of(const smp_kernel_profile *kernel, uint64_t excess);

/* Sets time_us, and stage_us and gain_us of a kernel whose figures are of a part of what took that
 * time: `more` times as much as was seen; 0: nothing was. */
void smp_kernel_set_time(smp_kernel_profile *kernel, double time_us, double more);

/* Kernels with launches that have no time. */
typedef struct smp_untimed {
    uint32_t twins;      /* of a name of which there are several, and launches that fit two */
    uint32_t unlaunched; /* by the timed run, of this name or, of several, in this shape */
} smp_untimed;

/* Fills time_us, stage_us and gain_us of the kernels. Kernels of one name, in several modules, are
 * told apart by their registers and by the block of their last launch. */
smp_untimed smp_profile_set_times(smp_profile *profile, const smp_times *times);
