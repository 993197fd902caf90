// SPDX-License-Identifier: MIT
// Products of four warps of every type, layout and sign: run on a GPU by record_features.c,
// emulated by test_hopper.c. One block of 128 threads; `in` has 4096 words, `out` 65536.
//   nvcc -std=c++17 -arch=sm_90a -cubin warpgroup.cu
#include <cuda_fp16.h>
#include <stdint.h>

enum { HELD = 40960 }; // bytes of shared memory that operands are in

__device__ static unsigned shared_address(const void *pointer) {
    return (unsigned)__cvta_generic_to_shared(pointer);
}

__device__ static uint64_t described(unsigned at, unsigned leading, unsigned stride,
                                     unsigned mode) {
    return at >> 4 | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
           (uint64_t)mode << 62;
}

struct shape {
    unsigned at, leading, stride;
};
// The last two where a row of the swizzle begins elsewhere than at a multiple of 1024.
__device__ static const shape shapes[] = {
    {0, 128, 1024}, {0, 2048, 512}, {4096, 1024, 256}, {32, 1024, 2048}, {256, 1536, 1024}};

#define FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define DONE \
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory")
#define D4(d) "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define I4(d) "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define D4_TEXT "{%0, %1, %2, %3}, %4, %5, "

// Which half of shared memory is element (m, k) of A: B is a part of the identity.
template <int transposed> __device__ static void probe_a(unsigned *out) {
    __shared__ __align__(1024) __half a[HELD / 2];
    __shared__ __align__(1024) __half b[16 * 8];
    const unsigned t = threadIdx.x, warp = t / 32, lane = t % 32;
#pragma unroll 1
    for (unsigned variant = 0; variant < 20; variant++) {
        const shape s = shapes[variant / 4];
        float sum[2][4] = {};
        for (unsigned part = 0; part < 2; part++)
            for (unsigned first = 0; first < 16; first += 8) {
                __syncthreads();
                for (unsigned i = t; i < HELD / 2; i += 128)
                    a[i] = __float2half((float)(part ? i / 1024 : i % 1024));
                // B, 8 columns of 16 k, plain: cores of 8 columns times 8 k
                const unsigned k = t / 64 * 8 + t % 8, n = t / 8 % 8;
                b[t] = __float2half(k == n + first ? 1.f : 0.f);
                asm volatile("fence.proxy.async;");
                __syncthreads();
                float d[4] = {};
                FENCE;
                asm volatile(
                    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " D4_TEXT "1, 1, 1, %6, 0;"
                    : D4(d)
                    : "l"(described(shared_address(a) + s.at, s.leading, s.stride, variant % 4)),
                      "l"(described(shared_address(b), 128, 128, 0)), "n"(transposed));
                DONE;
                for (unsigned i = 0; i < 4; i++)
                    sum[first / 8][i] += d[i] * (part ? 1024 : 1);
            }
        for (unsigned half = 0; half < 2; half++)
            for (unsigned i = 0; i < 4; i++) {
                const unsigned row = 16 * warp + lane / 4 + 8 * (i / 2);
                const unsigned k = 8 * half + lane % 4 * 2 + i % 2;
                out[variant * 1024 + row * 16 + k] = (unsigned)sum[half][i];
            }
    }
}

extern "C" __global__ void which_a(unsigned *out, const unsigned *in) {
    probe_a<0>(out);
}
extern "C" __global__ void which_a_transposed(unsigned *out, const unsigned *in) {
    probe_a<1>(out);
}

// The same of B: 16 k times 128 columns.
template <int transposed> __device__ static void probe_b(unsigned *out) {
    __shared__ __align__(1024) __half b[HELD / 2];
    const unsigned t = threadIdx.x, lane = t % 32;
#pragma unroll 1
    for (unsigned variant = 0; variant < 20; variant++) {
        const shape s = shapes[variant / 4];
        for (unsigned part = 0; part < 2; part++) {
            __syncthreads();
            for (unsigned i = t; i < HELD / 2; i += 128)
                b[i] = __float2half((float)(part ? i / 1024 : i % 1024));
            asm volatile("fence.proxy.async;");
            __syncthreads();
            unsigned a[4] = {0, 0, 0, 0}; // of warp 0: the identity
            for (unsigned r = 0; r < 4; r++)
                for (unsigned i = 0; i < 2; i++)
                    if (t < 32 && lane / 4 + 8 * (r & 1) == lane % 4 * 2 + i + 8 * (r >> 1))
                        a[r] |= 0x3c00u << 16 * i;
            float d[64] = {};
            FENCE;
            asm volatile(
                "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, "
                "%7, %8, %9, "
                "%10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, "
                "%26, %27, %28, "
                "%29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, "
                "%45, %46, %47, "
                "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                "{%64, %65, "
                "%66, %67}, %68, 1, 1, 1, %69;"
                : D4(d), D4((d + 4)), D4((d + 8)), D4((d + 12)), D4((d + 16)), D4((d + 20)),
                  D4((d + 24)), D4((d + 28)), D4((d + 32)), D4((d + 36)), D4((d + 40)),
                  D4((d + 44)), D4((d + 48)), D4((d + 52)), D4((d + 56)), D4((d + 60))
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]),
                  "l"(described(shared_address(b) + s.at, s.leading, s.stride, variant % 4)),
                  "n"(transposed));
            DONE;
            if (t < 32)
                for (unsigned i = 0; i < 64; i++) {
                    unsigned *at = &out[variant * 2048 + (lane / 4 + 8 * (i / 2 % 2)) * 128 +
                                        i / 4 * 8 + lane % 4 * 2 + i % 2];
                    *at = part ? *at + 1024 * (unsigned)d[i] : (unsigned)d[i];
                }
        }
    }
}

extern "C" __global__ void which_b(unsigned *out, const unsigned *in) {
    probe_b<0>(out);
}
extern "C" __global__ void which_b_transposed(unsigned *out, const unsigned *in) {
    probe_b<1>(out);
}

// Every type: operands are the bits of numbers from -8 to 8, so that sums have one result. `what`:
// how a number is held. Two shapes each, all four modes.
enum held { HALVES, BFLOATS, TF32, E4M3, E5M2, BYTES, BITS };
template <held what> __device__ static unsigned word_of(unsigned x) {
    if (what == BYTES || what == BITS)
        return x;
    unsigned word = 0;
    const unsigned count = what == TF32 ? 1 : what <= BFLOATS ? 2 : 4;
    for (unsigned i = 0; i < count; i++) {
        const float v = (float)(int)((x >> 8 * i) % 17) - 8;
        const __half h = __float2half(v);
        const unsigned half = *(const unsigned short *)&h, single = __float_as_uint(v);
        const unsigned sign = half >> 15 << 7;
        const unsigned fraction = half & 0x7fff; // 5 bits of exponent, 10
        const unsigned e4m3 = fraction ? (fraction >> 7) - (8 << 3) : 0;
        word |= what == HALVES    ? half << 16 * i
                : what == BFLOATS ? single >> 16 << 16 * i
                : what == TF32    ? single
                : what == E5M2    ? (sign | fraction >> 8) << 8 * i
                                  : (sign | e4m3) << 8 * i;
    }
    return word;
}

template <held what> __device__ static void fill(unsigned *words, const unsigned *in) {
    for (unsigned i = threadIdx.x; i < HELD / 4; i += 128)
        words[i] = word_of<what>(in[i % 4096] ^ i / 4096 * 0x12345);
    asm volatile("fence.proxy.async;");
    __syncthreads();
}

#define TYPED(name, what, type, count, product)                                          \
    extern "C" __global__ void typed_##name(unsigned *out, const unsigned *in) {         \
        __shared__ __align__(1024) unsigned words[HELD / 4];                             \
        fill<what>(words, in);                                                           \
        _Pragma("unroll 1") for (unsigned variant = 0; variant < 8; variant++) {         \
            const shape s = shapes[variant / 4];                                         \
            const unsigned at = shared_address(words) + s.at;                            \
            const uint64_t a = described(at, s.leading, s.stride, variant % 4);          \
            const uint64_t b = described(at + 24576, s.leading, s.stride, variant % 4);  \
            type d[count] = {};                                                          \
            FENCE;                                                                       \
            product(a);                                                                  \
            product(a + 4);                                                              \
            DONE;                                                                        \
            for (unsigned i = 0; i < count; i++)                                         \
                out[variant * 128 * count + 128 * i + threadIdx.x] = *(unsigned *)&d[i]; \
        }                                                                                \
    }
#define PRODUCT4(kind, type, scales, a)                                                           \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k" type " {%0, %1, %2, %3}, %4, %5, 1" scales \
                 ";"                                                                              \
                 : "+" kind(d[0]), "+" kind(d[1]), "+" kind(d[2]), "+" kind(d[3])                 \
                 : "l"(a), "l"(b))
#define PRODUCT2(kind, type, scales, a)                                                       \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k" type " {%0, %1}, %2, %3, 1" scales ";" \
                 : "+" kind(d[0]), "+" kind(d[1])                                             \
                 : "l"(a), "l"(b))
#define P_halves(a) PRODUCT4("f", "16.f32.f16.f16", ", 1, 1, 0, 0", a)
TYPED(halves, HALVES, float, 4, P_halves)
#define P_halves_negative_a(a) PRODUCT4("f", "16.f32.f16.f16", ", -1, 1, 0, 0", a)
TYPED(halves_negative_a, HALVES, float, 4, P_halves_negative_a)
#define P_halves_negative_b(a) PRODUCT4("f", "16.f32.f16.f16", ", 1, -1, 0, 0", a)
TYPED(halves_negative_b, HALVES, float, 4, P_halves_negative_b)
#define P_halves_transposed(a) PRODUCT4("f", "16.f32.f16.f16", ", 1, 1, 1, 1", a)
TYPED(halves_transposed, HALVES, float, 4, P_halves_transposed)
#define P_halves_in_halves(a) PRODUCT2("r", "16.f16.f16.f16", ", 1, 1, 0, 0", a)
TYPED(halves_in_halves, HALVES, unsigned, 2, P_halves_in_halves)
#define P_bfloats(a) PRODUCT4("f", "16.f32.bf16.bf16", ", 1, 1, 0, 0", a)
TYPED(bfloats, BFLOATS, float, 4, P_bfloats)
#define P_bfloats_transposed(a) PRODUCT4("f", "16.f32.bf16.bf16", ", 1, -1, 0, 1", a)
TYPED(bfloats_transposed, BFLOATS, float, 4, P_bfloats_transposed)
#define P_tf32s(a) PRODUCT4("f", "8.f32.tf32.tf32", ", 1, 1", a)
TYPED(tf32s, TF32, float, 4, P_tf32s)
#define P_tf32s_negative(a) PRODUCT4("f", "8.f32.tf32.tf32", ", -1, 1", a)
TYPED(tf32s_negative, TF32, float, 4, P_tf32s_negative)
#define P_e4m3(a) PRODUCT4("f", "32.f32.e4m3.e4m3", ", 1, 1", a)
TYPED(e4m3, E4M3, float, 4, P_e4m3)
#define P_e4m3_e5m2(a) PRODUCT4("f", "32.f32.e4m3.e5m2", ", 1, 1", a)
TYPED(e4m3_e5m2, E4M3, float, 4, P_e4m3_e5m2)
#define P_e5m2_e4m3(a) PRODUCT4("f", "32.f32.e5m2.e4m3", ", -1, 1", a)
TYPED(e5m2_e4m3, E5M2, float, 4, P_e5m2_e4m3)
#define P_e5m2(a) PRODUCT4("f", "32.f32.e5m2.e5m2", ", 1, 1", a)
TYPED(e5m2, E5M2, float, 4, P_e5m2)
#define P_e5m2_in_halves(a) PRODUCT2("r", "32.f16.e5m2.e5m2", ", 1, 1", a)
TYPED(e5m2_in_halves, E5M2, unsigned, 2, P_e5m2_in_halves)
#define P_s8(a) PRODUCT4("r", "32.s32.s8.s8", "", a)
TYPED(s8, BYTES, unsigned, 4, P_s8)
#define P_u8_s8(a) PRODUCT4("r", "32.s32.u8.s8", "", a)
TYPED(u8_s8, BYTES, unsigned, 4, P_u8_s8)
#define P_s8_u8(a) PRODUCT4("r", "32.s32.s8.u8", "", a)
TYPED(s8_u8, BYTES, unsigned, 4, P_s8_u8)
#define P_u8(a) PRODUCT4("r", "32.s32.u8.u8", "", a)
TYPED(u8, BYTES, unsigned, 4, P_u8)
#define P_s8_saturated(a) PRODUCT4("r", "32.s32.s8.s8.satfinite", "", a)
TYPED(s8_saturated, BYTES, unsigned, 4, P_s8_saturated)
#define P_bits(a) PRODUCT4("r", "256.s32.b1.b1.and.popc", "", a)
TYPED(bits, BITS, unsigned, 4, P_bits)

// A in registers.
#define FROM_REGISTERS(name, what, type, kind, text, scales)                          \
    extern "C" __global__ void registers_##name(unsigned *out, const unsigned *in) {  \
        __shared__ __align__(1024) unsigned words[HELD / 4];                          \
        fill<what>(words, in);                                                        \
        const unsigned t = threadIdx.x;                                               \
        const uint64_t b = described(shared_address(words), 128, 1024, 1);            \
        unsigned v[4];                                                                \
        for (unsigned i = 0; i < 4; i++)                                              \
            v[i] = words[4096 + 4 * t + i];                                           \
        type d[4] = {};                                                               \
        FENCE;                                                                        \
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k" text                       \
                     " {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1" scales ";"          \
                     : "+" kind(d[0]), "+" kind(d[1]), "+" kind(d[2]), "+" kind(d[3]) \
                     : "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "l"(b));           \
        DONE;                                                                         \
        for (unsigned i = 0; i < 4; i++)                                              \
            out[128 * i + t] = *(unsigned *)&d[i];                                    \
    }
FROM_REGISTERS(halves, HALVES, float, "f", "16.f32.f16.f16", ", 1, 1, 0")
FROM_REGISTERS(halves_b_transposed, HALVES, float, "f", "16.f32.f16.f16", ", -1, 1, 1")
FROM_REGISTERS(bfloats, BFLOATS, float, "f", "16.f32.bf16.bf16", ", 1, 1, 0")
FROM_REGISTERS(tf32s, TF32, float, "f", "8.f32.tf32.tf32", ", 1, 1")
FROM_REGISTERS(e4m3, E4M3, float, "f", "32.f32.e4m3.e5m2", ", 1, 1")
FROM_REGISTERS(s8, BYTES, unsigned, "r", "32.s32.s8.u8", "")
FROM_REGISTERS(bits, BITS, unsigned, "r", "256.s32.b1.b1.and.popc", "")
