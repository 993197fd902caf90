// SPDX-License-Identifier: MIT
// cp.async: the copy is under way until its thread waits for it; for others also a barrier is
// needed.
#include <cuda_pipeline.h>

#define COPY(to, from) __pipeline_memcpy_async(to, from, 4)

__global__ void copy_right(int *to, const int *from) {
    __shared__ int tile[128];
    COPY(&tile[threadIdx.x], &from[threadIdx.x]);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    to[threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void copy_own(int *to, const int *from) {
    __shared__ int tile[128];
    COPY(&tile[threadIdx.x], &from[threadIdx.x]);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    to[threadIdx.x] = tile[threadIdx.x];
}

__global__ void copy_own_no_wait(int *to, const int *from) {
    __shared__ int tile[128];
    COPY(&tile[threadIdx.x], &from[threadIdx.x]); // own_copy
    __pipeline_commit();
    to[threadIdx.x] = tile[threadIdx.x]; // own_read
}

__global__ void copy_no_wait(int *to, const int *from) {
    __shared__ int tile[128];
    COPY(&tile[threadIdx.x], &from[threadIdx.x]); // nw_copy
    __pipeline_commit();
    __syncthreads();
    to[threadIdx.x] = tile[127 - threadIdx.x]; // nw_read
}

__global__ void copy_no_barrier(int *to, const int *from) {
    __shared__ int tile[128];
    COPY(&tile[threadIdx.x], &from[threadIdx.x]); // nb_copy
    __pipeline_commit();
    __pipeline_wait_prior(0);
    to[threadIdx.x] = tile[threadIdx.x ^ 1]; // nb_read
}

__global__ void copy_wait_behind(int *to, const int *from) {
    __shared__ int tile[128];
    COPY(&tile[threadIdx.x], &from[threadIdx.x]); // wb_copy
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    to[threadIdx.x] = tile[threadIdx.x ^ 64]; // wb_read
}

// One warp waits, but behind the barrier, and does nothing between.
__global__ void copy_wait_late(int *to, const int *from) {
    __shared__ int tile[32];
    if (threadIdx.x < 32) {
        COPY(&tile[threadIdx.x], &from[threadIdx.x]); // late_copied
        __pipeline_commit();
    }
    __syncthreads();
    if (threadIdx.x < 32)
        __pipeline_wait_prior(0);
    else if (threadIdx.x < 64)
        to[threadIdx.x] = tile[threadIdx.x - 32]; // late_read
}

// Two stages.
template <int LEFT> __device__ void stages(int *to, const int *from, int (*tile)[128]) {
    for (int i = 0; i < 2; i++) {
        COPY(&tile[i][threadIdx.x], &from[128 * i + threadIdx.x]); // fill
        __pipeline_commit();
    }
    for (int i = 0; i < 6; i++) {
        __pipeline_wait_prior(LEFT);
        __syncthreads();
        to[threadIdx.x] += tile[i % 2][127 - threadIdx.x]; // use
        __syncthreads();
        COPY(&tile[i % 2][threadIdx.x], &from[128 * (i % 3) + threadIdx.x]); // more
        __pipeline_commit();
    }
    __pipeline_wait_prior(0);
}

__global__ void copy_stages(int *to, const int *from) {
    __shared__ int tile[2][128];
    stages<1>(to, from, tile);
}

__global__ void copy_early(int *to, const int *from) {
    __shared__ int tile[2][128];
    stages<2>(to, from, tile);
}

__global__ void copy_over_reads(int *to, const int *from) {
    __shared__ int tile[128];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    to[threadIdx.x] = tile[threadIdx.x ^ 64];     // over_read
    COPY(&tile[threadIdx.x], &from[threadIdx.x]); // over_copy
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    to[threadIdx.x] += tile[threadIdx.x ^ 64];
}

void launch_cp_async(int *to, const int *from) {
    copy_right<<<1, 128>>>(to, from);       // silent
    copy_own<<<1, 128>>>(to, from);         // silent
    copy_own_no_wait<<<1, 128>>>(to, from); // own_read own_copy; 7.x: silent
    copy_no_wait<<<1, 128>>>(to, from);     // nw_read nw_copy; 7.x: silent
    copy_no_barrier<<<1, 128>>>(to, from);  // nb_read nb_copy
    copy_wait_behind<<<1, 128>>>(to, from); // wb_read wb_copy; 7.x: silent
    copy_wait_late<<<1, 128>>>(to, from);   // late_read late_copied; 7.x: silent
    copy_stages<<<1, 128>>>(to, from);      // silent
    copy_early<<<1, 128>>>(to, from);       // use fill, use more, more fill, more more; 7.x: silent
    copy_over_reads<<<1, 128>>>(to, from);  // over_copy over_read
}
