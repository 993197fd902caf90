// SPDX-License-Identifier: MIT
// clang-format off
// smemprobe: --kernel column_norms --block 32x8 --define n=64 --define ROWS=8
// launch: column_norms<8><<<1, dim3(32, 8)>>>(float[4096] = iota, float[64], float[64], 64)
// nvcc: 32 four sums are read at once
#include <cuda_runtime.h>

namespace tiles {

#define MY_ROW my_row
#define AT(t, r, c) (t)[swizzled(r, c)]

__host__ __device__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

__device__ __forceinline__ int swizzled(int row, int column) { return row * 32 + (column ^ (4 * row)); }

template <typename T> __device__ T warp_sum(T v) {
    for (int by = 16; by > 0; by /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, by);
    return v;
}

/* Sums of a block, by an array that the function has for itself. */
template <typename T> __device__ T block_sum(T v, int warp, int warps) {
    __shared__ T partial[32];
    v = warp_sum(v);
    if (threadIdx.x == 0)
        partial[warp] = v;
    __syncthreads();
    T sum = 0;
    for (int i = 0; i < warps; i++)
        sum += partial[i];
    __syncthreads();
    return sum;
}

template <int ROWS> __device__ void load_tile(float *tile, const float *from, int n, int column) {
    for (int row = threadIdx.y; row < ROWS; row += blockDim.y)
        AT(tile, row, threadIdx.x) = column + threadIdx.x < n ? from[row * n + column + threadIdx.x] : 0.f;
}

__device__ bool past(int i, int n) {
    if (i >= n)
        return true;
    return false;
}

} // namespace tiles

__global__ void unrelated(float *x) { x[threadIdx.x] = 0; }

template <int ROWS> __global__ void __launch_bounds__(256) column_norms(const float *in, float *norms, float *total, int n) {
    using namespace tiles;
    __shared__ float tile[ROWS * 32];
    const int MY_ROW = threadIdx.y;
    float all = 0;
    for (int t = 0; t < ceil_div(n, 32); t++) {
        load_tile<ROWS>(tile, in, n, 32 * t);
        __syncthreads();
        float v = AT(tile, my_row, threadIdx.x);
        all += v * v;
        const float *p = tile;
        if (norms != nullptr && my_row == 0 && !past(32 * t + (int)threadIdx.x, n)) {
            p += swizzled(1, 0);
            norms[32 * t + threadIdx.x] = p[threadIdx.x];
        }
        __syncthreads();
    }
    all = block_sum(all, my_row, blockDim.y);
    total[threadIdx.x + 32 * (threadIdx.y & 1)] = block_sum(all, my_row, 8);
}

template __global__ void column_norms<8>(const float *, float *, float *, int);
