/* SPDX-License-Identifier: MIT */
/*
 * transpose_sectors.cu: transposes of elements of 4 and 8 bytes whose rows do not begin at
 * multiples of 16 bytes. Rows are copied as they lie in memory, 16 bytes at a time and past the
 * registers. Each row of the output gets a piece that begins and ends with a sector, so that no
 * sector is written in two parts. Smaller elements use transpose_strips.cu.
 */
#include "copy_pieces.cuh"
#include "launch.cuh"
#include "transpose.h"
#include "transpose_ahead.cuh"
#include "transpose_blocks.cuh"

namespace {

using smp::fetch;
using smp::Size;

template <class Word> constexpr smp_vector_tile any_tile_of();
template <> constexpr smp_vector_tile any_tile_of<uint32_t>() {
    return SMP_ANY_TILE_4;
}
template <> constexpr smp_vector_tile any_tile_of<uint64_t>() {
    return SMP_ANY_TILE_8;
}

/* The place of piece `j` of row `y` of the tile. A step has as many rows as a piece has elements,
 * so the same word of each piece takes all eight places that 16 bytes have in the banks. */
template <class Word> __device__ __forceinline__ uint32_t piece_of(uint32_t y) {
    return SMP_ANY_PIECES * y + y / (uint32_t)(sizeof(uint4) / sizeof(Word));
}

/* Whole pieces of 16 bytes of the rows from `row0` on. */
template <class Word, int Rows, int Columns, int Threads>
__device__ __forceinline__ void copy_rows(uint4 *tile, const Word *in, Size size, int row0,
                                          int column0) {
    const int rows = (int)size.rows, columns = (int)size.columns;
    const int width = min(Columns, columns - column0) * (int)sizeof(Word);
    const size_t bytes = (size_t)rows * columns * sizeof(Word);
#pragma unroll
    for (int s = 0; s < SMP_ANY_PIECES * Rows; s += Threads) {
        const int piece = s + (int)threadIdx.x, y = piece / SMP_ANY_PIECES, row = row0 + y;
        const size_t start = ((size_t)row * columns + column0) * sizeof(Word);
        const size_t from = start / 16 * 16 + piece % SMP_ANY_PIECES * 16;
        if (y < Rows && row >= 0 && row < rows && from < start + width)
            smp::copy_piece(&tile[piece_of<Word>(y) + piece % SMP_ANY_PIECES],
                            reinterpret_cast<const char *>(in) + from,
                            bytes - from < 16 ? (uint32_t)(bytes - from) : 16);
    }
}

/* A block writes Rows elements of output row `column`, from the start of the sector in which its
 * tile begins. */
template <class Word, int Rows, int Columns, int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, smp::at_once(Threads, Blocks))
    by_sectors(const Word *__restrict__ in, Word *__restrict__ out, Size size, uint32_t ahead) {
    constexpr uint32_t Bytes = sizeof(Word), Above = SMP_ANY_ABOVE(Bytes), Tall = Rows + Above;
    __shared__ uint4 tile[SMP_ANY_PIECES * Tall + Tall * Bytes / 16 + 1];
    const uint32_t length = (size.rows + Above - 1) / Rows + 1;
    const uint32_t row0 = blockIdx.x % length * Rows, column0 = blockIdx.x / length * Columns;
    copy_rows<Word, Tall, Columns, Threads>(tile, in, size, (int)(row0 - Above), (int)column0);
    if (ahead > 0)
        fetch<Word, Rows, Columns>(in, size, blockIdx.x + ahead, length);
    smp::wait_for_pieces();
    const char *const bytes = reinterpret_cast<const char *>(tile);
#pragma unroll 4
    for (uint32_t x = threadIdx.x / 32; x < Columns && column0 + x < size.columns;
         x += Threads / 32) {
        const uint32_t column = column0 + x;
        const uint32_t shift = (column * size.rows + row0) & Above;
#pragma unroll
        for (uint32_t p = 0; p < Rows; p += 32) {
            const uint32_t y = p + threadIdx.x % 32 - shift, row = row0 + y; /* may wrap around */
            const uint32_t before = (row * size.columns + column0) * Bytes % 16;
            if (row < size.rows)
                out[(size_t)column * size.rows + row] = *reinterpret_cast<const Word *>(
                    &bytes[piece_of<Word>(y + Above) * 16 + before + x * Bytes]);
        }
    }
}

template <class Word>
smp_status launch_sectors(const smp_kernel_launch *run, uint32_t multiprocessors,
                          smp_error *error) {
    constexpr smp_vector_tile tile = any_tile_of<Word>();
    constexpr uint32_t Bytes = sizeof(Word);
    const smp_kernel_case *problem = run->problem;
    const smp::Grid grid = {smp_divide_up(problem->rows + SMP_ANY_ABOVE(Bytes), tile.rows) *
                                smp_divide_up(problem->columns, tile.columns),
                            dim3(tile.threads)};
    return smp::launch(run, "anywhere",
                       by_sectors<Word, tile.rows, tile.columns, tile.threads, tile.blocks>, grid,
                       error, static_cast<const Word *>(run->in), static_cast<Word *>(run->out),
                       Size{(uint32_t)problem->rows, (uint32_t)problem->columns},
                       multiprocessors * SMP_ANY_HALVES_AHEAD(Bytes) / 2);
}

} // namespace

smp_status smp_transpose_anywhere(const smp_kernel_launch *run, smp_error *error) {
    if (smp_transpose_takes_vectors(run->problem))
        return smp_transpose_fastest(run, error);
    uint32_t ahead = 0;
    cudaError_t code = smp::blocks_ahead(run->problem, &ahead);
    if (code != cudaSuccess)
        return smp_error_set(error, SMP_E_CUDA, -1, "anywhere: %s", cudaGetErrorString(code));
    switch (smp_element_info(run->problem->element)->bytes) {
    case 4:
        return launch_sectors<uint32_t>(run, ahead, error);
    case 8:
        return launch_sectors<uint64_t>(run, ahead, error);
    default:
        return smp_transpose_strips(run, ahead == 0, error);
    }
}
