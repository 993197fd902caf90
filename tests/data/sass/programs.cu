// SPDX-License-Identifier: MIT
// Forms that programs of others have and opcodes.cu and forms.cu have not: recorded and compared
// like them.
//     nvcc -std=c++17 -arch=sm_90 -cubin programs.cu
// and for the other architectures: for a in 80 87 103 110 120 121; do
//     nvcc -std=c++17 -arch=sm_$a -cubin -o programs.$a.cubin programs.cu; done
// clang-format off
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "opcode_macros.cuh"

__constant__ unsigned char bytes[64] = {1, 250, 3, 128, 255, 6, 7, 200, 9};
__constant__ signed char signed_bytes[64] = {1, -2, 3, -128, 127, 6, -7};
__constant__ unsigned short words[64] = {1, 65535, 3, 40000, 5, 32768};
__constant__ short signed_words[64] = {-1, 32767, -32768, 4, -5};
__device__ u64 most[64];
__device__ int highest[64], swapped[64], counted[64];

KERNEL(int_programs) {
    INPUT;
    const u64 a = x | (u64)y << 32, b = z | (u64)w << 32;
    const unsigned __int128 m = (unsigned __int128)a << 64 | b, n = (unsigned __int128)b * a + z, o = (unsigned __int128)w << 77 | x;
    const unsigned __int128 sum = m + n + o, difference = m - n - o;
    OUT64(sum); OUT64(sum >> 64); OUT64(difference); OUT64(difference >> 64);
    OUT64((s64)(int)x * 4 - (s64)b); OUT(x + ((u32)(-(int)y) >> 9)); OUT(-(int)x * 2); OUT(y - (x >> 9)); OUT64(a - (b >> 9));
    OUT(bytes[x & 63]); OUT(signed_bytes[y & 63]); OUT(words[z & 63]); OUT(signed_words[w & 63]);
    unsigned char local[24];
#pragma unroll
    for (int j = 0; j < 24; j++) local[j] = (unsigned char)(x >> (j & 7) ^ y * j);
    OUT(local[z % 24]); local[w % 24] = 77; OUT(local[x % 24]);
    OUT(__reduce_add_sync(~0u, (int)x)); OUT(__reduce_min_sync(~0u, (int)y)); OUT(__reduce_or_sync(~0u, z));
    OUT(__any_sync(~0u, x == 77) ? y : z); OUT(__all_sync(~0u, x != 77) ? y + 1 : z);
    u32 mask; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask)); OUT(mask);
    OUT(__vmaxu2(x, y)); OUT(__vminu2(x, y)); OUT(__vmaxs2(z, w)); OUT(__vmins2(z, w));
    u32 bits = 0;
    if (x & 2) bits += y; if (x & 4) bits ^= z; if (x & 8) bits -= w; if (x & 16) bits *= 3;
    OUT(bits);
    u32 r = x;
    switch (y & 15) { // to one of many places
    case 0: r += 7; break; case 1: r ^= z; break; case 2: r *= w; break; case 3: r = __popc(r); break; case 4: r -= y; break; case 5: r = __brev(r); break;
    case 6: r |= w; break; case 7: r &= z; break; case 8: r = r % 13; break; case 9: r >>= 3; break; case 10: r <<= 5; break; case 11: r = ~r; break; default: r = 1; }
    OUT(r);
    for (u32 k = 0; k < 40; k++) { // lanes leave one by one
        if ((x ^ k) % 37 == 5) break;
        if ((y + k) % 11 == 3) { r += k; continue; }
        r = r * 3 + 1;
        if (r % 101 == 7) break;
    }
    OUT(r);
    u64 wide;
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(out + 64 * 60 + 2 * (i & 31) + (i >> 5) * 64), "l"(a) : "memory");
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(wide) : "l"(out + 64 * 60 + 2 * (i & 31) + (i >> 5) * 64) : "memory"); OUT64(wide);
    OUT(atomicAdd(&counted[i], (int)x)); OUT(atomicCAS(&swapped[i], 0, (int)y)); OUT(atomicAdd(&counted[i], (int)z)); OUT(atomicMax(&swapped[i], (int)z));
    atomicMax(&highest[i & 7], (int)(x & 0xffff)); atomicMax(&most[i & 7], a);
    __syncthreads();
    OUT(highest[i & 7]); OUT64(most[i & 7]);
    __shared__ int top;
    if (i == 0) top = -5;
    __syncthreads();
    atomicMax(&top, (int)(w & 0xfff));
    __syncthreads();
    OUT(top);
    if ((x & 3) == 1 && (y & 1)) return;
    OUT(x ^ y);
}

KERNEL(float_programs) {
    INPUT;
    const float a = __uint_as_float(x), b = __uint_as_float(y), c = __uint_as_float(z);
    OUTF(FASM1("abs.f32", a)); OUTF(FASM1("abs.ftz.f32", a)); OUTF(FASM1("neg.ftz.f32", b));
    OUTF(FASM2("add.ftz.f32", -a, b)); OUTF(FASM2("sub.ftz.f32", a, b)); OUTF(FASM2("mul.ftz.f32", a, -b)); OUTF(FASM3("fma.rn.ftz.f32", a, -b, c)); OUTF(FASM3("fma.rn.ftz.f32", a, -b, 0.5f));
    OUTF(__saturatef(fmaf(-a, b, 0.5f))); OUTF(__saturatef(a)); OUTF(FASM2("set.ge.ftz.f32.f32", a, 0.0f)); OUTF(FASM2("set.gt.f32.f32", a, b)); OUTF(FASM2("set.lt.f32.f32", a, b)); OUTF(FASM2("set.neu.f32.f32", a, b));
    OUT(fabsf(a) > fabsf(b)); OUT(fabsf(a) > fabsf(c) || b < 0); OUT(fabsf(a) <= fabsf(b) && c > 0);
#define COMPARE(text, a, b) ({ u32 r_; asm("{ .reg .pred p; setp." text " p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=r"(r_) : "f"(a), "f"(b)); r_; })
    OUT(COMPARE("ge.ftz.f32", a, 0.0f)); OUT(COMPARE("gt.ftz.f32", a, 0.1f)); OUT(COMPARE("gtu.ftz.f32", a, 0.3f)); OUT(COMPARE("lt.ftz.f32", a, b)); OUT(COMPARE("equ.ftz.f32", a, b));
    int v; asm("cvt.rzi.ftz.s32.f32 %0, %1;" : "=r"(v) : "f"(a)); OUT(v); asm("cvt.rni.ftz.s32.f32 %0, %1;" : "=r"(v) : "f"(b)); OUT(v); asm("cvt.rzi.ftz.u32.f32 %0, %1;" : "=r"(v) : "f"(c)); OUT(v);
    OUTF((float)(signed char)(x >> 8)); OUTF((float)(signed char)(x >> 16)); OUTF((float)(unsigned char)(y >> 24)); OUTF((float)(short)(z >> 16));
    OUT(__bfloat16_as_ushort(__int2bfloat16_rn((int)w))); OUT(__bfloat16_as_ushort(__uint2bfloat16_rn(w & 0xffff)));
    const double d = __hiloint2double((int)((x & 0x800fffff) | (1003 + (y & 63)) << 20), (int)z), e = (double)a;
    OUT(fabs(d) >= 2147483648.0); OUT(fabs(d) < fabs(e)); OUTD(d * -(double)blockDim.x); OUTD(-d * e);
}

KERNEL(half_programs) {
    INPUT;
    const __half2 a = *(const __half2 *)&x, b = *(const __half2 *)&y, c = *(const __half2 *)&z;
    const __nv_bfloat162 k = *(const __nv_bfloat162 *)&x, l = *(const __nv_bfloat162 *)&y, m = *(const __nv_bfloat162 *)&z;
#define BITS(h) ({ auto h_ = (h); *(u32 *)&h_; })
#define SHORT(h) ({ auto h_ = (h); *(unsigned short *)&h_; })
    OUT(BITS(__hfma2(a, b, c))); OUT(SHORT(__hfma(__low2half(a), __low2half(b), __low2half(c)))); OUT(SHORT(__hfma(__high2half(a), __low2half(b), __high2half(c)))); OUT(BITS(__hfma2(__low2half2(a), b, __high2half2(c))));
    OUT(BITS(__hfma2(k, l, m))); OUT(SHORT(__hfma(__low2bfloat16(k), __low2bfloat16(l), __low2bfloat16(m)))); OUT(SHORT(__hfma(__high2bfloat16(k), __high2bfloat16(l), __low2bfloat16(m)))); OUT(BITS(__hfma2(__low2bfloat162(k), l, __high2bfloat162(m))));
    OUT(BITS(__hfma2_relu(a, b, c))); OUT(BITS(__hfma2_sat(a, b, c))); OUT(BITS(__hmul2(a, __hneg2(b)))); OUT(BITS(__hadd2(__habs2(a), __hneg2(b)))); OUT(BITS(__hmax2(a, b))); OUT(BITS(__hmin2(k, l)));
}

KERNEL(approx_s_programs) {
    INPUT;
    const float a = __uint_as_float((x & 0x7fffff) | (120 + (y & 7)) << 23);
    OUTF(FASM1("ex2.approx.ftz.f32", -a)); OUTF(FASM1("ex2.approx.f32", -fabsf(a))); OUTF(FASM1("sin.approx.f32", -a)); OUTF(FASM1("lg2.approx.f32", fabsf(a))); OUTF(FASM1("rcp.approx.ftz.f32", -a)); OUTF(FASM1("tanh.approx.f32", -a));
}
