/* SPDX-License-Identifier: MIT */
/*
 * Matrix transposes that move one element per lane, any rows x columns. A block has one tile; the
 * grid is one-dimensional, since a column may have more tiles than the other dimensions allow. All
 * threads reach the barrier.
 */
#include "launch.cuh"
#include "transpose.h"

namespace {

struct Size {
    uint32_t rows, columns;
};

struct Tile {
    uint32_t row, column; /* first element of the tile in the input */
};

template <uint32_t Side> __device__ __forceinline__ Tile tile_of_block(Size size) {
    uint32_t across = (size.columns - 1) / Side + 1;
    return {blockIdx.x / across * Side, blockIdx.x % across * Side};
}

template <class Word>
__global__ void __launch_bounds__(SMP_TILE *SMP_TILE_WARPS)
    naive_read(const Word *__restrict__ in, Word *__restrict__ out, Size size) {
    Tile tile = tile_of_block<SMP_TILE>(size);
    uint32_t column = tile.column + threadIdx.x;
#pragma unroll
    for (uint32_t i = 0; i < SMP_TILE; i += SMP_TILE_WARPS) {
        uint32_t row = tile.row + threadIdx.y + i;
        if (row < size.rows && column < size.columns)
            out[(size_t)column * size.rows + row] = in[(size_t)row * size.columns + column];
    }
}

template <class Word>
__global__ void __launch_bounds__(SMP_TILE *SMP_TILE_WARPS)
    naive_write(const Word *__restrict__ in, Word *__restrict__ out, Size size) {
    Tile tile = tile_of_block<SMP_TILE>(size);
    uint32_t row = tile.row + threadIdx.x;
#pragma unroll
    for (uint32_t i = 0; i < SMP_TILE; i += SMP_TILE_WARPS) {
        uint32_t column = tile.column + threadIdx.y + i;
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

template <class Word> using Kernel = void (*)(const Word *, Word *, Size);

template <class Word>
smp_status launch_tiles(const smp_kernel_launch *run, const char *name, Kernel<Word> kernel,
                        uint32_t side, uint32_t height, smp_error *error) {
    const smp_kernel_case *problem = run->problem;
    smp::Grid grid = {smp_divide_up(problem->rows, side) * smp_divide_up(problem->columns, side),
                      dim3(side, height)};
    return smp::launch(run, name, kernel, grid, error, static_cast<const Word *>(run->in),
                       static_cast<Word *>(run->out),
                       Size{(uint32_t)problem->rows, (uint32_t)problem->columns});
}

} // namespace

#define BY_SIZE(name, text, side, height, ...)                                               \
    SMP_LAUNCHED(smp_transpose_##name, smp::by_size(run, [&](auto word) {                    \
                     using Word = decltype(word);                                            \
                     return launch_tiles<Word>(run, text, __VA_ARGS__, side, height, error); \
                 }))
BY_SIZE(naive_read, "naive-read", SMP_TILE, SMP_TILE_WARPS, naive_read<Word>)
BY_SIZE(naive_write, "naive-write", SMP_TILE, SMP_TILE_WARPS, naive_write<Word>)
BY_SIZE(tiled16, "tiled16", SMP_SMALL_TILE, SMP_SMALL_TILE,
        through_tile<Word, SMP_SMALL_TILE, SMP_SMALL_TILE, SMP_SMALL_TILE, false>)
BY_SIZE(tiled32, "tiled32", SMP_TILE, SMP_TILE_WARPS,
        through_tile<Word, SMP_TILE, SMP_TILE_WARPS, SMP_TILE, false>)
BY_SIZE(padded, "padded", SMP_TILE, SMP_TILE_WARPS,
        through_tile<Word, SMP_TILE, SMP_TILE_WARPS, SMP_TILE + 1, false>)
BY_SIZE(swizzled, "swizzled", SMP_TILE, SMP_TILE_WARPS,
        through_tile<Word, SMP_TILE, SMP_TILE_WARPS, SMP_TILE, true>)
