/* SPDX-License-Identifier: MIT */
/*
 * occupancy.h: the tile of the family `occupancy`, and its launches. Internal to kernels/.
 */
#ifndef SMP_OCCUPANCY_H
#define SMP_OCCUPANCY_H

#include "families.h"

SMP_C_BEGIN

#define SMP_LARGE_ROWS 112
#define SMP_SMALLER_ROWS 104 /* with padding, four blocks again */
#define SMP_LARGE_COLUMNS 128
#define SMP_LARGE_WARPS 4 /* so few that each block at once counts */

smp_launch_function smp_occupancy_plain, smp_occupancy_padded, smp_occupancy_smaller,
    smp_occupancy_swizzled;
SMP_C_END
#endif
