// SPDX-License-Identifier: MIT
// Bulk copies, clusters and mbarriers as cuda::ptx and cuda::device have them, both sides of each
// copy. Needs sm_90.
#include <cooperative_groups.h>
#include <cstdint>
#include <cuda/barrier>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace cde = cuda::device::experimental;
using bar = cuda::barrier<cuda::thread_scope_block>;

__device__ uint32_t async_at(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

// cuda::device::experimental: bulk in, change, bulk out.
template <bool WAIT, bool FENCE, bool SYNC> __device__ void in_out(int *to, const int *from) {
    __shared__ alignas(128) int s[256];
    __shared__ bar b;
    if (threadIdx.x == 0) {
        init(&b, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    bar::arrival_token t;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_global_to_shared(s, from, sizeof s, b); // async_in
        t = cuda::device::barrier_arrive_tx(b, 1, sizeof s);
    } else
        t = b.arrive();
    if (WAIT)
        b.wait(std::move(t));
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        s[i] += 1; // async_change
    if (FENCE)
        cde::fence_proxy_async_shared_cta();
    if (SYNC)
        __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_shared_to_global(to, s, sizeof s); // async_out
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}
__global__ void async_io_right(int *to, const int *from) {
    in_out<true, true, true>(to, from);
}
__global__ void async_io_nowait(int *to, const int *from) {
    in_out<false, true, true>(to, from);
}
__global__ void async_io_nofence(int *to, const int *from) {
    in_out<true, false, true>(to, from);
}
__global__ void async_io_nosync(int *to, const int *from) {
    in_out<true, true, false>(to, from);
}

// A ring of stages: one warp loads, four compute.
template <int BUG> __device__ void ring(int *to, const int *from) {
    constexpr int STAGES = 3, N = 128;
    __shared__ alignas(128) int s[STAGES][N];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; i++) {
            cuda::ptx::mbarrier_init(full + i, 1);
            cuda::ptx::mbarrier_init(empty + i, BUG == 1 ? 1 : 128);
        }
    __syncthreads();
    if (threadIdx.x >= 128) {
        if (threadIdx.x == 128)
            for (int k = 0; k < 8; k++) {
                const int i = k % STAGES, round = k / STAGES;
                if (round > 0)
                    while (!cuda::ptx::mbarrier_try_wait_parity(empty + i, (round - 1) & 1))
                        ;
                cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                                     cuda::ptx::space_shared, full + i, N * 4);
                cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, s[i],
                                         from + k * N, N * 4, full + i); // async_load
            }
    } else {
        for (int k = 0; k < 8; k++) {
            const int i = k % STAGES, round = k / STAGES;
            while (!cuda::ptx::mbarrier_try_wait_parity(full + i, round & 1))
                ;
            if (BUG == 2)
                cuda::ptx::mbarrier_arrive(empty + i);
            to[threadIdx.x] += s[i][127 - threadIdx.x]; // async_use
            if (BUG != 2 && (BUG != 1 || threadIdx.x == 0))
                cuda::ptx::mbarrier_arrive(empty + i);
        }
    }
}
__global__ void async_ring_right(int *to, const int *from) {
    ring<0>(to, from);
}
__global__ void async_ring_onearrives(int *to, const int *from) {
    ring<1>(to, from);
}
__global__ void async_ring_early(int *to, const int *from) {
    ring<2>(to, from);
}

// Expects fewer bytes than are copied by two.
template <int BYTES> __device__ void two_copies(int *to, const int *from) {
    __shared__ alignas(128) int s[2][128];
    __shared__ uint64_t b;
    if (threadIdx.x == 0)
        cuda::ptx::mbarrier_init(&b, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                             cuda::ptx::space_shared, &b, BYTES);
        cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, s[0], from, 512,
                                 &b); // async_c0
        cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, s[1],
                                 from + 128, 512, &b); // async_c1
    }
    while (!cuda::ptx::mbarrier_try_wait_parity(&b, 0))
        ;
    to[threadIdx.x] = s[0][threadIdx.x] + s[1][127 - threadIdx.x]; // async_c_read
}
__global__ void async_bytes_right(int *to, const int *from) {
    two_copies<1024>(to, from);
}

// Reductions into shared and global memory by bulk copies.
template <bool FENCE> __device__ void add_out(int *to, const int *from) {
    __shared__ alignas(128) int s[128];
    s[threadIdx.x] = from[threadIdx.x]; // async_add_w
    if (FENCE)
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::ptx::cp_reduce_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared,
                                        cuda::ptx::op_add, to, s, 512); // async_add
        cuda::ptx::cp_async_bulk_commit_group();
        cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
    }
}
__global__ void async_add_right(int *to, const int *from) {
    add_out<true>(to, from);
}
__global__ void async_add_nofence(int *to, const int *from) {
    add_out<false>(to, from);
}

// Reads global memory again that a bulk store writes.
template <bool WAIT> __device__ void again(int *to, const int *from) {
    __shared__ alignas(128) int s[128];
    s[threadIdx.x] = from[threadIdx.x];
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, to, s,
                                 512); // async_ag_out
        cuda::ptx::cp_async_bulk_commit_group();
        if (WAIT)
            cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
    }
    __syncthreads();
    to[128 + threadIdx.x] = to[127 - threadIdx.x]; // async_ag_in
}
__global__ void async_again_right(int *to, const int *from) {
    again<true>(to, from);
}
__global__ void async_again_nowait(int *to, const int *from) {
    again<false>(to, from);
}

// The source in global memory was just written.
template <bool FENCE, bool SYNC> __device__ void source(int *to, const int *from) {
    __shared__ alignas(128) int s[128];
    __shared__ uint64_t b;
    if (threadIdx.x == 0)
        cuda::ptx::mbarrier_init(&b, 1);
    to[threadIdx.x] = from[threadIdx.x]; // async_src_w
    if (FENCE)
        asm volatile("fence.proxy.async;" ::: "memory");
    if (SYNC)
        __syncthreads();
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                             cuda::ptx::space_shared, &b, 512);
        cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, s, to, 512,
                                 &b); // async_src
    }
    __syncthreads();
    while (!cuda::ptx::mbarrier_try_wait_parity(&b, 0))
        ;
    to[128 + threadIdx.x] = s[127 - threadIdx.x];
}
__global__ void async_source_right(int *to, const int *from) {
    source<true, true>(to, from);
}
__global__ void async_source_nofence(int *to, const int *from) {
    source<false, true>(to, from);
}
__global__ void async_source_nosync(int *to, const int *from) {
    source<true, false>(to, from);
}

// cp.async reads what others write.
template <bool SYNC> __device__ void async_source(int *to, const int *from) {
    __shared__ int s[128];
    to[threadIdx.x] = from[threadIdx.x]; // async_cp_w
    if (SYNC)
        __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"(
                     async_at(s + threadIdx.x)),
                 "l"(to + 127 - threadIdx.x)
                 : "memory"); // async_cp_r
    to[128 + threadIdx.x] = s[threadIdx.x];
}
__global__ void async_cpsource_right(int *to, const int *from) {
    async_source<true>(to, from);
}
__global__ void async_cpsource_wrong(int *to, const int *from) {
    async_source<false>(to, from);
}

// Clusters: remote arrivals.
template <int BUG> __device__ void remote(int *to, const int *from) {
    __shared__ int s[64];
    __shared__ uint64_t b;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        cuda::ptx::mbarrier_init(&b, 64);
    cluster.sync();
    const unsigned other = cluster.block_rank() ^ 1;
    int *there = cluster.map_shared_rank(s, other);
    uint64_t *gate = cluster.map_shared_rank(&b, other);
    there[threadIdx.x] = from[threadIdx.x]; // async_rem_w
    asm volatile(
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(async_at(gate))
        : "memory"); // async_rem_arrive
    if (BUG != 2) {
        uint32_t done = 0;
        while (!done)
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 "
                         "p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(async_at(&b))
                         : "memory");
    }
    to[64 * blockIdx.x + threadIdx.x] = s[63 - threadIdx.x]; // async_rem_r
    cluster.sync();
}
__global__ void __cluster_dims__(2) async_remote_right(int *to, const int *from) {
    remote<0>(to, from);
}
__global__ void __cluster_dims__(2) async_remote_nowait(int *to, const int *from) {
    remote<2>(to, from);
}

// st.async
template <bool WAIT> __device__ void store_async(int *to, const int *from) {
    __shared__ alignas(16) int s[64];
    __shared__ uint64_t b;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_init(&b, 1);
        cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                             cuda::ptx::space_shared, &b, 256);
    }
    cluster.sync();
    const unsigned other = cluster.block_rank() ^ 1;
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(
                     async_at(cluster.map_shared_rank(s, other) + threadIdx.x)),
                 "r"(from[threadIdx.x]), "r"(async_at(cluster.map_shared_rank(&b, other)))
                 : "memory"); // async_sta
    if (WAIT)
        while (!cuda::ptx::mbarrier_try_wait_parity(&b, 0))
            ;
    to[64 * blockIdx.x + threadIdx.x] = s[63 - threadIdx.x]; // async_sta_r
    cluster.sync();
}
__global__ void __cluster_dims__(2) async_stasync_right(int *to, const int *from) {
    store_async<true>(to, from);
}
__global__ void __cluster_dims__(2) async_stasync_nowait(int *to, const int *from) {
    store_async<false>(to, from);
}

// Relaxed arrivals of the cluster's barrier.
template <bool RELAXED> __device__ void cluster_relaxed(int *to, const int *from) {
    __shared__ int s[64];
    auto cluster = cg::this_cluster();
    s[threadIdx.x] = from[threadIdx.x]; // async_rlx_w
    if (RELAXED)
        asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    else
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    to[64 * blockIdx.x + threadIdx.x] =
        cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[63 - threadIdx.x]; // async_rlx_r
    cluster.sync();
}
__global__ void __cluster_dims__(2) async_cluster_release(int *to, const int *from) {
    cluster_relaxed<false>(to, from);
}
__global__ void __cluster_dims__(2) async_cluster_relaxed(int *to, const int *from) {
    cluster_relaxed<true>(to, from);
}

// A block's memory into its neighbour's, by a bulk copy.
template <bool WAIT, bool FENCE> __device__ void between(int *to, const int *from) {
    __shared__ alignas(128) int s[64], got[64];
    __shared__ uint64_t b;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_init(&b, 1);
        cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                             cuda::ptx::space_shared, &b, 256);
    }
    s[threadIdx.x] = from[64 * blockIdx.x + threadIdx.x]; // async_bt_w
    if (FENCE)
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    cluster.sync();
    if (threadIdx.x == 0) {
        const unsigned other = cluster.block_rank() ^ 1;
        cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_shared,
                                 cluster.map_shared_rank(got, other), s, 256,
                                 cluster.map_shared_rank(&b, other)); // async_bt
    }
    if (WAIT)
        while (!cuda::ptx::mbarrier_try_wait_parity(&b, 0))
            ;
    to[64 * blockIdx.x + threadIdx.x] = got[63 - threadIdx.x]; // async_bt_r
    cluster.sync();
}
__global__ void __cluster_dims__(2) async_between_right(int *to, const int *from) {
    between<true, true>(to, from);
}
__global__ void __cluster_dims__(2) async_between_nowait(int *to, const int *from) {
    between<false, true>(to, from);
}
__global__ void __cluster_dims__(2) async_between_nofence(int *to, const int *from) {
    between<true, false>(to, from);
}

// Histogram over DSMEM.
template <bool FIRST, bool LAST> __device__ void dsm_hist(int *to, const int *from) {
    __shared__ int bins[32];
    auto cluster = cg::this_cluster();
    if (threadIdx.x < 32)
        bins[threadIdx.x] = 0; // async_h_zero
    if (FIRST)
        cluster.sync();
    else
        __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 64) {
        const int v = from[i] & 63;
        atomicAdd(cluster.map_shared_rank(bins, v / 32) + v % 32, 1); // async_h_add
    }
    if (LAST)
        cluster.sync();
    else
        __syncthreads();
    if (threadIdx.x < 32)
        to[32 * blockIdx.x + threadIdx.x] = bins[threadIdx.x]; // async_h_read
    cluster.sync();
}
__global__ void __cluster_dims__(2) async_hist_right(int *to, const int *from) {
    dsm_hist<true, true>(to, from);
}
__global__ void __cluster_dims__(2) async_hist_first(int *to, const int *from) {
    dsm_hist<false, true>(to, from);
}
__global__ void __cluster_dims__(2) async_hist_last(int *to, const int *from) {
    dsm_hist<true, false>(to, from);
}

__global__ void __cluster_dims__(2) async_init_right(int *to, const int *from) {
    __shared__ int s[64];
    __shared__ uint64_t b;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_init(&b, 64);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
    const unsigned other = cluster.block_rank() ^ 1;
    cluster.map_shared_rank(s, other)[threadIdx.x] = from[threadIdx.x];
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                     async_at(cluster.map_shared_rank(&b, other)))
                 : "memory");
    uint32_t done = 0;
    while (!done)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, "
                     "[%1], 0; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(async_at(&b))
                     : "memory");
    to[64 * blockIdx.x + threadIdx.x] = s[63 - threadIdx.x];
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
}
__global__ void __cluster_dims__(2) async_exit_right(int *to, const int *from) {
    __shared__ int s[64];
    auto cluster = cg::this_cluster();
    s[threadIdx.x] = from[threadIdx.x];
    cluster.sync();
    to[64 * blockIdx.x + threadIdx.x] =
        cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[63 - threadIdx.x];
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
}
// stmatrix, then a row of a neighbour
template <bool S> __device__ void stm(int *to, const int *from) {
    __shared__ alignas(16) unsigned s[4][32 * 4];
    const int w = threadIdx.x / 32, l = threadIdx.x % 32;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     async_at(&s[w][l * 4])),
                 "r"(from[l]), "r"(from[l + 1]), "r"(from[l + 2]), "r"(from[l + 3])
                 : "memory"); // async_stm
    if (S)
        __syncthreads();
    else
        __syncwarp();
    unsigned a, b2, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b2), "=r"(c), "=r"(d)
                 : "r"(async_at(&s[w ^ 1][l * 4]))
                 : "memory"); // async_ldm
    to[threadIdx.x] = a + b2 + c + d;
}
__global__ void async_stm_right(int *to, const int *from) {
    stm<true>(to, from);
}
__global__ void async_stm_wrong(int *to, const int *from) {
    stm<false>(to, from);
}
// ids of barriers in registers
template <bool SAME> __device__ void by_id(int *to, const int *from) {
    __shared__ int s[128];
    s[threadIdx.x] = from[threadIdx.x]; // async_idw
    asm volatile("bar.sync %0, %1;" ::"r"(1 + (SAME ? 0 : threadIdx.x / 64)), "r"(SAME ? 128 : 64)
                 : "memory");
    to[threadIdx.x] = s[threadIdx.x ^ 64]; // async_idr
}
__global__ void async_id_right(int *to, const int *from) {
    by_id<true>(to, from);
}
__global__ void async_id_wrong(int *to, const int *from) {
    by_id<false>(to, from);
}
// A warp elected by elect.sync issues; waits by one; barrier for others.
template <bool BAR> __device__ void elect(int *to, const int *from) {
    __shared__ alignas(128) int s[128];
    __shared__ uint64_t b;
    if (threadIdx.x == 0)
        cuda::ptx::mbarrier_init(&b, 1);
    __syncthreads();
    if (threadIdx.x < 32) {
        uint32_t is;
        asm volatile("{.reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p;}"
                     : "=r"(is));
        if (is) {
            cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                                 cuda::ptx::space_shared, &b, 512);
            cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, s, from,
                                     512, &b); // async_el
            while (!cuda::ptx::mbarrier_try_wait_parity(&b, 0))
                ;
        }
        __syncwarp();
    }
    if (BAR)
        __syncthreads();
    to[threadIdx.x] = s[127 - threadIdx.x]; // async_elr
}
__global__ void async_elect_right(int *to, const int *from) {
    elect<true>(to, from);
}
__global__ void async_elect_wrong(int *to, const int *from) {
    elect<false>(to, from);
}
// bulk_group: the source is used again behind the wait of the issuing thread only
template <bool BAR> __device__ void reuse_source(int *to, const int *from) {
    __shared__ alignas(128) int s[128];
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = from[threadIdx.x] * i; // async_rs_w
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, to + 128 * i,
                                     s, 512); // async_rs_c
            cuda::ptx::cp_async_bulk_commit_group();
            cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
        }
        if (BAR)
            __syncthreads();
    }
}
__global__ void async_reuse_right(int *to, const int *from) {
    reuse_source<true>(to, from);
}
__global__ void async_reuse_wrong(int *to, const int *from) {
    reuse_source<false>(to, from);
}
// red.async / remote atomics with counts
__global__ void __cluster_dims__(4) async_box_right(int *to, const int *from) {
    __shared__ int box;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        box = 0;
    cluster.sync();
    int *next = cluster.map_shared_rank(&box, (cluster.block_rank() + 1) % 4);
    if (threadIdx.x == 0)
        *next = from[blockIdx.x];
    cluster.sync();
    to[blockIdx.x * 32 + threadIdx.x] = box;
}
__global__ void __cluster_dims__(4) async_box_wrong(int *to, const int *from) {
    __shared__ int box;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        box = 0; // async_box_0
    int *next = cluster.map_shared_rank(&box, (cluster.block_rank() + 1) % 4);
    __syncthreads();
    if (threadIdx.x == 0)
        *next = from[blockIdx.x]; // async_box_n
    cluster.sync();
    to[blockIdx.x * 32 + threadIdx.x] = box;
}
void launch_async(int *to, const int *from) {
    async_io_right<<<1, 128>>>(to, from);        // silent
    async_io_nowait<<<1, 128>>>(to, from);       // async_change async_in, async_out async_in
    async_io_nofence<<<1, 128>>>(to, from);      // async_out async_change
    async_io_nosync<<<1, 128>>>(to, from);       // async_out async_change
    async_ring_right<<<1, 160>>>(to, from);      // silent
    async_ring_onearrives<<<1, 160>>>(to, from); // async_load async_use
    async_ring_early<<<1, 160>>>(to, from);      // async_load async_use (an arrival)
    async_bytes_right<<<1, 128>>>(to, from);     // silent
    async_add_right<<<1, 128>>>(to, from);       // silent
    async_add_nofence<<<1, 128>>>(to, from);     // async_add async_add_w
    async_again_right<<<1, 128>>>(to, from);     // silent
    async_again_nowait<<<1, 128>>>(to, from);    // async_ag_in async_ag_out
    async_source_right<<<1, 128>>>(to, from);    // silent
    async_source_nofence<<<1, 128>>>(to, from);  // async_src async_src_w
    async_source_nosync<<<1, 128>>>(to, from);   // async_src async_src_w
    async_cpsource_right<<<1, 128>>>(to, from);  // silent
    async_cpsource_wrong<<<1, 128>>>(to, from);  // async_cp_r async_cp_w
    async_remote_right<<<2, 64>>>(to, from);     // silent
    async_remote_nowait<<<2, 64>>>(to, from);    // async_rem_r async_rem_w
    async_stasync_right<<<2, 64>>>(to, from);    // silent
    async_stasync_nowait<<<2, 64>>>(to, from);   // async_sta_r async_sta
    async_cluster_release<<<2, 64>>>(to, from);  // silent
    async_cluster_relaxed<<<2, 64>>>(to, from);  // async_rlx_r async_rlx_w
    async_between_right<<<2, 64>>>(to, from);    // silent
    async_between_nowait<<<2, 64>>>(to, from);   // async_bt_r async_bt
    async_between_nofence<<<2, 64>>>(to, from);  // async_bt async_bt_w
    async_hist_right<<<2, 64>>>(to, from);       // silent
    async_hist_first<<<2, 64>>>(to, from);       // async_h_add async_h_zero
    async_hist_last<<<2, 64>>>(to, from);        // async_h_read async_h_add
    async_init_right<<<2, 64>>>(to, from);       // silent
    async_exit_right<<<2, 64>>>(to, from);       // silent
    async_stm_right<<<1, 128>>>(to, from);       // silent
    async_stm_wrong<<<1, 128>>>(to, from);       // async_ldm async_stm
    async_id_right<<<1, 128>>>(to, from);        // silent
    async_id_wrong<<<1, 128>>>(to, from);        // async_idr async_idw
    async_elect_right<<<1, 128>>>(to, from);     // silent
    async_elect_wrong<<<1, 128>>>(to, from);     // async_elr async_el
    async_reuse_right<<<1, 128>>>(to, from);     // silent
    async_reuse_wrong<<<1, 128>>>(to, from);     // async_rs_w async_rs_c
    async_box_right<<<4, 32>>>(to, from);        // silent
    async_box_wrong<<<4, 32>>>(to, from);        // async_box_n async_box_0
}
