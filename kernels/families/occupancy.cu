/* SPDX-License-Identifier: MIT */
/*
 * Transposes of floats through tiles so large that they, not the threads, limit the blocks per
 * multiprocessor. Any rows x columns. All threads reach the barrier.
 */
#include "launch.cuh"
#include "transpose.h"

namespace {

constexpr uint32_t Wide = SMP_LARGE_COLUMNS, Warps = SMP_LARGE_WARPS;

/* The place of column `column` in row `row`. */
template <bool Swizzled> __device__ __forceinline__ uint32_t place(uint32_t row, uint32_t column) {
    return Swizzled ? column ^ (row & 31) : column;
}

template <uint32_t High, uint32_t Pitch, bool Swizzled>
__global__ void __launch_bounds__(SMP_LANES *Warps)
    through_large_tile(const float *__restrict__ in, float *__restrict__ out, smp::Size size) {
    extern __shared__ float tile[];
    const uint32_t rows = size.rows, columns = size.columns;
    const uint32_t across = (columns - 1) / Wide + 1;
    const uint32_t row0 = blockIdx.x / across * High, column0 = blockIdx.x % across * Wide;
    for (uint32_t y = threadIdx.y; y < High; y += Warps)
#pragma unroll
        for (uint32_t x = threadIdx.x; x < Wide; x += SMP_LANES)
            if (row0 + y < rows && column0 + x < columns)
                tile[y * Pitch + place<Swizzled>(y, x)] =
                    in[(size_t)(row0 + y) * columns + column0 + x];
    __syncthreads();
    for (uint32_t y = threadIdx.y; y < Wide; y += Warps)
#pragma unroll
        for (uint32_t x = threadIdx.x; x < High; x += SMP_LANES)
            if (row0 + x < rows && column0 + y < columns)
                out[(size_t)(column0 + y) * rows + row0 + x] =
                    tile[x * Pitch + place<Swizzled>(x, y)];
}

template <uint32_t High, uint32_t Pitch, bool Swizzled>
smp_status run_large(const smp_kernel_launch *run, const char *name, smp_error *error) {
    return smp::launch_tiles(run, name, through_large_tile<High, Pitch, Swizzled>, High, Wide,
                             {0, dim3(SMP_LANES, Warps), High * Pitch * sizeof(float)}, error);
}

} // namespace

SMP_LAUNCHED(smp_occupancy_plain, run_large<SMP_LARGE_ROWS, Wide, false>(run, "plain", error))
SMP_LAUNCHED(smp_occupancy_padded, run_large<SMP_LARGE_ROWS, Wide + 1, false>(run, "padded", error))
SMP_LAUNCHED(smp_occupancy_smaller,
             run_large<SMP_SMALLER_ROWS, Wide + 1, false>(run, "smaller", error))
SMP_LAUNCHED(smp_occupancy_swizzled, run_large<SMP_LARGE_ROWS, Wide, true>(run, "swizzled", error))
