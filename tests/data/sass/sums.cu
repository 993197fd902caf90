// SPDX-License-Identifier: MIT
// Sums of matrix units with any numbers, so that how they are cut is seen: run on a GPU by
// record_features.c, emulated by test_hopper.c. One block of 128 threads; `in` has 4096
// words, `out` 65536.
//   nvcc -std=c++17 -arch=sm_90a -cubin sums.cu
#include <cuda_fp16.h>
#include <stdint.h>

enum held { HALVES, BFLOATS, TF32, E4M3, E5M2, SPECIAL = 8 };

// One word in 32 begins with an infinity or a NaN; of E4M3, with a NaN or the largest number.
template <held what> __device__ static unsigned special_of(unsigned x, unsigned word) {
    const unsigned highest[] = {0x7c00, 0x7f80, 0x7f800000, 0x7e, 0x7c},
                   rest[] = {0x3ff, 0x7f, 0x7fe000, 1, 3};
    return x >> 27 ? word
                   : (word & ~rest[what]) | highest[what] | (x >> 25 & 1 ? rest[what] & x : 0);
}

// Bits with exponents around 1, wide apart or near each other by turns.
template <held what> __device__ static unsigned word_of(unsigned x, unsigned round) {
    const unsigned near = round % 2;
    if constexpr ((what & SPECIAL) != 0)
        return special_of<held(what - SPECIAL)>(x * 0x9e3779b9u,
                                                word_of<held(what - SPECIAL)>(x, round));
    switch (what) {
    case HALVES:
        return near ? (x & 0x87ff87ff) | 0x38003800 : x & 0xdfffdfff;
    case BFLOATS:
        return near ? (x & 0x80ff80ff) | 0x3f003f00 : (x & 0x87ff87ff) | 0x38003800;
    case TF32:
        return near ? (x & 0x80ffffff) | 0x3f000000 : (x & 0x87ffffff) | 0x38000000;
    case E4M3:
        return near ? (x & 0x8f8f8f8f) | 0x30303030 : x & 0xf7f7f7f7;
    default:
        return near ? (x & 0x87878787) | 0x38383838 : x & 0xbfbfbfbf;
    }
}

__device__ static float single_of(unsigned x, unsigned round) {
    return __uint_as_float(round % 2 ? (x & 0x80ffffff) | 0x3f000000
                                     : (x & 0x83ffffff) | 0x3c000000);
}

#define MMA(name, what, shape, types, text_a, text_b, count)                                    \
    extern "C" __global__ void mma_##name(unsigned *out, const unsigned *in) {                  \
        const unsigned t = threadIdx.x;                                                         \
        for (unsigned round = 0; round < 4; round++) {                                          \
            unsigned v[6];                                                                      \
            float d[4];                                                                         \
            for (unsigned i = 0; i < 6; i++)                                                    \
                v[i] = word_of<what>(in[(round * 777 + 128 * i + t) & 4095], round);            \
            for (unsigned i = 0; i < 4; i++)                                                    \
                d[i] = single_of(in[(round * 555 + 128 * i + t * 3) & 4095], round / 2);        \
            asm volatile("mma.sync.aligned." shape ".row.col.f32." types                        \
                         ".f32 {%0, %1, %2, %3}, {" text_a "}, {" text_b "}, {%0, %1, %2, %3};" \
                         : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                       \
                         : "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5]));   \
            for (unsigned i = 0; i < 4; i++)                                                    \
                out[512 * round + 128 * i + t] = __float_as_uint(d[i]);                         \
        }                                                                                       \
    }
MMA(halves, HALVES, "m16n8k16", "f16.f16", "%4, %5, %6, %7", "%8, %9", 4)
MMA(halves_8, HALVES, "m16n8k8", "f16.f16", "%4, %5", "%8", 4)
MMA(bfloats, BFLOATS, "m16n8k16", "bf16.bf16", "%4, %5, %6, %7", "%8, %9", 4)
MMA(bfloats_8, BFLOATS, "m16n8k8", "bf16.bf16", "%4, %5", "%8", 4)
MMA(tf32s, TF32, "m16n8k8", "tf32.tf32", "%4, %5, %6, %7", "%8, %9", 4)
MMA(tf32s_4, TF32, "m16n8k4", "tf32.tf32", "%4, %5", "%8", 4)
MMA(special_halves, held(HALVES + SPECIAL), "m16n8k16", "f16.f16", "%4, %5, %6, %7", "%8, %9", 4)
MMA(special_bfloats, held(BFLOATS + SPECIAL), "m16n8k16", "bf16.bf16", "%4, %5, %6, %7", "%8, %9",
    4)
MMA(special_tf32s, held(TF32 + SPECIAL), "m16n8k8", "tf32.tf32", "%4, %5, %6, %7", "%8, %9", 4)

extern "C" __global__ void mma_in_halves(unsigned *out, const unsigned *in) {
    const unsigned t = threadIdx.x;
    for (unsigned round = 0; round < 4; round++) {
        unsigned v[6], d[2], e[2];
        for (unsigned i = 0; i < 6; i++)
            v[i] = word_of<HALVES>(in[(round * 777 + 128 * i + t) & 4095] & 0xfbfffbff, round);
        for (unsigned i = 0; i < 2; i++)
            e[i] = d[i] =
                word_of<HALVES>(in[(round * 333 + 128 * i + t) & 4095] & 0xfbfffbff, round / 2);
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, "
                     "%5}, {%6, %7}, {%0, %1};"
                     : "+r"(d[0]), "+r"(d[1])
                     : "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5]));
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
            : "+r"(e[0]), "+r"(e[1])
            : "r"(v[0]), "r"(v[1]), "r"(v[4]));
        for (unsigned i = 0; i < 2; i++) {
            out[512 * round + 128 * i + t] = d[i];
            out[512 * round + 256 + 128 * i + t] = e[i];
        }
    }
}

extern "C" __global__ void mma_doubles(unsigned *out, const unsigned *in) {
    const unsigned t = threadIdx.x;
    for (unsigned round = 0; round < 2; round++) {
        double v[4];
        for (unsigned i = 0; i < 4; i++)
            v[i] = __hiloint2double(
                (int)((in[(round * 777 + 256 * i + 2 * t) & 4095] & 0x803fffff) | 0x3fc00000),
                (int)in[(round * 777 + 256 * i + 2 * t + 1) & 4095]);
        asm volatile(
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+d"(v[2]), "+d"(v[3])
            : "d"(v[0]), "d"(v[1]));
        for (unsigned i = 0; i < 2; i++) {
            out[512 * round + 256 * i + 2 * t] = (unsigned)__double2loint(v[2 + i]);
            out[512 * round + 256 * i + 2 * t + 1] = (unsigned)__double2hiint(v[2 + i]);
        }
    }
}

// ---- Of four warps: plain cores of 8 rows of 16 bytes ----

__device__ static uint64_t described(const void *at) {
    const uint64_t address = __cvta_generic_to_shared(at);
    return address >> 4 | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;
}

#define WGMMA(name, what, kind, type, count, text, scales)                                      \
    extern "C" __global__ void wgmma_##name(unsigned *out, const unsigned *in) {                \
        __shared__ __align__(1024) unsigned a[640];                                             \
        const unsigned t = threadIdx.x;                                                         \
        _Pragma("unroll 1") for (unsigned round = 0; round < 4; round++) {                      \
            __syncthreads();                                                                    \
            for (unsigned i = t; i < 576; i += 128)                                             \
                a[i] = word_of<what>(in[(round * 777 + i) & 4095], round);                      \
            asm volatile("fence.proxy.async;");                                                 \
            __syncthreads();                                                                    \
            type d[count];                                                                      \
            for (unsigned i = 0; i < count; i++)                                                \
                d[i] = START_##count;                                                           \
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                             \
            asm volatile("wgmma.mma_async.sync.aligned.m64n8k" text " {" PLACES_##count         \
                         ", 1" scales ";"                                                       \
                         : RESULTS_##count(kind)                                                \
                         : "l"(described(a)), "l"(described(a + 512)));                         \
            asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" :: \
                             : "memory");                                                       \
            for (unsigned i = 0; i < count; i++)                                                \
                out[128 * (count * round + i) + t] = *(unsigned *)&d[i];                        \
        }                                                                                       \
    }
#define START_4 single_of(in[(round * 555 + 128 * i + t * 3) & 4095], round / 2)
#define START_2 word_of<HALVES>(in[(round * 333 + 128 * i + t) & 4095] & 0xfbfffbff, round / 2)
#define PLACES_4 "%0, %1, %2, %3}, %4, %5"
#define PLACES_2 "%0, %1}, %2, %3"
#define RESULTS_4(kind) "+" kind(d[0]), "+" kind(d[1]), "+" kind(d[2]), "+" kind(d[3])
#define RESULTS_2(kind) "+" kind(d[0]), "+" kind(d[1])
WGMMA(halves, HALVES, "f", float, 4, "16.f32.f16.f16", ", 1, 1, 0, 0")
WGMMA(bfloats, BFLOATS, "f", float, 4, "16.f32.bf16.bf16", ", 1, 1, 0, 0")
WGMMA(tf32s, TF32, "f", float, 4, "8.f32.tf32.tf32", ", 1, 1")
WGMMA(e4m3, E4M3, "f", float, 4, "32.f32.e4m3.e4m3", ", 1, 1")
WGMMA(e5m2, E5M2, "f", float, 4, "32.f32.e5m2.e5m2", ", 1, 1")
WGMMA(mixed, E4M3, "f", float, 4, "32.f32.e4m3.e5m2", ", 1, 1")
WGMMA(special_halves, held(HALVES + SPECIAL), "f", float, 4, "16.f32.f16.f16", ", 1, 1, 0, 0")
WGMMA(special_e4m3, held(E4M3 + SPECIAL), "f", float, 4, "32.f32.e4m3.e4m3", ", 1, 1")
WGMMA(special_e5m2, held(E5M2 + SPECIAL), "f", float, 4, "32.f32.e5m2.e5m2", ", 1, 1")
WGMMA(special_in_halves, held(HALVES + SPECIAL), "r", unsigned, 2, "16.f16.f16.f16", ", 1, 1, 0, 0")
WGMMA(halves_in_halves, HALVES, "r", unsigned, 2, "16.f16.f16.f16", ", 1, 1, 0, 0")
WGMMA(e4m3_in_halves, E4M3, "r", unsigned, 2, "32.f16.e4m3.e4m3", ", 1, 1")
WGMMA(e5m2_in_halves, E5M2, "r", unsigned, 2, "32.f16.e5m2.e5m2", ", 1, 1")

// ---- Registers given and taken, one lane chosen, what only hints ----

extern "C" __global__ void __maxnreg__(128) registers_given(unsigned *out, const unsigned *in) {
    const unsigned t = threadIdx.x;
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    const unsigned x = in[t];
    asm volatile("setmaxnreg.inc.sync.aligned.u32 128;");
    out[t] = x + 1;
}

extern "C" __global__ void chosen(unsigned *out, const unsigned *in) {
    const unsigned t = threadIdx.x;
    unsigned elected, lane = 77;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
                 : "=r"(elected));
    out[128 + t] = elected;
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;");
    if (t % 32 % 3 == 1) {
        asm volatile("{ .reg .pred p; elect.sync %1|p, 0x92492492; selp.u32 %0, 1, 0, p; }"
                     : "=r"(elected), "=r"(lane));
        out[256 + t] = elected + 5;
    }
    out[384 + t] = lane;
    asm volatile("prefetch.global.L2 [%0]; prefetch.global.L1 [%0];" ::"l"(in));
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 64;" ::"l"(in));
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(in));
    out[t] = in[t] + 1;
}
