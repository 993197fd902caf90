// SPDX-License-Identifier: MIT
// Pipelines in stages, and what ends their phases and groups: the count of the wait, its barrier,
// its parity, its bytes. Needs sm_90.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdint>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

__device__ uint32_t staged_at(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
#define CP16(d, s)                                                                       \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(staged_at(d)), "l"(s) \
                 : "memor"                                                               \
                   "y")
#define COMMIT_COPIES() asm volatile("cp.async.commit_group;" ::: "memory")

// S - 1 stages ahead, as CUTLASS has it.
template <int S, int W, bool BAR, bool TAIL> __device__ void stages(int *to, const int *from) {
    extern __shared__ int4 buf[]; // S * 64
    const int t = threadIdx.x, steps = 7;
    const int4 *f = (const int4 *)from;
    for (int s = 0; s < S - 1; s++) {
        CP16(&buf[s * 64 + t], f + s * 64 + t); // ms_pro
        COMMIT_COPIES();
    }
    int sum = 0;
    for (int k = 0; k < steps; k++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(W) : "memory");
        if (BAR)
            __syncthreads();
        const int next = k + S - 1;
        if (next < steps)
            CP16(&buf[next % S * 64 + t], f + next * 64 + t); // ms_fill
        if (TAIL || next < steps)
            COMMIT_COPIES();
        const int4 v = buf[k % S * 64 + (t ^ 33)]; // ms_use
        sum += v.x + v.y * 3 + v.z + v.w;
    }
    to[t] = sum;
}
__global__ void staged_stage_right(int *to, const int *from) {
    stages<4, 2, true, true>(to, from);
}
__global__ void staged_stage_wait(int *to, const int *from) {
    stages<4, 3, true, true>(to, from);
}
__global__ void staged_stage_bar(int *to, const int *from) {
    stages<4, 2, false, true>(to, from);
}
__global__ void staged_stage_tail(int *to, const int *from) {
    stages<4, 2, true, false>(to, from);
}

// Bytes that are filled with zeros are copied, too.
template <bool W> __device__ void zfill(int *to, const int *from) {
    __shared__ alignas(16) int s[256];
    const int t = threadIdx.x, n = t < 40 ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(staged_at(s + 4 * t)),
                 "l"(from + 4 * t), "r"(n)
                 : "memory"); // zf
    if (W)
        asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    to[t] = s[255 - t]; // zf_get
}
__global__ void staged_zfill_right(int *to, const int *from) {
    zfill<true>(to, from);
}
__global__ void staged_zfill_wrong(int *to, const int *from) {
    zfill<false>(to, from);
}

// Two stages of cuda::pipeline.
template <int BUG> __device__ void pipe2(int *to, const int *from) {
    __shared__ int s[2][128];
    auto p = cuda::make_pipeline();
    const int t = threadIdx.x;
    auto load = [&](int k) {
        p.producer_acquire();
        cuda::memcpy_async(&s[k & 1][t], from + k * 128 + t, cuda::aligned_size_t<4>(4),
                           p); // pi_copy
        p.producer_commit();
    };
    load(0);
    int sum = 0;
    for (int k = 0; k < 5; k++) {
        if (k < 4)
            load(k + 1);
        if (k < 4)
            cuda::pipeline_consumer_wait_prior<BUG == 1 ? 2 : 1>(p);
        else
            cuda::pipeline_consumer_wait_prior<0>(p);
        __syncthreads();
        sum += s[k & 1][127 - t]; // pi_use
        if (BUG != 2)
            __syncthreads();
        p.consumer_release();
    }
    to[t] = sum;
}
__global__ void staged_pipe2_right(int *to, const int *from) {
    pipe2<0>(to, from);
}
__global__ void staged_pipe2_wait(int *to, const int *from) {
    pipe2<1>(to, from);
}
__global__ void staged_pipe2_bar(int *to, const int *from) {
    pipe2<2>(to, from);
}

// A warp that fills, and one that empties; without a wait, arrivals get ahead of a phase.
template <int BUG> __device__ void prodcons(int *to, const int *from) {
    using B = cuda::barrier<cuda::thread_scope_block>;
    __shared__ B full[2], empty[2];
    __shared__ int buf[2][32];
    auto block = cg::this_thread_block();
    if (block.thread_rank() < 2) {
        init(&full[block.thread_rank()], 64);
        init(&empty[block.thread_rank()], 64);
    }
    block.sync();
    const int lane = threadIdx.x & 31;
    if (threadIdx.x < 32) {
        for (int k = 0; k < 6; k++) {
            if (BUG != 1)
                empty[k & 1].arrive_and_wait();     // pc_wait
            buf[k & 1][lane] = from[k * 32 + lane]; // pc_put
            auto tok = full[k & 1].arrive();
        }
    } else {
        if (BUG != 1) {
            auto t0 = empty[0].arrive();
            auto t1 = empty[1].arrive();
        }
        int sum = 0;
        for (int k = 0; k < 6; k++) {
            if (BUG == 3)
                auto tk = full[k & 1].arrive();
            else
                full[k & 1].arrive_and_wait();
            sum += buf[k & 1][31 - lane]; // pc_get
            if (BUG != 1)
                auto te = empty[k & 1].arrive();
        }
        to[lane] = sum;
    }
}
__global__ void staged_prodcons_right(int *to, const int *from) {
    prodcons<0>(to, from);
}
__global__ void staged_prodcons_nowait(int *to, const int *from) {
    prodcons<3>(to, from);
}
// Two bulk copies; who waits sleeps between its looks.
__device__ void staged_init(uint64_t *b, int n) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(staged_at(b)), "r"(n) : "memory");
}
__device__ void staged_expect(uint64_t *b, int n) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(staged_at(b)),
                 "r"(n)
                 : "memory");
}
__device__ bool staged_test(uint64_t *b, int ph) {
    int ok;
    asm volatile("{\n.reg .pred P;\nmbarrier.test_wait.parity.shared::cta.b64 P, [%1], "
                 "%2;\nselp.b32 %0, 1, 0, P;\n}"
                 : "=r"(ok)
                 : "r"(staged_at(b)), "r"(ph)
                 : "memory"); // t1_poll
    return ok;
}
__device__ void staged_bulk(void *d, const void *s, int n, uint64_t *b) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(staged_at(d)),
        "l"(s), "r"(n), "r"(staged_at(b))
        : "memory");
}
template <int BYTES> __device__ void tma1(int *to, const int *from) {
    __shared__ alignas(128) int s[256];
    __shared__ uint64_t b;
    const int t = threadIdx.x;
    if (t == 0) {
        staged_init(&b, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (t == 0) {
        staged_expect(&b, BYTES);
        staged_bulk(s, from, 512, &b);             // t1_a
        staged_bulk(s + 128, from + 512, 512, &b); // t1_b
    }
    while (!staged_test(&b, 0))
        __nanosleep(20);
    to[t] = s[255 - t]; // t1_get
}
__global__ void staged_tma1_right(int *to, const int *from) {
    tma1<1024>(to, from);
}
__global__ void staged_tma1_many(int *to, const int *from) {
    tma1<1028>(to, from);
}
// Stored from two buffers.
template <int LEFT, bool FENCE, bool BAR> __device__ void out2(int *to, const int *from) {
    __shared__ alignas(128) int s[2][128];
    const int t = threadIdx.x;
    for (int k = 0; k < 4; k++) {
        if (t == 0)
            asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
        if (BAR)
            __syncthreads();
        s[k & 1][t] = from[k * 128 + t] + k; // o2_put
        if (FENCE)
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0) {
            asm volatile(
                "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(to + k * 128),
                "r"(staged_at(s[k & 1]))
                : "memory"); // o2_out
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    if (t == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
__global__ void staged_out2_right(int *to, const int *from) {
    out2<1, true, true>(to, from);
}
__global__ void staged_out2_left(int *to, const int *from) {
    out2<2, true, true>(to, from);
}
__global__ void staged_out2_fence(int *to, const int *from) {
    out2<1, false, true>(to, from);
}
__global__ void staged_out2_bar(int *to, const int *from) {
    out2<1, true, false>(to, from);
}
// A group copies, and waits for all but some.
template <int N> __device__ void cgprior(int *to, const int *from) {
    __shared__ alignas(16) int s[2][128];
    auto g = cg::this_thread_block();
    cg::memcpy_async(g, s[0], from, sizeof s[0]); // cgp
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        if (k < 3) {
            cg::memcpy_async(g, s[(k + 1) & 1], from + 128 * (k + 1), sizeof s[0]); // cgp2
            cg::wait_prior<N>(g);
        } else
            cg::wait(g);
        sum += s[k & 1][127 - g.thread_rank()]; // cgp_get
        g.sync();
    }
    to[g.thread_rank()] = sum;
}
__global__ void staged_cgprior_right(int *to, const int *from) {
    cgprior<1>(to, from);
}
__global__ void staged_cgprior_wrong(int *to, const int *from) {
    cgprior<2>(to, from);
}
// Two warps in turn, by two barriers of the block.
template <int BUG> __device__ void named(int *to, const int *from) {
    __shared__ int s[64];
    const int w = threadIdx.x / 32, l = threadIdx.x % 32;
    if (w == 0) {
        for (int k = 0; k < 3; k++) {
            if (k || 1)
                asm volatile("bar.sync 2, 64;" ::: "memory");
            s[l] = from[k * 32 + l]; // nb_put
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        }
    } else {
        asm volatile("bar.arrive 2, 64;" ::: "memory");
        int sum = 0;
        for (int k = 0; k < 3; k++) {
            if (BUG != 1 || k != 1)
                asm volatile("bar.sync 1, 64;" ::: "memory"); // nb_wait
            else
                asm volatile("bar.arrive 1, 64;" ::: "memory");
            sum += s[31 - l]; // nb_get
            if (k < 2)
                asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
        to[l] = sum;
    }
}
__global__ void staged_named_pp_right(int *to, const int *from) {
    named<0>(to, from);
}
__global__ void staged_named_pp_wrong(int *to, const int *from) {
    named<1>(to, from);
}

// A ring of blocks.
template <int BUG> __device__ void dsm_ring(int *to, const int *from) {
    __shared__ int s[2][32];
    auto c = cg::this_cluster();
    s[0][threadIdx.x] = from[blockIdx.x * 32 + threadIdx.x]; // rg_init
    c.sync();
    for (int k = 0; k < 3; k++) {
        const int v = s[k & 1][threadIdx.x]; // rg_get
        c.map_shared_rank(s[BUG == 2 ? (k & 1) : (k + 1) & 1],
                          (c.block_rank() + 1) % c.num_blocks())[31 - threadIdx.x] =
            v + k; // rg_put
        if (BUG != 1 || k != 1)
            c.sync();
    }
    c.sync();
    to[blockIdx.x * 32 + threadIdx.x] = s[1][threadIdx.x];
}
__global__ void __cluster_dims__(4) staged_dsm_ring_right(int *to, const int *from) {
    dsm_ring<0>(to, from);
}
__global__ void __cluster_dims__(4) staged_dsm_ring_nosync(int *to, const int *from) {
    dsm_ring<1>(to, from);
}
__global__ void __cluster_dims__(4) staged_dsm_ring_single(int *to, const int *from) {
    dsm_ring<2>(to, from);
}

void launch_staged(int *to, const int *from) {
    staged_stage_right<<<1, 64, 4096>>>(to, from); // silent
    staged_stage_wait<<<1, 64, 4096>>>(to, from);  // ms_use ms_pro, ms_use ms_fill
    staged_stage_bar<<<1, 64, 4096>>>(to, from);   // ms_use ms_pro, ms_use ms_fill
    staged_stage_tail<<<1, 64, 4096>>>(to, from);  // ms_use ms_fill
    staged_zfill_right<<<1, 64>>>(to, from);       // silent
    staged_zfill_wrong<<<1, 64>>>(to, from);       // zf_get zf
    staged_pipe2_right<<<1, 128>>>(to, from);      // silent
    staged_pipe2_wait<<<1, 128>>>(to, from);       // pi_use pi_copy, pi_copy pi_copy
    staged_pipe2_bar<<<1, 128>>>(to, from);        // pi_copy pi_use
    staged_prodcons_right<<<1, 64>>>(to, from);    // silent
    staged_prodcons_nowait<<<1, 64>>>(to, from);   // uninitialised pc_get, barrier pc_wait
    staged_tma1_right<<<1, 256>>>(to, from);       // silent
    staged_tma1_many<<<1, 256>>>(to, from);        // barrier t1_poll (4 bytes less)
    staged_out2_right<<<1, 128>>>(to, from);       // silent
    staged_out2_left<<<1, 128>>>(to, from);        // o2_put o2_out
    staged_out2_fence<<<1, 128>>>(to, from);       // o2_out o2_put (fence.proxy.async)
    staged_out2_bar<<<1, 128>>>(to, from);         // o2_put o2_out
    staged_cgprior_right<<<1, 128>>>(to, from);    // silent
    staged_named_pp_right<<<1, 64>>>(to, from);    // silent
    staged_named_pp_wrong<<<1, 64>>>(to, from);    // nb_put nb_get (a named barrier)
    staged_dsm_ring_right<<<4, 32>>>(to, from);    // silent
    staged_dsm_ring_nosync<<<4, 32>>>(to, from);   // rg_put rg_get
    staged_dsm_ring_single<<<4, 32>>>(to, from);   // rg_put rg_get, uninitialised rg_get
}
