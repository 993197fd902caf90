// SPDX-License-Identifier: MIT
// Only the second launch looks at the array by a pointer that is not followed, by which a padded
// row would be seen.
#include <cstdio>

#define FIRST(array) (&(array)[0][0])

__global__ void sums(const float *in, float *out, bool is_flat) {
    __shared__ float tile[32][32];
    const int t = threadIdx.x;
    for (int i = 0; i < 32; i++)
        tile[i][t] = in[i * 32 + t];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 32; i++)
        sum += tile[t][i];
    const volatile float *flat = FIRST(tile);
    out[t] = is_flat ? sum - flat[5 * 33 + t % 2] : sum;
}

int main() {
    static float host[1024];
    float *in, *out;
    for (int i = 0; i < 1024; i++)
        host[i] = (float)(i % 37);
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, 128);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sums<<<1, 32>>>(in, out, false);
    sums<<<1, 32>>>(in, out, true);
    return cudaDeviceSynchronize() != cudaSuccess;
}
