// SPDX-License-Identifier: MIT
// What each machine instruction computes: one output row of 64 threads an operation. Compiled by
//     nvcc -std=c++17 -arch=sm_90 -cubin opcodes.cu
// run on a GPU by record_opcodes.c, whose results are opcodes.bin; test_opcodes.c runs it emulated.
// Kernels named approx_... may differ in the last places; all others are equal bit by bit.
// One statement a row of results.
// clang-format off
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "opcode_macros.cuh"

KERNEL(int_arithmetic) {
    INPUT;
    u64 a = x | (u64)y << 32, b = z | (u64)w << 32;
    OUT(x + y); OUT(x - y); OUT(x * y); OUT(x * y + z); OUT(z - x * y);
    OUT(__mulhi((int)x, (int)y)); OUT(__umulhi(x, y)); OUT64((s64)(int)x * (int)y + (s64)b);
    OUT64((u64)x * y + b); OUT64(a + b); OUT64(a - b); OUT64(a * b); OUT64(-a);
    OUT(min((int)x, (int)y)); OUT(max((int)x, (int)y)); OUT(min(x, y)); OUT(max(x, y));
    OUT(abs((int)x)); OUT(__sad((int)x, (int)y, z)); OUT(__usad(x, y, z)); OUT(x + (y << 3));
    OUT((x << 5) - y); OUT64(a + ((u64)x << 2)); OUT64(a + ((s64)(int)x << 3)); OUT(max((int)(x + y), (int)z));
    OUT(min(x + y, z)); OUT(__umul24(x, y)); OUT(ASM3("add.sat.s32 %0, %1, %2; // ", x, y, z));
    OUT64(__umul64hi(a, b)); OUT64(__mul64hi((s64)a, (s64)b)); OUT(x + y + z); OUT(x - y - z); OUT(~x + y);
}

KERNEL(int_bits) {
    INPUT;
    u64 a = x | (u64)y << 32;
    OUT(__popc(x)); OUT(__clz(x & y)); OUT(__brev(x)); OUT(__ffs(x & y)); OUT(__popcll(a)); OUT(__clzll(a));
    OUT(ASM1("bfind.u32", x & y)); OUT(ASM1("bfind.s32", x)); OUT(ASM1("bfind.shiftamt.u32", x & z));
    OUT(ASM3("bfe.u32", x, y & 63, z & 63)); OUT(ASM3("bfe.s32", x, y & 63, z & 63));
    OUT(__byte_perm(x, y, z)); OUT(ASM3("prmt.b32.f4e", x, y, z)); OUT(ASM3("prmt.b32.b4e", x, y, z));
    OUT(ASM3("prmt.b32.rc8", x, y, z)); OUT(ASM3("prmt.b32.ecl", x, y, z)); OUT(ASM3("prmt.b32.ecr", x, y, z));
    OUT(ASM3("prmt.b32.rc16", x, y, z)); OUT((x & y) | (~x & z)); OUT(x ^ y ^ z); OUT(~(x | y)); OUT((x | y) & z);
    OUT(__funnelshift_l(x, y, z)); OUT(__funnelshift_r(x, y, z)); OUT(__funnelshift_lc(x, y, z & 63));
    OUT(__funnelshift_rc(x, y, z & 63)); OUT(ASM2("shl.b32", x, z & 63)); OUT(ASM2("shr.u32", x, z & 63));
    OUT(ASM2("shr.s32", x, z & 63)); OUT64(a << (z & 63)); OUT64(a >> (z & 63)); OUT64((s64)a >> (z & 63));
    OUT(ASM2("bmsk.clamp.b32", x & 63, y & 63)); OUT(ASM2("bmsk.wrap.b32", x, y));
    OUT(ASM2("szext.clamp.u32", x, y & 63)); OUT(ASM2("szext.clamp.s32", x, y & 63));
    OUT(ASM2("szext.wrap.s32", x, y)); OUT(__dp4a((int)x, (int)y, (int)z)); OUT(__dp4a(x, y, z));
    OUT(__dp2a_lo((int)x, (int)y, (int)z)); OUT(__dp2a_hi((int)x, (int)y, (int)z)); OUT(__dp2a_lo(x, y, z));
    OUT(__vabsdiffu4(x, y)); OUT(__vabsdiffs4(x, y)); OUT(__vsadu4(x, y)); OUT(ASM3("dp4a.s32.u32", x, y, z));
    OUT((signed char)x); OUT((short)x); OUT((unsigned char)(x >> 8)); OUT(x != 0 && y > z);
}

KERNEL(int_compare) {
    INPUT;
    s64 a = (s64)(x | (u64)y << 32), b = (s64)(x | (u64)w << 32);
    int p = (int)x, q = (int)y;
    OUT((p < q) | (p <= q) << 1 | (p == q) << 2 | (p != q) << 3 | (p > q) << 4 | (p >= q) << 5);
    OUT((x < y) | (x <= y) << 1 | (x > y) << 4 | (x >= y) << 5);
    OUT((a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5);
    OUT(((u64)a < (u64)b) | ((u64)a <= (u64)b) << 1 | ((u64)a > (u64)b) << 4 | ((u64)a >= (u64)b) << 5);
    OUT((p < q && x > z) | (p > q || x < z) << 1 | ((p < q) ^ (z > w)) << 2);
    OUT(p < q ? z : w); OUT64(a < b ? a : b); OUT64((u64)a > (u64)b ? a : b); OUT(x == 0 ? y : z);
    OUT(p / (q | 1)); OUT(p % (q | 1)); OUT(x / (y | 1)); OUT(x % (y | 1)); OUT(x / 7); OUT(p / 7); OUT(x % 10);
    OUT64(a / ((s64)z | 1)); OUT64((u64)a / (z | 1)); OUT64(a % (b | 1)); OUT64((u64)a % ((u64)b >> 20 | 1));
}

KERNEL(float_arithmetic) {
    INPUT;
    float a = __uint_as_float(x), b = __uint_as_float(y), c = __uint_as_float(z);
    OUTF(a + b); OUTF(a - b); OUTF(a * b); OUTF(fmaf(a, b, c)); OUTF(fmaf(-a, b, c)); OUTF(fmaf(a, b, -c));
    OUTF(FASM2("add.rz.f32", a, b)); OUTF(FASM2("add.rm.f32", a, b)); OUTF(FASM2("add.rp.f32", a, b));
    OUTF(FASM2("mul.rz.f32", a, b)); OUTF(FASM2("mul.rm.f32", a, b)); OUTF(FASM2("mul.rp.f32", a, b));
    OUTF(FASM3("fma.rz.f32", a, b, c)); OUTF(FASM3("fma.rm.f32", a, b, c)); OUTF(FASM3("fma.rp.f32", a, b, c));
    OUTF(FASM2("add.ftz.f32", a, b)); OUTF(FASM2("mul.ftz.f32", a, b)); OUTF(FASM3("fma.rn.ftz.f32", a, b, c));
    OUTF(FASM2("add.sat.f32", a, b)); OUTF(FASM2("mul.sat.f32", a, b)); OUTF(FASM3("fma.rn.sat.f32", a, b, c));
    OUTF(fminf(a, b)); OUTF(fmaxf(a, b)); OUTF(FASM2("min.NaN.f32", a, b)); OUTF(FASM2("max.ftz.f32", a, b));
    OUTF(fabsf(a) - fabsf(b)); OUTF(-a); OUTF(copysignf(a, b)); OUTF(a < b ? b : c);
    OUTF(floorf(a)); OUTF(ceilf(a)); OUTF(truncf(a)); OUTF(rintf(a)); OUTF(FASM1("cvt.rmi.ftz.f32.f32", a));
    OUT((a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | isnan(a) << 6);
    OUT(!(a < b) | !(a <= b) << 1 | !(a > b) << 4 | !(a >= b) << 5 | (a == b && c > a) << 6);
    OUTF(a / b); OUTF(sqrtf(a)); OUTF(__frcp_rn(a)); OUTF(__fsqrt_rz(a)); OUTF(__fdiv_rz(a, b));
    OUTF(a + 1.5f); OUTF(a * 0.1f); OUTF(fmaf(a, 3.25f, b)); OUTF(fmaf(a, b, -7.0f));
}

KERNEL(float_convert) {
    INPUT;
    float a = __uint_as_float(x);
    double d = __hiloint2double((int)x, (int)y);
    s64 l = (s64)(x | (u64)y << 32);
    OUT(__float2int_rn(a)); OUT(__float2int_rz(a)); OUT(__float2int_ru(a)); OUT(__float2int_rd(a));
    OUT(__float2uint_rn(a)); OUT(__float2uint_rz(a)); OUT64(__float2ll_rz(a)); OUT64(__float2ll_rn(a));
    OUT64(__float2ull_rz(a)); OUT(__double2int_rz(d)); OUT(__double2int_rn(d)); OUT(__double2uint_rz(d));
    OUT64(__double2ll_rz(d)); OUT64(__double2ull_rz(d)); OUTF((float)(int)x); OUTF((float)x);
    OUTF(__int2float_rz((int)x)); OUTF(__uint2float_ru(x)); OUTF(__int2float_rd((int)x)); OUTF(__ll2float_rn(l));
    OUTF(__ull2float_rn((u64)l)); OUTF(__ll2float_rz(l)); OUTD((double)(int)x); OUTD((double)x); OUTD((double)l);
    OUTD((double)(u64)l); OUTF((float)(signed char)x); OUTF((float)(unsigned char)(x >> 8)); OUTF((float)(short)x);
    OUTF((float)(unsigned short)(x >> 16)); OUTF((float)d); OUTF(__double2float_rz(d)); OUTF(__double2float_ru(d));
    OUTD((double)a); OUT(__half_as_ushort(__float2half_rn(a))); OUT(__half_as_ushort(__float2half_rz(a)));
    OUT(__bfloat16_as_ushort(__float2bfloat16_rn(a))); OUTF(__half2float(__ushort_as_half((unsigned short)x)));
    OUTF(__bfloat162float(__ushort_as_bfloat16((unsigned short)x)));
    __half2 h = __floats2half2_rn(a, __uint_as_float(y));
    __nv_bfloat162 g = __floats2bfloat162_rn(a, __uint_as_float(y));
    OUT(*(u32 *)&h); OUT(*(u32 *)&g); OUT(ASM1("cvt.rna.tf32.f32", __float_as_uint(a)));
}

KERNEL(double_arithmetic) {
    INPUT;
    double a = __hiloint2double((int)x, (int)y), b = __hiloint2double((int)z, (int)w), c = a * 0.5 - b;
    OUTD(a + b); OUTD(a - b); OUTD(a * b); OUTD(fma(a, b, c)); OUTD(fma(-a, b, 1.0)); OUTD(__dadd_rz(a, b));
    OUTD(__dmul_ru(a, b)); OUTD(__fma_rd(a, b, c)); OUTD(fmin(a, b)); OUTD(fmax(a, b)); OUTD(fabs(a) + 2.0);
    OUT((a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | isnan(a) << 6);
    OUTD(floor(a)); OUTD(rint(a)); OUTD(trunc(a)); OUTD(a / b); OUTD(sqrt(a)); OUTD(1 / b); OUTD(a < b ? a : c);
}

KERNEL(half_arithmetic) {
    INPUT;
    __half2 a = *(__half2 *)&x, b = *(__half2 *)&y, c = *(__half2 *)&z, r;
    __nv_bfloat162 p = *(__nv_bfloat162 *)&x, q = *(__nv_bfloat162 *)&y, s = *(__nv_bfloat162 *)&z, t;
#define OUTH(value) (r = (value), OUT(*(u32 *)&r))
#define OUTB(value) (t = (value), OUT(*(u32 *)&t))
    OUTH(__hadd2(a, b)); OUTH(__hsub2(a, b)); OUTH(__hmul2(a, b)); OUTH(__hfma2(a, b, c)); OUTH(__hneg2(a));
    OUTH(__hadd2_sat(a, b)); OUTH(__hmul2_sat(a, b)); OUTH(__hfma2_sat(a, b, c)); OUTH(__hfma2_relu(a, b, c));
    OUTH(__hmin2(a, b)); OUTH(__hmax2(a, b)); OUTH(__hmax2_nan(a, b)); OUTH(__heq2(a, b)); OUTH(__hlt2(a, b));
    OUTH(__habs2(a)); OUTH(__hadd2(__low2half2(a), __high2half2(b))); OUTH(__hmul2(a, __lows2half2(b, c)));
    OUT(__hbeq2(a, b) | __hblt2(a, b) << 1 | __hbgt2(a, b) << 2); OUT(__hlt(__low2half(a), __low2half(b)));
    OUTB(__hadd2(p, q)); OUTB(__hmul2(p, q)); OUTB(__hfma2(p, q, s)); OUTB(__hmin2(p, q)); OUTB(__hmax2(p, q));
    OUTB(__hsub2(p, q)); OUTB(__hfma2_relu(p, q, s)); OUT(__hbge2(p, q)); OUTB(__hgt2(p, q));
}

KERNEL(approx_special) {
    INPUT;
    float a = __uint_as_float(x), b = __uint_as_float(y);
    OUTF(FASM1("ex2.approx.f32", fminf(fmaxf(a, -200.f), 200.f))); OUTF(FASM1("lg2.approx.f32", a));
    OUTF(FASM1("sin.approx.f32", a)); OUTF(FASM1("cos.approx.f32", a)); OUTF(FASM1("rcp.approx.f32", a));
    OUTF(FASM1("rsqrt.approx.f32", a)); OUTF(FASM1("sqrt.approx.f32", a)); OUTF(FASM1("tanh.approx.f32", a));
    OUTF(FASM1("rcp.approx.ftz.f32", a)); OUTF(FASM1("ex2.approx.ftz.f32", b)); OUTF(__fdividef(a, b));
    OUTF(expf(a)); OUTF(logf(fabsf(a))); OUTF(sinf(b)); OUTF(powf(fabsf(a), 0.3f)); OUTF(tanhf(b)); OUTF(erff(b));
}

KERNEL(warp_operations) {
    INPUT;
    u32 v, p;
    OUT(__shfl_sync(~0u, x, y & 31)); OUT(__shfl_sync(~0u, x, y & 31, 8)); OUT(__shfl_up_sync(~0u, x, 3));
    OUT(__shfl_up_sync(~0u, x, 5, 16)); OUT(__shfl_down_sync(~0u, x, 7)); OUT(__shfl_down_sync(~0u, x, 2, 4));
    OUT(__shfl_xor_sync(~0u, x, 9)); OUT(__shfl_xor_sync(~0u, x, 5, 8)); OUT(__shfl_sync(~0u, x, y));
    asm volatile("{ .reg .pred q; shfl.sync.up.b32 %0|q, %2, 4, 0x1800, -1; selp.u32 %1, 1, 0, q; }" : "=r"(v), "=r"(p) : "r"(x));
    OUT(v); OUT(p);
    OUT(__ballot_sync(~0u, x & 1)); OUT(__any_sync(~0u, (x & 31) == 0)); OUT(__all_sync(~0u, (x & 31) != 99));
    OUT(__match_any_sync(~0u, x & 3)); OUT(__match_any_sync(~0u, (u64)(x & 1) << 32 | (y & 1)));
    int all;
    OUT(__match_all_sync(~0u, i >> 5, &all)); OUT(all); OUT(__match_all_sync(~0u, x & 1, &all)); OUT(all);
    OUT(__reduce_add_sync(~0u, x)); OUT(__reduce_min_sync(~0u, x)); OUT(__reduce_max_sync(~0u, (int)x));
    OUT(__reduce_and_sync(~0u, x | 0xff)); OUT(__reduce_or_sync(~0u, x & 0xff00)); OUT(__reduce_xor_sync(~0u, x));
    OUT(__reduce_min_sync(~0u, (int)x)); OUT(__reduce_max_sync(~0u, x)); OUT(__activemask());
    OUT(__syncthreads_count(x & 1)); OUT(__syncthreads_and((x & 255) != 256)); OUT(__syncthreads_or(x == 12345));
    if (x & 2) {
        u32 mask = __activemask();
        OUT(__shfl_sync(mask, y, __ffs(mask) - 1) + __popc(__ballot_sync(mask, z & 1)));
    } else {
        OUT(z);
    }
}

__device__ __noinline__ u32 fibonacci(u32 n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__constant__ u32 table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__device__ u32 counter = 7;

KERNEL(control) {
    INPUT;
    u32 s = 0;
    for (u32 j = 0; j < (x & 31); j++) {
        if (j == (y & 15))
            continue;
        for (u32 k = 0; k < (z & 3); k++)
            s = s * 3 + (j ^ k);
        if (s > 0x10000000)
            break;
    }
    OUT(s); OUT(fibonacci(x & 7)); OUT(table[x & 15]); OUT(counter + (x & 1));
    switch (x & 15) {
    case 0: s += y; break;
    case 1: s ^= z; break;
    case 2: s *= 5;
    case 3: s -= y; break;
    case 4: s = z / 3; break;
    case 5: s = __popc(y); break;
    case 7: s = ~s; break;
    case 9: s <<= 3; break;
    case 12: s = y * z; break;
    default: s += 77;
    }
    OUT(s);
    u32 local[16];
    for (u32 j = 0; j < 16; j++)
        local[j] = x + j * y;
    OUT(local[z & 15] + local[w & 15]);
    OUT((i < 40 ? __ballot_sync(i < 32 ? ~0u : 0xffu, x & 4) : 5));
}

KERNEL(memory) {
    INPUT;
    __shared__ __align__(16) u32 s[256];
    __shared__ u64 t[8];
    unsigned char *bytes = (unsigned char *)s;
    for (u32 j = i; j < 256; j += 64)
        s[j] = j * 0x01030507u;
    if (i < 8)
        t[i] = i;
    __syncthreads();
    OUT(bytes[x & 1023]); OUT((signed char)bytes[y & 1023]); OUT(((unsigned short *)s)[x & 511]);
    OUT(((short *)s)[y & 511]); OUT(s[x & 255]); uint4 q = ((uint4 *)s)[x & 63]; OUT(q.x ^ q.y + q.z ^ q.w);
    uint2 r = ((uint2 *)s)[y & 127]; OUT(r.x - r.y); __syncthreads();
    bytes[i * 3] = (unsigned char)x; ((unsigned short *)s)[128 + i] = (unsigned short)y; __syncthreads();
    OUT(s[i]); OUT(s[64 + (i & 31)]); __syncthreads();
    s[i] = i & 3 ? 5 : 9; __syncthreads();
    atomicAdd(&s[x & 7], y); atomicMin(&s[8 + (x & 3)], y); atomicMax((int *)&s[12 + (x & 3)], (int)y);
    atomicAnd(&s[16 + (x & 3)], y | 0xf); atomicOr(&s[20 + (x & 3)], y & 0xff); atomicXor(&s[24 + (x & 3)], y);
    atomicInc(&s[28 + (x & 1)], 50); atomicDec(&s[30 + (x & 1)], 60); atomicAdd(&t[x & 3], (u64)y << 20);
    atomicAdd(&s[40 + (x & 3)], 1); atomicAdd((float *)&s[44], 0.0f); __syncthreads();
    OUT(s[i]); OUT(t[i & 7]); OUT(t[i & 7] >> 32); __syncthreads();
    OUT(atomicCAS(&s[i], x & 1 ? s[i] : 1u, y)); OUT(atomicExch(&s[i], z)); OUT(atomicAdd(&s[i], w)); OUT(s[i]);
    u32 *where = x & 1 ? &s[i] : &out[64 * 60 + i];
    *where = y; OUT(*where + 1); OUT(atomicAdd(where, 3)); __syncthreads();
    u32 *cells = out + 64 * 50;
    cells[i] = 0; __syncthreads();
    atomicAdd(&cells[x & 7], 1u); atomicMax(&cells[8], x); atomicMin((int *)&cells[9], (int)y);
    atomicAdd((double *)&cells[10], 1.0); atomicAdd((float *)&cells[12], 0.5f); atomicAdd((__half2 *)&cells[13], __half2(1, 2));
    atomicOr(&cells[14], x & 0xff); atomicAdd((u64 *)&cells[16], (u64)y); __syncthreads();
    OUT(cells[i & 31]);
}

static __device__ u32 shared_address(const void *p) {
    return (u32)__cvta_generic_to_shared(p);
}

KERNEL(matrix_memory) {
    INPUT;
    __shared__ __align__(16) u32 s[256];
    u32 a, b, c, d, l = i & 31;
    for (u32 j = i; j < 256; j += 64)
        s[j] = j * 0x00030007u;
    __syncthreads();
    u32 at = shared_address(&s[4 * ((l * 7) & 63)]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at)); OUT(a);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(at)); OUT(a); OUT(b);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
    OUT(a); OUT(b); OUT(c); OUT(d);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
    OUT(a); OUT(b); OUT(c); OUT(d);
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(a) : "r"(x)); OUT(a);
    __syncthreads();
    if (i < 32) {
        at = shared_address(&s[4 * l]);
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(at), "r"(x), "r"(y), "r"(z), "r"(w) : "memory");
        at = shared_address(&s[128 + 4 * l]);
        asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" ::"r"(at), "r"(x), "r"(y) : "memory");
    }
    __syncthreads();
    OUT(s[i]); OUT(s[64 + i]); OUT(s[128 + i]); __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&s[i])), "l"(in + (x & 255)) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared_address(&s[64 + 2 * i])), "l"(in + 2 * (y & 127)) : "memory");
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory"); __syncthreads();
    OUT(s[i]); OUT(s[64 + i]); OUT(s[128 + i]); __syncthreads();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&s[4 * i])), "l"(in + 4 * (z & 63)) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory"); __syncthreads();
    OUT(s[i] + s[64 + i]); OUT(s[128 + i] ^ s[192 + i]);
}

KERNEL(integer_matrix) {
    INPUT;
    u32 a, b, c, d;
#define IMMA(shape, types, sat, A, B)                                                                       \
    asm volatile("mma.sync.aligned." shape ".row.col" sat ".s32." types ".s32 {%0,%1,%2,%3}, " A ", " B ", {%8,%9,%10,%11};" \
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(x), "r"(y), "r"(z), "r"(w), "r"(1), "r"(0x7fff0000), "r"(x), "r"(-5)); \
    OUT(a); OUT(b); OUT(c); OUT(d)
    IMMA("m16n8k16", "s8.s8", "", "{%4,%5}", "{%6}"); IMMA("m16n8k16", "u8.s8", "", "{%4,%5}", "{%6}");
    IMMA("m16n8k32", "s8.s8", "", "{%4,%5,%6,%7}", "{%5,%7}"); IMMA("m16n8k32", "u8.u8", "", "{%4,%5,%6,%7}", "{%5,%7}");
    IMMA("m16n8k32", "s8.u8", ".satfinite", "{%4,%5,%6,%7}", "{%5,%7}");
}

// Small whole numbers: every sum is exact.
KERNEL(exact_matrix) {
    INPUT;
    float a, b, c, d;
    __half2 h[4];
    __nv_bfloat162 g[4];
    u32 words[4] = {x, y, z, w}, hw[4], gw[4], fw[4];
    for (int j = 0; j < 4; j++) {
        h[j] = __floats2half2_rn((float)(int)(words[j] & 15) - 7, (float)(int)(words[j] >> 4 & 15) - 8);
        g[j] = __floats2bfloat162_rn((float)(int)(words[j] & 15) - 7, (float)(int)(words[j] >> 4 & 15) - 8);
        hw[j] = *(u32 *)&h[j];
        gw[j] = *(u32 *)&g[j];
        fw[j] = __float_as_uint((float)(int)(words[j] & 31) - 15);
    }
#define MMA(shape, type, A, B, v)                                                                          \
    asm volatile("mma.sync.aligned." shape ".row.col.f32." type "." type ".f32 {%0,%1,%2,%3}, " A ", " B ", {%8,%9,%10,%11};" \
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "f"(1.f), "f"(2.f), "f"(-3.f), "f"(0.5f)); \
    OUTF(a); OUTF(b); OUTF(c); OUTF(d)
    MMA("m16n8k16", "f16", "{%4,%5,%6,%7}", "{%5,%7}", hw); MMA("m16n8k8", "f16", "{%4,%5}", "{%6}", hw);
    MMA("m16n8k16", "bf16", "{%4,%5,%6,%7}", "{%5,%7}", gw); MMA("m16n8k8", "bf16", "{%4,%5}", "{%6}", gw);
    MMA("m16n8k8", "tf32", "{%4,%5,%6,%7}", "{%5,%7}", fw); MMA("m16n8k4", "tf32", "{%4,%5}", "{%6}", fw);
    u32 e, f;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%3,%5}, {%2,%4};"
                 : "=r"(e), "=r"(f) : "r"(hw[0]), "r"(hw[1]), "r"(hw[2]), "r"(hw[3]));
    OUT(e); OUT(f);
    double p, q;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
                 : "=d"(p), "=d"(q) : "d"((double)(x & 63)), "d"((double)(y & 63)), "d"(1.0), "d"(-2.0));
    OUTD(p); OUTD(q);
}

KERNEL(approx_matrix) {
    INPUT;
    float a, b, c, d;
    u32 v[4] = {x & 0xbfffbfffu, y & 0xbfffbfffu, z & 0xbfffbfffu, w & 0xbfffbfffu}; // below 2
    MMA("m16n8k16", "f16", "{%4,%5,%6,%7}", "{%5,%7}", v);
}
