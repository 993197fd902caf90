/* SPDX-License-Identifier: MIT */
/*
 * The two kernels that execute one operation of access_ops.cuh, and the row that tells the host
 * about them. All that they need to know about the accesses is passed in kernel parameters, that
 * is, through the constant cache, so no counter of shared or global memory sees it.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include "access_launch.h"
#include "access_ops.cuh"

namespace smp {

/* The address of the same place in the shared memory of block `rank` of the cluster. */
static __device__ __forceinline__ uint32_t other_block(uint32_t shared, uint32_t rank) {
    uint32_t mapped = shared;
    SMP_SINCE_90(asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                              : "=r"(mapped)
                              : "r"(shared), "r"(rank));)
    return mapped;
}

/* Both blocks of a cluster must be alive while one accesses the other's memory. */
static __device__ __forceinline__ void cluster_barrier() {
    SMP_SINCE_90(asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::
                                  : "memory");)
}

/* The base of this launch's accesses in the memory of the calling block. */
template <class Op> static __device__ __forceinline__ uint32_t window() {
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t base = (uint32_t)__cvta_generic_to_shared(shared);
    return Op::cluster ? other_block(base, 1) : base;
}

template <class Op>
static __device__ __forceinline__ uint32_t execute(uint32_t shared, uint64_t global, uint32_t value,
                                                   uint32_t active) {
    if constexpr (Op::converged)
        return Op::run(shared, global, value, active);
    uint32_t result = 0;
    if (active)
        result = Op::run(shared, global, value, active);
    return result;
}

static __device__ __forceinline__ void finish_copies() {
    SMP_SINCE_80(asm volatile("cp.async.wait_all;" ::: "memory");)
}

/* One warp executes each access once, in order. */
template <class Op>
__global__ void __launch_bounds__(SMP_LANES)
    access_kernel(const __grid_constant__ smp_access_args args) {
    const uint32_t lane = threadIdx.x;
    const uint32_t base = window<Op>();
    const uint32_t enabled = args.dry || (Op::cluster && blockIdx.x != 0) ? 0u : 1u;
    uint32_t sum = 0;
    if (Op::cluster)
        cluster_barrier();
#pragma unroll 1
    for (uint32_t i = 0; i < args.count; i++) {
        uint32_t active = args.mask[i] >> lane & enabled;
        sum ^= execute<Op>(base + args.offset[i][lane], args.address[i][lane], lane + i, active);
    }
    if (Op::copy)
        finish_copies();
    if (Op::cluster)
        cluster_barrier();
    if (args.sink)
        args.sink[lane] = sum;
}

/* Several warps execute the first access 4 x repeats times each; sink[warp] receives the cycles
 * from the warp's first instruction to its last result. */
template <class Op>
__global__ void __launch_bounds__(SMP_LANES *SMP_CLOCK_WARPS)
    clock_kernel(const __grid_constant__ smp_access_args args) {
    const uint32_t lane = threadIdx.x % SMP_LANES;
    const uint32_t base = window<Op>();
    const uint32_t offset = base + args.offset[0][lane];
    const uint64_t address = args.address[0][lane];
    const uint32_t active = Op::cluster && blockIdx.x != 0 ? 0u : args.mask[0] >> lane & 1u;
    uint32_t sum = 0;
    if (Op::cluster)
        cluster_barrier();
    __syncthreads();
    long long start = clock64();
#pragma unroll 1
    for (uint32_t i = 0; i < args.count; i++) {
        uint32_t result[4];
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            result[k] = execute<Op>(offset, address, lane + i, active);
        sum ^= result[0] ^ result[1] ^ result[2] ^ result[3];
    }
    if (Op::copy)
        finish_copies();
    __syncthreads();
    long long stop = clock64();
    if (Op::cluster)
        cluster_barrier();
    if (blockIdx.x == 0) {
        args.sink[threadIdx.x / SMP_LANES] = (uint32_t)(stop - start);
        args.sink[SMP_CLOCK_WARPS + threadIdx.x] = sum;
    }
}

template <class Op> constexpr smp_access_row row(int id, uint32_t width_bytes, uint8_t first_cc) {
    return {id,
            width_bytes,
            first_cc,
            Op::cluster,
            (const void *)access_kernel<Op>,
            (const void *)clock_kernel<Op>};
}

} // namespace smp
