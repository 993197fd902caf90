// SPDX-License-Identifier: MIT
// Forms that HeCBench's programs have and opcodes.cu, forms.cu and programs.cu have not: recorded
// and compared like them.
//     nvcc -std=c++17 -arch=sm_90 -cubin benchmarks.cu
// clang-format off
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "opcode_macros.cuh"

__device__ u32 shared_words[1024];
__device__ __align__(16) float vectors[64 * 8];

KERNEL(int_benchmarks) {
    INPUT;
    const u64 a = x | (u64)y << 32, b = z | (u64)w << 32;
    const u32 vx = blockDim.x * 0x9e3779b9u, vy = gridDim.x * 0x7fffffffu, by = w & 31;
    OUT(__funnelshift_l(x, 0, y)); OUT(__funnelshift_r(0, x, y)); OUT(__funnelshift_l(x, y, z)); OUT(__funnelshift_r(x, y, z)); OUT(__funnelshift_lc(x, y, z)); OUT(__funnelshift_rc(x, y, z));
    OUT(__funnelshift_l(0, x, by)); OUT(x << by | x >> (32 - by)); OUT(y >> by | y << (32 - by));
    OUT(__viaddmax_s32_relu((int)x, 1, (int)y)); OUT(__viaddmax_s32_relu((int)x, (int)y, (int)z)); OUT(__viaddmin_s32_relu((int)x, (int)y, (int)z)); OUT(__vimax_s32_relu((int)x, (int)y)); OUT(__vimin_s32_relu((int)z, (int)w)); OUT(__vimax3_s32_relu((int)x, (int)y, (int)z)); OUT(__vimin3_s32_relu((int)x, (int)y, (int)z));
    OUT64(a - (u64)vy); OUT64(a + vx + (u64)z); OUT64(a - vx - b); OUT64((a ^ 5) + ~b + ((u64)0x3fe00000 << 32)); OUT64(a + b + ((u64)vx << 32 | vy)); OUT64(a - b - (u64)vx * vy);
    OUT(-(x * 32)); OUT(y - (x << 2)); OUT64(b - (a << 2)); OUT(((u64)z + ((u64)(0u - x) << 9)) >> 23); OUT((u32)((int)(y - (x >> 9)))); OUT(x / 24); OUT((int)x / -24); OUT((int)y % 48);
    OUT64(a * 7 - b); OUT64((s64)a >> 2); OUT64(__umul64hi(a, b)); OUT64(a / (b | 1)); OUT64((s64)a % (s64)(b >> 40 | 1));
    u32 r = 0, n = x & 15;
    for (u32 j = 0; j < n; j++) { r = r * 3 + j; if ((r ^ y) % 11 == 0) break; if (__popc(r & z) > 7 && j > 5) break; }
    OUT(r);
    switch (z % 9) { case 0: r += 3; break; case 1: r ^= w; break; case 2: r *= x; break; case 3: r = __clz(r); break; case 4: r = __ffs(r); break; case 5: r -= y; break; case 6: r = r / 7; break; case 7: r = ~r; break; default: r = 9; }
    OUT(r);
}

KERNEL(float_benchmarks) {
    INPUT;
    const float a = __uint_as_float(x), b = __uint_as_float(y), c = __uint_as_float(z), d = __uint_as_float(w);
    const float inf = __int_as_float(0x7f800000);
    OUTF(-fabsf(a) + fabsf(b)); OUTF(fabsf(a) - fabsf(b)); OUTF(FASM3("fma.rn.ftz.f32", -a, a, 1.0f)); OUTF(FASM3("fma.rn.ftz.f32", a, a, -b)); OUTF(FASM3("fma.rn.ftz.f32", -a, b, c));
    OUTF(FASM2("add.ftz.f32", a, -b)); OUTF(FASM2("mul.ftz.f32", -a, b)); OUTF(FASM2("sub.ftz.f32", fabsf(a), b));
#define SETF(text, a, b) ({ u32 r_; asm("{ .reg .pred p; setp." text ".f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=r"(r_) : "f"(a), "f"(b)); r_; })
#define SETFJ(text, a, b, c) ({ u32 r_; asm("{ .reg .pred p, q; setp.ne.u32 q, %3, 0; setp." text ".f32 p, %1, %2, q; selp.u32 %0, 1, 0, p; }" : "=r"(r_) : "f"(a), "f"(b), "r"((u32)(c))); r_; })
    OUT(SETF("geu.ftz", fabsf(a), 1e-17f)); OUT(SETF("gt.ftz", fabsf(b), 1e-17f)); OUT(SETF("lt.ftz", fabsf(c), 1e-38f)); OUT(SETF("equ.ftz", d, 0.0f)); OUT(SETF("neu", fabsf(a), fabsf(b))); OUT(SETF("leu", -a, fabsf(b)));
    OUT(SETFJ("geu.or", fabsf(a), inf, !(y & 1))); OUT(SETFJ("geu.or", -b, -1.0f, x & 1)); OUT(SETFJ("lt.and", fabsf(c), inf, z & 1)); OUT(SETFJ("gtu.xor", a, b, w & 2)); OUT(SETFJ("num.and", a, b, w & 1)); OUT(SETFJ("nan.or", c, d, x & 4));
    OUTF(x & 1 ? fabsf(a) : fabsf(b)); OUTF(fabsf(a) < fabsf(b) ? fabsf(b) : fabsf(a)); OUTF(y & 4 ? -a : fabsf(b)); OUT(isinf(a) | isnan(b) << 1 | isfinite(c) << 2);
    OUTF(fmodf(a, b)); OUTF(rintf(a)); OUTF(truncf(b)); OUTF(ceilf(c)); OUTF(roundf(d)); OUTF(copysignf(a, b)); OUTF(fdimf(a, b)); OUTF(ldexpf(a, 3)); OUTF(nextafterf(a, b)); OUT(ilogbf(c));
    OUT(__float2uint_rn(fabsf(a))); OUT(__float2int_rd(b)); OUT(__float2int_ru(c)); OUT64(__float2ll_rz(d)); OUT64(__float2ull_rn(fabsf(a)));
}

KERNEL(double_benchmarks) {
    INPUT;
    const double a = __hiloint2double((int)x, (int)y), b = __hiloint2double((int)z, (int)w), g = (double)gridDim.x * 0.37, h = (double)blockDim.x * -1.5e10;
    OUTD(a * -g); OUTD(-(b * h)); OUTD(fma(a, -h, b)); OUT(fabs(a) < g); OUT(!(fabs(b) < h)); OUT(fabs(a) >= fabs(h)); OUT(a > g || fabs(b) == h); OUTF((float)-b); OUTF((float)(-fabs(a)));
    OUTD((double)(unsigned short)x); OUTD((double)(short)y); OUTD((double)(unsigned char)z); OUTD((double)(signed char)w); OUTD((double)(u64)(x | (u64)y << 32)); OUTD((double)(s64)(z | (u64)w << 32));
    OUT((unsigned short)__double2uint_rz(fabs(a) * 1e-3)); OUT64(__double2ll_rd(b)); OUT64(__double2ull_rn(fabs(a))); OUT(__double2int_rn(b)); OUTD(floor(a)); OUTD(rint(b)); OUTD(fmod(a, 3.25)); OUTD(trunc(b)); OUTD(ceil(a)); OUTD(round(b));
}

KERNEL(half_benchmarks) {
    INPUT;
    const __half2 a = *(const __half2 *)&x, b = *(const __half2 *)&y, c = *(const __half2 *)&z;
    const __nv_bfloat162 e = __floats2bfloat162_rn(__uint_as_float(0x3f800000 | (x & 0x7fffff)), -3.5f + (y & 255)), f = __floats2bfloat162_rn((z & 1023) * 0.37f, (w & 127) * -0.11f), g = __floats2bfloat162_rn((int)(y >> 20) * 1.0f, 2.5f);
#define OUTH(v) do { __half2 v_ = (v); OUT(*(u32 *)&v_); } while (0)
#define OUTB(v) do { __nv_bfloat162 v_ = (v); OUT(*(u32 *)&v_); } while (0)
    OUTH(__hneg2(__low2half2(a))); OUTH(__hfma2(__low2half2(a), __float2half2_rn(-0.0009765625f), __low2half2(c))); OUTH(__hmul2(__low2half2(a), __low2half2(b))); OUTH(__hmul2(a, __high2half2(b))); OUTH(__hfma2(__high2half2(a), b, __low2half2(c)));
    OUTH(__heq2(__low2half2(a), __floats2half2_rn(0.0226898f, 0.0072975f))); OUTH(__hgt2(a, __low2half2(b))); OUTH(__hadd2(__hneg2(__low2half2(a)), __hneg2(b)));  OUTH(__hsub2(__high2half2(a), __low2half2(b)));
    OUTB(__hfma2(e, __low2bfloat162(f), g)); OUTB(__hmul2(e, __high2bfloat162(f))); OUTB(__hmul2(__low2bfloat162(e), __low2bfloat162(g))); OUTB(__hadd2(e, __low2bfloat162(g))); OUTB(__hsub2(__high2bfloat162(e), f));
    OUT(__half2short_rz(__low2half(a))); OUT(__half2ushort_rz(__high2half(b))); OUT(__half2int_rz(__low2half(c))); OUT(__half2char_rz(__low2half(a))); OUT(__half2uchar_rz(__high2half(c))); OUT64(__half2ll_rz(__low2half(b)));
    OUT(__bfloat162short_rz(__low2bfloat16(e))); OUT(__bfloat162ushort_rz(__high2bfloat16(f))); OUT(__bfloat162int_rz(__low2bfloat16(g))); OUT(__bfloat162char_rz(__low2bfloat16(f))); OUT(__bfloat162uchar_rz(__low2bfloat16(e)));
    OUT(__half2int_rn(__low2half(a))); OUT(__half2int_ru(__high2half(a))); OUT(__half2uint_rd(__low2half(b)));
    unsigned short h; asm("cvt.rn.f16.bf16 %0, %1;" : "=h"(h) : "h"(__bfloat16_as_ushort(__low2bfloat16(e)))); OUT(h); asm("cvt.rn.f16.bf16 %0, %1;" : "=h"(h) : "h"((unsigned short)z)); OUT(h); asm("cvt.rn.bf16.f16 %0, %1;" : "=h"(h) : "h"((unsigned short)x)); OUT(h);
    OUTF(__half2float(__low2half(a))); OUTH(h2rint(a)); OUTH(h2floor(b)); OUTH(h2ceil(c)); OUTH(h2trunc(a));
}

// What atomics leave, and what they return where one lane asks after the other.
KERNEL(int_atomics) {
    INPUT;
    __shared__ u64 s[64];
    u32 *g = shared_words + i % 4;
    if (i < 4) for (u32 j = 0; j < 200; j += 4) g[j] = in[(i + j) & 255];
    s[i] = z | (u64)w << 32;
    __syncthreads();
    atomicAnd(&g[4], x | 0xffff); atomicOr(&g[8], y & 0xff00); atomicXor(&g[12], z); atomicMin(&g[16], w); atomicMax((int *)&g[20], (int)x); atomicMin((int *)&g[24], (int)y); atomicInc(&g[28], 0x7fffffff); atomicDec(&g[32], 0x7fffffff);
    atomicAnd_system(&g[36], x | 0xff); atomicOr_system(&g[40], y & 0xff); atomicXor_system(&g[44], z); atomicMin_system((int *)&g[48], (int)w); atomicMax_system((int *)&g[52], (int)x); atomicAdd_system(&g[56], y); atomicExch_system(&g[60], 5u); atomicInc_system(&g[64], 1000u); atomicDec_system(&g[68], 1000u);
    __syncthreads();
    for (u32 j = 4; j < 72; j += 4) OUT(g[j]);
    OUT64(atomicCAS(&s[63 - i], i & 1 ? (u64)in[4 * (63 - i) + 2] | (u64)in[4 * (63 - i) + 3] << 32 : 7, (u64)x));
    __syncthreads(); OUT64(s[i]); __syncthreads();
    OUT64(atomicExch(&s[i ^ 5], (u64)y << 32 | i)); __syncthreads(); OUT64(s[i]);
    u32 *own = shared_words + 512 + i; *own = x & 3; __syncthreads();
    OUT(atomicCAS_system(own, 1u, y)); OUT(atomicCAS(own, x & 3, z)); OUT(atomicExch(own, w)); OUT(atomicOr(own, 0x10)); OUT(atomicAnd(own, 0xfff)); OUT(*own);
    volatile u32 *any = i & 1 ? own : (u32 *)&s[i]; // generic
    any[0] = x; __syncthreads(); OUT(any[0]); OUT(atomicAdd((u32 *)any, z)); OUT(atomicExch((u64 *)&s[i], (u64)x)); OUT(any[0]);
}

KERNEL(float_atomics) {
    INPUT;
    float4 *p = (float4 *)vectors + i; float2 *q = (float2 *)(vectors + 256) + i;
    *p = make_float4(__uint_as_float(x & 0x3fffffff), 1, -2, 0.5f); *q = make_float2(3, __uint_as_float(y & 0x3fffffff)); __syncthreads();
    float4 *pi = (float4 *)vectors + (i ^ 7); float2 *qi = (float2 *)(vectors + 256) + (i ^ 9);
    atomicAdd(pi, make_float4(1.25f, __uint_as_float(z & 0x3fffffff), 1e-39f, -0.5f)); atomicAdd(qi, make_float2(__uint_as_float(w & 0x3fffffff), 1)); __syncthreads();
    OUTF(p->x); OUTF(p->y); OUTF(p->z); OUTF(p->w); OUTF(q->x); OUTF(q->y);
    float4 o = atomicAdd(p, make_float4(1, 2, 3, 4)); OUTF(o.x); OUTF(o.y); OUTF(o.z); OUTF(o.w); OUTF(p->x); OUTF(p->w);
}

// Generic and evicted accesses of all widths, to shared and to global memory; copies with zeros.
KERNEL(memory_benchmarks) {
    INPUT;
    __shared__ __align__(16) u32 s[64 * 8];
    u32 *at = (x & 1) ? s + 8 * i : out + 64 * 40 + 8 * i;
    const u32 *src = in + 4 * i;
    asm volatile("st.mmio.relaxed.sys.u32 [%0], %1;" :: "l"(at), "r"(y) : "memory");
    asm volatile("st.relaxed.sys.v2.u32 [%0], {%1, %2};" :: "l"(at + 2), "r"(z), "r"(w) : "memory");
    asm volatile("st.volatile.v4.u32 [%0], {%1, %2, %3, %4};" :: "l"(at + 4), "r"(w), "r"(z), "r"(y), "r"(x) : "memory");
    __syncwarp();
    u32 r, q, t, v;
    asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(r) : "l"(at)); OUT(r);
    asm volatile("ld.volatile.v2.u32 {%0, %1}, [%2];" : "=r"(r), "=r"(q) : "l"(at + 2)); OUT(r); OUT(q);
    asm volatile("ld.volatile.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(r), "=r"(q), "=r"(t), "=r"(v) : "l"(at + 4)); OUT(r ^ q * 3 ^ t * 5 ^ v * 7);
    unsigned short h; asm volatile("ld.volatile.u16 %0, [%1];" : "=h"(h) : "l"(src + 1)); OUT(h); asm volatile("ld.volatile.u8 %0, [%1];" : "=r"(r) : "l"((const char *)src + 5)); OUT(r); asm volatile("ld.volatile.s8 %0, [%1];" : "=r"(r) : "l"((const char *)src + 6)); OUT(r);
    asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(r), "=r"(q), "=r"(t), "=r"(v) : "l"(src)); OUT(r + q * 3 + t * 5 + v * 7);
    asm volatile("ld.global.cs.u32 %0, [%1];" : "=r"(r) : "l"(src + 2)); OUT(r); OUT64(__ldcs((const u64 *)src)); OUT(__ldcg(src + 3)); OUT(__ldlu(src)); OUT(__ldcv(src + 1));
    __syncthreads();
    u32 *mine = out + 64 * 40 + 8 * i;
    __stcs((uint4 *)mine, make_uint4(x, y, z, w)); __stcs(mine + 4, x + y); __stwt(mine + 5, z); __stcg((uint2 *)(mine + 6), make_uint2(w, x)); __syncthreads();
    OUT(mine[i & 7]); OUT(out[64 * 40 + ((i * 37) & 511)]);
    const u32 to = (u32)__cvta_generic_to_shared(s + 4 * i), size = (x >> 3) % 17, half = (y >> 3) % 9, word = (z >> 3) % 5;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(src), "r"(size));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" :: "r"(to + 1024), "l"(src), "r"(half));
    asm volatile("cp.async.wait_all;" ::: "memory"); __syncthreads();
    OUT(s[4 * i]); OUT(s[4 * i + 1]); OUT(s[4 * i + 2]); OUT(s[4 * i + 3]); OUT(s[256 + 4 * i]); OUT(s[256 + 4 * i + 1]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(to), "l"(src), "r"(word)); asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; cp.async.cg.shared.global [%0], [%1], 16, p; }" :: "r"(to + 1024), "l"(src), "r"(x & 4));
    asm volatile("cp.async.wait_all;" ::: "memory"); __syncthreads(); OUT(s[4 * i]); OUT(s[256 + 4 * i + 3]);
    __syncthreads(); s[i] = x; s[64 + i] = y; s[128 + i] = z; s[192 + i] = w; __syncthreads();
    const u32 base = (u32)__cvta_generic_to_shared(s), rows = base + (i & 31) % 8 * 16 + (i & 31) / 8 * 128;
    u32 m0, m1, m2, m3;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1+512];" : "=r"(m0) : "r"(rows)); OUT(m0); asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(m0), "=r"(m1) : "r"(rows)); OUT(m0); OUT(m1);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(m0), "=r"(m1), "=r"(m2), "=r"(m3) : "r"(rows)); OUT(m0 ^ m1 * 3); OUT(m2 ^ m3 * 5);
    __syncthreads(); if (i < 32) asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" :: "r"(rows), "r"(m0), "r"(m1) : "memory"); else asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0+1024], {%1, %2, %3, %4};" :: "r"(rows), "r"(m3), "r"(m2), "r"(m1), "r"(m0) : "memory");
    __syncthreads(); OUT(s[i]); OUT(s[256 + i]); OUT(s[320 + i]);
}
