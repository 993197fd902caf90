// SPDX-License-Identifier: MIT
#ifndef KERN_CUH
#define KERN_CUH
#include "util.cuh"
// Columns of a dynamic tile.
__global__ void columns(float *out, const float *in) {
    extern __shared__ float tile[];
    const int n = 32;
    for (int j = threadIdx.y; j < n; j += blockDim.y)
        tile[j * n + threadIdx.x] = in[j * n + threadIdx.x];
    __syncthreads();
    for (int j = threadIdx.y; j < n; j += blockDim.y)
        out[j * n + threadIdx.x] = twice(tile[threadIdx.x * n + j]);
}
#endif
