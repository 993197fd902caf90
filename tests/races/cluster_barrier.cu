// SPDX-License-Identifier: MIT
// Blocks of a cluster: cluster.sync() orders them; a block that has ended takes its memory with it.
// Needs sm_90.
#include <cooperative_groups.h>

namespace groups = cooperative_groups;

__global__ void __cluster_dims__(2) cluster_right(int *to, const int *from) {
    __shared__ int tile[64];
    auto cluster = groups::this_cluster();
    tile[threadIdx.x] = from[threadIdx.x];
    cluster.sync();
    const int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    to[64 * blockIdx.x + threadIdx.x] = other[63 - threadIdx.x];
    cluster.sync();
}

__global__ void __cluster_dims__(2) cluster_block_only(int *to, const int *from) {
    __shared__ int tile[64];
    auto cluster = groups::this_cluster();
    tile[threadIdx.x] = from[threadIdx.x]; // own_write
    __syncthreads();
    const int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    to[64 * blockIdx.x + threadIdx.x] = other[63 - threadIdx.x]; // other_read
    cluster.sync();
}

__global__ void __cluster_dims__(2) cluster_split(int *to, const int *from) {
    __shared__ int tile[64];
    auto cluster = groups::this_cluster();
    tile[threadIdx.x] = from[threadIdx.x];
    cluster.barrier_arrive();
    to[64 * blockIdx.x + threadIdx.x] = from[threadIdx.x];
    cluster.barrier_wait();
    const int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    to[64 * blockIdx.x + threadIdx.x] += other[63 - threadIdx.x];
    cluster.sync();
}

__global__ void __cluster_dims__(2) cluster_early(int *to, const int *from) {
    __shared__ int tile[64];
    auto cluster = groups::this_cluster();
    tile[threadIdx.x] = from[threadIdx.x]; // arrive_write
    cluster.barrier_arrive();
    const int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    to[64 * blockIdx.x + threadIdx.x] = other[63 - threadIdx.x]; // early_read
    cluster.barrier_wait();
    cluster.sync();
}

__global__ void __cluster_dims__(2) cluster_late_write(int *to, const int *from) {
    __shared__ int tile[64];
    auto cluster = groups::this_cluster();
    tile[threadIdx.x] = from[threadIdx.x];
    cluster.barrier_arrive();
    tile[threadIdx.x] += 1; // behind_arrive
    cluster.barrier_wait();
    const int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    to[64 * blockIdx.x + threadIdx.x] = other[63 - threadIdx.x]; // behind_wait
    cluster.sync();
}

__global__ void __cluster_dims__(2) cluster_remote_add(int *to, const int *from) {
    __shared__ int sum;
    auto cluster = groups::this_cluster();
    if (threadIdx.x == 0)
        sum = 0;
    cluster.sync();
    atomicAdd(cluster.map_shared_rank(&sum, 0), from[threadIdx.x]);
    cluster.sync();
    to[64 * blockIdx.x + threadIdx.x] = sum;
}

__global__ void __cluster_dims__(2) cluster_gone(int *to, const int *from) {
    __shared__ int tile[64];
    auto cluster = groups::this_cluster();
    tile[threadIdx.x] = from[threadIdx.x];
    cluster.sync();
    const int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    to[64 * blockIdx.x + threadIdx.x] = other[63 - threadIdx.x]; // gone_read
} // end

void launch_cluster_barrier(int *to, const int *from) {
    cluster_right<<<2, 64>>>(to, from);      // silent
    cluster_block_only<<<2, 64>>>(to, from); // other_read own_write
    cluster_split<<<2, 64>>>(to, from);      // silent
    cluster_early<<<2, 64>>>(to, from);      // early_read arrive_write
    cluster_late_write<<<2, 64>>>(to, from); // behind_wait behind_arrive
    cluster_remote_add<<<2, 64>>>(to, from); // silent
    cluster_gone<<<2, 64>>>(to, from);       // gone_read end
}
