/* SPDX-License-Identifier: MIT */
/*
 * Matrix transposes that move one element per lane, any rows x columns. A block has one tile; the
 * grid is one-dimensional, since a column may have more tiles than the other dimensions allow. All
 * threads reach the barrier.
 */
#include "launch.cuh"
#include "transpose.h"

namespace {

using smp::Size;

struct Tile {
    uint32_t row, column; /* first element of the tile in the input */
};

template <uint32_t Side> __device__ __forceinline__ Tile tile_of_block(Size size) {
    uint32_t across = (size.columns - 1) / Side + 1;
    return {blockIdx.x / across * Side, blockIdx.x % across * Side};
}

/* The lanes of a warp have neighbours in a row of the input, or with ScattersReads in a column. */
template <class Word, bool ScattersReads>
__global__ void __launch_bounds__(SMP_TILE *SMP_TILE_WARPS)
    naive(const Word *__restrict__ in, Word *__restrict__ out, Size size) {
    Tile tile = tile_of_block<SMP_TILE>(size);
#pragma unroll
    for (uint32_t i = 0; i < SMP_TILE; i += SMP_TILE_WARPS) {
        const uint32_t other = threadIdx.y + i;
        const uint32_t row = tile.row + (ScattersReads ? threadIdx.x : other);
        const uint32_t column = tile.column + (ScattersReads ? other : threadIdx.x);
        if (row < size.rows && column < size.columns)
            out[(size_t)column * size.rows + row] = in[(size_t)row * size.columns + column];
    }
}

/* The place of element (row, column) in a row of the tile. */
template <bool Swizzled> __device__ __forceinline__ uint32_t place(uint32_t row, uint32_t column) {
    return Swizzled ? column ^ row : column;
}

template <class Word, uint32_t Side, uint32_t Height, uint32_t Pitch, bool Swizzled>
__global__ void __launch_bounds__(Side *Height)
    through_tile(const Word *__restrict__ in, Word *__restrict__ out, Size size) {
    __shared__ Word shared[Side][Pitch];
    Tile tile = tile_of_block<Side>(size);
    uint32_t column = tile.column + threadIdx.x;
#pragma unroll
    for (uint32_t i = 0; i < Side; i += Height) {
        uint32_t y = threadIdx.y + i;
        if (tile.row + y < size.rows && column < size.columns)
            shared[y][place<Swizzled>(y, threadIdx.x)] =
                in[(size_t)(tile.row + y) * size.columns + column];
    }
    __syncthreads();
    uint32_t out_column = tile.row + threadIdx.x;
#pragma unroll
    for (uint32_t i = 0; i < Side; i += Height) {
        uint32_t y = threadIdx.y + i;
        if (tile.column + y < size.columns && out_column < size.rows)
            out[(size_t)(tile.column + y) * size.rows + out_column] =
                shared[threadIdx.x][place<Swizzled>(threadIdx.x, y)];
    }
}

} // namespace

#define BY_SIZE(name, text, side, height, ...)                                    \
    SMP_LAUNCHED(smp_transpose_##name, smp::by_size(run, [&](auto word) {         \
                     using Word = decltype(word);                                 \
                     return smp::launch_tiles(run, text, __VA_ARGS__, side, side, \
                                              {0, dim3(side, height)}, error);    \
                 }))
BY_SIZE(naive_read, "naive-read", SMP_TILE, SMP_TILE_WARPS, naive<Word, false>)
BY_SIZE(naive_write, "naive-write", SMP_TILE, SMP_TILE_WARPS, naive<Word, true>)
BY_SIZE(tiled16, "tiled16", SMP_SMALL_TILE, SMP_SMALL_TILE,
        through_tile<Word, SMP_SMALL_TILE, SMP_SMALL_TILE, SMP_SMALL_TILE, false>)
BY_SIZE(tiled32, "tiled32", SMP_TILE, SMP_TILE_WARPS,
        through_tile<Word, SMP_TILE, SMP_TILE_WARPS, SMP_TILE, false>)
BY_SIZE(padded, "padded", SMP_TILE, SMP_TILE_WARPS,
        through_tile<Word, SMP_TILE, SMP_TILE_WARPS, SMP_TILE + 1, false>)
BY_SIZE(swizzled, "swizzled", SMP_TILE, SMP_TILE_WARPS,
        through_tile<Word, SMP_TILE, SMP_TILE_WARPS, SMP_TILE, true>)
