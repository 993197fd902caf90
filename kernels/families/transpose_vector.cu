/* SPDX-License-Identifier: MIT */
/*
 * Matrix transposes that move 16 bytes per lane on both sides. A thread loads a square of elements
 * (as many vectors as a vector has elements) and transposes it in registers; shared memory then
 * holds the tile of the output in whole vectors, on which alone bank conflicts depend. Blocks are
 * numbered along the rows of tiles, so that neighbours read adjacent pieces of rows, or down the
 * columns, so that they write adjacent pieces, which was faster on an H200.
 *
 * The fastest variant also prefetches into L2 what the blocks of the next wave will read, in whole
 * chunks of 256 bytes wherever the rows of their tiles begin. For elements of 4 and 8 bytes it
 * transposes where it reads shared memory, with fewer blocks at once. docs/evidence/transpose.md
 * has what each of these gains.
 */
#include "launch.cuh"
#include "transpose.h"
#include "transpose_ahead.cuh"
#include "transpose_blocks.cuh"

namespace {

using smp::blocks_ahead;
using smp::fetch;
using smp::Size;

union Vector {
    uint4 all;
    uint32_t word[4];
};

/* Word `i` of column `column` of a square, whose rows are `rows`. */
__device__ __forceinline__ uint32_t gather(const Vector (&rows)[2], int column, int i, uint64_t) {
    return rows[i / 2].word[2 * column + i % 2];
}

__device__ __forceinline__ uint32_t gather(const Vector (&rows)[4], int column, int i, uint32_t) {
    return rows[i].word[column];
}

__device__ __forceinline__ uint32_t gather(const Vector (&rows)[8], int column, int i, uint16_t) {
    return __byte_perm(rows[2 * i].word[column / 2], rows[2 * i + 1].word[column / 2],
                       column % 2 ? 0x7632 : 0x5410);
}

__device__ __forceinline__ uint32_t gather(const Vector (&rows)[16], int column, int i, uint8_t) {
    const uint32_t pick = (uint32_t)(column % 4) * 0x11u + 0x40u;
    uint32_t low =
        __byte_perm(rows[4 * i].word[column / 4], rows[4 * i + 1].word[column / 4], pick);
    uint32_t high =
        __byte_perm(rows[4 * i + 2].word[column / 4], rows[4 * i + 3].word[column / 4], pick);
    return __byte_perm(low, high, 0x5410);
}

/* The vector `vector` of the tile, which belongs to output row `column`. */
template <bool Swizzled>
__device__ __forceinline__ uint32_t place(uint32_t vector, uint32_t square_column) {
    return Swizzled ? vector ^ (square_column & 7) : vector;
}

/* The constants of transpose.h as template arguments. */
template <class Word> constexpr smp_vector_tile tile_of();
template <> constexpr smp_vector_tile tile_of<uint8_t>() {
    return SMP_VECTOR_TILE_1;
}
template <> constexpr smp_vector_tile tile_of<uint16_t>() {
    return SMP_VECTOR_TILE_2;
}
template <> constexpr smp_vector_tile tile_of<uint32_t>() {
    return SMP_VECTOR_TILE_4;
}
template <> constexpr smp_vector_tile tile_of<uint64_t>() {
    return SMP_VECTOR_TILE_8;
}

/* `ahead`: how many blocks ahead to prefetch into L2; 0: no prefetch. */
template <class Word, uint32_t Rows, uint32_t Columns, uint32_t Threads, uint32_t Blocks,
          bool Swizzled, bool DownColumns>
__global__ void __launch_bounds__(Threads, smp::at_once(Threads, Blocks))
    by_vectors(const Word *__restrict__ in, Word *__restrict__ out, Size size, uint32_t ahead) {
    constexpr uint32_t Each = sizeof(uint4) / sizeof(Word);
    constexpr uint32_t Down = Rows / Each, Beside = Columns / Each;
    __shared__ uint4 tile[Columns * Down];
    const uint32_t length =
        DownColumns ? (size.rows - 1) / Rows + 1 : (size.columns - 1) / Columns + 1;
    const uint32_t major = blockIdx.x / length, minor = blockIdx.x % length;
    const uint32_t row0 = (DownColumns ? minor : major) * Rows;
    const uint32_t column0 = (DownColumns ? major : minor) * Columns;
#pragma unroll
    for (uint32_t s = 0; s < Down * Beside; s += Threads) {
        const uint32_t down = (threadIdx.x + s) / Beside, beside = (threadIdx.x + s) % Beside;
        const uint32_t column = column0 + beside * Each;
        Vector rows[Each];
#pragma unroll
        for (uint32_t k = 0; k < Each; k++) {
            const uint32_t row = row0 + down * Each + k;
            rows[k].all = make_uint4(0, 0, 0, 0);
            if (row < size.rows && column < size.columns)
                rows[k].all =
                    *reinterpret_cast<const uint4 *>(&in[(size_t)row * size.columns + column]);
        }
        if (DownColumns && s == 0 && ahead > 0) /* while the loads are in flight */
            fetch<Word, Rows, Columns>(in, size, blockIdx.x + ahead, length);
#pragma unroll
        for (uint32_t k = 0; k < Each; k++) {
            Vector turned;
#pragma unroll
            for (int i = 0; i < 4; i++)
                turned.word[i] = gather(rows, (int)k, i, Word{});
            tile[place<Swizzled>((beside * Each + k) * Down + down, beside)] = turned.all;
        }
    }
    __syncthreads();
#pragma unroll
    for (uint32_t v = 0; v < Columns * Down; v += Threads) {
        const uint32_t vector = threadIdx.x + v;
        const uint32_t from = column0 + vector / Down, to = row0 + vector % Down * Each;
        if (from < size.columns && to < size.rows)
            *reinterpret_cast<uint4 *>(&out[(size_t)from * size.rows + to]) =
                tile[place<Swizzled>(vector, vector / Down / Each)];
    }
}

/* Each lane moves one vector on each side, two in turn. Shared memory holds the rows of the input,
 * and the square is transposed where it is read. Eight lanes read rows of one column and the next
 * eight lanes those of the next column, so their vectors lie in eight places and their words in
 * all banks. */
template <class Word, uint32_t Rows, uint32_t Columns, uint32_t Threads, uint32_t Blocks>
__global__ void __launch_bounds__(Threads, smp::at_once(Threads, Blocks))
    by_rows(const Word *__restrict__ in, Word *__restrict__ out, Size size, uint32_t ahead) {
    constexpr uint32_t Each = sizeof(uint4) / sizeof(Word);
    constexpr uint32_t Down = Rows / Each, Beside = Columns / Each;
    constexpr int Turns = (int)(Rows * Beside / Threads);
    __shared__ uint4 tile[Rows * Beside];
    const uint32_t length = (size.rows - 1) / Rows + 1;
    const uint32_t row0 = blockIdx.x % length * Rows, column0 = blockIdx.x / length * Columns;
    uint4 vectors[Turns];
#pragma unroll
    for (int k = 0; k < Turns; k++) {
        const uint32_t vector = threadIdx.x + k * Threads;
        const uint32_t row = row0 + vector / Beside, column = column0 + vector % Beside * Each;
        vectors[k] = make_uint4(0, 0, 0, 0);
        if (row < size.rows && column < size.columns)
            vectors[k] = *reinterpret_cast<const uint4 *>(&in[(size_t)row * size.columns + column]);
    }
    if (ahead > 0) /* while the loads are in flight */
        fetch<Word, Rows, Columns>(in, size, blockIdx.x + ahead, length);
#pragma unroll
    for (int k = 0; k < Turns; k++) {
        const uint32_t vector = threadIdx.x + k * Threads;
        tile[place<true>(vector, vector / Beside / Each)] = vectors[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Turns; k++) {
        const uint32_t square = (threadIdx.x + k * Threads) / (8 * Each);
        const uint32_t down = square % (Down / 8) * 8 + threadIdx.x % 8;
        const uint32_t beside = square / (Down / 8), x = threadIdx.x / 8 % Each;
        const uint32_t from = column0 + beside * Each + x, to = row0 + down * Each;
        if (from >= size.columns || to >= size.rows)
            continue;
        union {
            uint4 all;
            Word element[Each];
        } turned;
#pragma unroll
        for (uint32_t i = 0; i < Each; i++)
            turned.element[i] = reinterpret_cast<const Word *>(
                &tile[place<true>((down * Each + i) * Beside + beside, down)])[x];
        *reinterpret_cast<uint4 *>(&out[(size_t)from * size.rows + to]) = turned.all;
    }
}

template <class Word>
smp_status launch_rows(const smp_kernel_launch *run, const char *name, uint32_t ahead,
                       smp_error *error) {
    constexpr smp_vector_tile tile = tile_of<Word>();
    const auto kernel = by_rows<Word, tile.rows, tile.columns, SMP_ROWS_THREADS, SMP_ROWS_BLOCKS>;
    const cudaError_t code = cudaFuncSetAttribute(
        kernel, cudaFuncAttributePreferredSharedMemoryCarveout, SMP_ROWS_CARVEOUT);
    if (code != cudaSuccess)
        return smp_error_set(error, SMP_E_CUDA, -1, "%s: %s", name, cudaGetErrorString(code));
    return smp::launch_tiles(run, name, kernel, tile.rows, tile.columns, {0, SMP_ROWS_THREADS},
                             error, ahead);
}

template <bool Swizzled, bool DownColumns, bool Fastest, class Word>
smp_status launch_vectors(const smp_kernel_launch *run, const char *name, uint32_t ahead,
                          smp_error *error) {
    constexpr smp_vector_tile tile =
        Fastest && sizeof(Word) == 1 ? smp_vector_tile SMP_FASTEST_TILE_1 : tile_of<Word>();
    return smp::launch_tiles(
        run, name,
        by_vectors<Word, tile.rows, tile.columns, tile.threads, tile.blocks, Swizzled, DownColumns>,
        tile.rows, tile.columns, {0, tile.threads}, error, ahead);
}

} // namespace

/* `other` transposes cases that vectors do not fit. */
#define BY_VECTORS(name, text, other, swizzled, down)                                          \
    smp_status smp_transpose_##name(const smp_kernel_launch *run, smp_error *error) {          \
        if (!smp_transpose_takes_vectors(run->problem))                                        \
            return smp_transpose_##other(run, error);                                          \
        return smp::by_size(run, [&](auto word) {                                              \
            return launch_vectors<swizzled, down, false, decltype(word)>(run, text, 0, error); \
        });                                                                                    \
    }
BY_VECTORS(vector, "vector", tiled32, false, false)
BY_VECTORS(vector_xor, "vector-xor", swizzled, true, false)
BY_VECTORS(vector_down, "vector-down", swizzled, true, true)

smp_status smp_transpose_fastest(const smp_kernel_launch *run, smp_error *error) {
    if (!smp_transpose_takes_vectors(run->problem))
        return smp_transpose_swizzled(run, error);
    uint32_t ahead = 0;
    cudaError_t code = blocks_ahead(run->problem, &ahead);
    if (code != cudaSuccess)
        return smp_error_set(error, SMP_E_CUDA, -1, "fastest: %s", cudaGetErrorString(code));
    return smp::by_size(run, [&](auto word) {
        using Word = decltype(word);
        if constexpr (sizeof(Word) >= 4)
            return launch_rows<Word>(run, "fastest", ahead, error);
        else
            return launch_vectors<true, true, true, Word>(run, "fastest", ahead, error);
    });
}
