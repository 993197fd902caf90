/* SPDX-License-Identifier: MIT */
/*
 * Convolutions of a matrix with 17 weights, along its rows or its columns. Elements outside are 0.
 * Tiles are volatile, since the assembler would otherwise join several accesses into one, and the
 * source is to be measured as written. Barriers, which all threads reach, separate reads and writes
 * of shared memory: where warps do both at once, the counters see them contend. Loads from global
 * memory that still arrive in L1 contend in the same way; a barrier that uses the loaded values
 * waits for them (model/FINDINGS.md, 6).
 */
#include "convolve.h"
#include "launch.cuh"

namespace {

constexpr int RADIUS = SMP_CONVOLVE_RADIUS, TAPS = SMP_CONVOLVE_TAPS, EACH = SMP_CONVOLVE_EACH,
              SPAN = SMP_CONVOLVE_SPAN, WIDTH = SMP_CONVOLVE_WIDTH, PITCH = SMP_CONVOLVE_PITCH,
              HEIGHT = SMP_CONVOLVE_HEIGHT, TALL = SMP_CONVOLVE_TALL, SIDE = SMP_CONVOLVE_SIDE,
              BLOCK_WARPS = SMP_CONVOLVE_BLOCK_WARPS;

struct Size {
    int rows, columns;
};

/* 1, 2, ... 9, ... 2, 1 */
__device__ constexpr float weight(int tap) {
    return (float)(tap <= RADIUS ? tap + 1 : TAPS - tap);
}

__device__ __forceinline__ float element(const float *__restrict__ in, Size size, int row,
                                         int column) {
    const bool inside = row >= 0 && row < size.rows && column >= 0 && column < size.columns;
    return inside ? in[(size_t)row * size.columns + column] : 0;
}

/* ---- Along rows ---- */

struct Part {
    int row, column0, warp, lane;
};

__device__ __forceinline__ Part part_of_warp(Size size) {
    const unsigned across = (size.columns - 1) / WIDTH + 1;
    const int warp = threadIdx.x / 32;
    return {(int)(blockIdx.x / across) * SMP_CONVOLVE_WARPS + warp,
            (int)(blockIdx.x % across) * WIDTH, warp, (int)threadIdx.x % 32};
}

__global__ void __launch_bounds__(32 * SMP_CONVOLVE_WARPS)
    rows_global(const float *__restrict__ in, float *__restrict__ out, Size size) {
    const Part part = part_of_warp(size);
    for (int i = part.lane; i < WIDTH; i += 32) {
        const int column = part.column0 + i;
        float sum = 0;
#pragma unroll
        for (int k = 0; k < TAPS; k++)
            sum += weight(k) * element(in, size, part.row, column + k - RADIUS);
        if (part.row < size.rows && column < size.columns)
            out[(size_t)part.row * size.columns + column] = sum;
    }
}

/* The index of word i in a warp's tile. `window` is the same for i = lane * EACH + k with k known
 * at compile time, which takes few instructions per access. */
struct Plain {
    static __device__ __forceinline__ int place(int i) {
        return i;
    }
    static __device__ __forceinline__ int window(int lane, int k) {
        return lane * EACH + k;
    }
};
struct Padded {
    static __device__ __forceinline__ int place(int i) {
        return i + i / EACH;
    }
    static __device__ __forceinline__ int window(int lane, int k) {
        return lane * (EACH + 1) + k + k / EACH;
    }
};
template <int Ways, int Unit> struct Exclusive {
    static __device__ __forceinline__ int place(int i) {
        return i ^ (i / 32 % Ways * Unit);
    }
    static __device__ __forceinline__ int window(int lane, int k) {
        const int eight = lane + k / EACH;
        return (eight * EACH + eight / (32 / EACH) % Ways * Unit) ^ k % EACH;
    }
};
using Swizzled = Exclusive<EACH, 1>;
using SwizzledVectors = Exclusive<2, 4>;

/* Elements are not negative, which the compiler cannot know. */
template <int Count> __device__ __forceinline__ void wait_for(const float (&values)[Count]) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < Count; k++)
        sum += values[k];
    (void)__syncthreads_or(sum < 0);
}

template <class Layout, class Word>
__device__ __forceinline__ void fill(Word *tile, const float *__restrict__ in, Size size,
                                     Part part) {
    float values[(SPAN + 31) / 32];
#pragma unroll
    for (int s = 0; s < SPAN; s += 32) {
        const int i = s + part.lane;
        values[s / 32] = i < SPAN ? element(in, size, part.row, part.column0 + i - RADIUS) : 0;
    }
    wait_for(values);
#pragma unroll
    for (int s = 0; s < SPAN; s += 32)
        if (s + part.lane < SPAN)
            tile[Layout::place(s + part.lane)] = values[s / 32];
    __syncthreads();
}

template <class Layout, class Word>
__device__ __forceinline__ void drain(const Word *tile, float *__restrict__ out, Size size,
                                      Part part) {
    __syncthreads();
#pragma unroll
    for (int s = 0; s < WIDTH; s += 32) {
        const int i = s + part.lane;
        if (part.row < size.rows && part.column0 + i < size.columns)
            out[(size_t)part.row * size.columns + part.column0 + i] = tile[Layout::place(i)];
    }
}

__global__ void __launch_bounds__(32 * SMP_CONVOLVE_WARPS)
    rows_tile(const float *__restrict__ in, float *__restrict__ out, Size size) {
    __shared__ volatile float tiles[SMP_CONVOLVE_WARPS][PITCH];
    const Part part = part_of_warp(size);
    volatile float *tile = tiles[part.warp];
    fill<Plain>(tile, in, size, part);
    for (int i = part.lane; i < WIDTH; i += 32) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < TAPS; k++)
            sum += weight(k) * tile[i + k];
        if (part.row < size.rows && part.column0 + i < size.columns)
            out[(size_t)part.row * size.columns + part.column0 + i] = sum;
    }
}

/* Adds word `at` of a lane's window to the results that need it. */
__device__ __forceinline__ void add(float (&sums)[EACH], int at, float value) {
#pragma unroll
    for (int j = 0; j < EACH; j++)
        if (at - j >= 0 && at - j < TAPS)
            sums[j] += weight(at - j) * value;
}

template <class Layout>
__global__ void __launch_bounds__(32 * SMP_CONVOLVE_WARPS)
    rows_blocked(const float *__restrict__ in, float *__restrict__ out, Size size) {
    __shared__ volatile float tiles[SMP_CONVOLVE_WARPS][PITCH];
    const Part part = part_of_warp(size);
    volatile float *tile = tiles[part.warp];
    float sums[EACH] = {};
    fill<Layout>(tile, in, size, part);
#pragma unroll
    for (int k = 0; k < EACH + 2 * RADIUS; k++)
        add(sums, k, tile[Layout::window(part.lane, k)]);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < EACH; j++)
        tile[Layout::window(part.lane, j)] = sums[j];
    drain<Layout>(tile, out, size, part);
}

__global__ void __launch_bounds__(32 * SMP_CONVOLVE_WARPS)
    rows_vector(const float *__restrict__ in, float *__restrict__ out, Size size) {
    __shared__ float4 tiles[SMP_CONVOLVE_WARPS][PITCH / 4];
    const Part part = part_of_warp(size);
    float4 *vectors = tiles[part.warp];
    float *tile = reinterpret_cast<float *>(vectors);
    float sums[EACH] = {};
    fill<SwizzledVectors>(tile, in, size, part);
#pragma unroll
    for (int k = 0; k < EACH + 2 * RADIUS; k += 4) {
        const float4 four = vectors[SwizzledVectors::window(part.lane, k) / 4];
        add(sums, k, four.x);
        add(sums, k + 1, four.y);
        add(sums, k + 2, four.z);
        add(sums, k + 3, four.w);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < EACH; j += 4)
        vectors[SwizzledVectors::window(part.lane, j) / 4] =
            make_float4(sums[j], sums[j + 1], sums[j + 2], sums[j + 3]);
    drain<SwizzledVectors>(tile, out, size, part);
}

/* ---- Along columns ---- */

struct Tile {
    int row0, column, warp, lane;
};

__device__ __forceinline__ Tile tile_of_block(Size size) {
    const unsigned across = (size.columns - 1) / SIDE + 1;
    const int lane = (int)threadIdx.x % 32;
    return {(int)(blockIdx.x / across) * HEIGHT, (int)(blockIdx.x % across) * SIDE + lane,
            (int)threadIdx.x / 32, lane};
}

__global__ void __launch_bounds__(32 * BLOCK_WARPS)
    columns_global(const float *__restrict__ in, float *__restrict__ out, Size size) {
    const Tile tile = tile_of_block(size);
    for (int s = 0; s < HEIGHT; s += BLOCK_WARPS) {
        const int row = tile.row0 + s + tile.warp;
        float sum = 0;
#pragma unroll
        for (int k = 0; k < TAPS; k++)
            sum += weight(k) * element(in, size, row + k - RADIUS, tile.column);
        if (row < size.rows && tile.column < size.columns)
            out[(size_t)row * size.columns + tile.column] = sum;
    }
}

/* The rows of a warp: every eighth row of the tile. */
__device__ __forceinline__ void load(float (&values)[TALL / BLOCK_WARPS],
                                     const float *__restrict__ in, Size size, Tile tile) {
#pragma unroll
    for (int s = 0; s < TALL; s += BLOCK_WARPS)
        values[s / BLOCK_WARPS] =
            element(in, size, tile.row0 + s + tile.warp - RADIUS, tile.column);
    wait_for(values);
}

/* Lanes side by side in a row, each with the results of eight rows. */
__global__ void __launch_bounds__(32 * BLOCK_WARPS)
    columns_tile(const float *__restrict__ in, float *__restrict__ out, Size size) {
    __shared__ volatile float words[TALL][SIDE];
    const Tile tile = tile_of_block(size);
    float values[TALL / BLOCK_WARPS];
    load(values, in, size, tile);
#pragma unroll
    for (int s = 0; s < TALL; s += BLOCK_WARPS)
        words[s + tile.warp][tile.lane] = values[s / BLOCK_WARPS];
    __syncthreads();
    float sums[EACH] = {};
#pragma unroll
    for (int k = 0; k < EACH + 2 * RADIUS; k++)
        add(sums, k, words[tile.warp * EACH + k][tile.lane]);
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const int row = tile.row0 + tile.warp * EACH + j;
        if (row < size.rows && tile.column < size.columns)
            out[(size_t)row * size.columns + tile.column] = sums[j];
    }
}

/* Lanes below each other in a column. */
template <int Pitch, bool IsSwizzled>
__global__ void __launch_bounds__(32 * BLOCK_WARPS)
    columns_down(const float *__restrict__ in, float *__restrict__ out, Size size) {
    __shared__ volatile float words[TALL][Pitch], results[HEIGHT][Pitch];
    const Tile tile = tile_of_block(size);
    const auto place = [](int row, int column) { return IsSwizzled ? column ^ row % 32 : column; };
    float values[TALL / BLOCK_WARPS];
    load(values, in, size, tile);
#pragma unroll
    for (int s = 0; s < TALL; s += BLOCK_WARPS)
        words[s + tile.warp][place(s + tile.warp, tile.lane)] = values[s / BLOCK_WARPS];
    __syncthreads();
    constexpr int Across = SIDE / BLOCK_WARPS, Down = HEIGHT / 32;
    float sums[Across][Down] = {};
#pragma unroll
    for (int j = 0; j < Across; j++)
#pragma unroll
        for (int g = 0; g < Down; g++)
#pragma unroll
            for (int k = 0; k < TAPS; k++) {
                const int row = g * 32 + tile.lane + k;
                sums[j][g] += weight(k) * words[row][place(row, tile.warp * Across + j)];
            }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < Across; j++)
#pragma unroll
        for (int g = 0; g < Down; g++) {
            const int row = g * 32 + tile.lane;
            results[row][place(row, tile.warp * Across + j)] = sums[j][g];
        }
    __syncthreads();
#pragma unroll
    for (int y = tile.warp; y < HEIGHT; y += BLOCK_WARPS)
        if (tile.row0 + y < size.rows && tile.column < size.columns)
            out[(size_t)(tile.row0 + y) * size.columns + tile.column] =
                results[y][place(y, tile.lane)];
}

template <class Kernel>
smp_status launch_rows(const smp_kernel_launch *run, const char *name, Kernel kernel,
                       smp_error *error) {
    return smp::launch_tiles(run, name, kernel, SMP_CONVOLVE_WARPS, WIDTH,
                             {0, 32 * SMP_CONVOLVE_WARPS}, error);
}

template <class Kernel>
smp_status launch_columns(const smp_kernel_launch *run, const char *name, Kernel kernel,
                          smp_error *error) {
    return smp::launch_tiles(run, name, kernel, HEIGHT, SIDE, {0, 32 * BLOCK_WARPS}, error);
}

} // namespace

SMP_LAUNCHED(smp_rows_launch_global, launch_rows(run, "global", rows_global, error))
SMP_LAUNCHED(smp_rows_launch_tile, launch_rows(run, "tile", rows_tile, error))
SMP_LAUNCHED(smp_rows_launch_blocked, launch_rows(run, "blocked", rows_blocked<Plain>, error))
SMP_LAUNCHED(smp_rows_launch_padded, launch_rows(run, "blocked-pad", rows_blocked<Padded>, error))
SMP_LAUNCHED(smp_rows_launch_swizzled,
             launch_rows(run, "blocked-xor", rows_blocked<Swizzled>, error))
SMP_LAUNCHED(smp_rows_launch_vector, launch_rows(run, "vector-xor", rows_vector, error))
SMP_LAUNCHED(smp_columns_launch_global, launch_columns(run, "global", columns_global, error))
SMP_LAUNCHED(smp_columns_launch_tile, launch_columns(run, "tile", columns_tile, error))
SMP_LAUNCHED(smp_columns_launch_down, launch_columns(run, "down", columns_down<SIDE, false>, error))
SMP_LAUNCHED(smp_columns_launch_padded,
             launch_columns(run, "down-pad", columns_down<SIDE + 1, false>, error))
SMP_LAUNCHED(smp_columns_launch_swizzled,
             launch_columns(run, "down-xor", columns_down<SIDE, true>, error))
