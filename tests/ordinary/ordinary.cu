// SPDX-License-Identifier: MIT
// Ordinary C++ on the device against the same functions on the host; each kernel's line ends with
// "equal" or says what differs. tests/ordinary/run compiles it for many chips and in many ways.
//     nvcc -std=c++17 -arch=sm_90 -cudart shared ordinary.cu
// clang-format off
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#define HD __host__ __device__
typedef unsigned u32;
typedef unsigned short u16;
typedef unsigned long long u64;
typedef unsigned __int128 u128;
enum { COUNT = 512, PER_THREAD = 24 };

static HD u64 mixed(u32 i) {
    u64 x = i * 0x9e3779b97f4a7c15ull + 1;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}
static HD float float_of(u32 bits) { float out; memcpy(&out, &bits, 4); return out; }
static HD u32 bits_of(float value) { u32 out; memcpy(&out, &value, 4); return out == 0xffc00000u || value != value ? 0x7fffffffu : out; }
static HD double real(u32 i) { return (double)(mixed(i) >> 11) * (8.0 / 9007199254740992.0) - 4; }

// ---- Integers of 8 to 128 bits ----

static HD u64 integers(u32 i, int) {
    const u64 a = mixed(i), b = mixed(i + 1000) | 1, c = mixed(i + 7) % 97 + 1;
    const long long s = (long long)a, t = (long long)(b >> 17) | 1;
    const u128 p = (u128)a * b, q = p / c;
    const __int128 r = (__int128)p % (t | 1);
    u64 sum = a / b + a % c + (u64)(s / t) + (u64)(s % t) + (u64)(p >> 64) + (u64)q + (u64)(q >> 64) + (u64)r;
    sum ^= a << (b & 63) | a >> (64 - b & 63);
    sum += (u32)a / (u32)c + (u32)((int)a % 7) + (u32)b % 1000003u + (u32)((short)a / ((signed char)b | 1)) + (uint16_t)((uint16_t)a * (uint16_t)b);
    const u128 z = (p << (int)(c & 127)) ^ (p >> (int)(c & 63));
    return (sum ^ (u64)z ^ (u64)(z >> 64)) + (p > ((u128)b << 60)) - (s < t);
}

// ---- Classes, functions by pointer, recursion, a switch over a uniform value ----

struct shape { int k; HD shape(int k_) : k(k_) {} HD virtual int of(int x) const { return x; } };
struct line : shape { HD line(int k_) : shape(k_) {} HD int of(int x) const override { return x * k + 1; } };
struct bent : shape { HD bent(int k_) : shape(k_) {} HD int of(int x) const override { return (x ^ k) - 3; } };
static HD int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static HD int one_more(int a) { return a + 1; }
static HD int three_times(int a) { return a * 3; }
static HD u64 calls(u32 i, int k) {
    const line a(5); const bent b(77);
    const shape *const one = i & 1 ? (const shape *)&a : (const shape *)&b;
    int (*const of[3])(int) = {one_more, three_times, fibonacci};
    u32 sum = (u32)(one->of((int)i) + of[(i + k) % 3]((int)(i & 15)) + fibonacci((int)(i % 9)));
    const auto scaled = [=](int q) { return q * (int)i + k; };
    switch (k) {
    case 0: sum += (u32)scaled(3); break;
    case 1: sum ^= i / 7; break;
    case 2: sum -= i << 3; break;
    case 3: sum = sum << 3 | sum >> 29; break;
    case 4: sum *= i | 1; break;
    case 5: sum = i > 40 ? sum : i; break;
    case 6: sum ^= i & 0x55; break;
    case 7: sum += sum % 1000; break;
    default: sum += (u32)k;
    }
    return sum;
}

// ---- Doubles and floats ----

static HD u64 doubles(u32 i, int k) {
    const double x = real(i), y = fabs(real(i + 99)) + 0.5;
    double r;
    switch (k) {
    case 0: r = sqrt(fabs(x)); break;
    case 1: r = x / y; break;
    case 2: r = fma(x, y, -x); break;
    case 3: r = floor(x * 10) + ceil(y) - trunc(x); break;
    case 4: r = rint(x * 100); break;
    case 5: r = fmod(x * 32, y); break;
    case 6: r = ldexp(x, 5) + scalbn(y, -3); break;
    case 7: r = remainder(x * 64, y); break;
    case 8: r = copysign(y, x) + fmax(x, y) - fmin(x, y); break;
    default: r = (double)(long long)(x * 1024.0) + (double)(u32)(y * 5e8) + (float)x;
    }
    u64 out;
    memcpy(&out, &r, 8);
    return out;
}

// A product and a power of two are one instruction, which rounds once; both factors so that the
// result is subnormal, or near the largest float.
static HD float factor(u32 i, bool is_second) {
    const u32 u = (u32)mixed(i), v = (u32)(mixed(i) >> 32);
    const int first = 1 + (int)(u % 253), end = v & 1 ? (int)((v >> 1) % 34) - 28 : 247 + (int)((v >> 1) % 12);
    const int second = end + 127 - first;
    const u32 exponent = (u32)(!is_second ? first : second < 0 ? 0 : second > 255 ? 255 : second);
    return float_of(((is_second ? v : u) * 0x9e3779b9u & 0x807fffffu) | exponent << 23);
}
static bool is_joined; // so says the command line: the optimiser does it, where products may be joined with sums
template <int POWER> static HD float scaled(float a, float b) {
    const float power = POWER < 0 ? 1.0f / (1 << -POWER) : 1.0f * (1 << (POWER < 0 ? 0 : POWER));
#ifndef __CUDA_ARCH__
    if (is_joined) return (float)((double)a * (double)b * power);
#endif
    return a * b * power;
}
template <int POWER> static HD u64 products(u32 i, int) { return bits_of(scaled<POWER>(factor(i, false), factor(i, true))); }

// ---- Narrow floats ----

static HD u64 narrow(u32 i, int k) {
    const float x = (float)real(i), y = (float)real(i + 1) * 40, z = (float)real(i + 2) * 1e-3f, w = (float)real(i + 3) * 500;
    const __half2 low = __floats2half2_rn(x, y), high = __floats2half2_rn(z, w);
    u32 out;
    switch (k) {
    case 0: { const __nv_fp8x4_e4m3 q(make_float4(x, y, z, w)); memcpy(&out, &q, 4); break; }
    case 1: { const __nv_fp8x4_e5m2 q(make_float4(w, z, y, x)); memcpy(&out, &q, 4); break; }
    case 2: { const __nv_fp8x4_e4m3 q(low, high); memcpy(&out, &q, 4); break; }
    case 3: { const __half2 q(__nv_fp8x2_e4m3(make_float2(x, y))); memcpy(&out, &q, 4); break; }
    case 4: { const __nv_bfloat162 q = __floats2bfloat162_rn(y, z); memcpy(&out, &q, 4); break; }
    case 9: { const __half2 q = __hmax2(__hmax2(low, high), __floats2half2_rn(y, i % 7 ? x : float_of(0x7fffffffu))); memcpy(&out, &q, 4); break; }
    case 10: { const __half2 q = __hmin2(__hmin2(low, __floats2half2_rn(i % 5 ? w : float_of(0x7fffffffu), y)), high); memcpy(&out, &q, 4); break; }
    case 5: out = (u32)__half2int_rz(__low2half(low)); break;
    case 6: out = bits_of(fmaxf(fmaxf(x, y), w)); break;
    case 7: out = bits_of(fminf(fminf(fabsf(x), -y), z)); break;
    case 8: out = bits_of(fmaxf(fmaxf(i % 3 ? x : float_of(0x7fffffffu), i % 5 ? y : float_of(0x7fffffffu)), -fabsf(z))); break;
    case 11: {
        const __half far = __float2half(x * 1e5f); // often infinite
#ifdef __CUDA_ARCH__
        out = __hgt(far, __float2half(-INFINITY)) + 2 * __hlt(far, __float2half(INFINITY));
#else
        out = (__half2float(far) > -INFINITY) + 2 * (__half2float(far) < INFINITY);
#endif
        break;
    }
    default: memcpy(&out, &high, 4);
    }
    return out;
}

// Two floats in one register pair, which 10.0 has instructions for.
static HD u64 pairs(u32 i, int k) {
    const float a[2] = {(float)real(i), (float)real(i + 1)}, b[2] = {(float)real(i + 2), (float)real(i + 3)}, c[2] = {(float)real(i + 4), (float)real(i + 5)};
    u64 x, y, z, out = 0;
    memcpy(&x, a, 8); memcpy(&y, b, 8); memcpy(&z, c, 8);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
    if (k == 0) asm("add.rn.f32x2 %0, %1, %2;" : "=l"(out) : "l"(x), "l"(y));
    else if (k == 1) asm("mul.rn.f32x2 %0, %1, %2;" : "=l"(out) : "l"(x), "l"(y));
    else if (k == 2) asm("fma.rn.f32x2 %0, %1, %2, %3;" : "=l"(out) : "l"(x), "l"(y), "l"(z));
    else if (k == 6) { // constants, signs
        asm("{ .reg .b64 h, m; mov.b64 h, 0x3fc000003fc00000; xor.b64 m, %2, 0x8000000080000000; fma.rn.f32x2 m, %1, h, m;\n"
            "  and.b64 h, %1, 0x7fffffff7fffffff; add.rn.f32x2 %0, h, m; }" : "=l"(out) : "l"(x), "l"(y));
    } else {
        // One float for both, negated.
        float r[2] = {k == 4 ? -c[0] : c[0], k == 4 ? -c[0] : c[0]};
        memcpy(&z, r, 8);
        if (k == 5) asm("fma.rn.f32x2 %0, %1, %2, %3;" : "=l"(out) : "l"(x), "l"(y), "l"(z));
        else asm("add.rn.f32x2 %0, %1, %2;" : "=l"(out) : "l"(x), "l"(z));
    }
#else
    float r[2];
    for (int j = 0; j < 2; j++)
        r[j] = k == 0 ? a[j] + b[j] : k == 1 ? a[j] * b[j] : k == 2 ? fmaf(a[j], b[j], c[j]) : k == 3 ? a[j] + c[0] : k == 4 ? a[j] - c[0] : k == 6 ? fabsf(a[j]) + fmaf(a[j], 1.5f, -b[j]) : fmaf(a[j], b[j], c[0]);
    memcpy(&out, r, 8);
#endif
    return out;
}

// Sums of a half and a float, which 10.0 has instructions for.
static HD u64 mixed_sums(u32 i, int k) {
    const float x = (float)real(i), y = (float)real(i + 1), z = (float)real(i + 2);
    const __half2 h = __floats2half2_rn(x, y);
    const __nv_bfloat162 b = __floats2bfloat162_rn(y, x);
    float out = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
    u32 hs, bs;
    memcpy(&hs, &h, 4); memcpy(&bs, &b, 4);
    const u16 h0 = (u16)hs, h1 = (u16)(hs >> 16), b0 = (u16)bs, b1 = (u16)(bs >> 16);
    if (k == 0) asm("add.f32.f16 %0, %1, %2;" : "=f"(out) : "h"(h0), "f"(z));
    else if (k == 1) asm("sub.rz.f32.f16 %0, %1, %2;" : "=f"(out) : "h"(h1), "f"(z));
    else if (k == 2) asm("add.sat.f32.bf16 %0, %1, %2;" : "=f"(out) : "h"(b1), "f"(z));
    else if (k == 3) asm("fma.rn.f32.f16 %0, %1, %2, %3;" : "=f"(out) : "h"(h0), "h"(h1), "f"(z));
    else asm("fma.rn.f32.bf16 %0, %1, %2, %3;" : "=f"(out) : "h"(b1), "h"(b0), "f"(z));
#else
    const float h0 = __low2float(h), h1 = __high2float(h), b0 = __low2float(b), b1 = __high2float(b);
    if (k == 0) out = h0 + z;
    else if (k == 1) { const double exact = (double)h1 - z; out = (float)exact; if (fabs((double)out) > fabs(exact)) out = nextafterf(out, 0); }
    else if (k == 2) out = fminf(fmaxf(b1 + z, 0), 1);
    else if (k == 3) out = fmaf(h0, h1, z);
    else out = fmaf(b1, b0, z);
#endif
    return bits_of(out);
}

// ---- Which memory an address is in: of the warp's and the lane's own addresses ----

static __global__ void spaces(u64 *out, const void *some) {
    __shared__ u32 tile[64];
    u32 own[8];
    const u32 i = threadIdx.x;
    for (int j = 0; j < 8; j++) own[j] = i + j;
    tile[i] = own[i & 7];
    __syncthreads();
    const void *of[6] = {tile, some, &own[i & 7], tile + (i & 63), (const char *)some + i, own};
    u32 bits = 0;
#pragma unroll
    for (int j = 0; j < 6; j++) {
        asm volatile("" : "+l"(of[j]));
        bits |= (__isShared(of[j]) | __isGlobal(of[j]) << 1 | __isLocal(of[j]) << 2 | __isConstant(of[j]) << 3) << 4 * j;
    }
    out[i] = bits + own[(i + 1) & 7] * 0 + tile[i] * 0;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define HAS_WIDE_DOUBLES
#endif
// A matrix of doubles of 16 x 16 by one of 16 x 8: row 4 i + r / 2 ...: as PTX lays them out.
static HD double entry(u32 matrix, u32 row, u32 column) { return real(matrix * 1000 + row * 16 + column); }
static __global__ void matrices(double *out) {
#ifdef HAS_WIDE_DOUBLES
    const u32 l = threadIdx.x;
    double a[8], b[4], c[4], d[4];
    for (u32 j = 0; j < 8; j++) a[j] = entry(1, l / 4 + 8 * (j % 2), l % 4 + 4 * (j / 2));
    for (u32 j = 0; j < 4; j++) { b[j] = entry(2, l % 4 + 4 * j, l / 4); c[j] = entry(3, l / 4 + 8 * (j / 2), l % 4 * 2 + j % 2); }
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10};"
        : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3]) : "d"(a[0]), "d"(a[1]), "d"(b[0]), "d"(c[0]), "d"(c[1]), "d"(c[2]), "d"(c[3]));
    for (u32 j = 0; j < 4; j++) out[l * 4 + j] = d[j];
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
        : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]), "d"(c[0]), "d"(c[1]), "d"(c[2]), "d"(c[3]));
    for (u32 j = 0; j < 4; j++) out[128 + l * 4 + j] = d[j];
    asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%16,%17,%18,%19};"
        : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]),
          "d"(c[0]), "d"(c[1]), "d"(c[2]), "d"(c[3]));
    for (u32 j = 0; j < 4; j++) out[256 + l * 4 + j] = d[j];
#endif
}

// The same of 8-bit floats, in steps of 1/8 from 1 to 2, whose sums are exact: E4M3 by E5M2.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
#define HAS_NARROW_MATRICES
#endif
static HD u32 eighths(u32 matrix, u32 row, u32 column) { return (u32)mixed(matrix * 1000 + row * 32 + column) & 7; }
static HD float narrow_entry(u32 matrix, u32 row, u32 column) { return 1 + (matrix == 1 ? eighths(1, row, column) : eighths(2, row, column) & 6) / 8.f; }
static HD u32 narrow_byte(u32 matrix, u32 row, u32 column) { return matrix == 1 ? 0x38 + eighths(1, row, column) : 0x3c + eighths(2, row, column) / 2; }
static __global__ void narrow_matrices(float *out) {
#ifdef HAS_NARROW_MATRICES
    const u32 l = threadIdx.x;
    u32 a[4] = {}, b[2] = {};
    for (u32 j = 0; j < 16; j++) a[j / 4] |= narrow_byte(1, l / 4 + 8 * (j / 4 % 2), l % 4 * 4 + j % 4 + 16 * (j / 8)) << j % 4 * 8;
    for (u32 j = 0; j < 8; j++) b[j / 4] |= narrow_byte(2, l % 4 * 4 + j % 4 + 16 * (j / 4), l / 4) << j % 4 * 8;
    float d[4];
    u32 h[2];
    asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(1.f), "f"(2.f), "f"(3.f), "f"(4.f));
    for (u32 j = 0; j < 4; j++) out[l * 4 + j] = d[j];
    asm("mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e5m2.f16 {%0,%1},{%2,%3},{%4},{%5,%6};"
        : "=r"(h[0]), "=r"(h[1]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(0x40003c00), "r"(0x44004200));
    for (u32 j = 0; j < 4; j++) out[128 + l * 4 + j] = __half2float(__ushort_as_half((u16)(h[j / 2] >> j % 2 * 16)));
#endif
}

// ---- The host ----

static int wrong;
static void judge(const char *name, u32 different, cudaError_t error) {
    if (error != cudaSuccess) printf("%s: %s\n", name, cudaGetErrorString(error));
    else if (different > 0) printf("%s: %u results differ\n", name, different);
    wrong += error != cudaSuccess || different > 0;
}
typedef u64 (*function)(u32, int);
template <function F> static __global__ void kernel(u64 *out, int per_thread) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < per_thread; k++) out[i * PER_THREAD + k] = F(i, k);
}
template <function F> static void test(const char *name, int per_thread, u64 *device) {
    static u64 host[COUNT * PER_THREAD];
    u32 different = 0;
    kernel<F><<<COUNT / 64, 64>>>(device, per_thread);
    const cudaError_t error = cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (u32 i = 0; i < COUNT && error == cudaSuccess; i++)
        for (int k = 0; k < per_thread; k++) different += host[i * PER_THREAD + k] != F(i, k);
    judge(name, different, error);
}

int main(int argc, char **argv) {
    bool has_matrices = false, has_narrow_matrices = false; // code for 9.0, 8.9 and above
    for (int i = 1; i < argc; i++) {
        is_joined |= strcmp(argv[i], "joined") == 0;
        has_matrices |= strcmp(argv[i], "matrices") == 0;
        has_narrow_matrices |= strcmp(argv[i], "narrow") == 0;
    }
    u64 *device, host[384];
    cudaMalloc(&device, COUNT * PER_THREAD * 8);
    test<integers>("integers", 1, device);
    test<calls>("calls", 10, device);
    test<doubles>("doubles", 10, device);
    test<narrow>("narrow", 13, device);
    test<pairs>("pairs", 7, device);
    test<mixed_sums>("mixed sums", 5, device);
    test<products<-1>>("products / 2", 1, device);
    test<products<-2>>("products / 4", 1, device);
    test<products<-3>>("products / 8", 1, device);
    test<products<2>>("products x 4", 1, device);
    test<products<3>>("products x 8", 1, device);
    spaces<<<1, 64>>>(device, device);
    cudaError_t error = cudaMemcpy(host, device, 64 * 8, cudaMemcpyDeviceToHost);
    u32 different = 0;
    for (u32 i = 0; i < 64; i++) different += host[i] != 0x421421;
    judge("spaces", different, error);
    if (has_matrices) {
        matrices<<<1, 32>>>((double *)device);
        double sums[384];
        error = cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost);
        different = 0;
        for (u32 at = 0; at < 384; at++) {
            const u32 l = at % 128 / 4, j = at % 4, row = l / 4 + 8 * (j / 2), column = l % 4 * 2 + j % 2;
            double sum = entry(3, row, column);
            for (u32 k = 0; k < 4u << at / 128; k++) sum = fma(entry(1, row, k), entry(2, k, column), sum);
            different += sum != sums[at];
        }
        judge("matrices", different, error);
    }
    if (has_narrow_matrices) {
        narrow_matrices<<<1, 32>>>((float *)device);
        float sums[256];
        error = cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost);
        different = 0;
        for (u32 at = 0; at < 256; at++) {
            const u32 l = at % 128 / 4, j = at % 4, row = l / 4 + 8 * (j / 2), column = l % 4 * 2 + j % 2;
            float sum = 1.f + j;
            for (u32 k = 0; k < (at < 128 ? 32u : 16u); k++) sum += narrow_entry(1, row, k) * narrow_entry(2, k, column);
            different += (at < 128 ? sum : __half2float(__float2half(sum))) != sums[at];
        }
        judge("narrow matrices", different, error);
    }
    puts(wrong ? "different" : "equal");
    return wrong != 0;
}
