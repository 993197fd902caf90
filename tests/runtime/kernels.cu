// SPDX-License-Identifier: MIT
// Kernels for the tests of the runtime that stands in for a GPU; tests/data/programs/runtime.cubin
// is
//     nvcc -arch=sm_90 -cubin -o runtime.cubin kernels.cu
#include <cassert>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

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

struct shape {
    __device__ virtual int corners() {
        return 0;
    }
};
struct square : shape {
    __device__ int corners() override {
        return 4;
    }
};

__device__ int (*chosen)(int);

__device__ int twice(int x) {
    return 2 * x;
}

extern "C" __global__ void indirect(int *out, int is_square) {
    shape some;
    square four;
    shape *one = is_square ? &four : &some;
    int (*function)(int) = twice;
    if (is_square)
        chosen = function;
    out[0] = one->corners();
    out[1] = chosen(21);
}

extern "C" __global__ void speak(int n) {
    printf("%d of %3d: %s %5.2f %c %llx %%\n", threadIdx.x, n, "text", 1.5f * n, 'c', 1ull << 40);
}

extern "C" __global__ void hold(int n) {
    assert(threadIdx.x < n);
}

extern "C" __global__ void swap(int *x, unsigned long long *y) {
    atomicCAS(&x[3], 30 + threadIdx.x, 50);
    atomicCAS(&y[1], 1ull << 40, 7ull << 40);
}

extern "C" __global__ void largest(int *x, const int *label) {
    auto active = cooperative_groups::coalesced_threads();
    auto alike = cooperative_groups::labeled_partition(active, label[threadIdx.x]);
    x[threadIdx.x] =
        cooperative_groups::reduce(alike, x[threadIdx.x], cooperative_groups::greater<int>());
}

// Each block's share of a sum over the whole grid, which every block sees.
extern "C" __global__ void meet(int *parts, int *sums) {
    parts[blockIdx.x] = 1 + blockIdx.x;
    cooperative_groups::this_grid().sync();
    int sum = 0;
    for (int i = 0; i < gridDim.x; i++)
        sum += parts[i];
    sums[blockIdx.x] = sum;
}
