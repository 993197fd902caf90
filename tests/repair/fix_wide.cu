// SPDX-License-Identifier: MIT
// Sixteen bytes at a time: a row that is longer by one float is not aligned any more.
#include <cassert>

__global__ void rows(const float4 *in, float *out) {
    __shared__ float tile[32][64];
    const int t = threadIdx.x;
    assert(blockDim.x == 128);
    for (int i = t; i < 512; i += 128)
        *reinterpret_cast<float4 *>(&tile[i / 16][i % 16 * 4]) = in[i];
    __syncthreads();
    float sum = 0;
    for (int j = t / 32; j < 64; j += 4)
        sum += tile[t % 32][j];
    out[t] = sum;
}

void launch(const float4 *in, float *out) {
    rows<<<1, 128>>>(in, out);
}
