// SPDX-License-Identifier: MIT
#include <kern.cuh>
#if __cplusplus
#include "dev/util.cuh"
#endif
#include <cstdio>

int main() {
    float *a, *b;
    cudaMallocManaged(&a, 4096);
    cudaMallocManaged(&b, 4096);
    for (int i = 0; i < 1024; i++)
        a[i] = i;
    columns<<<1, dim3(32, 8), 32 * 32 * sizeof(float)>>>(b, a);
    cudaDeviceSynchronize();
    printf("%g\n", b[5]);
}
