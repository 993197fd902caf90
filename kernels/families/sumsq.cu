/* SPDX-License-Identifier: MIT */
/*
 * The sum of the squares of integers, with one atomic addition per thread or block. The sum is
 * exact in any order. All threads reach every barrier.
 */
#include "block_sum.cuh"
#include "launch.cuh"
#include "sumsq.h"

namespace {

__device__ __forceinline__ unsigned square(int value) {
    return (unsigned)(value * value);
}

/* `mask` is 0, which the compiler does not know. If the assembler saw that all threads use one
 * address, it would add each warp first and leave one atomic per warp. */
__global__ void __launch_bounds__(SMP_SUMSQ_THREADS)
    add_each(const int *__restrict__ in, size_t count, unsigned *sum, unsigned mask) {
    size_t i = (size_t)blockIdx.x * SMP_SUMSQ_THREADS + threadIdx.x;
    if (i < count)
        atomicAdd(sum + (threadIdx.x & mask), square(in[i]));
}

/* The usual source. It becomes one addition per warp (REDUX, then RED by one lane). */
__global__ void __launch_bounds__(SMP_SUMSQ_THREADS)
    add_global(const int *__restrict__ in, size_t count, unsigned *sum) {
    size_t i = (size_t)blockIdx.x * SMP_SUMSQ_THREADS + threadIdx.x;
    if (i < count)
        atomicAdd(sum, square(in[i]));
}

__global__ void __launch_bounds__(SMP_SUMSQ_THREADS)
    add_shared(const int *__restrict__ in, size_t count, unsigned *sum) {
    extern __shared__ unsigned squares[];
    size_t i = (size_t)blockIdx.x * SMP_SUMSQ_THREADS + threadIdx.x;
    squares[threadIdx.x] = i < count ? square(in[i]) : 0;
    __syncthreads();
    smp::add_halves(squares, SMP_SUMSQ_THREADS);
    if (threadIdx.x == 0)
        atomicAdd(sum, squares[0]);
}

smp::Grid grid_of(const smp_kernel_launch *run, size_t dynamic_bytes) {
    return {smp_divide_up(run->problem->columns, SMP_SUMSQ_THREADS), SMP_SUMSQ_THREADS,
            dynamic_bytes};
}

} // namespace

SMP_LAUNCHED(smp_sumsq_prepare, smp::clear(run, sizeof(unsigned), error))
SMP_LAUNCHED(smp_sumsq_launch_each,
             smp::launch_row(run, "atomic-each", add_each, grid_of(run, 0), error, 0u))
SMP_LAUNCHED(smp_sumsq_launch_global,
             smp::launch_row(run, "atomic", add_global, grid_of(run, 0), error))
SMP_LAUNCHED(smp_sumsq_launch_shared,
             smp::launch_row(run, "shared", add_shared,
                             grid_of(run, SMP_SUMSQ_THREADS * sizeof(unsigned)), error))
