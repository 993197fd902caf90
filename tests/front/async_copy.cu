// SPDX-License-Identifier: MIT
// A tile that 16-byte asynchronous copies fill, read by columns.
#include <cuda_pipeline.h>

constexpr int ROWS = 32, COLS = 64;

__global__ void column_sums(const float *in, float *out) {
    __shared__ alignas(16) float tile[ROWS][COLS];
    const int t = threadIdx.x;
    for (int i = t; i < ROWS * COLS / 4; i += 32)
        __pipeline_memcpy_async(&tile[i / 16][i % 16 * 4], &in[i * 4], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    float sum = 0;
    for (int c = 0; c < COLS; c++)
        sum += tile[t][c];
    out[t] = sum;
}

int launch(const float *in, float *out) {
    column_sums<<<1, ROWS>>>(in, out);
    return cudaGetLastError();
}
