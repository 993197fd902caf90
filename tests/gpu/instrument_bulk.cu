// SPDX-License-Identifier: MIT
// instrument_bulk.cu: instructions that move or read shared memory in bulk, and have no rule: each
// is executed BLOCKS * TIMES times by one thread of a block, or by its four warps, and has to be
// seen so often.
//   instrument_bulk [to_shared | to_global | reduce | tensor | wgmma | store_async | copy16]...
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

#include "check_cuda.cuh"

enum { BLOCKS = 8, TIMES = 3, THREADS = 128, BYTES = 1024 };

__device__ unsigned in_shared(const void *at) {
    return (unsigned)__cvta_generic_to_shared(at);
}

__device__ void make_barrier(unsigned barrier) {
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(barrier)
        : "memory");
}

__device__ void expect(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

__device__ void wait(unsigned barrier, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
}

__global__ void to_shared(const unsigned char *from, unsigned *out) {
    __shared__ __align__(128) unsigned char tile[BYTES];
    __shared__ __align__(8) unsigned long long barrier;
    if (threadIdx.x == 0)
        make_barrier(in_shared(&barrier));
    __syncthreads();
    for (unsigned i = 0; i < TIMES; i++) {
        if (threadIdx.x == 0) {
            expect(in_shared(&barrier), BYTES);
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                         "[%0], [%1], %2, [%3];" ::"r"(in_shared(tile)),
                         "l"(from), "r"(BYTES), "r"(in_shared(&barrier))
                         : "memory");
        }
        wait(in_shared(&barrier), i & 1);
    }
    if (tile[threadIdx.x] == 251)
        out[threadIdx.x] = 1;
}

template <bool Reduces> __global__ void to_global(unsigned *to) {
    __shared__ __align__(128) unsigned tile[BYTES / 4];
    tile[threadIdx.x] = tile[threadIdx.x + THREADS] = threadIdx.x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (unsigned i = 0; i < TIMES; i++) {
        if (Reduces)
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], "
                         "%2;" ::"l"(to),
                         "r"(in_shared(tile)), "r"(BYTES)
                         : "memory");
        else
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                         "r"(in_shared(tile)), "r"(BYTES)
                         : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

__global__ void tensor(const __grid_constant__ CUtensorMap map, unsigned *out) {
    __shared__ __align__(128) unsigned tile[16][16];
    __shared__ __align__(8) unsigned long long barrier;
    if (threadIdx.x == 0)
        make_barrier(in_shared(&barrier));
    __syncthreads();
    for (unsigned i = 0; i < TIMES; i++) {
        if (threadIdx.x == 0) {
            expect(in_shared(&barrier), sizeof tile);
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
                         "bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(in_shared(tile)),
                         "l"(&map), "r"(0), "r"(0), "r"(in_shared(&barrier))
                         : "memory");
        }
        wait(in_shared(&barrier), i & 1);
    }
    if (tile[threadIdx.x % 16][1] == 0x12345678)
        out[threadIdx.x] = 1;
}

// Operands in shared memory without swizzle: the descriptor holds addresses and steps of 16 bytes.
__device__ unsigned long long describe(const void *at) {
    return (unsigned long long)(in_shared(at) >> 4 & 0x3fff) | 8ull << 16 | 16ull << 32;
}

__global__ void wgmma(unsigned *out) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    __shared__ __align__(128) unsigned short a[64 * 16], b[8 * 16];
    float sum[4] = {};
    for (unsigned i = threadIdx.x; i < 64 * 16; i += THREADS)
        a[i] = b[i % 128] = 0;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    for (unsigned i = 0; i < TIMES; i++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, "
                     "1, 1, 1, 0, 0;"
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                     : "l"(describe(a)), "l"(describe(b))
                     : "memory");
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::
                         : "memory");
    }
    if (sum[0] + sum[1] + sum[2] + sum[3] == 77)
        out[threadIdx.x] = 1;
#endif
}

// To the other block of the cluster.
__global__ void __cluster_dims__(2) store_async(unsigned *out) {
    __shared__ __align__(16) unsigned tile[THREADS];
    __shared__ __align__(8) unsigned long long barrier;
    unsigned rank, other, other_barrier;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(other)
        : "r"(in_shared(&tile[threadIdx.x])), "r"(rank ^ 1));
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(other_barrier)
        : "r"(in_shared(&barrier)), "r"(rank ^ 1));
    if (threadIdx.x == 0) {
        make_barrier(in_shared(&barrier));
        expect(in_shared(&barrier), sizeof tile);
    }
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(other),
        "r"(threadIdx.x), "r"(other_barrier)
        : "memory");
    wait(in_shared(&barrier), 0);
    if (tile[threadIdx.x] == 0x12345678)
        out[threadIdx.x] = 1;
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

__global__ void copy16(const unsigned char *from, unsigned *out) {
    __shared__ __align__(128) unsigned char tile[THREADS * 16];
    for (unsigned i = 0; i < TIMES; i++)
        asm volatile(
            "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(in_shared(tile + threadIdx.x * 16)),
            "l"(from + (threadIdx.x + i) % THREADS * 16)
            : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (tile[threadIdx.x] == 251)
        out[threadIdx.x] = 1;
}

static CUtensorMap describe_tensor(unsigned *memory) {
    CUtensorMap map;
    void *function = nullptr;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                           cudaEnableDefault, &found));
    auto encode = (decltype(&cuTensorMapEncodeTiled))function;
    cuuint64_t size[] = {16, 16}, pitch[] = {64};
    cuuint32_t box[] = {16, 16}, step[] = {1, 1};
    if (encode == nullptr ||
        encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, memory, size, pitch, box, step,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        exit(77);
    return map;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"to_shared", "to_global",   "reduce", "tensor",
                                        "wgmma",     "store_async", "copy16"};
    unsigned *memory, *out;
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0)
        return 77;
    CHECK(cudaMalloc(&memory, 1 << 16));
    CHECK(cudaMalloc(&out, 1 << 16));
    CHECK(cudaMemset(memory, 0, 1 << 16));
    for (int i = 1; i < argc || i == 1; i++) {
        for (const char *name : names) {
            if (argc > 1 && strcmp(argv[i], name) != 0)
                continue;
            if (strcmp(name, "to_shared") == 0)
                to_shared<<<BLOCKS, THREADS>>>((unsigned char *)memory, out);
            if (strcmp(name, "to_global") == 0)
                to_global<false><<<BLOCKS, THREADS>>>(memory);
            if (strcmp(name, "reduce") == 0)
                to_global<true><<<BLOCKS, THREADS>>>(memory);
            if (strcmp(name, "tensor") == 0)
                tensor<<<BLOCKS, THREADS>>>(describe_tensor(memory), out);
            if (strcmp(name, "wgmma") == 0)
                wgmma<<<BLOCKS, THREADS>>>(out);
            if (strcmp(name, "store_async") == 0)
                store_async<<<BLOCKS, THREADS>>>(out);
            if (strcmp(name, "copy16") == 0)
                copy16<<<BLOCKS, THREADS>>>((unsigned char *)memory, out);
            CHECK(cudaDeviceSynchronize());
        }
    }
    puts("done");
    return 0;
}
