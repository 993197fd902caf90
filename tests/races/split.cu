// SPDX-License-Identifier: MIT
// Barriers that parts of a warp reach at different places.
#include <cooperative_groups.h>

__device__ int split_work(int n, int v) {
    for (int i = 0; i < n; i++)
        v = v * 5 + i;
    return v;
}

// Half of each warp waits at a barrier that the other half does not reach.
__global__ void split_branch(int *to, const int *from) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = from[t];
    if (t % 32 < 16) {
        to[t] = split_work(from[64], t);
        __syncthreads(); // split_first
        to[t] += split_work(from[65], s[t ^ 1]);
    } else {
        to[t] = split_work(from[66], t) ^ 1;
    }
    __syncthreads(); // split_second
    to[t + 64] = s[t ^ 33];
}
// Whole warps may on hardware, which counts them together; CUDA does not promise it.
__global__ void split_by_warp(int *to, const int *from) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = from[t];
    if (t < 32) {
        to[t] = split_work(from[64], t);
        __syncthreads();
        to[t] += split_work(from[65], s[t ^ 33]);
    } else {
        to[t] = split_work(from[66], t) ^ 1;
        __syncthreads(); // split_late
        to[t] += s[t ^ 33];
    }
}
// barrier.sync may be reached at several places.
__global__ void split_group_right(int *to, const int *from) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = from[t];
    if (t % 32 < 16) {
        to[t] = split_work(from[64], t);
        cooperative_groups::this_thread_block().sync();
        to[t] += split_work(from[65], s[t ^ 33]);
    } else {
        to[t] = split_work(from[66], t) ^ 1;
        cooperative_groups::this_thread_block().sync();
        to[t] += s[t ^ 33];
    }
}

void launch_split(int *to, const int *from) {
    split_branch<<<1, 64>>>(to, from);      // barrier split_second
    split_by_warp<<<1, 64>>>(to, from);     // note barrier split_late
    split_group_right<<<1, 64>>>(to, from); // silent
}
