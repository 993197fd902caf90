// SPDX-License-Identifier: MIT
// A constant of a header decides one instance, a template of the host the other.
#include "wrapped.cuh"

template <int BM, typename T> __global__ void tile(const T *in, T *out, int n) {
    __shared__ T s[BM];
    s[threadIdx.x] = in[blockIdx.x * BM + threadIdx.x];
    __syncthreads();
    if (blockIdx.x * BM + threadIdx.x < n)
        out[blockIdx.x * BM + threadIdx.x] = s[BM - 1 - threadIdx.x];
}
template <int B> void run(const float *a, float *b, int n) {
    tile<B><<<n / B, B>>>(a, b, n);
}
void launch(const float *a, float *b, int n) {
    tile<WIDE><<<n / WIDE, WIDE>>>(a, b, n);
    run<512>(a, b, n);
}
