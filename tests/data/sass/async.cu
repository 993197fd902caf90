// SPDX-License-Identifier: MIT
// Stores and reductions that arrive at a barrier of another block, and plain ones, of one warp in a
// cluster of eight: what each request costs (async.txt) was counted, one launch each, on an H200.
// async.cubin: nvcc -O2 -std=c++17 -arch=sm_90a -cubin async.cu
enum { LANES = 32 };
enum Kind { ST4, ST8, ST16, ADD4, ADD8, MAX4, INC4, PLAIN_ADD4, PLAIN_ST4 };
struct Access {
    unsigned kind, mask, offset[LANES]; // offsets have the block's number in bits 24 and up
};
#define ASYNC ".shared::cluster.mbarrier::complete_tx::bytes"

__device__ static unsigned in_shared(const void *at) {
    return (unsigned)__cvta_generic_to_shared(at);
}
__device__ static unsigned of_rank(unsigned at, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
    return there;
}
__device__ static void meet() {
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

// What arrives in this block is expected, so that the block waits for it.
__device__ static unsigned expected(const Access &a, unsigned rank, unsigned bytes) {
    unsigned sum = 0;
    for (int l = 0; l < LANES; l++)
        sum += (a.mask >> l & 1) && a.offset[l] >> 24 == rank ? bytes : 0;
    return sum;
}

template <int K> __device__ static void act(unsigned to, unsigned bar) {
    const unsigned v = threadIdx.x;
    const unsigned long long w = v;
    if (K == ST4)
        asm volatile("st.async" ASYNC ".b32 [%0], %1, [%2];" ::"r"(to), "r"(v), "r"(bar)
                     : "memory");
    if (K == ST8)
        asm volatile("st.async" ASYNC ".b64 [%0], %1, [%2];" ::"r"(to), "l"(w), "r"(bar)
                     : "memory");
    if (K == ST16)
        asm volatile("st.async" ASYNC ".v4.b32 [%0], {%1, %1, %1, %1}, [%2];" ::"r"(to), "r"(v),
                     "r"(bar)
                     : "memory");
    if (K == ADD4)
        asm volatile("red.async.relaxed.cluster" ASYNC ".add.u32 [%0], %1, [%2];" ::"r"(to), "r"(v),
                     "r"(bar)
                     : "memory");
    if (K == ADD8)
        asm volatile("red.async.relaxed.cluster" ASYNC ".add.u64 [%0], %1, [%2];" ::"r"(to), "l"(w),
                     "r"(bar)
                     : "memory");
    if (K == MAX4)
        asm volatile("red.async.relaxed.cluster" ASYNC ".max.u32 [%0], %1, [%2];" ::"r"(to), "r"(v),
                     "r"(bar)
                     : "memory");
    if (K == INC4)
        asm volatile("red.async.relaxed.cluster" ASYNC ".inc.u32 [%0], %1, [%2];" ::"r"(to), "r"(v),
                     "r"(bar)
                     : "memory");
    if (K == PLAIN_ADD4)
        asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(to), "r"(v)
                     : "memory");
    if (K == PLAIN_ST4)
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(to), "r"(v) : "memory");
}

template <int K> __device__ static void request(const Access &a, unsigned bytes) {
    extern __shared__ __align__(128) unsigned memory[];
    __shared__ __align__(8) unsigned long long barrier;
    unsigned rank, done = 0;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    const unsigned bar = in_shared(&barrier), mine = K < PLAIN_ADD4 ? expected(a, rank, bytes) : 0;
    if (threadIdx.x == 0)
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(bar)
            : "memory");
    __syncwarp();
    meet();
    if (threadIdx.x == 0 && mine > 0)
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(mine)
                     : "memory");
    __syncwarp();
    const unsigned place = a.offset[threadIdx.x];
    if (rank == 0 && (a.mask >> threadIdx.x & 1))
        act<K>(of_rank(in_shared(memory) + (place & 0xffffff), place >> 24),
               of_rank(bar, place >> 24));
    while (mine > 0 && !done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(bar)
                     : "memory");
    meet();
}

#define KERNEL(name, kind)                                       \
    extern "C" __global__ void __cluster_dims__(8, 1, 1)         \
        name(const __grid_constant__ Access a, unsigned bytes) { \
        request<kind>(a, bytes);                                 \
    }
KERNEL(st4, ST4)
KERNEL(st8, ST8)
KERNEL(st16, ST16)
KERNEL(add4, ADD4)
KERNEL(add8, ADD8)
KERNEL(max4, MAX4)
KERNEL(inc4, INC4)
KERNEL(plain_red4, PLAIN_ADD4)
KERNEL(plain_st4, PLAIN_ST4)
