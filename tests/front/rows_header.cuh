// SPDX-License-Identifier: MIT
// A header of kernels, given by itself.
#pragma once

namespace kernels {
template <int N> __device__ float dot(const float *a, const float *b) {
    float sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i] * b[i];
    return sum;
}

__global__ inline void rows(const float *a, const float *b, float *c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = dot<8>(a + i * 8, b + i * 8);
}
} // namespace kernels
