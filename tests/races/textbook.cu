// SPDX-License-Identifier: MIT
// What textbooks have: trees, scans, histograms, products, sorting, compaction, in several shapes
// of blocks.
#include <cooperative_groups.h>
extern __shared__ int dyn[];

template <int N, bool S> __device__ void sum_tree(int *to, const int *from) {
    __shared__ int s[N];
    s[threadIdx.x] = from[blockIdx.x * N + threadIdx.x];
    __syncthreads();
    for (unsigned half = N / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half]; // text_tree
        if (S)
            __syncthreads();
    }
    if (threadIdx.x == 0)
        to[blockIdx.x] = s[0];
}
__global__ void text_tree_right(int *to, const int *from) {
    sum_tree<128, true>(to, from);
}
__global__ void text_tree_wrong(int *to, const int *from) {
    sum_tree<128, false>(to, from);
}

template <bool S> __device__ void scan(int *to, const int *from) {
    int *now = dyn, *next = dyn + 128;
    now[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        next[threadIdx.x] = now[threadIdx.x] + (threadIdx.x >= d ? now[threadIdx.x - d]
                                                                 : 0); // text_scan_w text_scan_r
        if (S)
            __syncthreads();
        int *t = now;
        now = next;
        next = t;
    }
    to[threadIdx.x] = now[threadIdx.x];
}
__global__ void text_scan_right(int *to, const int *from) {
    scan<true>(to, from);
}
__global__ void text_scan_wrong(int *to, const int *from) {
    scan<false>(to, from);
}

template <bool A, bool B> __device__ void histogram(int *to, const int *from) {
    __shared__ unsigned bins[64];
    if (threadIdx.x < 64)
        bins[threadIdx.x] = 0; // text_zero
    if (A)
        __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        atomicAdd(&bins[from[i] & 63], 1u); // text_count
    if (B)
        __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&to[threadIdx.x], (int)bins[threadIdx.x]); // text_out
}
__global__ void text_hist_right(int *to, const int *from) {
    histogram<true, true>(to, from);
}
__global__ void text_hist_zero(int *to, const int *from) {
    histogram<false, true>(to, from);
}
__global__ void text_hist_out(int *to, const int *from) {
    histogram<true, false>(to, from);
}

template <bool LAST> __device__ void product(int *to, const int *from) {
    __shared__ float a[16][17], b[16][16];
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        a[threadIdx.y][threadIdx.x] = from[threadIdx.y * 64 + k * 16 + threadIdx.x]; // text_fill_a
        b[threadIdx.y][threadIdx.x] =
            from[(k * 16 + threadIdx.y) * 64 + threadIdx.x]; // text_fill_b
        __syncthreads();
#pragma unroll 1
        for (int i = 0; i < 16; i++)
            sum += a[threadIdx.y][i] * b[i][threadIdx.x]; // text_use
        if (LAST)
            __syncthreads();
    }
    to[threadIdx.y * 16 + threadIdx.x] = sum;
}
__global__ void text_product_right(int *to, const int *from) {
    product<true>(to, from);
}
__global__ void text_product_wrong(int *to, const int *from) {
    product<false>(to, from);
}

template <bool S> __device__ void stencil(int *to, const int *from) {
    __shared__ int s[130];
    const int i = threadIdx.x;
    s[i + 1] = from[i]; // text_inner
    if (i == 0)
        s[0] = 0;
    if (i == 127)
        s[129] = 0;
    if (S)
        cooperative_groups::this_thread_block().sync();
    to[i] = s[i] + s[i + 1] + s[i + 2]; // text_stencil
}
__global__ void text_stencil_right(int *to, const int *from) {
    stencil<true>(to, from);
}

template <bool S> __device__ void bitonic(int *to, const int *from) {
    __shared__ int s[128];
    const unsigned i = threadIdx.x;
    s[i] = from[i];
    __syncthreads();
    for (unsigned k = 2; k <= 128; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2) {
            const unsigned o = i ^ j;
            if (o > i) {
                const int x = s[i], y = s[o]; // text_sort_r
                if ((x > y) == ((i & k) == 0)) {
                    s[i] = y; // text_sort_1
                    s[o] = x; // text_sort_2
                }
            }
            if (S || j > 32)
                __syncthreads();
            else
                __syncwarp();
        }
    __syncthreads();
    to[i] = s[i];
}
__global__ void text_sort_right(int *to, const int *from) {
    bitonic<true>(to, from);
}

// One thread decides, all read.
template <bool S> __device__ void decide(int *to, const int *from) {
    __shared__ int go;
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x == 0)
            go = from[i]; // text_decide
        __syncthreads();
        to[threadIdx.x] += go; // text_obey
        if (S)
            __syncthreads();
    }
}
__global__ void text_decide_right(int *to, const int *from) {
    decide<true>(to, from);
}
__global__ void text_decide_wrong(int *to, const int *from) {
    decide<false>(to, from);
}

// Two arrays in one place.
template <bool S> __device__ void reuse(int *to, const int *from) {
    float *f = reinterpret_cast<float *>(dyn);
    char *c = reinterpret_cast<char *>(dyn);
    f[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    const float got = f[127 - threadIdx.x]; // text_reuse_r
    if (S)
        __syncthreads();
    c[threadIdx.x] = from[threadIdx.x]; // text_reuse_w
    __syncthreads();
    to[threadIdx.x] = c[threadIdx.x ^ 1] + got;
}
__global__ void text_reuse_right(int *to, const int *from) {
    reuse<true>(to, from);
}
__global__ void text_reuse_wrong(int *to, const int *from) {
    reuse<false>(to, from);
}

struct bits {
    unsigned low : 4, high : 12;
};
__global__ void text_bits(int *to, const int *from) {
    __shared__ bits s[64];
    if (threadIdx.x < 64)
        s[threadIdx.x] = bits{0, 0};
    __syncthreads();
    if (threadIdx.x < 64)
        s[threadIdx.x].low = from[threadIdx.x]; // text_low
    else
        s[threadIdx.x - 64].high = from[threadIdx.x]; // text_high
    __syncthreads();
    to[threadIdx.x] = s[threadIdx.x & 63].low;
}

// Halves of int2.
struct pair {
    int a, b;
};
__global__ void text_fields(int *to, const int *from) {
    __shared__ pair s[64];
    if (threadIdx.x < 64)
        s[threadIdx.x].a = from[threadIdx.x];
    else
        s[threadIdx.x - 64].b = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = s[threadIdx.x & 63].a + s[threadIdx.x & 63].b;
}

// The old warp idiom.
__global__ void text_volatile(int *to, const int *from) {
    __shared__ int s[64];
    s[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) {
        volatile int *v = s;
        v[threadIdx.x] += v[threadIdx.x + 32]; // text_v32
        v[threadIdx.x] += v[threadIdx.x + 16]; // text_v16
        v[threadIdx.x] += v[threadIdx.x + 8];  // text_v8
    }
    __syncthreads();
    to[threadIdx.x] = s[0];
}

// Barrier only reached where a condition is the same for all.
__global__ void text_uniform(int *to, const int *from) {
    __shared__ int s[128];
    s[threadIdx.x] = from[threadIdx.x];
    if (gridDim.x > 0)
        __syncthreads();
    to[threadIdx.x] = s[127 - threadIdx.x];
}

// An early return of some threads.
__global__ void text_return(int *to, const int *from) {
    __shared__ int s[128];
    if (threadIdx.x >= 96)
        return;
    s[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = s[95 - threadIdx.x];
}

// In-place transpose in three dimensions of threads.
template <bool S> __device__ void turn(int *to, const int *from) {
    __shared__ int s[4][4][8];
    const int i = threadIdx.x + 8 * (threadIdx.y + 4 * threadIdx.z);
    s[threadIdx.z][threadIdx.y][threadIdx.x] = from[i];
    __syncthreads();
    const int got = s[threadIdx.y][threadIdx.z][threadIdx.x]; // text_turn_r
    if (S)
        __syncthreads();
    s[threadIdx.z][threadIdx.y][threadIdx.x] = got; // text_turn_w
    __syncthreads();
    to[i] = s[threadIdx.z][threadIdx.y][7 - threadIdx.x];
}
__global__ void text_turn_right(int *to, const int *from) {
    turn<true>(to, from);
}
__global__ void text_turn_wrong(int *to, const int *from) {
    turn<false>(to, from);
}

// Compaction: a counter by atomics.
template <bool S> __device__ void compact(int *to, const int *from) {
    __shared__ int count, kept[128];
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (from[threadIdx.x] % 2 == 0)
        kept[atomicAdd(&count, 1)] = from[threadIdx.x]; // text_keep
    if (S)
        __syncthreads();
    const int n = S ? count : 1;
    if (threadIdx.x < n)
        to[threadIdx.x] = kept[threadIdx.x]; // text_kept
}
__global__ void text_compact_right(int *to, const int *from) {
    compact<true>(to, from);
}
__global__ void text_compact_wrong(int *to, const int *from) {
    compact<false>(to, from);
}

/* Nothing writes tile[0], which the missing barrier does not explain. */
__global__ void text_gap(int *to, const int *from) {
    __shared__ int tile[128];
    if (threadIdx.x > 0)
        tile[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = tile[127 - threadIdx.x]; // text_gap_r
    if (threadIdx.x > 0)
        tile[threadIdx.x] = from[threadIdx.x + 128]; // text_gap_w
    __syncthreads();
    to[threadIdx.x + 128] = tile[threadIdx.x | 1];
}

void launch_classic(int *to, const int *from) {
    text_tree_right<<<1, 128>>>(to, from);             // silent
    text_tree_wrong<<<1, 128>>>(to, from);             // text_tree text_tree
    text_scan_right<<<1, 128, 1024>>>(to, from);       // silent
    text_scan_wrong<<<1, 128, 1024>>>(to, from);       // text_scan_w text_scan_r
    text_hist_right<<<1, 128>>>(to, from);             // silent
    text_hist_zero<<<1, 128>>>(to, from);              // text_count text_zero
    text_hist_out<<<1, 128>>>(to, from);               // text_out text_count
    text_product_right<<<1, dim3(16, 16)>>>(to, from); // silent
    text_product_wrong<<<1, dim3(16, 16)>>>(to, from); // text_fill_a text_use, text_fill_b text_use
    text_stencil_right<<<1, 128>>>(to, from);          // silent
    text_sort_right<<<1, 128>>>(to, from);             // silent
    text_decide_right<<<1, 128>>>(to, from);           // silent
    text_decide_wrong<<<1, 128>>>(to, from);           // text_decide text_obey
    text_reuse_right<<<1, 128, 512>>>(to, from);       // silent
    text_reuse_wrong<<<1, 128, 512>>>(to, from);       // text_reuse_w text_reuse_r
    text_bits<<<1, 128>>>(to, from);   // text_high text_low; 10.x 12.x: text_high text_high
    text_fields<<<1, 128>>>(to, from); // silent
    text_volatile<<<1, 64>>>(
        to, from); // text_v16 text_v32, text_v16 text_v16, text_v8 text_v16, text_v8 text_v8
    text_uniform<<<1, 128>>>(to, from);              // silent
    text_return<<<1, 128>>>(to, from);               // silent
    text_turn_right<<<1, dim3(8, 4, 4)>>>(to, from); // silent
    text_turn_wrong<<<1, dim3(8, 4, 4)>>>(to, from); // text_turn_w text_turn_r
    text_compact_right<<<1, 128>>>(to, from);        // silent
    text_compact_wrong<<<1, 128>>>(to, from);        // text_kept text_keep
    text_gap<<<1, 128>>>(to, from); // text_gap_w text_gap_r, uninitialised text_gap_r
}
