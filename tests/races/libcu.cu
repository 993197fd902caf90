// SPDX-License-Identifier: MIT
// cuda::barrier, cuda::pipeline and cooperative groups. Needs sm_80.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
using bar = cuda::barrier<cuda::thread_scope_block>;

#define SETUP(b, n)       \
    __shared__ bar b;     \
    if (threadIdx.x == 0) \
        init(&b, n);      \
    __syncthreads()

__global__ void libcu_meet_right(int *to, const int *from) {
    __shared__ int s[128];
    SETUP(b, blockDim.x);
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = from[threadIdx.x] + i;
        b.arrive_and_wait();
        to[threadIdx.x] += s[127 - threadIdx.x];
        b.arrive_and_wait();
    }
}
__global__ void libcu_meet_once(int *to, const int *from) {
    __shared__ int s[128];
    SETUP(b, blockDim.x);
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = from[threadIdx.x] + i; // libcu_mw
        b.arrive_and_wait();
        to[threadIdx.x] += s[127 - threadIdx.x]; // libcu_mr
    }
}
__global__ void libcu_split_right(int *to, const int *from) {
    __shared__ int s[128];
    SETUP(b, blockDim.x);
    s[threadIdx.x] = from[threadIdx.x];
    auto token = b.arrive();
    int x = from[threadIdx.x + 128] * 3;
    b.wait(std::move(token));
    to[threadIdx.x] = s[127 - threadIdx.x] + x;
}
__global__ void libcu_split_early(int *to, const int *from) {
    __shared__ int s[128];
    SETUP(b, blockDim.x);
    s[threadIdx.x] = from[threadIdx.x]; // libcu_sw
    auto token = b.arrive();
    int x = s[127 - threadIdx.x]; // libcu_sr
    b.wait(std::move(token));
    to[threadIdx.x] = x;
}
__global__ void libcu_split_late(int *to, const int *from) {
    __shared__ int s[128];
    SETUP(b, blockDim.x);
    auto token = b.arrive();
    s[threadIdx.x] = from[threadIdx.x]; // libcu_lw
    b.wait(std::move(token));
    to[threadIdx.x] = s[127 - threadIdx.x]; // libcu_lr
}

// The init is not ordered before the first use.
__global__ void libcu_init(int *to, const int *from) {
    __shared__ int s[128];
    __shared__ bar b;
    if (threadIdx.x == 0)
        init(&b, 32); // libcu_init_w
    if (threadIdx.x < 32) {
        s[threadIdx.x] = from[threadIdx.x];
        b.arrive_and_wait(); // libcu_init_u
        to[threadIdx.x] = s[31 - threadIdx.x];
    }
}

__global__ void libcu_async_right(int *to, const int *from) {
    __shared__ alignas(16) int s[128];
    SETUP(b, blockDim.x);
    cuda::memcpy_async(s + threadIdx.x, from + threadIdx.x, cuda::aligned_size_t<4>(4), b);
    b.arrive_and_wait();
    to[threadIdx.x] = s[127 - threadIdx.x];
}
__global__ void libcu_async_sync(int *to, const int *from) {
    __shared__ alignas(16) int s[128];
    SETUP(b, blockDim.x);
    cuda::memcpy_async(s + threadIdx.x, from + threadIdx.x, cuda::aligned_size_t<4>(4),
                       b); // libcu_ac
    __syncthreads();
    to[threadIdx.x] = s[127 - threadIdx.x]; // libcu_ar
    b.arrive_and_wait();
}
__global__ void libcu_group_async_right(int *to, const int *from) {
    __shared__ alignas(16) int s[512];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, from, cuda::aligned_size_t<16>(2048));
    cg::wait(block);
    to[threadIdx.x] = s[127 - threadIdx.x];
}
__global__ void libcu_group_async_wrong(int *to, const int *from) {
    __shared__ alignas(16) int s[512];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, from, cuda::aligned_size_t<16>(2048)); // libcu_gc
    block.sync();
    to[threadIdx.x] = s[127 - threadIdx.x]; // libcu_gr
    cg::wait(block);
}
__global__ void libcu_group_async_two_right(int *to, const int *from) {
    __shared__ alignas(16) int s[2][128];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s[0], from, cuda::aligned_size_t<16>(512));
    for (int i = 0; i < 4; i++) {
        if (i < 3)
            cg::memcpy_async(block, s[(i + 1) % 2], from + 128 * (i + 1),
                             cuda::aligned_size_t<16>(512));
        if (i < 3)
            cg::wait_prior<1>(block);
        else
            cg::wait(block);
        to[threadIdx.x] += s[i % 2][127 - threadIdx.x];
        block.sync();
    }
}
__global__ void libcu_group_async_two_wrong(int *to, const int *from) {
    __shared__ alignas(16) int s[2][128];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s[0], from, cuda::aligned_size_t<16>(512)); // libcu_g2_0
    for (int i = 0; i < 4; i++) {
        if (i < 3)
            cg::memcpy_async(block, s[(i + 1) % 2], from + 128 * (i + 1),
                             cuda::aligned_size_t<16>(512)); // libcu_g2_c
        if (i < 3)
            cg::wait_prior<1>(block);
        else
            cg::wait(block);
        to[threadIdx.x] += s[i % 2][127 - threadIdx.x]; // libcu_g2_r
    }
}

// Pipelines of a thread.
template <bool S, bool W> __device__ void thread_pipe(int *to, const int *from) {
    __shared__ alignas(16) int s[2][128];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[0][threadIdx.x], &from[threadIdx.x], cuda::aligned_size_t<4>(4),
                       pipe); // p_0
    pipe.producer_commit();
    for (int i = 0; i < 4; i++) {
        if (i + 1 < 4) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[(i + 1) % 2][threadIdx.x], &from[128 * i + 128 + threadIdx.x],
                               cuda::aligned_size_t<4>(4), pipe); // p_c
            pipe.producer_commit();
        }
        if (W) {
            if (i + 1 < 4)
                cuda::pipeline_consumer_wait_prior<1>(pipe);
            else
                cuda::pipeline_consumer_wait_prior<0>(pipe);
        }
        __syncthreads();
        to[threadIdx.x] += s[i % 2][127 - threadIdx.x]; // p_r
        pipe.consumer_release();
        if (S)
            __syncthreads();
    }
    cuda::pipeline_consumer_wait_prior<0>(pipe);
}
__global__ void libcu_tpipe_right(int *to, const int *from) {
    thread_pipe<true, true>(to, from);
}
__global__ void libcu_tpipe_war(int *to, const int *from) {
    thread_pipe<false, true>(to, from);
}
__global__ void libcu_tpipe_nowait(int *to, const int *from) {
    thread_pipe<true, false>(to, from);
}

// Of a block, unified.
template <bool WAITS> __device__ void block_pipe(int *to, const int *from) {
    __shared__ alignas(16) int s[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(block, s[0], from, cuda::aligned_size_t<16>(512), pipe); // libcu_bp0
    pipe.producer_commit();
    for (int i = 0; i < 4; i++) {
        if (i < 3) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[(i + 1) % 2], from + 128 * (i + 1),
                               cuda::aligned_size_t<16>(512), pipe); // libcu_bpc
            pipe.producer_commit();
        }
        if (WAITS || i != 1)
            pipe.consumer_wait();
        to[threadIdx.x] += s[i % 2][127 - threadIdx.x]; // libcu_bpr
        pipe.consumer_release();
    }
}
__global__ void libcu_bpipe_right(int *to, const int *from) {
    block_pipe<true>(to, from);
}
__global__ void libcu_bpipe_wrong(int *to, const int *from) {
    block_pipe<false>(to, from);
}

// Producers and consumers.
template <bool RIGHT> __device__ void roles(int *to, const int *from) {
    __shared__ alignas(16) int s[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    const auto role =
        threadIdx.x < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    const int lane = threadIdx.x % 64;
    for (int i = 0; i < 5; i++) {
        if (role == cuda::pipeline_role::producer) {
            pipe.producer_acquire();
            s[i % 2][lane] = from[64 * i + lane]; // libcu_rw
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            const int got = s[i % 2][63 - lane]; // libcu_rr
            if (RIGHT)
                to[lane] += got;
            pipe.consumer_release();
            if (!RIGHT)
                to[lane] += s[i % 2][lane ^ 1]; // libcu_r2
        }
    }
}
__global__ void libcu_roles_right(int *to, const int *from) {
    roles<true>(to, from);
}
__global__ void libcu_roles_wrong(int *to, const int *from) {
    roles<false>(to, from);
}

// Full and empty barriers by hand.
__device__ void specialised(int *to, const int *from) {
    __shared__ int s[2][32];
    __shared__ bar full[2], empty[2];
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 64);
        init(&empty[threadIdx.x], 64);
    }
    __syncthreads();
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int i = 0; i < 6; i++) {
            empty[i % 2].arrive_and_wait();
            s[i % 2][lane] = from[32 * i + lane];
            bar::arrival_token t = full[i % 2].arrive();
        }
    } else {
        bar::arrival_token a = empty[0].arrive(), b = empty[1].arrive();
        for (int i = 0; i < 6; i++) {
            full[i % 2].arrive_and_wait();
            to[lane] += s[i % 2][31 - lane];
            bar::arrival_token c = empty[i % 2].arrive();
        }
    }
}
__global__ void libcu_special_right(int *to, const int *from) {
    specialised(to, from);
}

// Groups.
__global__ void libcu_tile_right(int *to, const int *from) {
    __shared__ int s[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    s[threadIdx.x] = from[threadIdx.x];
    tile.sync();
    to[threadIdx.x] = s[threadIdx.x ^ 5];
}
__global__ void libcu_tile_wrong(int *to, const int *from) {
    __shared__ int s[64];
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    s[threadIdx.x] = from[threadIdx.x]; // libcu_tw
    tile.sync();
    to[threadIdx.x] = s[threadIdx.x ^ 5]; // libcu_tr
}
__global__ void libcu_coalesced_right(int *to, const int *from) {
    __shared__ int s[32];
    if (threadIdx.x % 3 == 0) {
        auto some = cg::coalesced_threads();
        s[some.thread_rank()] = from[threadIdx.x];
        some.sync();
        to[threadIdx.x] = s[some.size() - 1 - some.thread_rank()];
    }
}
__global__ void libcu_coalesced_wrong(int *to, const int *from) {
    __shared__ int s[32];
    auto all = cg::tiled_partition<32>(cg::this_thread_block());
    s[threadIdx.x] = from[threadIdx.x]; // libcu_cw
    auto part = cg::binary_partition(all, threadIdx.x % 3 == 0);
    part.sync();
    to[threadIdx.x] = s[31 - threadIdx.x]; // libcu_cr
}
__global__ void libcu_reduce_right(int *to, const int *from) {
    __shared__ int s[4];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    const int sum = cg::reduce(warp, from[threadIdx.x], cg::plus<int>());
    if (warp.thread_rank() == 0)
        s[warp.meta_group_rank()] = sum;
    block.sync();
    to[threadIdx.x] = s[0] + s[1] + s[2] + s[3];
}
__global__ void libcu_reduce_wrong(int *to, const int *from) {
    __shared__ int s[4];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    const int sum = cg::reduce(warp, from[threadIdx.x], cg::plus<int>());
    if (warp.thread_rank() == 0)
        s[warp.meta_group_rank()] = sum; // libcu_rdw
    warp.sync();
    to[threadIdx.x] = s[threadIdx.x & 3]; // libcu_rdr
}
__global__ void libcu_block_tile_right(int *to, const int *from) {
    __shared__ int s[128];
    __shared__ cg::block_tile_memory<128> scratch;
    auto block = cg::this_thread_block(scratch);
    auto two = cg::tiled_partition<64>(block);
    s[threadIdx.x] = from[threadIdx.x];
    two.sync();
    to[threadIdx.x] = s[threadIdx.x ^ 63];
}
__global__ void libcu_block_tile_wrong(int *to, const int *from) {
    __shared__ int s[128];
    __shared__ cg::block_tile_memory<128> scratch;
    auto block = cg::this_thread_block(scratch);
    auto two = cg::tiled_partition<64>(block);
    s[threadIdx.x] = from[threadIdx.x]; // libcu_btw
    two.sync();
    to[threadIdx.x] = s[127 - threadIdx.x]; // libcu_btr
}

// Products of a tile that the next turn fills again: the NOPs that ptxas puts beside matrix
// instructions order nothing.
template <bool S> __device__ void libcu_products(int *to, const int *from) {
    __shared__ alignas(16) int tile[16 * 32];
    const int l = threadIdx.x;
    const uint32_t row = (uint32_t)__cvta_generic_to_shared(&tile[l % 16 * 32 + l / 16 * 4]);
    float c[4] = {0, 0, 0, 0};
    for (int i = 0; i < from[0]; i++) {
        for (int k = l; k < 16 * 8; k += 32)
            reinterpret_cast<int4 *>(tile)[k] =
                reinterpret_cast<const int4 *>(from)[i * 16 + k]; // libcu_mma_w
        __syncwarp();
        for (int k = 0; k < 4; k++) {
            unsigned a[4], b[2];
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                         : "=r"(b[0]), "=r"(b[1])
                         : "r"(row + k * 32));
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                         : "r"(row + k * 32)); // libcu_mma_r
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                         "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        }
        if (S)
            __syncwarp();
    }
    to[l] = c[0] + c[1] + c[2] + c[3];
}
__global__ void libcu_mma_right(int *to, const int *from) {
    libcu_products<true>(to, from);
}
__global__ void libcu_mma_wrong(int *to, const int *from) {
    libcu_products<false>(to, from);
}

void launch_libcu(int *to, const int *from) {
    libcu_meet_right<<<1, 128>>>(to, from);            // silent
    libcu_meet_once<<<1, 128>>>(to, from);             // libcu_mw libcu_mr
    libcu_split_right<<<1, 128>>>(to, from);           // silent
    libcu_split_early<<<1, 128>>>(to, from);           // libcu_sr libcu_sw
    libcu_split_late<<<1, 128>>>(to, from);            // libcu_lr libcu_lw
    libcu_init<<<1, 128>>>(to, from);                  // libcu_init_u libcu_init_w
    libcu_async_right<<<1, 128>>>(to, from);           // silent
    libcu_async_sync<<<1, 128>>>(to, from);            // libcu_ar libcu_ac
    libcu_group_async_right<<<1, 128>>>(to, from);     // silent
    libcu_group_async_wrong<<<1, 128>>>(to, from);     // libcu_gr libcu_gc
    libcu_group_async_two_right<<<1, 128>>>(to, from); // silent
    libcu_group_async_two_wrong<<<1, 128>>>(to, from); // libcu_g2_c libcu_g2_r
    libcu_tpipe_right<<<1, 128>>>(to, from);           // silent
    libcu_tpipe_war<<<1, 128>>>(to, from);             // p_c p_r
    libcu_tpipe_nowait<<<1, 128>>>(to, from);          // p_r p_c, p_r p_0, p_c p_0, p_c p_c
    libcu_bpipe_right<<<1, 128>>>(to, from);           // silent
    libcu_bpipe_wrong<<<1, 128>>>(to, from);           // libcu_bpc libcu_bpc, libcu_bpc libcu_bpr
    libcu_roles_right<<<1, 128>>>(to, from);           // silent
    libcu_roles_wrong<<<1, 128>>>(to, from);           // libcu_rw libcu_r2
    libcu_special_right<<<1, 64>>>(to, from);          // silent
    libcu_tile_right<<<1, 64>>>(to, from);             // silent
    libcu_tile_wrong<<<1, 64>>>(to, from);             // libcu_tr libcu_tw
    libcu_coalesced_right<<<1, 32>>>(to, from);        // silent
    libcu_coalesced_wrong<<<1, 32>>>(to, from);        // libcu_cr libcu_cw
    libcu_reduce_right<<<1, 128>>>(to, from);          // silent
    libcu_reduce_wrong<<<1, 128>>>(to, from);          // libcu_rdr libcu_rdw
    libcu_block_tile_right<<<1, 128>>>(to, from);      // silent
    libcu_block_tile_wrong<<<1, 128>>>(to, from);      // libcu_btr libcu_btw
    libcu_mma_right<<<1, 32>>>(to, from);              // silent
    libcu_mma_wrong<<<1, 32>>>(to, from);              // libcu_mma_w libcu_mma_r
}
