// SPDX-License-Identifier: MIT
// All numbers of the program are equal, so that a wrong layout leaves the same memory: only other
// numbers show it.
#include <cstdio>

#define NEXT(place) (&(place))[1]

__global__ void rows(const float *in, float *out) {
    __shared__ float tile[33][32];
    const int t = threadIdx.x;
    for (int i = 0; i < 33; i++)
        tile[i][t] = in[i * 32 + t];
    __syncthreads();
    float sum = 0;
    for (int i = 1; i < 31; i += 2)
        sum += tile[t][i] - 2 * NEXT(tile[t][i]);
    out[t] = sum;
}

int main() {
    float *in, *out, sum[32];
    cudaMalloc(&in, 32 * 33 * 4);
    cudaMalloc(&out, sizeof sum);
    cudaMemset(in, 1, 32 * 33 * 4);
    rows<<<1, 32>>>(in, out);
    cudaMemcpy(sum, out, sizeof sum, cudaMemcpyDeviceToHost);
    printf("%g\n", sum[31]);
}
