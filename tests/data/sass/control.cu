// SPDX-License-Identifier: MIT
// Calls inside of loops that lanes leave, in few registers, so that functions save their callers'
// convergence barriers; what 64-bit divisions by constants become; compare-and-swap of 16 bytes.
// Recorded and compared like opcodes.cu.
//     nvcc -std=c++17 -arch=sm_90 -maxrregcount=24 -cubin control.cu
// Debug builds of the other files, whose instructions the optimised ones have not:
//     for f in opcodes forms programs; do nvcc -std=c++17 -arch=sm_90 -Xptxas -O0 -cubin -o
//     $f.o0.cubin $f.cu; done
// clang-format off
#include "opcode_macros.cuh"

typedef u32 (*function)(u32, u32, const u32 *);

// Each leaves its loops in several ways, and calls the next one from within.
__device__ __noinline__ u32 last(u32 x, u32 y, const u32 *in) {
    u32 sum = x;
    for (u32 j = 0; j < (y & 15); j++) {
        if (((sum >> j) & 7) == 3)
            break;
        if (((sum ^ y) & 3) == 1)
            return sum * 3;
        sum += in[(sum + j) & 255];
    }
    return sum;
}

__device__ __noinline__ u32 other_last(u32 x, u32 y, const u32 *in) {
    u32 a = in[x & 255], b = in[y & 255], c = a ^ y, d = b ^ x;
    while (d & 1) {
        for (u32 j = 0; j < (c & 3) + 1; j++) {
            a += last(b, j, in);
            if ((a & 3) == 1)
                return a ^ d;
        }
        d = (d >> 1) ^ (a & 6);
    }
    return a + b + c;
}

// Inlined, so that a return out of two loops is a jump past their barriers.
__device__ __forceinline__ u32 nested(u32 x, u32 y, const u32 *in, function f) {
    for (u32 j = 0; j < (x & 3) + 2; j++) {
        for (u32 k = 0; k < (y & 3) + 2; k++) {
            x += f(x, y ^ k, in);
            if ((x & 7) == 1)
                return x + j;
            if (x & 64) {
                y += last(y, x, in);
                if ((y & 7) == 3)
                    return y - k;
            }
            x ^= y >> 3;
        }
        if ((x & 15) == 4)
            break;
        y += in[(x + j) & 255];
    }
    return x * y;
}

__device__ __noinline__ u32 middle(u32 x, u32 y, const u32 *in) {
    u32 a = x * 3, b = y + 7, c = x ^ y, d = x + y, e = in[x & 255];
    for (u32 j = 0; j < (x & 7) + 2; j++) {
        a += last(b, c + j, in);
        if ((a & 7) == 2)
            break;
        b ^= (e & 1) ? last(d, a, in) : a >> 3;
        if ((b & 15) == 9)
            return a + b + d;
        e = e * 5 + nested(c, d, in, (b & 2) ? last : other_last);
        if ((e & 31) < 3)
            continue;
        d -= in[b & 255];
    }
    return a ^ b ^ c ^ d ^ e;
}

__device__ __noinline__ u32 other(u32 x, u32 y, const u32 *in) {
    u32 sum = y;
    do {
        sum = sum * 9 + middle(sum, x, in);
        if ((sum & 7) == 5)
            break;
    } while ((x >>= 3) != 0);
    return sum;
}

__device__ function table[4] = {last, middle, other, middle};

KERNEL(int_saved) {
    INPUT;
    u32 a = x, b = y, c = z, d = w, e = x ^ w;
    for (u32 j = 0; j < (x & 3) + 3; j++) {
        a += table[(b + j) & 3](a, c, in);
        if ((a & 15) == 6)
            break;
        for (u32 k = 0; k < (d & 3) + 1; k++) {
            b ^= table[(a + k) & 3](d, e, in);
            if ((b & 7) == 1)
                break;
            c += b >> 2;
        }
        d = d * 7 + c;
        e -= nested(a, d, in, table[(d >> 3) & 3]);
        if ((e & 15) == 3)
            break;
    }
    OUT(a); OUT(b); OUT(c); OUT(d); OUT(e);
}

// From here on: built without the limit of registers, too.
KERNEL(int_carried) {
    INPUT;
    const u64 a = x | (u64)y << 32, b = z | (u64)w << 32;
#define DIVIDED(by) OUT((a / by##ull) >> 32); OUT64(b / by##ull); OUT64(b % by##ull); OUT64((s64)a / by##ll); OUT64((s64)b % by##ll); \
    OUT((__umul64hi(a, by##ull) >> 32))
    DIVIDED(3); DIVIDED(7); DIVIDED(10); DIVIDED(255); DIVIDED(641); DIVIDED(1000000007);
}

struct __align__(16) four { u64 low, high; };

#define WIDE(operation, space, at, old, expected, value)                                                                   \
    asm volatile("{ .reg .b128 o, e, v; mov.b128 e, {%3, %4}; mov.b128 v, {%5, %6}; " operation "; mov.b128 {%0, %1}, o; }" \
                 : "=l"(old.low), "=l"(old.high) : space(at), "l"(expected.low), "l"(expected.high), "l"(value.low), "l"(value.high) : "memory")

KERNEL(int_sixteen) {
    INPUT;
    __shared__ four here[64];
    four *there = (four *)(out + 60 * 64) + i;
    const four mine = {x | (u64)y << 32, z | (u64)w << 32}, next = {mine.low ^ 1, mine.high}, wrong = {mine.low, mine.high + 1};
    four old;
    here[i] = mine;
    *there = mine;
    const u32 at = (u32)__cvta_generic_to_shared(here + i);
#define SEEN OUT64(old.low); OUT64(old.high)
    WIDE("atom.shared.cas.b128 o, [%2], e, v", "r", at, old, wrong, next); SEEN;
    WIDE("atom.shared.cas.b128 o, [%2], e, v", "r", at, old, mine, next); SEEN;
    WIDE("atom.shared.exch.b128 o, [%2], v", "r", at, old, mine, wrong); SEEN;
    WIDE("atom.global.cas.b128 o, [%2], e, v", "l", there, old, next, wrong); SEEN;
    WIDE("atom.global.cas.b128 o, [%2], e, v", "l", there, old, mine, wrong); SEEN;
    WIDE("atom.global.exch.b128 o, [%2], v", "l", there, old, mine, next); SEEN;
    four *either = x & 1 ? here + i : there;
    WIDE("atom.cas.b128 o, [%2], e, v", "l", either, old, wrong, mine); SEEN;
    WIDE("atom.exch.b128 o, [%2], v", "l", either, old, wrong, mine); SEEN;
    OUT64(here[i].low); OUT64(here[i].high); OUT64(there->low); OUT64(there->high);
}
