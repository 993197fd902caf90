/* SPDX-License-Identifier: MIT */
/*
 * Exclusive prefix sums by Blelloch's work-efficient tree. The variants differ in how they pad the
 * tile in shared memory. Elements behind the end count as 0, and all threads reach every barrier.
 * The loops over the tree are not unrolled, so that the compiler cannot merge neighbouring loads:
 * the machine then does what scan.c describes.
 */
#include "launch.cuh"
#include "scan.h"

namespace {

/* ---- Offsets: by how much element i is moved ---- */

struct Plain {
    static __device__ __forceinline__ unsigned of(unsigned) {
        return 0;
    }
};

/* One word after each row of 2^LogBanks. */
template <unsigned LogBanks> struct Offset {
    static __device__ __forceinline__ unsigned of(unsigned i) {
        return i >> LogBanks;
    }
};

/* One more after each row of such rows. */
template <unsigned LogBanks> struct TwoLevel {
    static __device__ __forceinline__ unsigned of(unsigned i) {
        return (i >> LogBanks) + (i >> 2 * LogBanks);
    }
};

/* The shift of the machine: by 32 or more gives 0, where C leaves it undefined. */
__device__ __forceinline__ unsigned shift_right(unsigned value, unsigned by) {
    unsigned shifted;
    asm("shr.u32 %0, %1, %2;" : "=r"(shifted) : "r"(value), "r"(by));
    return shifted;
}

/* The meaning of `i >> BANKS + i >> 2 * LOG_BANKS`, since + binds tighter than >>. Only i below 32
 * - BANKS are first shifted by less than 32, and those become 0. */
template <unsigned LogBanks> struct Wrong {
    static __device__ __forceinline__ unsigned of(unsigned i) {
        return shift_right(shift_right(i, (1u << LogBanks) + i), 2 * LogBanks);
    }
};

/* ---- Kernels ---- */

template <class Space> __device__ __forceinline__ unsigned place(unsigned i) {
    return i + Space::of(i);
}

/* Up: sums of pairs, of pairs of pairs, ..., each in the place of its last element. */
template <class Space, class T> __device__ __forceinline__ void sum_up(T *tile) {
    unsigned offset = 1;
#pragma unroll 1
    for (unsigned pairs = SMP_SCAN_THREADS; pairs > 0; pairs /= 2, offset *= 2) {
        __syncthreads();
        if (threadIdx.x < pairs) {
            const unsigned left = place<Space>(offset * (2 * threadIdx.x + 1) - 1);
            const unsigned right = place<Space>(offset * (2 * threadIdx.x + 2) - 1);
            tile[right] += tile[left];
        }
    }
}

/* Down: the left of a pair gets the sum before both, the right that and the left's own sum. */
template <class Space, class T> __device__ __forceinline__ void hand_down(T *tile) {
    unsigned offset = SMP_SCAN_THREADS;
#pragma unroll 1
    for (unsigned pairs = 1; pairs <= SMP_SCAN_THREADS; pairs *= 2, offset /= 2) {
        __syncthreads();
        if (threadIdx.x < pairs) {
            const unsigned left = place<Space>(offset * (2 * threadIdx.x + 1) - 1);
            const unsigned right = place<Space>(offset * (2 * threadIdx.x + 2) - 1);
            const T sum = tile[left], before = tile[right];
            tile[left] = before;
            tile[right] = before + sum;
        }
    }
    __syncthreads();
}

/* `out` may be `in`, since a block reads its tile before it writes. */
template <class Space, class T>
__global__ void __launch_bounds__(SMP_SCAN_THREADS)
    scan_tile(const T *in, T *out, size_t count, T *sums) {
    __shared__ T tile[SMP_SCAN_TILE + SMP_SCAN_SPACES];
    const size_t first = (size_t)blockIdx.x * SMP_SCAN_TILE + threadIdx.x;
    const size_t second = first + SMP_SCAN_THREADS;
    const unsigned a = place<Space>(threadIdx.x);
    const unsigned b = place<Space>(threadIdx.x + SMP_SCAN_THREADS);
    tile[a] = first < count ? in[first] : T(0);
    tile[b] = second < count ? in[second] : T(0);
    sum_up<Space>(tile);
    if (threadIdx.x == 0) {
        const unsigned last = place<Space>(SMP_SCAN_TILE - 1);
        sums[blockIdx.x] = tile[last];
        tile[last] = T(0);
    }
    hand_down<Space>(tile);
    if (first < count)
        out[first] = tile[a];
    if (second < count)
        out[second] = tile[b];
}

template <class T>
__global__ void __launch_bounds__(SMP_SCAN_THREADS)
    add_sums(T *out, size_t count, const T *__restrict__ sums) {
    const size_t first = (size_t)blockIdx.x * SMP_SCAN_TILE + threadIdx.x;
    const size_t second = first + SMP_SCAN_THREADS;
    const T before = sums[blockIdx.x];
    if (first < count)
        out[first] += before;
    if (second < count)
        out[second] += before;
}

/* ---- Launches ---- */

template <class Space, class T>
smp_status scan_all(const smp_kernel_launch *run, const char *name, smp_error *error) {
    const smp_scan_plan plan = smp_scan_plan_of(run->problem);
    const T *in = static_cast<const T *>(run->in);
    T *out[SMP_SCAN_LEVELS + 1] = {static_cast<T *>(run->out)};
    smp_status status = SMP_OK;
    for (uint32_t level = 0; level < plan.levels && status == SMP_OK; level++) {
        smp::Grid grid = {plan.blocks[level], SMP_SCAN_THREADS};
        out[level + 1] = reinterpret_cast<T *>(static_cast<char *>(run->work) + plan.sums[level]);
        status =
            smp::launch(run, name, scan_tile<Space, T>, grid, error, level == 0 ? in : out[level],
                        out[level], (size_t)plan.count[level], out[level + 1]);
        if (run->residency)
            return status;
    }
    for (uint32_t level = plan.levels - 1; level-- > 0 && status == SMP_OK;) {
        smp::Grid grid = {plan.blocks[level], SMP_SCAN_THREADS};
        status = smp::launch(run, name, add_sums<T>, grid, error, out[level],
                             (size_t)plan.count[level], out[level + 1]);
    }
    return status;
}

template <class Space>
smp_status scan(const smp_kernel_launch *run, const char *name, smp_error *error) {
    return run->problem->element == SMP_FLOAT ? scan_all<Space, float>(run, name, error)
                                              : scan_all<Space, uint32_t>(run, name, error);
}

} // namespace

SMP_LAUNCHED(smp_scan_launch_plain, scan<Plain>(run, "plain", error))
SMP_LAUNCHED(smp_scan_launch_offset16, scan<Offset<4>>(run, "offset-16", error))
SMP_LAUNCHED(smp_scan_launch_offset32, scan<Offset<5>>(run, "offset-32", error))
SMP_LAUNCHED(smp_scan_launch_two_level16, scan<TwoLevel<4>>(run, "two-level-16", error))
SMP_LAUNCHED(smp_scan_launch_two_level32, scan<TwoLevel<5>>(run, "two-level-32", error))
SMP_LAUNCHED(smp_scan_launch_wrong16, scan<Wrong<4>>(run, "wrong-16", error))
SMP_LAUNCHED(smp_scan_launch_wrong32, scan<Wrong<5>>(run, "wrong-32", error))
