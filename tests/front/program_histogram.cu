// SPDX-License-Identifier: MIT
// A complete program with constant memory, atomics and events.
#include <cstdio>

__constant__ int shift;
__global__ void histogram(const unsigned *data, unsigned *bins, int n) {
    __shared__ unsigned s[64];
    if (threadIdx.x < 64)
        s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&s[data[i] >> shift & 63], 1u);
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

int main() {
    const int n = 10000;
    int by = 2;
    unsigned *data, *bins, *host = new unsigned[n];
    for (int i = 0; i < n; i++)
        host[i] = i * 2654435761u >> 20;
    cudaMalloc(&data, n * 4);
    cudaMalloc(&bins, 64 * 4);
    cudaMemset(bins, 0, 64 * 4);
    cudaMemcpy(data, host, n * 4, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(shift, &by, sizeof by);
    cudaEvent_t from, to;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    cudaEventRecord(from);
    histogram<<<8, 128>>>(data, bins, n);
    cudaEventRecord(to);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(error));
        return 1;
    }
    unsigned sum = 0, counts[64];
    cudaMemcpy(counts, bins, sizeof counts, cudaMemcpyDeviceToHost);
    for (unsigned count : counts)
        sum += count;
    printf("%u\n", sum);
    return 0;
}
