/* SPDX-License-Identifier: MIT */
/*
 * Adds one value per thread of a block by warp shuffles, which touch no memory, and one word of
 * shared memory per warp. Internal to kernels/.
 */
#pragma once

namespace smp {

constexpr unsigned warp_threads = 32, all_lanes = 0xffffffffu;

/* Leaves the sum of `count` values in the first, by halves. Not unrolled, so that the compiler
 * cannot merge neighbouring loads. */
template <class T> __device__ __forceinline__ void add_halves(T *values, unsigned count) {
#pragma unroll 1
    for (unsigned offset = count / 2; offset > 0; offset /= 2) {
        if (threadIdx.x < offset)
            values[threadIdx.x] += values[threadIdx.x + offset];
        __syncthreads();
    }
}

/* The sum over the warp, in lane 0. */
template <class T> __device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
    for (unsigned offset = warp_threads / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(all_lanes, value, offset);
    return value;
}

/* The sum over the block, in thread 0. All threads call it, once in a kernel. */
template <unsigned Threads, class T> __device__ __forceinline__ T block_sum(T value) {
    constexpr unsigned warps = Threads / warp_threads;
    __shared__ T sums[warps];
    value = warp_sum(value);
    if (threadIdx.x % warp_threads == 0)
        sums[threadIdx.x / warp_threads] = value;
    __syncthreads();
    if (threadIdx.x < warp_threads) {
        value = threadIdx.x < warps ? sums[threadIdx.x] : T(0);
        value = warp_sum(value);
    }
    return value;
}

} // namespace smp
