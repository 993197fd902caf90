/* SPDX-License-Identifier: MIT */
/*
 * The worth of conflicts: times of a program's kernels from a run without patches, and the part in
 * which shared memory's data stage was busy, by the rule of smp_gain_predict.
 */
#pragma once

#include "instrument_dump.h"
#include "profile.h"

/* Times by kernel name, registers and block, of all processes of one run. */
typedef struct smp_times {
    smp_instrument_time *list;
    size_t count;
} smp_times;

/* SMP_E_MEMORY or SMP_OK. */
smp_status smp_times_add(smp_times *into, const smp_instrument_dump *dump, smp_error *error);
void smp_times_clear(smp_times *times);

/* The sum of its sites' excess wavefronts. */
uint64_t smp_kernel_excess(const smp_kernel_profile *kernel);
/* Returns the part of the kernel's gain_us for `excess` of its wavefronts; 0 if it has none. */
double smp_gain_of(const smp_kernel_profile *kernel, uint64_t excess);

/* Sets time_us, stage_us and gain_us of a kernel: `time_us` is that of all its launches. */
void smp_kernel_set_time(smp_kernel_profile *kernel, double time_us);

/* Counts of kernels with launches but no time. */
typedef struct smp_untimed {
    uint32_t twins; /* ambiguous: several have its name, and launches match two */
    /* by the timed run, of this name or, if there are several, in this shape */
    uint32_t unlaunched;
} smp_untimed;

/* Fills time_us, stage_us and gain_us of the kernels. Kernels of one name in several modules are
 * distinguished by registers and by the block of their last launch. */
smp_untimed smp_profile_set_times(smp_profile *profile, const smp_times *times);
