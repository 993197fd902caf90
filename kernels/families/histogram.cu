/* SPDX-License-Identifier: MIT */
/*
 * Counts values in bins by atomics on global memory, on shared memory, and on the shared memory of
 * a cluster, each block of which has a part of the bins. At the end, blocks add their counts to
 * those in global memory. Values outside count in the first and the last bin. All threads reach
 * every barrier; loops whose steps histogram.c describes are not unrolled.
 */
#include <cooperative_groups.h>

#include "histogram.h"
#include "launch.cuh"

namespace {

/* The block of the cluster that has a bin: bin / part, without a division. */
struct Split {
    uint32_t part, magic, shift;
};

/* For 2 <= part <= 2^31 and numbers below 2^31, ceil(2^(32 + shift) / part) has 32 bits, and its
 * rounding error is too small to matter (Granlund and Montgomery). */
Split split_of(uint32_t part) {
    Split split = {part, 0, 0};
    while (part > UINT32_C(2) << split.shift)
        split.shift++;
    split.magic = (uint32_t)(((UINT64_C(1) << (32 + split.shift)) + part - 1) / part);
    return split;
}

__device__ __forceinline__ uint32_t bin_of(int value, uint32_t bins) {
    return (uint32_t)min(max(value, 0), (int)bins - 1);
}

/* Blocks take four values per load in turn; the first block also takes the rest. */
template <class F> __device__ __forceinline__ void each_value(const int *in, size_t count, F use) {
    const int4 *vectors = reinterpret_cast<const int4 *>(in);
    const size_t stride = (size_t)gridDim.x * SMP_HISTOGRAM_THREADS;
#pragma unroll 1
    for (size_t i = (size_t)blockIdx.x * SMP_HISTOGRAM_THREADS + threadIdx.x;
         i < count / SMP_HISTOGRAM_EACH; i += stride) {
        const int4 v = vectors[i];
        use(v.x);
        use(v.y);
        use(v.z);
        use(v.w);
    }
    if (blockIdx.x == 0 && threadIdx.x < count % SMP_HISTOGRAM_EACH)
        use(in[count / SMP_HISTOGRAM_EACH * SMP_HISTOGRAM_EACH + threadIdx.x]);
}

__device__ __forceinline__ void clear(uint32_t *counts, uint32_t bins) {
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < bins; i += SMP_HISTOGRAM_THREADS)
        counts[i] = 0;
}

__global__ void __launch_bounds__(SMP_HISTOGRAM_THREADS)
    in_global(const int *__restrict__ in, size_t count, uint32_t *out, uint32_t bins) {
    each_value(in, count, [&](int value) { atomicAdd(&out[bin_of(value, bins)], 1u); });
}

/* Each warp counts in one of `copies` copies. */
__global__ void __launch_bounds__(SMP_HISTOGRAM_THREADS)
    in_shared(const int *__restrict__ in, size_t count, uint32_t *out, uint32_t bins,
              uint32_t copies) {
    extern __shared__ uint32_t counts[];
    uint32_t *own = counts + threadIdx.x / SMP_LANES % copies * bins;
    clear(counts, bins * copies);
    __syncthreads();
    each_value(in, count, [&](int value) { atomicAdd(&own[bin_of(value, bins)], 1u); });
    __syncthreads();
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < bins; i += SMP_HISTOGRAM_THREADS) {
        uint32_t sum = 0;
#pragma unroll 1
        for (uint32_t copy = 0; copy < copies; copy++)
            sum += counts[copy * bins + i];
        atomicAdd(&out[i], sum);
    }
}

/* A count in the block's own part is an ordinary atomic on shared memory; any other count is a
 * remote one. */
__global__ void __launch_bounds__(SMP_HISTOGRAM_THREADS)
    in_cluster(const int *__restrict__ in, size_t count, uint32_t *out, uint32_t bins,
               Split split) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    extern __shared__ uint32_t counts[];
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const uint32_t rank = cluster.block_rank();
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(counts);
    clear(counts, split.part);
    cluster.sync();
    each_value(in, count, [&](int value) {
        const uint32_t bin = bin_of(value, bins);
        const uint32_t owner = __umulhi(bin, split.magic) >> split.shift;
        const uint32_t place = bin - owner * split.part;
        if (owner == rank)
            atomicAdd(&counts[place], 1u);
        else
            asm volatile("{\n\t.reg .u32 there;\n\t"
                         "mapa.shared::cluster.u32 there, %0, %1;\n\t"
                         "red.relaxed.cluster.shared::cluster.add.u32 [there], 1;\n\t}" ::"r"(
                             base + place * (uint32_t)sizeof(uint32_t)),
                         "r"(owner)
                         : "memory");
    });
    cluster.sync();
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < split.part && rank * split.part + i < bins;
         i += SMP_HISTOGRAM_THREADS)
        atomicAdd(&out[rank * split.part + i], counts[i]);
#endif
}

smp::Grid grid_of(const smp_histogram_plan &plan) {
    return {plan.blocks, SMP_HISTOGRAM_THREADS, plan.shared_bytes, plan.cluster};
}

smp_status launch_shared(const smp_kernel_launch *run, const char *name, uint32_t copies,
                         smp_error *error) {
    const smp_histogram_plan plan = smp_histogram_plan_of(run->problem, copies, 1);
    return smp::launch_row(run, name, in_shared, grid_of(plan), error, plan.bins, plan.copies);
}

smp_status launch_cluster(const smp_kernel_launch *run, const char *name, uint32_t cluster,
                          smp_error *error) {
    const smp_histogram_plan plan = smp_histogram_plan_of(run->problem, 1, cluster);
    if (plan.cluster == 1)
        return launch_shared(run, name, 1, error);
    return smp::launch_row(run, name, in_cluster, grid_of(plan), error, plan.bins,
                           split_of(plan.part));
}

} // namespace

SMP_LAUNCHED(smp_histogram_prepare,
             smp::clear(run, smp_histogram_family.bytes(run->problem).out, error))

smp_status smp_histogram_launch_global(const smp_kernel_launch *run, smp_error *error) {
    smp_histogram_plan plan = smp_histogram_plan_of(run->problem, 1, 1);
    plan.shared_bytes = 0;
    return smp::launch_row(run, "global", in_global, grid_of(plan), error, plan.bins);
}

SMP_LAUNCHED(smp_histogram_launch_shared, launch_shared(run, "shared", 1, error))
SMP_LAUNCHED(smp_histogram_launch_copies, launch_shared(run, "per-warp", 0, error))
SMP_LAUNCHED(smp_histogram_launch_cluster, launch_cluster(run, "cluster", 0, error))
#define CLUSTER(size)                                \
    SMP_LAUNCHED(smp_histogram_launch_cluster##size, \
                 launch_cluster(run, "cluster-" #size, size, error))
SMP_HISTOGRAM_CLUSTERS(CLUSTER)
