// SPDX-License-Identifier: MIT
// A row convolution with its weights in constant memory and a halo in shared memory.
#include <cuda_runtime.h>

#define RADIUS 8
constexpr int BLOCK = 128;

__constant__ float weights[2 * RADIUS + 1];

template <typename T>
__global__ void convolve_rows(const T *__restrict__ in, T *__restrict__ out, int width,
                              int height) {
    __shared__ T tile[BLOCK + 2 * RADIUS];
    const int y = blockIdx.y, x = blockIdx.x * BLOCK + threadIdx.x;
    if (y >= height)
        return;
    const T *row = in + (size_t)y * width;
    for (int i = threadIdx.x; i < BLOCK + 2 * RADIUS; i += BLOCK) {
        const int at = (int)(blockIdx.x * BLOCK) + i - RADIUS;
        tile[i] = at >= 0 && at < width ? row[at] : T(0);
    }
    __syncthreads();
    if (x >= width)
        return;
    T sum = 0;
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += tile[threadIdx.x + k] * T(weights[k]);
    out[(size_t)y * width + x] = sum;
}

cudaError_t convolve(const float *in, float *out, int width, int height, cudaStream_t stream) {
    const dim3 grid((width + BLOCK - 1) / BLOCK, height);
    convolve_rows<float><<<grid, BLOCK, 0, stream>>>(in, out, width, height);
    return cudaGetLastError();
}
