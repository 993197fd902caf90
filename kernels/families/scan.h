/* SPDX-License-Identifier: MIT */
/*
 * Shapes of the prefix sums, shared by their rows (scan.c) and their kernels (scan.cu).
 * Internal to kernels/.
 */
#pragma once

#include "families.h"

SMP_C_BEGIN

#define SMP_SCAN_THREADS 512
#define SMP_SCAN_TILE (2 * SMP_SCAN_THREADS) /* elements per block */
#define SMP_SCAN_LEVELS 4                    /* 1024^4 elements */
/* The sums of each level in `work` begin at multiples of this many bytes. */
#define SMP_SCAN_ALIGNMENT 256
/* The most places by which padding moves an element of the tile. */
#define SMP_SCAN_SPACES (SMP_SCAN_TILE / 16 + SMP_SCAN_TILE / 256)

/* Level 0 is the input. The sums of a level's tiles are the next level, until one block is left.
 * Then each level's prefix sums are added to the tiles of the level before. */
typedef struct smp_scan_plan {
    uint32_t levels;                  /* levels that are scanned */
    uint64_t count[SMP_SCAN_LEVELS];  /* elements of each level */
    uint64_t blocks[SMP_SCAN_LEVELS]; /* tiles of each level, with one sum each */
    uint64_t sums[SMP_SCAN_LEVELS];   /* the sums of each level: offsets in `work`, in bytes */
    uint64_t bytes;                   /* bytes of `work` */
} smp_scan_plan;

smp_scan_plan smp_scan_plan_of(const smp_kernel_case *problem);

smp_launch_function smp_scan_launch_plain, smp_scan_launch_offset16, smp_scan_launch_offset32,
    smp_scan_launch_two_level16, smp_scan_launch_two_level32, smp_scan_launch_wrong16,
    smp_scan_launch_wrong32;
SMP_C_END
