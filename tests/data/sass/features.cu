// SPDX-License-Identifier: MIT
// What test_features.c emulates and computes again: each kernel is one block of 128 threads,
// `out` and `in` have 4096 words. Built for several architectures (from this folder):
//   for a in 75 80 86 89 90 100 120; do nvcc -arch=sm_$a -cubin -o features.$a.cubin features.cu;
//   done
// and what 9.0 has beyond, with cooperating blocks of 2:
//   nvcc -arch=sm_90a -DHOPPER -cubin -o features.90a.cubin features.cu
#include <cuda_fp16.h>
#include <stdint.h>

__device__ static unsigned shared_address(const void *pointer) {
    return (unsigned)__cvta_generic_to_shared(pointer);
}

#if __CUDA_ARCH__ >= 800
__device__ static void wait_parity(unsigned barrier, unsigned parity) {
    unsigned is_over;
    do
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 "
                     "%0, 1, 0, p; }"
                     : "=r"(is_over)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    while (!is_over);
}
#endif

#ifndef HOPPER
typedef unsigned (*function)(unsigned);
__device__ __noinline__ unsigned add_one(unsigned x) {
    return x + 1;
}
__device__ __noinline__ unsigned square(unsigned x) {
    return x * x;
}
__device__ __noinline__ unsigned digits(unsigned x) {
    unsigned n = 0;
    for (; x; x /= 10)
        n++;
    return n;
}
__device__ function functions[3] = {add_one, square, digits};

extern "C" {
#if __CUDA_ARCH__ >= 800
// cp.async with fewer bytes than it writes, and with nothing to read.
__global__ void filled(unsigned *out, const unsigned *in) {
    __shared__ uint4 tile[128];
    const unsigned t = threadIdx.x, whole = shared_address(tile + t);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(whole), "l"(in + 4 * t),
                 "r"(t < 50 ? 16 : 0));
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    ((uint4 *)out)[t] = tile[127 - t];
    __syncthreads();
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address((unsigned *)tile + t)),
        "l"(in + t), "r"(t % 5));
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;");
    __syncthreads();
    out[512 + t] = ((unsigned *)tile)[127 - t];
}

// Two phases of a barrier in shared memory; the first with copies that arrive there.
__global__ void arrivals(unsigned *out, const unsigned *in) {
    __shared__ unsigned tile[128];
    __shared__ uint64_t barrier;
    const unsigned t = threadIdx.x, at = shared_address(&barrier);
    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(at));
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(tile + t)),
                 "l"(in + t));
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at));
    uint64_t state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    unsigned is_over;
    do
        asm volatile(
            "{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(is_over)
            : "r"(at), "l"(state)
            : "memory");
    while (!is_over);
    const unsigned got = tile[127 - t];
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    wait_parity(at, 1);
    tile[t] = got + 1;
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at));
    wait_parity(at, 0);
    out[t] = tile[t ^ 1];
}
#endif

// Warps 0 and 1 make, 2 and 3 take: named barriers that one side does not wait at.
__global__ void handed_over(unsigned *out, const unsigned *in) {
    __shared__ unsigned tile[64];
    const unsigned t = threadIdx.x;
    for (unsigned round = 0; round < 3; round++) {
        if (t < 64) {
            if (round > 0)
                asm volatile("bar.sync 2, 128;" ::: "memory");
            tile[t] = in[t] * (round + 1);
            asm volatile("bar.arrive 1, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            out[64 * round + t - 64] = tile[127 - t];
            if (round < 2)
                asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
    }
}

__global__ void called(unsigned *out, const unsigned *in) {
    const unsigned t = threadIdx.x;
    out[t] = functions[in[t] % 3](in[128 + t] % 1000);
}

// Halves to whole numbers and to integers.
__global__ void rounded(unsigned *out, const unsigned *in) {
    const unsigned t = threadIdx.x;
    const __half2 x = __halves2half2(__float2half((float)(int)(in[t] % 2000) / 8 - 100),
                                     __float2half((float)(int)(in[t + 128] % 2000) / 8 - 100));
    out[t] = (unsigned)__half2int_rn(__low2half(x));
    out[128 + t] = (unsigned)__half2int_rz(__high2half(x));
    out[256 + t] = __half2uint_rz(__high2half(x));
    const __half2 whole = h2rint(x), below = h2floor(x);
    out[384 + t] = (unsigned)(int)__low2float(whole);
    out[512 + t] = (unsigned)(int)__high2float(below);
}

// Several blocks: results that depend on which comes first, and two that do not.
__global__ void order_shifted(unsigned *out, const unsigned *in) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = out[i + 1] + in[i];
}

__global__ void order_last(unsigned *out, const unsigned *in) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i % 64] = in[i];
}

__global__ void ordered_flag(unsigned *out, const unsigned *in) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[0] = 7;
    out[i + 1] = in[i];
}

__global__ void ordered_last_block(unsigned *out, const unsigned *in) {
    __shared__ unsigned sum;
    __shared__ bool is_last;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[2 + blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(out, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0)
        for (unsigned i = 0; i < gridDim.x; i++)
            out[1] += out[2 + i];
}

// A switch as a table of jumps; a recursion of lanes to different depths; local arrays by index.
__device__ __noinline__ unsigned fibonacci(unsigned n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void wandering(unsigned *out, const unsigned *in) {
    const unsigned t = threadIdx.x, x = in[t];
    unsigned local[16], r;
    for (unsigned i = 0; i < 16; i++)
        local[i] = in[i] + i;
    for (unsigned i = 0; i < 16; i++)
        local[(x >> (i & 7)) & 15] += local[(x + i) & 15];
    switch (x % 9) {
    case 0:
        r = x * 3;
        break;
    case 1:
        r = x / 7;
        break;
    case 2:
        r = in[x & 63];
        break;
    case 3:
        r = __popc(x);
        break;
    case 4:
        r = __brev(x);
        break;
    case 5:
        r = x ^ 0x5555;
        break;
    case 6:
        r = __clz(x);
        break;
    case 7:
        r = fibonacci(x % 10);
        break;
    default:
        r = 1;
    }
    out[t] = r;
    out[128 + t] = local[x & 15];
}
}
#else
#include <cuda_fp8.h>
extern "C" {
// A bulk copy to both blocks of a cluster, by a barrier that counts bytes; another one back.
__global__ void __cluster_dims__(2, 1, 1) bulk(unsigned *out, const unsigned *in) {
    __shared__ __align__(128) unsigned tile[512];
    __shared__ uint64_t barrier;
    const unsigned t = threadIdx.x, at = shared_address(&barrier);
    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;" ::"r"(at));
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;");
    if (t == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 2048;" ::"r"(at));
        if (blockIdx.x == 1)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                         "multicast::cluster "
                         "[%0], [%1], 2048, [%2], %3;" ::"r"(shared_address(tile)),
                         "l"(in), "r"(at), "h"((short)3));
    }
    wait_parity(at, 0);
    const unsigned got = tile[511 - 4 * t];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;");
    tile[t] = got + blockIdx.x;
    asm volatile("fence.proxy.async;");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(
                         out + 128 * blockIdx.x),
                     "r"(shared_address(tile)));
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;");
    }
}

__global__ void packed(unsigned *out, const unsigned *in) {
    const unsigned t = threadIdx.x, a = in[t], b = in[t + 128], c = in[t + 256];
    out[t] = __viaddmax_s16x2(a, b, c);
    out[128 + t] = __viaddmin_u16x2(a, b, c);
    out[256 + t] = __vimax3_s32((int)a, (int)b, (int)c);
    out[384 + t] = __vimin3_s16x2_relu(a, b, c);
    out[512 + t] = __vmaxs2(a, b);
    out[640 + t] = __vsub2(a, b);
    out[768 + t] = __vimax3_u16x2(a, b, c);
}

__global__ void eight_bits(unsigned *out, const unsigned *in) {
    const unsigned t = threadIdx.x;
    const float2 x = make_float2(((int)in[t] % 4000) / 16.f, ((int)in[t + 128] % 4000) / 4096.f);
    const __nv_fp8x2_e4m3 a(x);
    const __nv_fp8x2_e5m2 b(x);
    out[t] = a.__x;
    out[128 + t] = b.__x;
    const float2 back = float2(a), other = float2(b);
    out[256 + t] = __float_as_uint(back.x);
    out[384 + t] = __float_as_uint(back.y);
    out[512 + t] = __float_as_uint(other.x);
    out[640 + t] = __float_as_uint(other.y);
}

// 64 x 16 of products by wgmma: operands of 64 halves a row, first swizzled by 128 bytes, then in
// plain cores of 8 times 16 bytes, then A from registers.
__device__ static uint64_t described(unsigned at, unsigned leading, unsigned stride,
                                     uint64_t mode) {
    return at >> 4 | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 | mode << 62;
}

__global__ void warpgroup(unsigned *out, const unsigned *in) {
    __shared__ __align__(1024) __half a[64 * 64], b[16 * 64], plain_a[64 * 64], plain_b[16 * 64];
    const unsigned t = threadIdx.x;
    for (unsigned i = t; i < 80 * 64; i += 128) {
        const unsigned row = i / 64 % 64, k = i % 64;
        const __half value = __float2half((float)(int)(in[i % 4096] % 17) - 8 + (float)(i / 4096));
        const unsigned at = row * 128 + k * 2;
        const unsigned swizzled = (at ^ (at >> 7 & 7) << 4) / 2;
        const unsigned plain = (row / 8 * 1024 + k / 8 * 128 + row % 8 * 16 + k % 8 * 2) / 2;
        (i < 4096 ? a : b)[swizzled] = value;
        (i < 4096 ? plain_a : plain_b)[plain] = value;
    }
    asm volatile("fence.proxy.async;");
    __syncthreads();
    float c[8] = {}, e[8] = {}, f[8] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
#define PRODUCT(sum, first, second)                                                               \
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, " \
                 "%8, %9, 1, 1, 1, 0, 0;"                                                         \
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]),          \
                   "+f"(sum[5]), "+f"(sum[6]), "+f"(sum[7])                                       \
                 : "l"(first), "l"(second))
        PRODUCT(c, described(shared_address(a) + 32 * k, 16, 1024, 1),
                described(shared_address(b) + 32 * k, 16, 1024, 1));
        PRODUCT(e, described(shared_address(plain_a) + 256 * k, 128, 1024, 0),
                described(shared_address(plain_b) + 256 * k, 128, 1024, 0));
    }
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
    unsigned v[4];
    const unsigned warp = t / 32, lane = t % 32;
#pragma unroll
    for (unsigned r = 0; r < 4; r++) {
        const unsigned row = 16 * warp + lane / 4 + 8 * (r & 1), k = lane % 4 * 2 + 8 * (r >> 1);
        const float low = (float)(int)(in[row * 64 + k] % 17) - 8;
        const float high = (float)(int)(in[row * 64 + k + 1] % 17) - 8;
        const __half2 both = __floats2half2_rn(low, high);
        v[r] = *(const unsigned *)&both;
    }
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, "
                 "{%8,%9,%10,%11}, %12, 1, 1, 1, 0;"
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]), "+f"(f[4]), "+f"(f[5]),
                   "+f"(f[6]), "+f"(f[7])
                 : "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]),
                   "l"(described(shared_address(b), 16, 1024, 1)));
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
        const unsigned row = 16 * warp + lane / 4 + 8 * (i / 2 % 2);
        const unsigned column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        out[row * 16 + column] = __float_as_uint(c[i]);
        out[1024 + row * 16 + column] = __float_as_uint(e[i]);
        out[2048 + row * 16 + column] = __float_as_uint(f[i]);
    }
}

// Where a block is in its cluster, and its cluster in the grid.
__global__ void __cluster_dims__(2, 1, 1) places(unsigned *out, const unsigned *in) {
    unsigned v[6];
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(v[0]));
    asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(v[1]));
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(v[2]));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(v[3]));
    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(v[4]));
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(v[5]));
    if (threadIdx.x < 6)
        out[8 * blockIdx.x + threadIdx.x] = v[threadIdx.x];
}
}
#endif
