// SPDX-License-Identifier: MIT
// A histogram in shared memory.
__global__ void histogram(const unsigned char *data, unsigned *bins, int n) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&bins[i], local[i]);
}

// nvcc combines the lanes of a warp that update one word, where the text shows that they do.
__global__ void counters(const int *values, const float *weights, int *counts,
                         unsigned long long *large, float *sum, int *tickets, int n) {
    __shared__ int total, kinds[8];
    if (threadIdx.x < 8)
        kinds[threadIdx.x] = total = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x, value = values[i], warp = threadIdx.x / 32;
    atomicAdd(&total, value);
    atomicMax(&counts[blockIdx.x], value);
    tickets[i] = atomicSub(&counts[16], 2);
    tickets[i] += atomicMin(&counts[17], value); // as its result is used: one lane after the other
    if (i < n)
        atomicAdd(large, 3);
    atomicAdd(large + 1, value);
    atomicAdd(sum, weights[i]);
    atomicInc((unsigned *)&counts[18], 5);
    atomicAdd(&kinds[warp], value);
    atomicAdd(&kinds[value & 7], 1);
    __syncthreads();
    if (threadIdx.x < 8)
        counts[20 + threadIdx.x] = kinds[threadIdx.x] + total;
}
