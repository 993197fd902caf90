/* SPDX-License-Identifier: MIT */
/*
 * Shapes of the sums, shared by their rows (reduce.c) and their kernels (reduce.cu). Internal to
 * kernels/.
 */
#pragma once

#include "families.h"

SMP_C_BEGIN

#define SMP_REDUCE_SMALL 128 /* threads per block of the first three variants */
#define SMP_REDUCE_LARGE 512 /* threads per block of the others */

/* The fastest variant: 16 bytes per thread and step, and at most this many blocks, all of which an
 * H100 or H200 holds at once. With four times as many, 10^7 floats took half as long again. */
#define SMP_REDUCE_FAST_THREADS 1024
#define SMP_REDUCE_FAST_BLOCKS 264
#define SMP_REDUCE_FAST_BYTES 16

/* Every variant leaves one sum per block. Blocks that take this many each add them in double
 * precision until one is left. */
#define SMP_REDUCE_FINISH_THREADS 256
#define SMP_REDUCE_FINISH_TILE 2048

/* Arrays in `work` begin at multiples of this many bytes. */
#define SMP_REDUCE_ALIGNMENT 256

/* The arrays of a run in `work`: offsets in bytes. */
typedef struct smp_reduce_plan {
    uint64_t blocks;    /* of the first kernel, each with one sum */
    uint64_t copy;      /* a copy of the input, for the variant that destroys it */
    uint64_t sums;      /* sums of the blocks */
    uint64_t finish[2]; /* sums of sums, alternating */
    uint64_t bytes;     /* bytes in total */
} smp_reduce_plan;

/* `tile`: elements per block of the first kernel; 0: the fastest variant. */
smp_reduce_plan smp_reduce_plan_of(const smp_kernel_case *problem, uint32_t tile);

smp_launch_function smp_reduce_prepare_global, smp_reduce_launch_global, smp_reduce_launch_static,
    smp_reduce_launch_dynamic, smp_reduce_launch_modulo, smp_reduce_launch_strided,
    smp_reduce_launch_sequential, smp_reduce_launch_first_add, smp_reduce_launch_shuffle,
    smp_reduce_launch_fast;
SMP_C_END
