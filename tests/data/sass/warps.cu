// SPDX-License-Identifier: MIT
// warps.cu: member masks that differ by lane, barriers by number, clusters of the kernel's own and
// special registers, one thing a kernel. Of each level of each architecture, and recorded on a GPU:
//   make_collectives.sh, record_collectives.sh
#ifndef PLAIN // a debug build of groups is large
#include <cooperative_groups.h>

extern "C" __global__ void tile_ballot(unsigned *out, const unsigned *in) {
    namespace cg = cooperative_groups;
    const unsigned t = threadIdx.x;
    out[t] = cg::tiled_partition<8>(cg::this_thread_block()).ballot(in[t] & 1);
}
#endif

extern "C" __global__ void ballot_by_lane(unsigned *out, const unsigned *in) {
    const unsigned t = threadIdx.x;
    out[t] = __ballot_sync(0xffu << (t & 24), in[t] & 1);
}

extern "C" __global__ void match_of_match(unsigned *out, const unsigned *in) {
    const unsigned t = threadIdx.x, mask = __match_any_sync(~0u, in[t] & 3);
    out[t] = __match_any_sync(mask, in[t] & 12);
}

extern "C" __global__ void sum_of_match(unsigned *out, const unsigned *in) {
    const unsigned t = threadIdx.x, mask = __match_any_sync(~0u, in[t] & 3);
    out[t] = __reduce_add_sync(mask, in[t]);
}

extern "C" __global__ void two_places(unsigned *out, const unsigned *in) {
    const unsigned t = threadIdx.x;
    unsigned x;
    if (in[t] & 1)
        x = __shfl_sync(~0u, in[t], t ^ 5) * 3;
    else
        x = __shfl_sync(~0u, in[t] + 1, t ^ 7);
    out[t] = x;
}

// A thread's own barrier number and count, and barriers in both sides of a branch.
extern "C" __global__ void barriers(unsigned *out, const unsigned *in) {
    __shared__ unsigned s[128];
    const unsigned t = threadIdx.x, half = t / 64;
    s[t] = in[t];
    asm volatile("bar.sync %0, %1;" ::"r"(half + 3), "r"(in[2] % 2 * 0 + 64) : "memory");
    unsigned x = s[t ^ 32];
    asm volatile("barrier.sync 0;" ::: "memory");
    if (half == 0) {
        s[t] = x + 1;
        asm volatile("barrier.sync 1, 64;" ::: "memory");
        x += s[t ^ 33];
    } else {
        s[t] = x + 2;
        asm volatile("barrier.sync 2, 64;" ::: "memory");
        x += s[t ^ 34];
    }
    out[t] = x + __syncthreads_count(x & 1);
}

#define REGISTER(at, name, type, letter)                    \
    {                                                       \
        type v;                                             \
        asm volatile("mov." name ";" : "=" letter(v));      \
        if (threadIdx.x % 32 == 0)                          \
            out[4 * (at) + threadIdx.x / 32] = (unsigned)v; \
    }
#define REGISTER32(at, name) REGISTER(at, "u32 %0, %" name, unsigned, "r")
#define REGISTER64(at, name) REGISTER(at, "u64 %0, %" name, unsigned long long, "l")

extern "C" __global__ void special(unsigned *out, const unsigned *in) {
    extern __shared__ unsigned s[];
    __shared__ unsigned own[100];
    own[threadIdx.x % 100] = in[threadIdx.x];
    s[0] = own[0];
    REGISTER32(0, "%warpid")
    REGISTER32(1, "%nwarpid")
    REGISTER32(2, "%smid")
    REGISTER32(3, "%nsmid")
    REGISTER64(4, "%gridid")
    REGISTER32(5, "%dynamic_smem_size")
    REGISTER32(6, "%total_smem_size")
    REGISTER32(7, "%clock_hi")
    REGISTER64(8, "%globaltimer")
    REGISTER32(9, "%globaltimer_hi")
    REGISTER32(15, "%pm0")
    REGISTER32(16, "%pm7")
    REGISTER32(17, "%reserved_smem_offset_begin")
    REGISTER32(18, "%reserved_smem_offset_end")
    REGISTER32(19, "%reserved_smem_offset_cap")
    REGISTER32(20, "%reserved_smem_offset_0")
    REGISTER32(21, "%reserved_smem_offset_1")
    REGISTER64(22, "%current_graph_exec")
#if __CUDA_ARCH__ >= 900
    REGISTER32(23, "%aggr_smem_size")
    REGISTER32(24, "%clusterid.x")
    REGISTER32(25, "%nclusterid.x")
    REGISTER32(26, "%cluster_ctaid.x")
    REGISTER32(27, "%cluster_nctaid.x")
    REGISTER32(28, "%cluster_ctarank")
    REGISTER32(29, "%cluster_nctarank")
#endif
    if (threadIdx.x == 0)
        out[4 * 30] = (unsigned)__cvta_generic_to_shared(own);
}

// What only the driver knows: recorded, not emulated.
extern "C" __global__ void environment(unsigned *out, const unsigned *in) {
    REGISTER32(10, "%envreg0")
    REGISTER32(11, "%envreg1")
    REGISTER32(12, "%envreg2")
    REGISTER32(13, "%envreg3")
    REGISTER32(14, "%envreg31")
}

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) pairs(unsigned *out, const unsigned *in) {
    __shared__ unsigned s[16];
    const unsigned t = threadIdx.x;
    unsigned rank, count, x = 0;
    asm("mov.u32 %0, %cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %cluster_nctarank;" : "=r"(count));
    if (t < 16)
        s[t] = in[t] + blockIdx.x;
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    if (t < 16)
        asm volatile("{ .reg .u32 at; mapa.shared::cluster.u32 at, %1, %2; ld.shared::cluster.u32 "
                     "%0, [at]; }"
                     : "=r"(x)
                     : "r"((unsigned)__cvta_generic_to_shared(&s[t])), "r"(rank ^ 1)
                     : "memory");
    if (t < 16)
        out[16 * blockIdx.x + t] = x + count * 1000 + rank * 100;
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(64, 1, 2)
    at_most_two(unsigned *out, const unsigned *in) {
    out[threadIdx.x] = in[threadIdx.x];
}
#endif
