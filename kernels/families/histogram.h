/* SPDX-License-Identifier: MIT */
/*
 * Shapes of the histograms, shared by their rows (histogram.c) and their kernels (histogram.cu).
 * Internal to kernels/.
 *
 * A case has as many bins as rows and as many values as columns.
 */
#pragma once

#include "families.h"

SMP_C_BEGIN

#define SMP_HISTOGRAM_THREADS 1024
#define SMP_HISTOGRAM_BLOCKS 256 /* at most; a multiple of every cluster size */
#define SMP_HISTOGRAM_EACH 4     /* values per load of a thread */
#define SMP_HISTOGRAM_BINS_MAX (UINT64_C(1) << 20)
/* Dynamic shared memory that a block can have on the architectures with clusters. */
#define SMP_HISTOGRAM_SHARED_MAX (227u * 1024)

/* The most that a block's copies of the bins take; a second block still fits. */
#define SMP_HISTOGRAM_COPIES_BYTES (64u * 1024)

/* The largest allocation for which the counters of shared memory are exact: 128 KiB with the 1 KiB
 * that the system keeps (model/FINDINGS.md, 7). */
#define SMP_HISTOGRAM_EXACT_BYTES (127u * 1024)

/* Grid and shared memory of a variant. */
typedef struct smp_histogram_plan {
    uint32_t bins;
    uint32_t blocks, cluster; /* blocks is a multiple of cluster */
    uint32_t copies;          /* copies of the bins in each block */
    uint32_t part;            /* bins per block of a cluster */
    uint64_t shared_bytes;    /* of a block */
} smp_histogram_plan;

/* `copies` 0: as many as fit, at most one per warp. `cluster` 0: the size that the case gives, or
 * the smallest whose blocks can hold the bins. */
smp_histogram_plan smp_histogram_plan_of(const smp_kernel_case *problem, uint32_t copies,
                                         uint32_t cluster);

/* Sets the bins to 0. */
smp_launch_function smp_histogram_prepare, smp_histogram_launch_global, smp_histogram_launch_shared,
    smp_histogram_launch_copies, smp_histogram_launch_cluster, smp_histogram_launch_cluster1,
    smp_histogram_launch_cluster2, smp_histogram_launch_cluster4, smp_histogram_launch_cluster8,
    smp_histogram_launch_cluster16;

/* Bytes of scratch memory. CUB keeps a copy of the bins for each of its blocks there. */
uint64_t smp_histogram_work_bytes(const smp_kernel_case *problem);

/* The cluster sizes, each of which has a variant. */
#define SMP_HISTOGRAM_CLUSTERS(X) X(1) X(2) X(4) X(8) X(16)

/* The bin of a value: values below 0 count in the first bin, values above the last bin in the
 * last. */
static inline uint32_t smp_histogram_bin(int32_t value, uint32_t bins) {
    if (value < 0)
        return 0;
    return (uint32_t)value < bins ? (uint32_t)value : bins - 1;
}
SMP_C_END
