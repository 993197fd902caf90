// SPDX-License-Identifier: MIT
// What 9.0 has beyond, in more forms than features.cu: run on a GPU by record_features.c, emulated
// by test_hopper.c. Blocks of 128 threads; `in` has 4096 words, `out` 65536.
//   nvcc -std=c++17 -arch=sm_90a -cubin hopper.cu
#include <cuda_fp16.h>
#include <stdint.h>

__device__ static unsigned shared_address(const void *pointer) {
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// ---- Bulk reductions, and what arrives in the shared memory of another block ----

__device__ static unsigned of_rank(unsigned address, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

__device__ static void begin(unsigned barrier, unsigned bytes) {
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(
            barrier));
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier),
                     "r"(bytes));
    }
    asm volatile("fence.proxy.async; barrier.cluster.arrive.release.aligned; "
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

__device__ static void finish(unsigned barrier) {
    unsigned is_over = 0;
    for (unsigned i = 0; i < 100000 && !is_over; i++)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; "
            "selp.u32 %0, 1, 0, p; }"
            : "=r"(is_over)
            : "r"(barrier)
            : "memory");
}

#define REDUCE(op, i, number)                                                 \
    if (t == 0)                                                               \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." op \
                     " [%0], [%1], 512;" ::"l"(out + 128 * i),                \
                     "r"(shared_address(number))                              \
                     : "memory");
// Twice each, the second one with other words.
extern "C" __global__ void bulk_reductions(unsigned *out, const unsigned *in) {
    __shared__ __align__(128) unsigned whole[2][128], halves[2][128], bfloats[2][128],
        doubles[2][128], small[2][128];
    const unsigned t = threadIdx.x;
    for (unsigned i = 0; i < 40; i++) {
        const float f = (float)(int)(in[i * 128 + t & 4095] % 4001) / 16;
        const __half h = __float2half(f), g = __float2half(f / 64);
        const unsigned both = *(const unsigned short *)&h | *(const unsigned short *)&g << 16;
        const unsigned bf = __float_as_uint(f) >> 16 | (__float_as_uint(f / 8) & 0xffff0000);
        out[128 * i + t] = i == 10             ? __float_as_uint(f)
                           : i == 11           ? (t % 2 ? __double2hiint(f) : __double2loint(f))
                           : i >= 12 && i < 16 ? both
                           : i >= 16 && i < 20 ? bf
                           : i >= 5 && i <= 6  ? t
                                               : in[i * 128 + t & 4095];
        if (i < 2) {
            whole[i][t] = in[(i * 128 + t) * 3 & 4095];
            halves[i][t] = both;
            bfloats[i][t] = bf;
            small[i][t] = i ? in[t] % 130 : 100;
            doubles[i][t] = t % 2 ? __double2hiint(f * 1.1) : __double2loint(f * 1.1);
        }
    }
    __threadfence();
    asm volatile("fence.proxy.async;");
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < 2; i++) {
        REDUCE("add.u32", 0, whole[i])
        REDUCE("add.s32", 1, whole[i])
        REDUCE("add.u64", 2, whole[i])
        REDUCE("min.u32", 3, whole[i])
        REDUCE("max.s32", 4, whole[i])
        REDUCE("inc.u32", 5, small[i])
        REDUCE("dec.u32", 6, small[i])
        REDUCE("min.s32", 7, whole[i])
        REDUCE("max.u32", 8, whole[i])
        REDUCE("and.b32", 9, whole[i])
        REDUCE("add.f32", 10, bfloats[i])
        REDUCE("add.f64", 11, doubles[i])
        REDUCE("add.noftz.f16", 12, halves[i])
        REDUCE("min.f16", 13, halves[i])
        REDUCE("max.f16", 14, halves[i])
        REDUCE("add.noftz.bf16", 16, bfloats[i])
        REDUCE("min.bf16", 17, bfloats[i])
        REDUCE("max.bf16", 18, bfloats[i])
        REDUCE("or.b32", 20, whole[i])
        REDUCE("xor.b32", 21, whole[i])
        REDUCE("and.b64", 22, whole[i])
        REDUCE("or.b64", 23, whole[i])
        REDUCE("xor.b64", 24, whole[i])
        REDUCE("min.s64", 25, whole[i])
        REDUCE("max.s64", 26, whole[i])
        REDUCE("min.u64", 27, whole[i])
        REDUCE("max.u64", 28, whole[i])
    }
    if (t == 0)
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

#define TO_OTHER(i, op)                                                                         \
    if (t == 0)                                                                                 \
        asm volatile(                                                                           \
            "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." op \
            " [%0], [%1], 512, [%2];" ::"r"(of_rank(shared_address(tile[i]), other)),           \
            "r"(shared_address(tile[12])), "r"(of_rank(bar, other))                             \
            : "memory");
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    to_the_other(unsigned *out, const unsigned *in) {
    __shared__ __align__(128) unsigned tile[13][128];
    __shared__ uint64_t barrier;
    const unsigned t = threadIdx.x, other = blockIdx.x ^ 1, bar = shared_address(&barrier);
    for (unsigned i = 0; i < 13; i++)
        tile[i][t] = i == 4 || i == 5 ? in[t] % 50 : in[(i * 128 + t) * 7 + blockIdx.x & 4095];
    begin(bar, 9 * 512 + 512);
    TO_OTHER(0, "add.u32")
    TO_OTHER(1, "add.s32")
    TO_OTHER(2, "min.u32")
    TO_OTHER(3, "max.s32")
    TO_OTHER(4, "inc.u32")
    TO_OTHER(5, "dec.u32")
    TO_OTHER(6, "and.b32")
    TO_OTHER(7, "xor.b32")
    TO_OTHER(8, "add.u64")
    if (t == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], "
                     "[%1], 512, [%2];" ::"r"(of_rank(shared_address(tile[9]), other)),
                     "r"(shared_address(tile[12])), "r"(of_rank(bar, other))
                     : "memory");
    finish(bar);
    for (unsigned i = 0; i < 10; i++)
        out[(blockIdx.x * 10 + i) * 128 + t] = tile[i][t];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    stored_there(unsigned *out, const unsigned *in) {
    __shared__ __align__(128) unsigned tile[14][128];
    __shared__ uint64_t barrier;
    const unsigned t = threadIdx.x, other = blockIdx.x ^ 1, bar = shared_address(&barrier);
    for (unsigned i = 0; i < 14; i++)
        tile[i][t] = in[i * 128 + t];
    begin(bar, 512 + 2048 + 2048 + 1024);
    const unsigned there = of_rank(shared_address(tile), other), bar_there = of_rank(bar, other);
    const unsigned x = in[2000 + t + 128 * blockIdx.x];
#define ASYNC "shared::cluster.mbarrier::complete_tx::bytes."
    asm volatile("st.async." ASYNC "b32 [%0], %1, [%2];" ::"r"(there + 4 * (t ^ 3)), "r"(x),
                 "r"(bar_there)
                 : "memory");
    asm volatile("st.async." ASYNC
                 "v4.b32 [%0], {%1, %2, %3, %1}, [%4];" ::"r"(there + 512 + 16 * t),
                 "r"(x), "r"(x + 1), "r"(t), "r"(bar_there)
                 : "memory");
    asm volatile("st.async." ASYNC "v2.b64 [%0], {%1, %2}, [%3];" ::"r"(there + 2560 + 16 * t),
                 "l"((uint64_t)x * x), "l"((uint64_t)t), "r"(bar_there)
                 : "memory");
    asm volatile("st.async." ASYNC "b64 [%0], %1, [%2];" ::"r"(there + 4608 + 8 * t),
                 "l"((uint64_t)x * 3), "r"(bar_there)
                 : "memory");
    finish(bar + 0);
    out[(blockIdx.x * 14 + 13) * 128 + t] = x;
    for (unsigned i = 0; i < 11; i++)
        out[(blockIdx.x * 14 + i) * 128 + t] = tile[i][t];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    reduced_there(unsigned *out, const unsigned *in) {
    __shared__ __align__(128) unsigned tile[10][128];
    __shared__ uint64_t barrier;
    const unsigned t = threadIdx.x, other = blockIdx.x ^ 1, bar = shared_address(&barrier);
    for (unsigned i = 0; i < 10; i++)
        tile[i][t] = in[i * 128 + t] % (i == 4 || i == 5 ? 1000 : 0xffffffffu);
    begin(bar, 9 * 512 + 1024 + 512);
    const unsigned bar_there = of_rank(bar, other), x = in[2000 + t + 128 * blockIdx.x];
#define RED(i, op, value)                                                                          \
    asm volatile("red.async.relaxed.cluster." ASYNC op                                             \
                 " [%0], %1, [%2];" ::"r"(of_rank(shared_address(tile[i] + (t >> i % 3)), other)), \
                 "r"(value), "r"(bar_there)                                                        \
                 : "memory");
    RED(0, "add.u32", x)
    RED(1, "add.s32", x)
    RED(2, "min.u32", x)
    RED(3, "max.s32", x)
    RED(4, "inc.u32", 900)
    RED(5, "dec.u32", 900)
    RED(6, "and.b32", x)
    RED(7, "or.b32", x)
    RED(8, "xor.b32", x)
    asm volatile("red.async.relaxed.cluster." ASYNC "add.u64 [%0], %1, [%2];" ::"r"(
                     of_rank(shared_address(tile[9] + 2 * (t / 2)), other)),
                 "l"((uint64_t)x << 8), "r"(bar_there)
                 : "memory");
    asm volatile("red.async.relaxed.cluster." ASYNC
                 "min.s32 [%0], %1, [%2];" ::"r"(of_rank(shared_address(tile[2] + t), other)),
                 "r"(0x7fffffff), "r"(bar_there)
                 : "memory");
    finish(bar);
    for (unsigned i = 0; i < 10; i++)
        out[(blockIdx.x * 10 + i) * 128 + t] = tile[i][t];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

// Loads, stores and atomics in the other block's shared memory.
extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbours(unsigned *out, const unsigned *in) {
    __shared__ unsigned tile[4][128];
    const unsigned t = threadIdx.x, other = blockIdx.x ^ 1;
    for (unsigned i = 0; i < 4; i++)
        tile[i][t] = in[i * 128 + t + blockIdx.x];
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
    const unsigned there = of_rank(shared_address(tile[0]), other);
    unsigned v, old, rank;
    asm volatile("ld.shared::cluster.u32 %0, [%1];"
                 : "=r"(v)
                 : "r"(there + 4 * (t ^ 5))
                 : "memory");
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there + 512 + 4 * t), "r"(v * 3)
                 : "memory");
    asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "r"(there + 1024 + 4 * t), "r"(t)
                 : "memory");
    asm volatile("red.shared::cluster.max.u32 [%0], %1;" ::"r"(there + 1536 + 4 * (t / 8)), "r"(v)
                 : "memory");
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(there));
    asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
    out += 128 * 7 * blockIdx.x;
    for (unsigned i = 0; i < 4; i++)
        out[128 * i + t] = tile[i][t];
    out[512 + t] = old;
    out[640 + t] = rank;
    out[768 + t] = v;
}

// ---- Others ----

extern "C" __global__ void eight_bit_forms(unsigned *out, const unsigned *in) {
    static const float special[16] = {0.f,    -0.f,          1e30f,   -1e30f,  448,   449,
                                      464,    465,           57344,   61440,   61441, 1e-9f,
                                      0.001f, 0.0009765625f, 1.5e-5f, -7.6e-6f};
    const unsigned t = threadIdx.x;
    unsigned short r;
    unsigned w;
    float f = (float)(int)in[t] / 65536 / 16, g = (float)(int)in[t + 128] / 65536 / 32768;
    unsigned x = in[t + 512];
    if (t < 16) {
        f = special[t];
        g = special[15 - t];
    } else if (t < 20) {
        f = __uint_as_float(0x7f800000 | (t - 16) << 21);
        g = __uint_as_float(0xff800000 | (t - 16) << 21);
        x = t % 2 ? 0x7c00fc00 : 0x7e00fe01;
    } else if (t < 60) {
        x = (x & 0x83ff83ff) | (t * 0x04000400 & 0x7c007c00);
    }
    unsigned row = 0;
#define CONVERT2(text)                                             \
    asm("cvt.rn." text " %0, %1, %2;" : "=h"(r) : "f"(f), "f"(g)); \
    out[128 * row++ + t] = r;
#define CONVERT1(text)                                 \
    asm("cvt.rn." text " %0, %1;" : "=h"(r) : "r"(x)); \
    out[128 * row++ + t] = r;
#define CONVERT(text)                                                     \
    asm("cvt.rn." text " %0, %1;" : "=r"(w) : "h"((short)(in[t] ^ t)));   \
    out[128 * row++ + t] = w;                                             \
    asm("cvt.rn." text " %0, %1;" : "=r"(w) : "h"((short)(in[t] >> 16))); \
    out[128 * row++ + t] = w;
    CONVERT2("satfinite.e4m3x2.f32")
    CONVERT2("satfinite.relu.e4m3x2.f32")
    CONVERT2("satfinite.e5m2x2.f32")
    CONVERT2("satfinite.relu.e5m2x2.f32")
    CONVERT1("satfinite.e4m3x2.f16x2")
    CONVERT1("satfinite.relu.e4m3x2.f16x2")
    CONVERT1("satfinite.e5m2x2.f16x2")
    CONVERT1("satfinite.relu.e5m2x2.f16x2")
    CONVERT("f16x2.e4m3x2")
    CONVERT("relu.f16x2.e4m3x2")
    CONVERT("f16x2.e5m2x2")
    CONVERT("relu.f16x2.e5m2x2")
}

// Products of single bits, of 4-bit and of 8-bit integers and floats, a warp each.
extern "C" __global__ void narrow_products(unsigned *out, const unsigned *in) {
    const unsigned t = threadIdx.x;
    unsigned row = 0, v[6], c[4];
    float f[4];
    for (unsigned i = 0; i < 6; i++)
        v[i] = in[128 * i + t];
#define RESULTS(c, count)                \
    for (unsigned i = 0; i < count; i++) \
        out[128 * row++ + t] = *(unsigned *)&c[i];
#define PRODUCT(text)                                                                 \
    for (unsigned i = 0; i < 4; i++)                                                  \
        c[i] = in[1000 + 128 * i + t];                                                \
    asm volatile("mma.sync.aligned." text                                             \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"   \
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                     \
                 : "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5])); \
    RESULTS(c, 4)
#define PRODUCT_SMALL(text)                                                                      \
    for (unsigned i = 0; i < 4; i++)                                                             \
        c[i] = in[1000 + 128 * i + t];                                                           \
    asm volatile("mma.sync.aligned." text " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" \
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                                \
                 : "r"(v[0]), "r"(v[1]), "r"(v[4]));                                             \
    RESULTS(c, 4)
#define PRODUCT_8(text)                                                      \
    for (unsigned i = 0; i < 2; i++)                                         \
        c[i] = in[1000 + 128 * i + t];                                       \
    asm volatile("mma.sync.aligned." text " {%0, %1}, {%2}, {%3}, {%0, %1};" \
                 : "+r"(c[0]), "+r"(c[1])                                    \
                 : "r"(v[0]), "r"(v[4]));                                    \
    RESULTS(c, 2)
    PRODUCT("m16n8k256.row.col.s32.b1.b1.s32.and.popc")
    PRODUCT("m16n8k256.row.col.s32.b1.b1.s32.xor.popc")
    PRODUCT_SMALL("m16n8k128.row.col.s32.b1.b1.s32.and.popc")
    PRODUCT_8("m8n8k128.row.col.s32.b1.b1.s32.and.popc")
    PRODUCT_8("m8n8k128.row.col.s32.b1.b1.s32.xor.popc")
    PRODUCT("m16n8k64.row.col.s32.s4.s4.s32")
    PRODUCT("m16n8k64.row.col.satfinite.s32.u4.s4.s32")
    PRODUCT_SMALL("m16n8k32.row.col.s32.u4.u4.s32")
    PRODUCT_8("m8n8k32.row.col.s32.s4.u4.s32")
    PRODUCT("m16n8k32.row.col.satfinite.s32.u8.s8.s32")
    PRODUCT_SMALL("m16n8k16.row.col.s32.s8.u8.s32")
    PRODUCT_8("m8n8k16.row.col.s32.s8.s8.s32")
    for (unsigned i = 0; i < 6; i++)
        v[i] &= 0xbfbfbfbf; // no NaN, no more than 2
    for (unsigned i = 0; i < 4; i++)
        f[i] = 0;
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0, %1, %2, %3}, {%4, %5, "
                 "%6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
                 : "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5]));
    RESULTS(f, 4)
}
