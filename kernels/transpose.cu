/* SPDX-License-Identifier: MIT */
/*
 * transpose.cu: matrix transposes of floats, any rows x columns. One block of 32 x 8 threads a tile
 * of 32 x 32; the grid is one-dimensional, since the number of tiles in a column may exceed what
 * the other dimensions can hold. All threads reach the barrier.
 */
#include <cuda_runtime.h>

#include "transpose.h"

namespace {

struct Tile {
    uint32_t row, column; /* of the input, first element */
};

__device__ __forceinline__ Tile tile_of_block(smp_kernel_size size) {
    uint32_t across = size.columns / SMP_TILE + (size.columns % SMP_TILE ? 1 : 0);
    return {blockIdx.x / across * SMP_TILE, blockIdx.x % across * SMP_TILE};
}

__global__ void __launch_bounds__(SMP_TILE *SMP_TILE_WARPS)
    naive(const float *__restrict__ in, float *__restrict__ out, smp_kernel_size size) {
    Tile tile = tile_of_block(size);
    uint32_t column = tile.column + threadIdx.x;
#pragma unroll
    for (uint32_t i = 0; i < SMP_TILE; i += SMP_TILE_WARPS) {
        uint32_t row = tile.row + threadIdx.y + i;
        if (row < size.rows && column < size.columns)
            out[(size_t)column * size.rows + row] = in[(size_t)row * size.columns + column];
    }
}

template <int Pitch>
__global__ void __launch_bounds__(SMP_TILE *SMP_TILE_WARPS)
    through_tile(const float *__restrict__ in, float *__restrict__ out, smp_kernel_size size) {
    __shared__ float shared[SMP_TILE][Pitch];
    Tile tile = tile_of_block(size);
    uint32_t column = tile.column + threadIdx.x;
#pragma unroll
    for (uint32_t i = 0; i < SMP_TILE; i += SMP_TILE_WARPS) {
        uint32_t row = tile.row + threadIdx.y + i;
        if (row < size.rows && column < size.columns)
            shared[threadIdx.y + i][threadIdx.x] = in[(size_t)row * size.columns + column];
    }
    __syncthreads();
    uint32_t out_column = tile.row + threadIdx.x;
#pragma unroll
    for (uint32_t i = 0; i < SMP_TILE; i += SMP_TILE_WARPS) {
        uint32_t out_row = tile.column + threadIdx.y + i;
        if (out_row < size.columns && out_column < size.rows)
            out[(size_t)out_row * size.rows + out_column] = shared[threadIdx.x][threadIdx.y + i];
    }
}

using Kernel = void (*)(const float *, float *, smp_kernel_size);

/* Dynamic shared memory that leaves no room for a second block. */
cudaError_t fill_multiprocessor(Kernel kernel, size_t *dynamic_bytes) {
    int device = 0, block_bytes = 0;
    cudaFuncAttributes attributes = {};
    cudaError_t code = cudaGetDevice(&device);
    if (code == cudaSuccess)
        code =
            cudaDeviceGetAttribute(&block_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (code == cudaSuccess)
        code = cudaFuncGetAttributes(&attributes, kernel);
    *dynamic_bytes = (size_t)block_bytes - attributes.sharedSizeBytes;
    if (code == cudaSuccess)
        code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)*dynamic_bytes);
    return code;
}

smp_status launch(Kernel kernel, const float *in, float *out, smp_kernel_size size, bool alone,
                  smp_error *error) {
    uint64_t down = ((uint64_t)size.rows + SMP_TILE - 1) / SMP_TILE;
    uint64_t across = ((uint64_t)size.columns + SMP_TILE - 1) / SMP_TILE;
    if (down * across == 0 || down * across > INT32_MAX)
        return smp_error_set(error, SMP_E_OVERFLOW, -1, "a transpose of %u x %u can't be launched",
                             size.rows, size.columns);
    size_t dynamic_bytes = 0;
    cudaError_t code = alone ? fill_multiprocessor(kernel, &dynamic_bytes) : cudaSuccess;
    if (code == cudaSuccess) {
        kernel<<<(unsigned)(down * across), dim3(SMP_TILE, SMP_TILE_WARPS), dynamic_bytes>>>(
            in, out, size);
        code = cudaGetLastError();
    }
    if (code != cudaSuccess)
        return smp_error_set(error, SMP_E_CUDA, -1, "transpose: %s", cudaGetErrorString(code));
    return SMP_OK;
}

} // namespace

smp_status smp_transpose_launch_naive(const float *in, float *out, smp_kernel_size size, bool alone,
                                      smp_error *error) {
    return launch(naive, in, out, size, alone, error);
}

smp_status smp_transpose_launch_tiled(const float *in, float *out, smp_kernel_size size, bool alone,
                                      smp_error *error) {
    return launch(through_tile<SMP_TILE>, in, out, size, alone, error);
}

smp_status smp_transpose_launch_padded(const float *in, float *out, smp_kernel_size size,
                                       bool alone, smp_error *error) {
    return launch(through_tile<SMP_TILE + 1>, in, out, size, alone, error);
}
