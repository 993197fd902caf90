// SPDX-License-Identifier: MIT
// Lanes that jump out of a region of a convergence barrier without BREAK: in `k0`, nvcc 13.0 ends
// the inner "if" of phase0_0 with BSYNC B0; its "break" goes from within to the WARPSYNC.ALL before
// BAR.SYNC, where lanes wait for those that wait for them at BSYNC. In `stuck` the lanes wait
// inside of the region: a deadlock of the program's own. `k0` is what remained of seed 5000086 of
// tests/tools/random_control.py when all was taken out that the jump does not need.
//     nvcc -std=c++17 -arch=sm_90 -fmad=false -cubin left_regions.cu
// left_regions.bin is what the same text leaves as host code for data[i] = i:
//     c++ -x c++ -ffp-contract=off left_regions.cu && ./a.out >left_regions.bin
// clang-format off
#ifdef __CUDACC__
#define FN __device__ __noinline__
#define IN __device__
#define TABLE __device__
#else
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define FN __attribute__((noinline)) static
#define IN
#define TABLE static
#endif
typedef unsigned u32;
typedef unsigned long long u64;
struct state { u32 a, b, c, fuel; u64 w; double d; const u32 *data; };
#define SPEND(x) do { if (s->fuel == 0) return (x); s->fuel--; } while (0)
IN static inline u32 bits_of(double d) { u64 u; memcpy(&u, &d, 8); return (u32)u ^ (u32)(u >> 32); }
FN u32 f0(u32 x, u32 y, state *s);
FN u32 f1(u32 x, u32 y, state *s);
FN u32 f2(u32 x, u32 y, state *s);
FN u32 f3(u32 x, u32 y, state *s);
FN u32 recur(u32 x, u32 y, state *s);
typedef u32 (*function)(u32, u32, state *);
TABLE function table[] = {f0, f1, f2, f3};
FN u32 f3(u32 x, u32 y, state *s) { s->a += y; s->w ^= x; return x * 3 + s->b++; }
FN u32 f2(u32 x, u32 y, state *s) { s->a += y; s->w ^= x; return x * 3 + s->b++; }
FN u32 f1(u32 x, u32 y, state *s) { s->a += y; s->w ^= x; return x * 3 + s->b++; }
FN u32 f0(u32 x, u32 y, state *s) {
    for (u32 v22 = 171u & 7; v22 != 0; v22--) {
        if (((s->w >> (x & 63)) & 1) != 0) {
            for (u32 v23 = 0; v23 < (y & 7); v23++) {
                if ((int)(u32)((s->w * 898ull + x) >> 17) < (int)(x * s->c)) {
                u32 v24 = 0; do {
                } while (++v24 < (((u32)(s->w >> 32) * (u32)(s->w >> 32)) & 7)); }
            }
        }
    }
    s->a += recur(((u32)((int)(u32)(s->w >> 32) >> 3) * s->data[(x + 30) & 1023]), 4, s);
    return x + 3 * y;
}
FN u32 recur(u32 x, u32 y, state *s) {
    SPEND(x); if (y == 0) return x ^ s->c;
    if (s->d < 30 + (((x < (u32)(s->w >> 32) ? x : (u32)(s->w >> 32)) % (((s->data[(x + 97) & 1023] / ((s->a & 63) + 1)) & 31) + 1)) & 31)) x += recur((x < y ? x : y), y - 1, s);
    return x + y; }
IN static inline void phase0_0(u32 &x, u32 &y, state *s) {
    x ^= table[0 + (239u / ((s->a & 63) + 1)) % 4]((u32)(((u64)((u32)(s->w >> 32) | y) * y + s->w) >> 32), ((u32)(s->w >> 32) | s->b), s);
    for (u32 v28 = (u32)((int)(s->c ^ (u32)s->w) >> 3) & 7; v28 != 0; v28--) {
        if ((y & 7) < ((461u - s->a) & 7)) {
            x ^= (u32)((int)((17u | s->a) - (s->a | s->b)) >> 3);
            if (((s->w >> (y & 63)) & 1) != 0) break;
        }
    }
}
IN static inline void phase0_1(u32 &x, u32 &y, state *s) {
    x += f0((u32)((s->w * 406ull + s->data[(x + 40) & 1023]) >> 17), ((u32)(s->w >> 32) * x), s);
}
#ifdef __CUDACC__
extern "C" __global__ void k0(u32 *out, const u32 *data) { __shared__ u32 box[32];
    const u32 i = threadIdx.x, t = blockIdx.x * 32 + i; u32 x, y; state own; x = data[t & 1023], y = t * 7 + 0; const u32 *at[] = {data, data}; own = {x, y, t, 120, (u64)x << 32 | y, (double)(x & 1023) / 8, at[x & 1]};
    phase0_0(x, y, &own);
    __syncthreads(); box[i] = x + own.a; __syncthreads(); y ^= box[(i + 31) % 32];
    phase0_1(x, y, &own);
    __syncthreads(); box[i] = x + own.a; __syncthreads(); y ^= box[(i + 31) % 32];
    out[t * 8] = x, out[t * 8 + 1] = y, out[t * 8 + 2] = own.a, out[t * 8 + 3] = own.b, out[t * 8 + 4] = (u32)own.w, out[t * 8 + 5] = (u32)(own.w >> 32), out[t * 8 + 6] = bits_of(own.d), out[t * 8 + 7] = own.fuel; }
extern "C" __global__ void stuck(u32 *out, const u32 *data) {
    u32 x = data[threadIdx.x];
    if (x & 1) {
        __syncwarp();
        x += out[x & 31];
    } else {
        x *= 3;
    }
    out[threadIdx.x] = x * x;
    __syncwarp();
    out[32 + threadIdx.x] = out[threadIdx.x ^ 1];
}
#else
static void k0(u32 *out, const u32 *data, u32 block) { static u32 box[32], xs[32], ys[32]; static state owns[32];
#define EACH for (u32 i = 0; i < 32; i++) { const u32 t = block * 32 + i; u32 &x = xs[i], &y = ys[i]; state &own = owns[i];
    EACH x = data[t & 1023], y = t * 7 + 0; const u32 *at[] = {data, data}; own = {x, y, t, 120, (u64)x << 32 | y, (double)(x & 1023) / 8, at[x & 1]}; }
    EACH phase0_0(x, y, &own); }
    EACH (void)t, (void)y; box[i] = x + own.a; }
    EACH (void)t, (void)x, (void)own; y ^= box[(i + 31) % 32]; }
    EACH phase0_1(x, y, &own); }
    EACH (void)t, (void)y; box[i] = x + own.a; }
    EACH (void)t, (void)x, (void)own; y ^= box[(i + 31) % 32]; }
    EACH out[t * 8] = x, out[t * 8 + 1] = y, out[t * 8 + 2] = own.a, out[t * 8 + 3] = own.b, out[t * 8 + 4] = (u32)own.w, out[t * 8 + 5] = (u32)(own.w >> 32), out[t * 8 + 6] = bits_of(own.d), out[t * 8 + 7] = own.fuel; }
#undef EACH
}
int main() {
    static u32 data[1024], out[512];
    for (u32 i = 0; i < 1024; i++)
        data[i] = i;
    k0(out, data, 0);
    k0(out, data, 1);
    fwrite(out, 4, 512, stdout);
}
#endif
