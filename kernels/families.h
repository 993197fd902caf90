/* SPDX-License-Identifier: MIT */
/*
 * families.h: the rows of registry.c, and what the families share. Internal to kernels/.
 */
#ifndef SMP_FAMILIES_H
#define SMP_FAMILIES_H

#include "smp_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One file a family. */
extern const smp_kernel_family smp_transpose_family, smp_occupancy_family, smp_reduce_family,
    smp_sumsq_family, smp_histogram_family, smp_scan_family, smp_gemm_tile_family,
    smp_convolve_rows_family, smp_convolve_columns_family, smp_lookup_family;

/* A launch function of a .cu file in a row; where those are not built, one that says so. */
#ifdef SMP_KERNELS_BUILT
#define SMP_LAUNCH(function) function
#else
#define SMP_LAUNCH(function) smp_launch_not_built
#endif
smp_status smp_launch_not_built(const smp_kernel_launch *launch, smp_error *error);

/* Variants that race a vendor's library, and claims of them, are in benchmarks/ and built on
 * request. */
#ifdef SMP_BENCHMARKS
#include "races.h"
#else
#define SMP_TRANSPOSE_RACES
#define SMP_GEMM_RACES
#define SMP_GEMM_RACE_CLAIMS
#define SMP_SCAN_RACES
#define SMP_SCAN_RACE_CLAIMS
#endif

/* script.c: `count` bytes of noise, the same for the same seed. */
void smp_fill_noise(uint64_t seed, void *bytes, size_t count);
/* The next number of a stream of noise whose state is *state. */
uint64_t smp_noise(uint64_t *state);

/* ceil(a / b). */
static inline uint64_t smp_divide_up(uint64_t a, uint64_t b) {
    return a / b + (a % b ? 1 : 0);
}

#ifdef __cplusplus
}
#endif
#endif
