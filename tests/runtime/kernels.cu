// SPDX-License-Identifier: MIT
// Kernels for the tests of the runtime that stands in for a GPU; tests/data/programs/runtime.cubin
// is
//     nvcc -arch=sm_90 -cubin -o runtime.cubin kernels.cu
#include <cooperative_groups.h>

__constant__ float coefficients[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__device__ float table[64];
__managed__ int answer = 41;

struct job {
    float *out;
    const float *in;
    int first, count;
};

extern "C" __global__ void scale(float *x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= factor;
}

extern "C" __global__ void add_to(float *x, const float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += y[i];
}

extern "C" __global__ void polynomial(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = coefficients[0] +
               x[i] * (coefficients[1] + x[i] * (coefficients[2] + x[i] * coefficients[3]));
}

extern "C" __global__ void count_up() {
    atomicAdd(&counter, 1);
    table[threadIdx.x & 63] += threadIdx.x;
    if (threadIdx.x == 0 && blockIdx.x == 0)
        answer++;
}

extern "C" __global__ void work_on(job j) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < j.count)
        j.out[j.first + i] = j.in[j.first + i] + 1;
}

extern "C" __global__ void reverse(int *x, int n) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(128) ranks(unsigned *out) {
    auto cluster = cooperative_groups::this_cluster();
    out[blockIdx.x * blockDim.x + threadIdx.x] = cluster.block_rank();
}
