// SPDX-License-Identifier: MIT
// Pairs that meet in one order only, or at one end of an edge only: what looks at the other order
// or the other end doesn't find them. Needs sm_90a.
#include <cooperative_groups.h>
#include <cstdint>
#include <cuda/atomic>

__device__ uint32_t shared_at(const void *at) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(at));
}

// Warps of both barriers wait at once.
__global__ void one_way_named(int *to, const int *from) {
    __shared__ int tile[128];
    tile[threadIdx.x] = from[threadIdx.x]; // odd_write
    if (threadIdx.x / 32 % 2 == 0)
        asm volatile("barrier.sync 1, 64;" ::: "memory");
    else
        asm volatile("barrier.sync 2, 64;" ::: "memory");
    if (threadIdx.x < 32)
        to[threadIdx.x] = tile[threadIdx.x ^ 32]; // even_read
}

__global__ void one_way_half(int *to, const int *from) {
    __shared__ int tile[32];
    tile[threadIdx.x] = from[threadIdx.x]; // half_write
    if (threadIdx.x < 16) {
        __syncwarp(0xffff);
        to[threadIdx.x] = tile[threadIdx.x + 16]; // half_read
    } else {
        __syncwarp(0xffff0000);
        to[threadIdx.x] = from[tile[47 - threadIdx.x] & 63];
    }
}

__global__ void __cluster_dims__(2) one_way_arrived(int *to, const int *from) {
    __shared__ int tile[64];
    auto cluster = cooperative_groups::this_cluster();
    tile[threadIdx.x] = from[threadIdx.x]; // first_write
    cluster.barrier_arrive();
    if (cluster.block_rank() == 1)
        to[threadIdx.x] = cluster.map_shared_rank(tile, 0)[threadIdx.x]; // second_read
    cluster.barrier_wait();
    cluster.sync();
}

__global__ void __cluster_dims__(2) one_way_gone(int *to, const int *from) {
    __shared__ int tile[64];
    auto cluster = cooperative_groups::this_cluster();
    tile[threadIdx.x] = from[threadIdx.x];
    cluster.sync();
    if (cluster.block_rank() == 0)                                       // gone
        to[threadIdx.x] = cluster.map_shared_rank(tile, 1)[threadIdx.x]; // visit
}

// The copies of a thread arrive at the mbarrier for it.
__global__ void one_way_copied(int *to, const int *from) {
    __shared__ int tile[128];
    __shared__ uint64_t ready;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(shared_at(&ready)));
    __syncthreads();
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 4;"
        "cp.async.mbarrier.arrive.noinc.shared.b64 [%2];" ::"r"(shared_at(&tile[threadIdx.x])),
        "l"(from + threadIdx.x), "r"(shared_at(&ready))
        : "memory");
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;"
                 "@!p bra again; }" ::"r"(shared_at(&ready))
                 : "memory");
    to[threadIdx.x] = tile[127 - threadIdx.x];
}

template <bool FENCES> __device__ void store_copied(int *to, const int *from, int *tile) {
    const uint32_t at = shared_at(&tile[threadIdx.x]);
    // clang-format off
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from + threadIdx.x)); // copied
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (FENCES)
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(to), "r"(at)); // stored
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    // clang-format on
}

__global__ void one_way_copy_stored(int *to, const int *from) {
    __shared__ alignas(128) int tile[128];
    store_copied<false>(to, from, tile);
}

__global__ void one_way_copy_fenced(int *to, const int *from) {
    __shared__ alignas(128) int tile[128];
    store_copied<true>(to, from, tile);
}

#define ONE_PRODUCT(d, a, b)                                                      \
    asm volatile("wgmma.fence.sync.aligned;"                                      \
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "             \
                 "{%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"                       \
                 "wgmma.commit_group.sync.aligned;"                               \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                 \
                 : "l"((uint64_t)(shared_at(a) >> 4) | 8ull << 16 | 16ull << 32), \
                   "l"((uint64_t)(shared_at(b) >> 4) | 8ull << 16 | 16ull << 32))

// The wait leaves the younger of two groups.
template <int OPEN> __device__ void two_products(int *to, const int *from, int (*tile)[576]) {
    float d[4] = {}, e[4] = {};
    for (int i = threadIdx.x; i < 2 * 576; i += 128)
        tile[0][i] = from[i % 384];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    ONE_PRODUCT(d, tile[0], tile[0] + 512);
    ONE_PRODUCT(e, tile[1], tile[1] + 512); // younger
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    __syncthreads();
    tile[OPEN][threadIdx.x] = from[threadIdx.x]; // over
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    to[threadIdx.x] = (int)(d[0] + d[1] + d[2] + d[3] + e[0] + e[1] + e[2] + e[3]);
}

__global__ void one_way_older(int *to, const int *from) {
    __shared__ alignas(128) int tile[2][576];
    two_products<0>(to, from, tile);
}

__global__ void one_way_younger(int *to, const int *from) {
    __shared__ alignas(128) int tile[2][576];
    two_products<1>(to, from, tile);
}

__global__ void one_way_atomic(int *to, const int *from) {
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    if (threadIdx.x >= 32)
        atomicAdd(&sum, from[threadIdx.x]); // before_add
    else
        to[threadIdx.x] = sum; // behind_plain
}

// Lane 1's own read is the last one of the word.
__global__ void one_way_reads(int *to, const int *from) {
    __shared__ volatile int word;
    if (threadIdx.x == 0)
        word = from[0];
    __syncwarp();
    if (threadIdx.x == 0)
        to[0] = word; // older_read
    if (threadIdx.x == 1) {
        to[1] = word;
        word = 5; // lane_write
    }
    __syncwarp();
    to[32 + threadIdx.x] = word;
}

__global__ void one_way_global(int *to, const int *from) {
    to[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= 32)
        to[128 + threadIdx.x] = to[threadIdx.x - 32]; // warp_read
    else
        to[threadIdx.x] = 7; // warp_write
}

__global__ void one_way_blocks(int *to, const int *from) {
    if (blockIdx.x == 0)
        atomicAdd(&to[threadIdx.x], from[threadIdx.x]); // block_add
    else
        to[256 + threadIdx.x] = to[threadIdx.x]; // block_plain
}

using device_flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

// Another warp stores over what was released, and releases nothing.
__global__ void one_way_overwritten(int *to, const int *from) {
    device_flag flag(to[300]), told(to[301]);
    if (threadIdx.x == 0)
        to[300] = to[301] = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        to[0] = from[0] + 3; // left
        flag.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 32) {
        while (flag.load(cuda::memory_order_relaxed) != 1)
            continue;
        flag.store(2, cuda::memory_order_relaxed); // set_2
        told.store(1, cuda::memory_order_relaxed);
    } else if (threadIdx.x == 64) {
        while (told.load(cuda::memory_order_relaxed) != 1)
            continue;
        to[65] = flag.load(cuda::memory_order_acquire); // see_2 // see_2
        to[64] = to[0];                                 // got
    }
}

void launch_one_way(int *to, const int *from) {
    one_way_named<<<1, 128>>>(to, from);       // even_read odd_write
    one_way_half<<<1, 32>>>(to, from);         // half_read half_write
    one_way_arrived<<<2, 64>>>(to, from);      // second_read first_write
    one_way_gone<<<2, 64>>>(to, from);         // visit gone
    one_way_copied<<<1, 128>>>(to, from);      // silent
    one_way_copy_stored<<<1, 128>>>(to, from); // stored copied
    one_way_copy_fenced<<<1, 128>>>(to, from); // silent
    one_way_older<<<1, 128>>>(to, from);       // silent
    one_way_younger<<<1, 128>>>(to, from);     // over younger
    one_way_atomic<<<1, 64>>>(to, from);       // before_add behind_plain
    one_way_reads<<<1, 32>>>(to, from);        // lane_write older_read
    one_way_global<<<1, 64>>>(to, from);       // warp_read warp_write
    one_way_blocks<<<2, 64>>>(to, from);       // block_plain block_add
    one_way_overwritten<<<1, 96>>>(to, from);  // got left, note see_2 set_2
}
