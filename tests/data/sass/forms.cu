// SPDX-License-Identifier: MIT
// Forms of machine instructions that opcodes.cu does not bring about: recorded and compared like
// it.
//     nvcc -std=c++17 -arch=sm_90 -cubin forms.cu
// and for the other architectures: for a in 75 80 86 89 100 120; do
//     nvcc -std=c++17 -arch=sm_$a -cubin -o forms.$a.cubin forms.cu; done
// clang-format off
#include <cuda_fp16.h>

#include "opcode_macros.cuh"

// Every comparison, alone, joined to another one, and of 64 bits.
#define COMPARED(type, a, b, c, d)                                                                        \
    OUT(((type)(a) < (type)(b) && p) | ((type)(a) <= (type)(b) && p) << 1 | ((type)(a) > (type)(b) && p) << 2 | \
        ((type)(a) >= (type)(b) && p) << 3 | ((type)(a) == (type)(b) && p) << 4 | ((type)(a) != (type)(b) && p) << 5); \
    OUT(((type)(a) < (type)(b) || q) | ((type)(a) <= (type)(b) || q) << 1 | ((type)(a) > (type)(b) || q) << 2 | \
        ((type)(a) >= (type)(b) || q) << 3 | ((type)(a) == (type)(b) || q) << 4 | ((type)(a) != (type)(b) || q) << 5); \
    OUT((((type)(a) < (type)(b)) ^ p) | (((type)(a) <= (type)(b)) ^ q) << 1 | (((type)(a) > (type)(b)) ^ p) << 2 | \
        (((type)(a) >= (type)(b)) ^ q) << 3 | (((type)(a) == (type)(b)) ^ p) << 4 | (((type)(a) != (type)(b)) ^ q) << 5)

KERNEL(int_joined) {
    INPUT;
    const bool p = (z & 3) != 1, q = (w & 7) == 1;
    const u64 a = x | (u64)(y & 3) << 32, b = z | (u64)(w & 3) << 32;
    COMPARED(int, x, y, z, w); COMPARED(u32, x, y, z, w); COMPARED(s64, a, b, 0, 0); COMPARED(u64, a, b, 0, 0);
#define SET(text, a, b, p) ({ u32 r_; asm("{ .reg .pred p, q; setp.ne.u32 p, %3, 0; setp." text " q, %1, %2, p; selp.u32 %0, 1, 0, q; }" \
                                   : "=r"(r_) : "r"(a), "r"(b), "r"((u32)(p))); r_; })
#define SET64(text, a, b, p) ({ u32 r_; asm("{ .reg .pred p, q; setp.ne.u32 p, %3, 0; setp." text " q, %1, %2, p; selp.u32 %0, 1, 0, q; }" \
                                     : "=r"(r_) : "l"(a), "l"(b), "r"((u32)(p))); r_; })
#define ALL(join, type, set, a, b, p)                                                                    \
    OUT(set("lt." join "." type, a, b, p) | set("le." join "." type, a, b, p) << 1 | set("gt." join "." type, a, b, p) << 2 | \
        set("ge." join "." type, a, b, p) << 3 | set("eq." join "." type, a, b, p) << 4 | set("ne." join "." type, a, b, p) << 5)
    ALL("and", "s32", SET, x, y, p); ALL("or", "s32", SET, x, y, q); ALL("xor", "s32", SET, x, y, p);
    ALL("and", "u32", SET, x, y, p); ALL("or", "u32", SET, x, y, q); ALL("xor", "u32", SET, x, y, p);
    ALL("and", "s64", SET64, a, b, p); ALL("or", "s64", SET64, a, b, q); ALL("xor", "s64", SET64, a, b, p);
    ALL("and", "u64", SET64, a, b, p); ALL("or", "u64", SET64, a, b, q); ALL("xor", "u64", SET64, a, b, p);
}

// The same of the block's own numbers, in uniform registers; sums of 64 bits with parts shifted.
KERNEL(int_uniform) {
    INPUT;
    const u32 ux = in[blockIdx.x + 5], uy = in[blockIdx.x + 6], uz = in[7] & 31;
    const u32 vx = gridDim.x * 0x9e3779b9u, vy = blockDim.x * 0x01234567u + 0x80000000u, vz = blockDim.x & 31;
    const u64 a = vx | (u64)vy << 32, b = vy | (u64)vx << 30;
    OUT64(a + b); OUT64(a - b); OUT64(a - (b << 30)); OUT64((a << 3) + b); OUT64(b - (a << 7)); OUT64(a * b); OUT64(~a + b);
    OUT(vx / 7); OUT((int)vy / 7); OUT(vx < vy ? vx : vy); OUT((int)vx > (int)vy ? 1 : 2); OUT64(a < b ? a : b); OUT64((s64)a > (s64)b ? a : b);
    OUT((vx & vy) | ~vx); OUT(vx ^ vy); OUT(vx << vz); OUT(vy >> vz); OUT((int)vy >> vz); OUT64(a >> 30); OUT64(a << 30); OUT64((s64)b >> 5);
    OUT(__popc(vx)); OUT(__clz(vx & 0xffff)); OUT(__brev(vy)); OUT(__byte_perm(vx, vy, 0x2541)); OUT(min((int)vx, (int)vy)); OUT(max(vx, vy));
    OUT(ux * x + uy); OUT64(a - (u64)x); OUT64((u64)x - a); OUT64(a - ((u64)x << 4)); OUT(x - vx); OUT(vy - y); OUT(-vx); OUT(x * vx - y);
    OUT((ux >= uy || vx > x) ? 3 : 4); OUT(uz < vz && ux != y ? 5 : 6); OUT64(((s64)(int)x << 2) + a); OUT64(a - ((s64)(int)x << 1) - 1);
    OUT(x > vx); OUT((int)y <= (int)vy); OUT64((u64)x * vx + a); OUT(__umulhi(x, vx)); OUT(__mulhi((int)vx, (int)y)); OUT(x & vy); OUT(~vy | y);
}

KERNEL(int_more) {
    INPUT;
    const u64 a = x | (u64)y << 32, b = z | (u64)w << 32;
    OUT64(a - (b << 30)); OUT64(a - (b << 3)); OUT64((b << 30) - a); OUT64(a + ((s64)(int)z << 30)); OUT64(a - ((s64)(int)z << 2));
    OUT64(a + b + 1); OUT64(a - b - 1); OUT64(~a - b); OUT64(a + b + x); OUT64(a + b - z); OUT64((s64)(int)x + (s64)(int)y - (s64)(int)z);
    OUT64((u64)x + y + z); OUT64((u64)x + y - z); OUT(y - x - z); OUT(x + y - z); OUT(-x - y); OUT(max((int)(x + y), 31)); OUT(min((int)(x - y), (int)z));
    OUT(max((int)(x + y + z), 0)); OUT(min(x + 8, y)); OUT(max(min((int)x, (int)y), (int)z)); OUT(min((int)x, -5)); OUT(max(x, 224u));
    OUT(x * y - z); OUT(z - x * y); OUT(-(x * y)); OUT(x * 0x1234567 + 0xff); OUT(__mulhi((int)x, 0x10624dd3)); OUT(__umulhi(x, 0xcd9e8d57));
    OUT64((s64)(int)x * (int)y + (s64)b); OUT64((u64)x * y - b); OUT64((s64)(int)x * (int)y); OUT64(a * 10); OUT64(-(s64)a);
    OUT(threadIdx.y + threadIdx.z * 3 + blockIdx.y * 5 + blockIdx.z * 7 + gridDim.y); u32 m; asm("mov.u32 %0, %%lanemask_le;" : "=r"(m)); OUT(m);
    asm("mov.u32 %0, %%lanemask_gt;" : "=r"(m)); OUT(m); asm("mov.u32 %0, %%lanemask_ge;" : "=r"(m)); OUT(m); asm("mov.u32 %0, %%lanemask_eq;" : "=r"(m)); OUT(m);
    asm("mov.u32 %0, %%nwarpid;" : "=r"(m));
    u32 bits = 0;
#pragma unroll
    for (int j = 0; j < 7; j++)
        if (x >> (j + 3) & 1)
            bits += y >> j;
    OUT(bits);
}

KERNEL(float_more) {
    INPUT;
    const float a = __uint_as_float(x), b = __uint_as_float(y), c = __uint_as_float(z);
    const bool p = w & 1, q = (w & 6) == 2;
    OUT((a < b && p) | (a <= b && p) << 1 | (a > b && p) << 2 | (a >= b && p) << 3 | (a == b && !p) << 4 | (a != b && p) << 5);
    OUT((a < b || q) | (a <= b || q) << 1 | (a > b || q) << 2 | (a >= b || q) << 3 | (a == b || !q) << 4 | (a != b || q) << 5);
    OUT((!(a < b) && p) | (!(a <= b) && p) << 1 | (!(a > b) || q) << 2 | (!(a >= b) || q) << 3 | ((a < b) ^ p) << 4 | ((a > b) ^ q) << 5);
    OUT((fabsf(a) < fabsf(b)) | (a < -b) << 1 | (-a >= fabsf(b)) << 2 | (a > 1.5f) << 3 | (fabsf(a) == __int_as_float(0x7f800000)) << 4);
#define SETF(text, a, b, p) ({ u32 r_; asm("{ .reg .pred p, q; setp.ne.u32 p, %3, 0; setp." text ".f32 q, %1, %2, p; selp.u32 %0, 1, 0, q; }" \
                                    : "=r"(r_) : "f"(a), "f"(b), "r"((u32)(p))); r_; })
    OUT(SETF("lt.and", a, b, p) | SETF("ltu.or", a, b, q) << 1 | SETF("le.xor", a, b, p) << 2 | SETF("leu.and", a, b, p) << 3 | SETF("gtu.or", a, b, q) << 4 |
        SETF("geu.xor", a, b, p) << 5 | SETF("equ.and", a, b, p) << 6 | SETF("neu.or", a, b, q) << 7 | SETF("num.and", a, b, p) << 8 | SETF("nan.xor", a, b, p) << 9 |
        SETF("eq.and", a, b, p) << 10 | SETF("ne.or", a, b, q) << 11 | SETF("ge.or", a, b, q) << 12 | SETF("gt.xor", a, b, p) << 13 | SETF("lt.ftz.and", a, b, p) << 14);
    OUTF(-a * b); OUTF(a * -2.5f); OUTF(-fabsf(a) + b); OUTF(a - 3.0f); OUTF(fmaf(-a, -b, c)); OUTF(fmaf(a, -b, -c)); OUTF(fmaf(-a, b, -0.3f)); OUTF(fmaf(a, 2.f, -c));
    OUTF(p ? -a : b); OUTF(p ? fabsf(a) : -b); OUTF(p ? a : __int_as_float(0x7f800000)); OUTF(fminf(-a, fabsf(b))); OUTF(fmaxf(a, -1.0f));
    OUTF(FASM1("cvt.rni.f32.f32", a)); OUTF(FASM1("cvt.rzi.f32.f32", a)); OUTF(FASM1("cvt.rpi.f32.f32", -a)); OUTF(FASM1("cvt.sat.f32.f32", a));
    OUT(__float2uint_rd(a)); OUT(__float2uint_ru(a)); OUT64(__float2ll_rd(a)); OUT64(__float2ull_ru(a)); OUT((u32)(unsigned short)x); OUTF((float)(unsigned short)x);
    OUTF(__uint2float_rz(x)); OUTF(__uint2float_ru(y)); OUTF(__ull2float_ru(x | (u64)y << 32)); OUTD(fabs((double)a)); OUTD(-(double)a); OUT((signed char)(int)a);
    OUTF(__fadd_rz(a, -b)); OUTF(__fmul_ru(-a, b)); OUTF(__fmaf_rz(a, b, -c));
    s64 r; asm("cvt.rni.s64.f32 %0, %1;" : "=l"(r) : "f"(a)); OUT64(r); u32 h; asm("cvt.rni.u8.f32 %0, %1;" : "=r"(h) : "f"(a)); OUT(h);
    asm("cvt.rzi.s16.f32 %0, %1;" : "=r"(h) : "f"(a)); OUT(h);
}

KERNEL(double_more) {
    INPUT;
    const double a = __hiloint2double((int)x, (int)y), b = __hiloint2double((int)z, (int)w);
    const bool p = y & 1, q = (w & 6) == 2;
    OUT((a < b && p) | (a <= b && p) << 1 | (a > b && p) << 2 | (a >= b && p) << 3 | (a == b && !p) << 4 | (a != b && p) << 5);
    OUT((a < b || q) | (a <= b || q) << 1 | (a > b || q) << 2 | (a >= b || q) << 3 | (a == b || !q) << 4 | (a != b || q) << 5);
    OUT((!(a < b) && p) | (!(a <= b) && p) << 1 | (!(a > b) || q) << 2 | (!(a >= b) || q) << 3 | ((a < b) ^ p) << 4 | ((a > b) ^ q) << 5);
    OUT((fabs(a) < fabs(b)) | (a < -b) << 1 | (-a >= fabs(b)) << 2 | (a > 1000.0) << 3 | (fabs(a) != __longlong_as_double(0x7ff0000000000000ll)) << 4);
#define SETD(text, a, b, p) ({ u32 r_; asm("{ .reg .pred p, q; setp.ne.u32 p, %3, 0; setp." text ".f64 q, %1, %2, p; selp.u32 %0, 1, 0, q; }" \
                                    : "=r"(r_) : "d"(a), "d"(b), "r"((u32)(p))); r_; })
    OUT(SETD("lt.and", a, b, p) | SETD("ltu.or", a, b, q) << 1 | SETD("le.xor", a, b, p) << 2 | SETD("leu.and", a, b, p) << 3 | SETD("gtu.or", a, b, q) << 4 |
        SETD("geu.xor", a, b, p) << 5 | SETD("equ.and", a, b, p) << 6 | SETD("neu.or", a, b, q) << 7 | SETD("num.and", a, b, p) << 8 | SETD("nan.xor", a, b, p) << 9 |
        SETD("eq.and", a, b, p) << 10 | SETD("ne.or", a, b, q) << 11 | SETD("ge.or", a, b, q) << 12 | SETD("gt.xor", a, b, p) << 13 | SETD("gtu.and", a, b, p) << 14);
    OUTD(-a + 2.0); OUTD(-a - b); OUTD(fabs(a) - b); OUTD(-a * b); OUTD(a * -2.0); OUTD(fma(-a, -b, 1.0)); OUTD(fma(a, -2.0, b)); OUTD(fma(-a, 0.5, -b)); OUTD(fma(a, b, -0.5));
    OUTD(__fma_ru(-a, b, a)); OUTD(__fma_rz(a, b, -b)); OUTD(__dadd_ru(a, -b)); OUTD(__dadd_rd(a, b)); OUTD(__dmul_rz(a, -b)); OUTD(ceil(a)); OUTD(floor(b)); OUTD(p ? -a : b);
    OUT(__double2int_rd(a)); OUT(__double2int_ru(a)); OUT(__double2uint_rn(a)); OUT64(__double2ll_rd(a)); OUT64(__double2ll_rn(b)); OUT64(__double2ull_ru(a));
    OUTF(__double2float_rd(a)); OUTD(1.0 / 3.7 * a); OUTD(a / 10.0); OUTD(fmin(-a, fabs(b))); OUTD(__ll2double_rz((s64)(x | (u64)y << 32))); OUTD(__ull2double_ru(x | (u64)y << 32));
}

// Every width in every memory.
struct __align__(16) wide { u32 v[4]; };
KERNEL(memory_widths) {
    INPUT;
    __shared__ __align__(16) unsigned char s[2048];
    u32 r[8]; u64 d[2];
    const u32 at = (u32)__cvta_generic_to_shared(s), own = at + 16 * i;
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(own), "r"(x), "r"(y), "r"(z), "r"(w) : "memory");
    __syncthreads();
    const u32 near = at + ((i * 7 + 3) & 63) * 16;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2+8];" : "=r"(r[0]), "=r"(r[1]) : "r"(near) : "memory"); OUT(r[0]); OUT(r[1]);
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(near) : "memory"); OUT(r[0]); OUT(r[1]); OUT(r[2]); OUT(r[3]);
#define BYTE(text) asm volatile("ld." text " %0, [%1];" : "=r"(r[0]) : "r"(near + (x & 12)) : "memory"); OUT(r[0])
    BYTE("shared.u8"); BYTE("shared.s8"); BYTE("shared.u16"); BYTE("shared.s16"); BYTE("volatile.shared.u32");
    __syncthreads();
    asm volatile("st.shared.u16 [%0+1024], %1;" ::"r"(at + 2 * i), "h"((short)x) : "memory");
    asm volatile("st.shared.u8 [%0+1280], %1;" ::"r"(at + i), "r"(y) : "memory");
    asm volatile("st.shared.v2.u32 [%0+1536], {%1, %2};" ::"r"(at + 8 * (i ^ 5)), "r"(x), "r"(y) : "memory");
    __syncthreads();
    asm volatile("ld.shared.u32 %0, [%1+1024];" : "=r"(r[0]) : "r"(at + 4 * (i & 31)) : "memory"); OUT(r[0]);
    asm volatile("ld.shared.u32 %0, [%1+1280];" : "=r"(r[0]) : "r"(at + 4 * (i & 15)) : "memory"); OUT(r[0]);
    asm volatile("ld.shared.u64 %0, [%1+1536];" : "=l"(d[0]) : "r"(at + 8 * i) : "memory"); OUT64(d[0]);
#define GLOBAL2(text) asm volatile("ld." text " {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "l"(in + 2 * (x & 63)) : "memory"); OUT(r[0]); OUT(r[1])
#define GLOBAL4(text) asm volatile("ld." text " {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(in + 4 * (y & 63)) : "memory"); OUT(r[0] ^ r[1]); OUT(r[2] ^ r[3])
#define GLOBAL1(text) asm volatile("ld." text " %0, [%1];" : "=r"(r[0]) : "l"((const char *)in + (z & 1020)) : "memory"); OUT(r[0])
    GLOBAL2("global.v2.u32"); GLOBAL4("global.v4.u32"); GLOBAL2("global.nc.v2.u32"); GLOBAL4("global.nc.v4.u32"); GLOBAL2("v2.u32"); GLOBAL4("v4.u32"); GLOBAL1("global.u8"); GLOBAL1("global.s8");
    GLOBAL1("global.u16"); GLOBAL1("global.s16"); GLOBAL1("global.nc.u8"); GLOBAL1("global.nc.u16"); GLOBAL1("volatile.global.u32"); GLOBAL1("acquire.gpu.global.u32"); GLOBAL1("relaxed.sys.global.u32"); GLOBAL1("u16"); GLOBAL1("s8");
    u32 *o = out + 64 * 50;
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(o + 2 * i), "r"(x), "r"(y) : "memory");
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(o + 128 + 4 * i), "r"(x), "r"(y), "r"(z), "r"(w) : "memory");
    asm volatile("st.global.u16 [%0], %1;" ::"l"((char *)(o + 384) + 2 * i), "h"((short)z) : "memory");
    asm volatile("st.global.u8 [%0], %1;" ::"l"((char *)(o + 416) + i), "r"(w) : "memory");
    asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(o + 448 + i), "r"(w) : "memory");
    asm volatile("st.v2.u32 [%0], {%1, %2};" ::"l"(o + 512 + 2 * i), "r"(w), "r"(z) : "memory");
    asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(o + 640 + i), "r"(x) : "memory");
    wide local[4]; u64 locals[4]; unsigned short shorts[8];
#pragma unroll
    for (int j = 0; j < 4; j++) {
        local[j].v[0] = x + j; local[j].v[1] = y ^ j; local[j].v[2] = z; local[j].v[3] = w - j; locals[j] = x * (u64)y + j; shorts[j] = (unsigned short)(x >> j); shorts[j + 4] = (unsigned short)(y >> j);
    }
    const wide l4 = local[x & 3];
    OUT(l4.v[0]); OUT(l4.v[3]); OUT64(locals[y & 3]); OUT(shorts[z & 7]);
}

KERNEL(int_last) {
    INPUT;
    __shared__ uint4 s[128];
    const u64 a = x | (u64)y << 32, b = z | (u64)w << 32, c = w | (u64)x << 32;
    OUT64(a + b + c); OUT64(a + b - c); OUT64(a - b - c); OUT64(a + (s64)(int)z); OUT64(a - (s64)(int)z); OUT64((s64)(int)x - a); OUT64(2 * a - c);
    OUT64((a << 1) + (s64)(int)w); OUT64(a + ((s64)(int)w << 1)); OUT64((u64)x * y - (u64)z); OUT(x - gridDim.y); OUT(y + blockIdx.y * gridDim.y + blockIdx.z);
    OUT(y - blockDim.x * gridDim.x); OUT64(a * b + c); OUT64((u64)x * y + (u64)z * w); OUT(x * y + z * w); OUT((x >> 3) * 5 - (y >> 29)); OUT64(a >> (x & 31) | b << (y & 31));
    u32 *const out4 = (u32 *)&s[64 * (gridDim.x - 1)];
    *(uint4 *)&out4[4 * (i ^ 9)] = make_uint4(x, y, z, w);
    __syncthreads();
    OUT(out4[i]); OUT(out4[255 - 3 * i]);
    uint4 local[5]; u64 locals[6]; u32 word[3];
    for (u32 j = 0; j < 5; j++) {
        local[(j + x) % 5] = make_uint4(x + j, y * j, z - j, w);
        locals[(j * 2 + y) % 6] = a + j;
        word[(j + z) % 3] = y + j;
    }
    locals[(y + 1) % 6] = b; locals[(y + 3) % 6] = c; locals[(y + 5) % 6] = 7;
    const uint4 l = local[y % 5];
    OUT(l.x); OUT(l.y); OUT(l.z); OUT(l.w); OUT64(locals[z % 6]); OUT(word[w % 3]);
    __syncthreads();
    s[i] = make_uint4(5, 6, 7, 8);
    __syncthreads();
#if __CUDA_ARCH__ >= 800
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %2, 40; cp.async.ca.shared.global [%0], [%1], 4, p; }" ::"r"((u32)__cvta_generic_to_shared(&s[i])), "l"(in + 4 * i), "r"(i) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
#else
    s[i].x = i < 40 ? 0 : in[4 * i];
#endif
    __syncthreads();
    OUT(s[i].x + s[63 - i].x);
    out[64 * 56 + i] = 3;
    __syncthreads();
    OUT(atomicAdd(&out[64 * 56 + (i & 31)], x)  - x == 3 || true); OUT(atomicMax((int *)&out[64 * 57], (int)(x & 0xffff)) >= 0);
}

KERNEL(float_last) {
    INPUT;
    const float a = __uint_as_float(x), b = __uint_as_float(y), c = __uint_as_float(z);
    OUTD((double)fabsf(a)); OUTD((double)-b); OUTF(a * -b); OUTF(-(a * b)); OUTF(-a - b); OUTF(-fabsf(a) - fabsf(b)); OUTF(fmaf(a, -b, c)); OUTF(fmaf(-a, b, -c));
    OUTF(fabsf(a) * b); OUTF(fabsf(a) * -fabsf(b)); OUTF(a - fabsf(b)); OUTF(__fadd_ru(-a, b)); OUT(__float2int_rz(-a)); OUT(__float2int_rz(fabsf(b))); OUTF((float)(int)-x);
    OUTF(a + a); OUTF(fmaf(a, a, a)); OUTF(a < 0 ? -a * b : c); OUT(a > b ? x : y); OUT(fabsf(a) > 1.0f && b < 2.0f); OUT(__half_as_ushort(__float2half(-fabsf(a))));
}

KERNEL(double_last) {
    INPUT;
    const double a = __hiloint2double((int)x, (int)y), b = __hiloint2double((int)z, (int)w), c = a * 0.25 + b;
    OUTD(fma(a, -b, -c)); OUTD(fma(-a, -b, -c)); OUTD(fma(-a, b, c)); OUTD(fma(a, b, -c)); OUTD(a * -b); OUTD(-(a * b)); OUTD(fabs(a) * b); OUTD(fabs(a) - fabs(b)); OUTD(-fabs(a) - b);
    OUTF((float)-a); OUTF((float)fabs(b)); OUT((int)-a); OUT((int)fabs(b)); OUTD(a < 0 ? -a : b); OUTD(1.0 - a * b); OUTD(a / 3.0 - b / 7.0); OUTD(sqrt(fabs(a))); OUTD(rsqrt(4.0) * b);
    OUT64((s64)-a); OUTF(__double2float_rz(-b)); OUTD(fmax(-a, -b)); OUTD(remainder(4.0, 3.0) + a);
}

KERNEL(approx_last) {
    INPUT;
    const float a = __uint_as_float((x & 0x7fffff) | (120 + (y & 15)) << 23), b = __uint_as_float((z & 0x7fffff) | (120 + (w & 15)) << 23);
    OUTF(rsqrtf(a)); OUTF(__frsqrt_rn(b)); OUTF(__fdividef(a, -b)); OUTF(__expf(-a / 16)); OUTF(__logf(b)); OUTF(rsqrtf(-a)); OUTF(rsqrtf(fabsf(b))); OUTF(__powf(a, 0.3f)); OUTF(-1 / a); OUTF(sqrtf(a * b));
    OUTF(expf(-b / 64)); OUTF(logf(a)); OUTF(sinf(a)); OUTF(cosf(-b)); OUTF(tanhf(a)); OUTF(erff(b)); OUTF(powf(a, b / 64));
}
