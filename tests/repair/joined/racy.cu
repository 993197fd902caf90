// SPDX-License-Identifier: MIT
#include "dev/racy.cuh"
#include <cstdio>

int main() {
    float *a, *b;
    cudaMallocManaged(&a, 4096);
    cudaMallocManaged(&b, 4096);
    for (int i = 0; i < 1024; i++)
        a[i] = i;
    turn<<<1, 256>>>(b, a);
    cudaDeviceSynchronize();
    printf("%g\n", b[5]);
}
