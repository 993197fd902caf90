/* SPDX-License-Identifier: MIT */
/*
 * reduce.h: shapes of the sums, shared by their rows (reduce.c) and their kernels (reduce.cu).
 * Internal to kernels/.
 */
#pragma once

#include "families.h"

SMP_C_BEGIN

#define SMP_REDUCE_SMALL 128 /* threads of a block of the first three variants */
#define SMP_REDUCE_LARGE 512 /* of those that follow */

/* The fastest variant: 16 bytes a thread and step, and at most so many blocks, all of which an H100
 * or H200 holds at once: with four times as many, 10^7 floats took half as long again. */
#define SMP_REDUCE_FAST_THREADS 1024
#define SMP_REDUCE_FAST_BLOCKS 264
#define SMP_REDUCE_FAST_BYTES 16

/* Every variant leaves one sum a block; these are added in double precision by blocks that take so
 * many each, until one is left. */
#define SMP_REDUCE_FINISH_THREADS 256
#define SMP_REDUCE_FINISH_TILE 2048

/* Bytes that arrays in `work` begin at multiples of. */
#define SMP_REDUCE_ALIGNMENT 256

/* Where a run keeps what in `work`, in bytes from its start. */
typedef struct smp_reduce_plan {
    uint64_t blocks;    /* of the first kernel, each with one sum */
    uint64_t copy;      /* of the input, for the variant that destroys it */
    uint64_t sums;      /* of the blocks */
    uint64_t finish[2]; /* sums of sums, by turns */
    uint64_t bytes;     /* in all */
} smp_reduce_plan;

/* `tile`: elements that a block of the first kernel adds; 0: the fastest variant. */
smp_reduce_plan smp_reduce_plan_of(const smp_kernel_case *problem, uint32_t tile);

smp_launch_function smp_reduce_prepare_global, smp_reduce_launch_global, smp_reduce_launch_static,
    smp_reduce_launch_dynamic, smp_reduce_launch_modulo, smp_reduce_launch_strided,
    smp_reduce_launch_sequential, smp_reduce_launch_first_add, smp_reduce_launch_shuffle,
    smp_reduce_launch_fast;
/* cub.cu */
smp_launch_function smp_reduce_launch_cub;
SMP_C_END
