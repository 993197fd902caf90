/* SPDX-License-Identifier: MIT */
/*
 * sumsq.h: launches of the sums of squares, and their shape. Internal to kernels/.
 */
#ifndef SMP_SUMSQ_H
#define SMP_SUMSQ_H

#include "families.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMP_SUMSQ_THREADS 256

/* Sets the sum to 0. */
smp_status smp_sumsq_prepare(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_sumsq_launch_each(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_sumsq_launch_global(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_sumsq_launch_shared(const smp_kernel_launch *launch, smp_error *error);

#ifdef __cplusplus
}
#endif
#endif
