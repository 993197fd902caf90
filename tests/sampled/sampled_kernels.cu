// SPDX-License-Identifier: MIT
// sampled_kernels.cu: thirty small kernels whose blocks do the same, nearly the same, or quite
// different things: what sixteen blocks say of all of them is held against all
// (tests/sampled/check).
//     sampled_kernels [SIZE [NAME...]]    each is launched once; SIZE 1 to 16 makes grids larger
// clang-format off
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <mma.h>

typedef unsigned u32;
struct Data {
    float *a, *b, *c;
    u32 *x, *y, *z; // x: random, y: zeros at first, z: rising
    int n;          // elements: a square number of rows of 32
    int side;       // its root
};

__device__ u32 here() { return blockIdx.x * blockDim.x + threadIdx.x; }

// ---- All blocks alike ----
__global__ void product_naive(Data d) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float s = 0;
    for (int k = 0; k < 64; k++) s += d.a[y * d.side + k] * d.b[k * d.side + x];
    d.c[y * d.side + x] = s;
}
template <int PAD> __device__ void product_tile(Data d) {
    __shared__ float p[32][32 + PAD], q[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int r = 0; r < 32; r += 8) {
        p[threadIdx.x][threadIdx.y + r] = d.a[(y + r) * d.side + threadIdx.x];
        q[threadIdx.y + r][threadIdx.x] = d.b[(threadIdx.y + r) * d.side + x];
    }
    __syncthreads();
    for (int r = 0; r < 32; r += 8) {
        float s = 0;
        for (int k = 0; k < 32; k++) s += p[k][threadIdx.y + r] * q[k][threadIdx.x];
        d.c[(y + r) * d.side + x] = s;
    }
}
__global__ void product_columns(Data d) { product_tile<0>(d); }
__global__ void product_padded(Data d) { product_tile<1>(d); }
template <int PAD> __device__ void turn(Data d) {
    __shared__ float t[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int r = 0; r < 32; r += 8) t[threadIdx.y + r][threadIdx.x] = d.a[(y + r) * d.side + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int r = 0; r < 32; r += 8) d.c[(y + r) * d.side + x] = t[threadIdx.x][threadIdx.y + r];
}
__global__ void transpose_plain(Data d) { turn<0>(d); }
__global__ void transpose_padded(Data d) { turn<1>(d); }
__global__ void reduce_tree(Data d) {
    __shared__ float s[256];
    u32 t = threadIdx.x;
    s[t] = d.a[here()];
    __syncthreads();
    for (u32 step = 1; step < 256; step *= 2) {
        if (t % (2 * step) == 0) s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0) d.c[blockIdx.x] = s[0];
}
__global__ void scan_block(Data d) {
    __shared__ u32 s[256];
    u32 t = threadIdx.x;
    s[t] = d.z[here()];
    for (u32 step = 1; step < 256; step *= 2) {
        __syncthreads();
        u32 v = t >= step ? s[t - step] : 0;
        __syncthreads();
        s[t] += v;
    }
    d.y[here()] = s[t];
}
__global__ void softmax_rows(Data d) {
    __shared__ float s[8];
    const float *row = d.a + (size_t)(blockIdx.x % d.side) * d.side;
    float m = -1e30f, sum = 0;
    for (int i = threadIdx.x; i < d.side; i += 256) m = fmaxf(m, row[i]);
    for (int o = 16; o > 0; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = m;
    __syncthreads();
    for (int i = 0; i < 8; i++) m = fmaxf(m, s[i]);
    for (int i = threadIdx.x; i < d.side; i += 256) sum += __expf(row[i] - m);
    for (int i = threadIdx.x; i < d.side; i += 256) d.c[(size_t)(blockIdx.x % d.side) * d.side + i] = __expf(row[i] - m) / sum;
}
__global__ void bitonic_block(Data d) {
    __shared__ u32 s[256];
    u32 t = threadIdx.x;
    s[t] = d.x[here()];
    for (u32 k = 2; k <= 256; k *= 2)
        for (u32 j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            u32 o = t ^ j;
            if (o > t && (s[t] > s[o]) == ((t & k) == 0)) { u32 v = s[t]; s[t] = s[o]; s[o] = v; }
        }
    __syncthreads();
    d.y[here()] = s[t];
}
__global__ void bodies(Data d) {
    __shared__ float4 s[128];
    float x = d.a[here()], f = 0;
    for (int tile = 0; tile < 4; tile++) {
        s[threadIdx.x] = make_float4(d.a[tile * 128 + threadIdx.x], d.b[threadIdx.x], 0, 1);
        __syncthreads();
        for (int i = 0; i < 128; i++) { float r = s[i].x - x; f += r * s[i].w / (r * r + 0.1f); }
        __syncthreads();
    }
    d.c[here()] = f;
}
__global__ void tensor_tile(Data d) {
    using namespace nvcuda::wmma;
    __shared__ half p[16 * 16], q[16 * 16];
    for (int i = threadIdx.x; i < 256; i += 32) { p[i] = __float2half(d.a[blockIdx.x * 256 + i]); q[i] = __float2half(d.b[i]); }
    __syncwarp();
    fragment<matrix_a, 16, 16, 16, half, row_major> a;
    fragment<matrix_b, 16, 16, 16, half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> c;
    fill_fragment(c, 0.f);
    load_matrix_sync(a, p, 16);
    load_matrix_sync(b, q, 16);
    mma_sync(c, a, b, c);
    store_matrix_sync(d.c + blockIdx.x * 256, c, 16, mem_row_major);
}
__global__ void copy_ahead(Data d) {
    __shared__ float s[2][128];
    u32 t = threadIdx.x;
    for (int i = 0; i < 4; i++) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((u32)__cvta_generic_to_shared(&s[i & 1][t])), "l"(d.a + (here() + i * 128) % d.n));
        asm volatile("cp.async.wait_all;");
        __syncthreads();
        d.c[here()] = s[i & 1][t * 3 % 128];
        __syncthreads();
    }
}
__global__ void strided(Data d) { d.c[here()] = d.a[here() * 33 % d.n]; }
__global__ void bytes_of_tile(Data d) {
    __shared__ unsigned char s[32][32];
    s[threadIdx.y][threadIdx.x] = (unsigned char)d.x[here()];
    __syncthreads();
    d.y[here()] = s[threadIdx.x][threadIdx.y];
}
// ---- Blocks at the border do otherwise ----
__global__ void stencil_plane(Data d) {
    __shared__ float s[10][34];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, n = d.side;
    s[threadIdx.y + 1][threadIdx.x + 1] = d.a[y * n + x];
    if (threadIdx.x == 0 && x > 0) s[threadIdx.y + 1][0] = d.a[y * n + x - 1];
    if (threadIdx.x == 31 && x < n - 1) s[threadIdx.y + 1][33] = d.a[y * n + x + 1];
    if (threadIdx.y == 0 && y > 0) s[0][threadIdx.x + 1] = d.a[(y - 1) * n + x];
    if (threadIdx.y == 7 && y < n - 1) s[9][threadIdx.x + 1] = d.a[(y + 1) * n + x];
    __syncthreads();
    if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
        d.c[y * n + x] = s[threadIdx.y][threadIdx.x + 1] + s[threadIdx.y + 2][threadIdx.x + 1] + s[threadIdx.y + 1][threadIdx.x] + s[threadIdx.y + 1][threadIdx.x + 2];
}
__global__ void stencil_space(Data d) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z, nx = gridDim.x * 32, ny = gridDim.y * 4;
    int i = (z * ny + y) * nx + x;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < (int)gridDim.z - 1)
        d.c[i] = d.a[i] + d.a[i - 1] + d.a[i + 1] + d.a[i - nx] + d.a[i + nx] + d.a[i - nx * ny] + d.a[i + nx * ny];
}
__global__ void convolve(Data d) {
    __shared__ float s[256 + 16];
    int i = here(), t = threadIdx.x;
    s[t + 8] = d.a[i];
    if (t < 8) s[t] = i >= 8 ? d.a[i - 8] : 0, s[t + 264] = i + 256 < d.n ? d.a[i + 256] : 0;
    __syncthreads();
    float r = 0;
    for (int k = 0; k < 17; k++) r += s[t + k] * d.b[k];
    d.c[i] = r;
}
__global__ void last_is_short(Data d) {
    __shared__ float s[256];
    int i = here(), n = d.n - 100;
    s[threadIdx.x] = 0;
    if (i < n) s[threadIdx.x * 8 % 256] = d.a[i];
    __syncthreads();
    if (i < n) d.c[i] = s[threadIdx.x];
}
__global__ void __cluster_dims__(2, 1, 1) neighbours(Data d) {
    __shared__ float s[256];
    s[threadIdx.x] = d.a[here()];
    u32 other, v;
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"((u32)__cvta_generic_to_shared(&s[threadIdx.x * 8 % 256])), "r"((blockIdx.x & 1) ^ 1));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(other));
    d.y[here()] = v;
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
// ---- Each block does more than the one before, or some do nothing ----
__global__ void triangle(Data d) {
    __shared__ float s[128];
    float f = 0;
    for (u32 tile = 0; tile <= blockIdx.x % 64; tile++) {
        s[threadIdx.x] = d.a[tile * 128 + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 16; i++) f += s[(threadIdx.x * 4 + i) % 128];
        __syncthreads();
    }
    d.c[here()] = f;
}
__global__ void causal(Data d) {
    float f = 0;
    for (u32 k = 0; k <= blockIdx.x; k += 8) f += d.a[k * 32 % d.n + threadIdx.x % 32];
    d.c[here()] = f;
}
__global__ void every_other(Data d) {
    __shared__ float s[1024];
    s[threadIdx.x * 4] = 0;
    __syncthreads();
    if (blockIdx.x % 2) d.c[here()] = s[threadIdx.x * 4];
    else d.c[here()] = d.a[here()];
}
__global__ void first_third(Data d) {
    __shared__ float s[256];
    if (blockIdx.x > gridDim.x / 3) return;
    s[threadIdx.x] = d.a[here()];
    __syncthreads();
    d.c[here()] = s[threadIdx.x ^ 1];
}
__global__ void only_one(Data d) {
    __shared__ float s[1024];
    if (blockIdx.x != 5) return;
    for (int i = 0; i < 100; i++) { s[threadIdx.x * 4] = d.a[i]; __syncthreads(); d.c[i] = s[threadIdx.x * 4]; __syncthreads(); }
}
// ---- What the data decide ----
__global__ void histogram(Data d) {
    __shared__ u32 s[64];
    if (threadIdx.x < 64) s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = 0; i < 4; i++) atomicAdd(&s[d.x[(here() + i * 256) % d.n] % 64], d.z[0] + 2);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&d.y[threadIdx.x], s[threadIdx.x]);
}
__global__ void gather(Data d) { d.c[here()] = d.a[d.x[here()] % d.n]; }
__global__ void scatter(Data d) { atomicAdd(&d.y[d.x[here()] % d.n], 1u); }
__global__ void rows_of_lists(Data d) {
    float f = 0;
    u32 first = here() * 4 % (u32)d.n, count = d.x[here()] % 16;
    for (u32 i = 0; i < count; i++) f += d.a[d.x[(first + i) % d.n] % d.n];
    d.c[here()] = f;
}
__global__ void compact(Data d) {
    __shared__ u32 count, base;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    u32 v = d.x[here()], at = 0;
    if (v % 3 == 0) at = atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(&d.y[0], count);
    __syncthreads();
    if (v % 3 == 0) d.z[d.n + (base + at) % d.n] = v;
}
__global__ void escape(Data d) {
    float x = (float)(here() % d.side) / d.side * 3 - 2, y = (float)(here() / d.side) / d.side * 2 - 1, a = 0, b = 0;
    u32 i = 0;
    for (; i < 64 && a * a + b * b < 4; i++) { float t = a * a - b * b + x; b = 2 * a * b + y; a = t; d.c[here()] = a; }
    d.y[here()] = i;
}
__global__ void float_atomics(Data d) {
    __shared__ float s[32];
    if (threadIdx.x < 32) s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[d.x[here()] % 32], d.a[here()]);
    __syncthreads();
    if (threadIdx.x < 32) d.c[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}

// ---- The host ----
static Data data;
static int size = 1;

struct Program {
    const char *name;
    void (*kernel)(Data);
    dim3 grid, block; // of SIZE 1; x, or where it has y, both grow with it
};
static const Program programs[] = {
#define LINE(k, threads) {#k, k, dim3(65536 / threads), dim3(threads)}
#define PLANE(k, gx, gy, bx, by) {#k, k, dim3(gx, gy), dim3(bx, by)}
    PLANE(product_naive, 8, 32, 32, 8), PLANE(product_columns, 8, 8, 32, 8), PLANE(product_padded, 8, 8, 32, 8),
    PLANE(transpose_plain, 8, 8, 32, 8), PLANE(transpose_padded, 8, 8, 32, 8), LINE(reduce_tree, 256), LINE(scan_block, 256),
    {"softmax_rows", softmax_rows, dim3(256), dim3(256)}, LINE(bitonic_block, 256), LINE(bodies, 128),
    {"tensor_tile", tensor_tile, dim3(256), dim3(32)}, LINE(copy_ahead, 128), LINE(strided, 256),
    {"bytes_of_tile", bytes_of_tile, dim3(64), dim3(32, 32)}, PLANE(stencil_plane, 8, 32, 32, 8),
    {"stencil_space", stencil_space, dim3(4, 8, 16), dim3(32, 4)}, LINE(convolve, 256), LINE(last_is_short, 256), LINE(neighbours, 256), LINE(triangle, 128),
    LINE(causal, 256), LINE(every_other, 256), LINE(first_third, 256), LINE(only_one, 256), LINE(histogram, 256), LINE(gather, 256),
    LINE(scatter, 256), LINE(rows_of_lists, 256), LINE(compact, 256), LINE(escape, 256), LINE(float_atomics, 256),
};

static void check(cudaError_t status, const char *what) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    exit(1);
}

static void *array(size_t bytes, const void *from) {
    void *at;
    check(cudaMalloc(&at, bytes), "memory");
    check(from ? cudaMemcpy(at, from, bytes, cudaMemcpyHostToDevice) : cudaMemset(at, 0, bytes), "memory");
    return at;
}

static void make_data() {
    data.side = 256 * size;
    data.n = data.side * data.side;
    const size_t n = (size_t)data.n, bytes = 2 * n * 4;
    u32 *words = (u32 *)malloc(bytes), state = 12345;
    float *values = (float *)malloc(bytes);
    for (size_t i = 0; i < 2 * n; i++) {
        state = state * 1664525u + 1013904223u;
        words[i] = state >> 8;
        values[i] = (float)(state >> 20) - 2048;
    }
    data.a = (float *)array(bytes, values), data.b = (float *)array(bytes, values), data.c = (float *)array(bytes, nullptr);
    data.x = (u32 *)array(bytes, words), data.y = (u32 *)array(bytes, nullptr), data.z = (u32 *)array(bytes, nullptr);
    free(words);
    free(values);
}

int main(int argc, char **argv) {
    size = argc > 1 ? atoi(argv[1]) : 1;
    make_data();
    for (const Program &p : programs) {
        bool is_wanted = argc <= 2;
        for (int i = 2; i < argc; i++) is_wanted |= strcmp(argv[i], p.name) == 0;
        if (!is_wanted) continue;
        dim3 grid = p.grid;
        grid.x *= grid.y > 1 || grid.z > 1 ? size : size * size;
        grid.y *= grid.y > 1 ? size : 1;
        p.kernel<<<grid, p.block>>>(data);
        check(cudaGetLastError(), p.name);
        check(cudaDeviceSynchronize(), p.name);
    }
    puts("done");
    return 0;
}
