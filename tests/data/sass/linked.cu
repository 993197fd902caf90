// SPDX-License-Identifier: MIT
// Code of separate compilation: calls of functions in other sections, by name, by a table in
// memory and through registers, and addresses of variables.
//     nvcc -arch=sm_90 -lineinfo -rdc=true -dc linked.cu linked_called.cu
//     nvcc -arch=sm_90 -dlink linked.o linked_called.o -cubin -o linked.cubin
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

extern __device__ float twice(float x, float *p);
extern __device__ int counter;
typedef float (*changed)(float, float *);

__device__ float thrice(float x, float *) {
    return 3 * x;
}
__device__ changed table[2] = {twice, thrice};
__device__ int *where = &counter;

__global__ void linked(float *out, const float *in, int which) {
    __shared__ float s[64];
    int i = threadIdx.x;
    s[i] = in[i];
    __syncthreads();
    float y = twice(s[i ^ 1], s);
    y += table[(i + which) & 1](y, s); // lanes in turn to one and the other
    out[i] = y + counter + 10 * *where;
}

__device__ changed nothing;

__global__ void called_nothing(float *out, const float *in) {
    out[threadIdx.x] = nothing(in[threadIdx.x], out);
}

// The driver's own functions, by name: each thread's block of the heap is its own. `frees`: how
// often.
__global__ void heap(int *out, int n, unsigned long long bytes, int frees) {
    free(malloc(bytes)); // which the next is given again
    int *block = (int *)malloc(bytes);
    assert(n < 100);
    if (block == nullptr) {
        out[threadIdx.x] = -1;
        return;
    }
    for (int i = 0; i < n; i++)
        block[i] = i * (int)threadIdx.x;
    out[threadIdx.x] = n > 0 ? block[n - 1] : 0;
    if (threadIdx.x == 31)
        printf("%d of %d\n", out[threadIdx.x], n);
    for (int i = 0; i < frees; i++)
        free(block);
}
