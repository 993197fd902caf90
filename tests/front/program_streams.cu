// SPDX-License-Identifier: MIT
// A complete program with streams, pinned memory and two kernels.
#include <cstdio>

__global__ void fill(int *to, int value) {
    to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void reverse(int *data) {
    __shared__ int s[256];
    s[threadIdx.x] = data[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    data[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];
}

int main() {
    cudaStream_t streams[2];
    int *data[2], *host;
    cudaMallocHost(&host, 4096);
    for (int i = 0; i < 2; i++) {
        cudaStreamCreate(&streams[i]);
        cudaMalloc(&data[i], 4096);
        fill<<<4, 256, 0, streams[i]>>>(data[i], i + 1);
        reverse<<<4, 256, 0, streams[i]>>>(data[i]);
        cudaMemcpyAsync(host, data[i], 4096, cudaMemcpyDeviceToHost, streams[i]);
    }
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(error));
        return 1;
    }
    printf("%d\n", host[5]);
    return 0;
}
