/* SPDX-License-Identifier: MIT */
/*
 * Matrix products through tiles in shared memory, one tile of 64 x 64 of C per block. Either each
 * of 16 x 16 threads computes 4 x 4 elements and reads one or four elements at a time, or each of 4
 * x 2 warps computes 16 x 32 by matrix instructions, whose operands it reads by ldmatrix. Matrices
 * are padded with zeros to whole tiles, so there is no edge. The families compare the traffic of
 * the tiles; a fast product would also copy the next tile while it multiplies.
 */
#include <cuda_fp16.h>

#include "gemm_tile.h"
#include "launch.cuh"

namespace {

constexpr unsigned tile = SMP_GEMM_TILE, depth = SMP_GEMM_DEPTH, deep = SMP_GEMM_DEEP;
constexpr unsigned threads = SMP_GEMM_THREADS, side = 16, each = tile / side;

struct Sizes {
    unsigned side, depth; /* padded */
};

/* The first row and column of the block's tile of C. */
__device__ __forceinline__ uint2 corner(Sizes sizes) {
    const unsigned across = sizes.side / tile;
    return make_uint2(blockIdx.x / across * tile, blockIdx.x % across * tile);
}

/* ---- Threads multiply ---- */

template <class T> struct alignas(4 * sizeof(T)) Four { T at[4]; };

__device__ __forceinline__ float value_of(float x) {
    return x;
}

__device__ __forceinline__ float value_of(__half x) {
    return __half2float(x);
}

/* A is stored transposed, so that a thread's rows are neighbours. */
template <class T, unsigned Pitch>
__device__ __forceinline__ void fill(T (&as)[depth][Pitch], T (&bs)[depth][Pitch], const T *a,
                                     const T *b, uint2 at, unsigned k, Sizes sizes) {
    const unsigned row = threadIdx.x / (depth / 4), four = threadIdx.x % (depth / 4) * 4;
    const Four<T> from_a =
        *reinterpret_cast<const Four<T> *>(&a[(size_t)(at.x + row) * sizes.depth + k + four]);
    const unsigned b_row = threadIdx.x / side, b_four = threadIdx.x % side * 4;
    const Four<T> from_b =
        *reinterpret_cast<const Four<T> *>(&b[(size_t)(k + b_row) * sizes.side + at.y + b_four]);
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
        as[four + i][row] = from_a.at[i];
    *reinterpret_cast<Four<T> *>(&bs[b_row][b_four]) = from_b;
}

/* Element i of thread t's row or column: 16 apart, or four adjacent ones. */
template <bool Fours> __device__ __forceinline__ unsigned element(unsigned t, unsigned i) {
    return Fours ? t * each + i : t + i * side;
}

template <bool Fours, class T>
__device__ __forceinline__ void read(float (&to)[each], const T *row, unsigned t) {
    if constexpr (Fours) {
        const Four<T> four = *reinterpret_cast<const Four<T> *>(&row[t * each]);
#pragma unroll
        for (unsigned i = 0; i < each; i++)
            to[i] = value_of(four.at[i]);
    } else {
#pragma unroll
        for (unsigned i = 0; i < each; i++)
            to[i] = value_of(row[element<Fours>(t, i)]);
    }
}

template <class T, unsigned Pitch, bool Fours>
__global__ void __launch_bounds__(threads)
    by_threads(const T *__restrict__ a, const T *__restrict__ b, float *__restrict__ c,
               Sizes sizes) {
    __shared__ alignas(16) T as[depth][Pitch];
    __shared__ alignas(16) T bs[depth][Pitch];
    const uint2 at = corner(sizes);
    const unsigned tx = threadIdx.x % side, ty = threadIdx.x / side;
    float sum[each][each] = {};
#pragma unroll 1
    for (unsigned k = 0; k < sizes.depth; k += depth) {
        fill(as, bs, a, b, at, k, sizes);
        __syncthreads();
#pragma unroll
        for (unsigned kk = 0; kk < depth; kk++) {
            float rows[each], columns[each];
            read<Fours>(rows, as[kk], ty);
            read<Fours>(columns, bs[kk], tx);
#pragma unroll
            for (unsigned i = 0; i < each; i++)
#pragma unroll
                for (unsigned j = 0; j < each; j++)
                    sum[i][j] += rows[i] * columns[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < each; i++) {
        float *row = &c[(size_t)(at.x + element<Fours>(ty, i)) * sizes.side + at.y];
        if constexpr (Fours)
            /* The compiler would split a plain store into four. */
            __stcs(reinterpret_cast<float4 *>(&row[tx * each]),
                   make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]));
        else
#pragma unroll
            for (unsigned j = 0; j < each; j++)
                row[element<Fours>(tx, j)] = sum[i][j];
    }
}

/* ---- Warps multiply ---- */

constexpr unsigned piece = 8; /* halves per move: 16 bytes, a row of a matrix */

/* The place of a piece in row `row`: XOR with the low bits of the row. */
template <bool Swizzled>
__device__ __forceinline__ unsigned column_of(unsigned row, unsigned column) {
    return Swizzled ? column ^ row % piece * piece : column;
}

template <unsigned Pitch, bool Swizzled>
__device__ __forceinline__ void fill_deep(__half (&to)[deep][Pitch], const __half *from,
                                          size_t pitch) {
    constexpr unsigned pieces = deep / piece;
#pragma unroll
    for (unsigned i = 0; i < deep * pieces; i += threads) {
        const unsigned row = (threadIdx.x + i) / pieces;
        const unsigned column = (threadIdx.x + i) % pieces * piece;
        *reinterpret_cast<uint4 *>(&to[row][column_of<Swizzled>(row, column)]) =
            *reinterpret_cast<const uint4 *>(&from[row * pitch + column]);
    }
}

/* Four matrices of 8 x 8; lane l gives the address of row l % 8 of matrix l / 8. */
template <bool Transposed>
__device__ __forceinline__ void load_matrices(uint32_t (&to)[4], const __half *row) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
    const uint32_t address = (uint32_t)__cvta_generic_to_shared(row);
    if constexpr (Transposed)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(address)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(address)
                     : "memory");
#endif
}

/* 16 x 8 of C, from 16 x 16 of A and 16 x 8 of B. */
__device__ __forceinline__ void multiply(float (&c)[4], const uint32_t (&a)[4], uint32_t b0,
                                         uint32_t b1) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

template <unsigned Pitch, bool Swizzled>
__global__ void __launch_bounds__(threads)
    by_warps(const __half *__restrict__ a, const __half *__restrict__ b, float *__restrict__ c,
             Sizes sizes) {
    __shared__ alignas(128) __half as[deep][Pitch];
    __shared__ alignas(128) __half bs[deep][Pitch];
    const uint2 at = corner(sizes);
    const unsigned lane = threadIdx.x % SMP_LANES, warp = threadIdx.x / SMP_LANES;
    const unsigned first_row = warp / 2 * 16, first_column = warp % 2 * 32;
    float sum[4][4] = {};
#pragma unroll 1
    for (unsigned k = 0; k < sizes.depth; k += deep) {
        fill_deep<Pitch, Swizzled>(as, &a[(size_t)at.x * sizes.depth + k], sizes.depth);
        fill_deep<Pitch, Swizzled>(bs, &b[(size_t)k * sizes.side + at.y], sizes.side);
        __syncthreads();
#pragma unroll
        for (unsigned kk = 0; kk < deep; kk += 16) {
            uint32_t rows[4], columns[4];
            const unsigned row = first_row + lane % 16, b_row = kk + lane % 16;
            load_matrices<false>(rows, &as[row][column_of<Swizzled>(row, kk + lane / 16 * piece)]);
#pragma unroll
            for (unsigned n = 0; n < 32; n += 16) {
                const unsigned column = first_column + n + lane / 16 * piece;
                load_matrices<true>(columns, &bs[b_row][column_of<Swizzled>(b_row, column)]);
                multiply(sum[n / 8], rows, columns[0], columns[1]);
                multiply(sum[n / 8 + 1], rows, columns[2], columns[3]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
        const size_t row = at.x + first_row + lane / 4 + i % 2 * 8;
        const unsigned column = at.y + first_column + i / 2 * 8 + lane % 4 * 2;
        *reinterpret_cast<float2 *>(&c[row * sizes.side + column]) =
            make_float2(sum[i / 2][i % 2 * 2], sum[i / 2][i % 2 * 2 + 1]);
    }
}

/* ---- Launches ---- */

template <class T>
smp_status start(const smp_kernel_launch *run, const char *name,
                 void (*kernel)(const T *, const T *, float *, Sizes), smp_error *error) {
    const smp_gemm_plan plan = smp_gemm_plan_of(run->problem);
    const T *a = static_cast<const T *>(run->in);
    return smp::launch(run, name, kernel, {plan.blocks, threads}, error, a,
                       a + plan.side * plan.depth, static_cast<float *>(run->out),
                       Sizes{(unsigned)plan.side, (unsigned)plan.depth});
}

template <unsigned Pitch, bool Fours>
smp_status start_threads(const smp_kernel_launch *run, const char *name, smp_error *error) {
    if (run->problem->element == SMP_HALF)
        return start(run, name, by_threads<__half, Pitch, Fours>, error);
    return start(run, name, by_threads<float, Pitch, Fours>, error);
}

} // namespace

SMP_LAUNCHED(smp_gemm_launch_scalar, start_threads<tile, false>(run, "scalar", error))
SMP_LAUNCHED(smp_gemm_launch_float4, start_threads<tile, true>(run, "float4", error))
SMP_LAUNCHED(smp_gemm_launch_float4_padded,
             start_threads<SMP_GEMM_PADDED, true>(run, "float4-padded", error))
SMP_LAUNCHED(smp_gemm_launch_ldmatrix, start(run, "ldmatrix", by_warps<deep, false>, error))
SMP_LAUNCHED(smp_gemm_launch_ldmatrix_padded,
             start(run, "ldmatrix-pad", by_warps<SMP_GEMM_PADDED_DEEP, false>, error))
SMP_LAUNCHED(smp_gemm_launch_ldmatrix_swizzled,
             start(run, "ldmatrix-xor", by_warps<deep, true>, error))
