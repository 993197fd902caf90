// SPDX-License-Identifier: MIT
// A complete program that prints from the device.
#include <cstdio>

__global__ void hello() {
    if (threadIdx.x == 0)
        printf("block %d\n", blockIdx.x);
}

int main() {
    hello<<<2, 64>>>();
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(error));
        return 1;
    }
    return 0;
}
