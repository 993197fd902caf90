/* SPDX-License-Identifier: MIT */
/*
 * occupancy.h: the tile of the family `occupancy`, and its launches. Internal to kernels/.
 */
#ifndef SMP_OCCUPANCY_H
#define SMP_OCCUPANCY_H

#include "families.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMP_LARGE_ROWS 112
#define SMP_SMALLER_ROWS 104 /* with padding, four blocks again */
#define SMP_LARGE_COLUMNS 128
#define SMP_LARGE_WARPS 4 /* so few that each block at once counts */

smp_status smp_occupancy_plain(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_occupancy_padded(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_occupancy_smaller(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_occupancy_swizzled(const smp_kernel_launch *launch, smp_error *error);

#ifdef __cplusplus
}
#endif
#endif
