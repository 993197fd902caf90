// SPDX-License-Identifier: MIT
// Rows that other places know the length of: a cast to wider elements, a function's argument, an
// address that assembly takes, the leading dimension of a matrix, a pointer to rows, a macro.
#include <cstdint>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

constexpr int LD = 64;
#define FLOAT4(value) (reinterpret_cast<float4 *>(&(value))[0])
#define CELL(row, column) cell[(row)*32 + (column)]

__global__ void cast(float *in, float *out) {
    __shared__ float wide[64 * 32];
    const int t = threadIdx.x;
    for (int i = t; i < 512; i += 64)
        FLOAT4(wide[i * 4]) = FLOAT4(in[i * 4]);
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 32; j++)
        sum += wide[t * 32 + j];
    out[t] = sum;
}

__device__ float dot(const float *row, const float *all, int ld, int column) {
    float sum = 0;
    for (int i = 0; i < 32; i++)
        sum += row[i] * all[column * ld + i];
    return sum;
}

__device__ void load(float *to, const float *from, int ld) {
    for (int i = threadIdx.y; i < 32; i += blockDim.y)
        to[i * ld + threadIdx.x] = from[i * 32 + threadIdx.x];
}

__global__ void function(const float *a, const float *b, float *out) {
    __shared__ float left[32 * 32], right[32 * 32];
    load(left, a, 32);
    load(right, b, 32);
    __syncthreads();
    for (int i = threadIdx.y; i < 32; i += blockDim.y)
        out[i * 32 + threadIdx.x] = dot(left + i * 32, right, 32, threadIdx.x);
}

__global__ void address(const half *in, unsigned *out) {
    __shared__ __align__(16) half operand[32 * 64];
    const int t = threadIdx.x;
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(operand);
    for (int i = t; i < 256; i += 32) {
        const uint32_t to = base + i * 16;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + i * 8));
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    unsigned r0, r1, r2, r3;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
                 : "r"(base + (t % 16 * 64 + t / 16 * 8) * 2));
    out[t] = r0 + r1 * 3 + r2 * 5 + r3 * 7;
}

__global__ void leading(const half *in, float *out) {
    __shared__ half a[16 * LD];
    for (int i = threadIdx.x; i < 16 * 64; i += 32)
        a[i / 64 * LD + i % 64] = in[i];
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.0f);
    wmma::load_matrix_sync(fb, in, 16);
    for (int i = 0; i < 64; i += 16) {
        wmma::load_matrix_sync(fa, a + i, LD);
        wmma::mma_sync(c, fa, fb, c);
    }
    wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}

__global__ void rows(const float *in, float *out) {
    __shared__ float stage[2][32][32];
    for (int s = 0; s < 4; s++) {
        float(*now)[32] = stage[s & 1];
        now[threadIdx.y][threadIdx.x] = in[s * 1024 + threadIdx.y * 32 + threadIdx.x];
        __syncthreads();
        out[s * 1024 + threadIdx.y * 32 + threadIdx.x] = now[threadIdx.x][threadIdx.y];
    }
}

__global__ void macro(const float *in, float *out) {
    extern __shared__ float cell[];
    for (int i = 0; i < 32; i++)
        CELL(i, threadIdx.x) = in[i * 32 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 32; i++)
        out[i * 32 + threadIdx.x] = CELL(threadIdx.x, i);
}

void launch(float *in, const half *matrix, unsigned *bits, float *out) {
    const size_t bytes = 32 * 32 * sizeof(float);
    cast<<<1, 64>>>(in, out);
    function<<<1, dim3(32, 8)>>>(in, in, out);
    address<<<1, 32>>>(matrix, bits);
    leading<<<1, 32>>>(matrix, out);
    rows<<<1, dim3(32, 32)>>>(in, out);
    macro<<<1, 32, bytes>>>(in, out);
}
