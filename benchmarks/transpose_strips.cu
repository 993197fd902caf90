/* SPDX-License-Identifier: MIT */
/*
 * transpose_strips.cu: transposes of small elements whose rows begin anywhere. A block walks down
 * a strip of columns. It copies rows as they lie in global memory, 16 bytes per lane and past the
 * registers, into a ring of rows in shared memory. Rows of the ring are as far apart as those in
 * global memory, modulo 32, so a sector is fetched once, and the place of an element is linear in
 * its row and column wherever its row begins.
 *
 * Rows of the output are written in words, from sector to sector. Each step continues where the
 * last one stopped, so only the ends of a walk meet another block's; therefore a walk begins a
 * sector of rows above. Columns that are a sector apart begin at the same place in a sector, so a
 * lane finds its rows once for all of them.
 */
#include <type_traits>

#include "copy_pieces.cuh"
#include "launch.cuh"
#include "transpose.h"
#include "transpose_blocks.cuh"

namespace {

template <class Word> struct Strip {
    static constexpr smp_strip_tile Tile =
        sizeof(Word) == 1 ? smp_strip_tile SMP_STRIP_TILE_1 : smp_strip_tile SMP_STRIP_TILE_2;
    static constexpr int Bytes = sizeof(Word), Sector = 32 / Bytes, Each = 4 / Bytes;
    static constexpr int Step = 32 * Each, Ahead = Tile.ahead, Warps = Tile.threads / 32;
    static constexpr int Ring = SMP_STRIP_RING(Bytes, Tile.ahead), Groups = Tile.bytes / 32;
    static constexpr int Pieces = SMP_STRIP_PIECES(Tile.bytes);
};

/* The rows of a word, in an order that `pick` reverses. */
__device__ __forceinline__ uint32_t join(const uint8_t (&e)[4], uint32_t pick) {
    return __byte_perm(__byte_perm(e[0], e[1], 0x0040), __byte_perm(e[2], e[3], 0x0040), pick);
}

__device__ __forceinline__ uint32_t join(const uint16_t (&e)[2], uint32_t pick) {
    return __byte_perm(e[0], e[1], pick);
}

template <class Word> struct Walk {
    using S = Strip<Word>;
    const char *in;
    Word *out;
    char *tile;         /* slot 0, column 0 */
    int rows, columns;  /* in the input */
    int row0, column0;  /* the first of the block's own */
    int width, pitch;   /* columns of the strip; bytes between rows of the ring */
    bool streams;       /* the output is evicted first from L2 */
    int order[S::Each]; /* the order in which a lane takes the rows of a word */
    uint32_t pick;

    static __device__ __forceinline__ int slot(int row) {
        return row >= S::Ring ? row - S::Ring : row;
    }

    /* Copies `count` rows from `row` on, as far as they exist, into slots from `to` on. */
    __device__ __forceinline__ void copy_rows(int row, int count, int to) const {
        const int64_t end = (int64_t)rows * columns * S::Bytes;
#pragma unroll 2
        for (int p = (int)threadIdx.x; p < count * S::Pieces; p += (int)S::Tile.threads) {
            const int y = p / S::Pieces, at = p % S::Pieces * 16;
            const int64_t start = ((int64_t)(row + y) * columns + column0) * S::Bytes;
            const int before = (int)(start & 31);
            const int64_t from = start - before + at;
            if (row + y >= 0 && row + y < rows && at + 16 > before &&
                at < before + width * S::Bytes)
                smp::copy_piece(tile + slot(to + y) * pitch - before + at, in + from,
                                end - from < 16 ? (uint32_t)(end - from) : 16);
        }
    }

    /* Writes the step whose first own row is `row`, which is in the slot a sector of rows behind
     * `base`. */
    template <bool IsWhole> __device__ __forceinline__ void write_columns(int row, int base) const {
        const int64_t step = (int64_t)S::Sector * rows;
#pragma unroll 1
        for (int x = (int)threadIdx.x / 32; x < S::Sector; x += S::Warps) {
            const int column = column0 + x;
            const int before =
                (int)(((uint32_t)column * (uint32_t)rows + (uint32_t)row0) % S::Sector);
            const int y = (int)threadIdx.x % 32 * S::Each - before, first = row + y;
            const int groups = IsWhole ? S::Groups : (width - x + S::Sector - 1) / S::Sector;
            const char *from[S::Each];
#pragma unroll
            for (int i = 0; i < S::Each; i++)
                from[i] = tile + x * S::Bytes + slot(base + S::Sector + y + order[i]) * pitch;
            Word *to = out + (int64_t)column * rows + first;
            if (first >= 0 && first + S::Each <= rows) {
                uint32_t words[S::Groups];
#pragma unroll
                for (int g = 0; g < S::Groups; g++)
                    if (IsWhole || g < groups) {
                        Word e[S::Each];
#pragma unroll
                        for (int i = 0; i < S::Each; i++)
                            e[i] = *reinterpret_cast<const Word *>(from[i] + g * 32);
                        words[g] = join(e, pick);
                    }
#pragma unroll
                for (int g = 0; g < S::Groups; g++, to += step)
                    if (IsWhole || g < groups) {
                        if (streams)
                            __stcs(reinterpret_cast<uint32_t *>(to), words[g]);
                        else
                            *reinterpret_cast<uint32_t *>(to) = words[g];
                    }
            } else if (first > -S::Each && first < rows) {
#pragma unroll 1
                for (int g = 0; g < groups; g++, to += step)
#pragma unroll
                    for (int i = 0; i < S::Each; i++)
                        if (first + order[i] >= 0 && first + order[i] < rows)
                            to[order[i]] = *reinterpret_cast<const Word *>(from[i] + g * 32);
            }
        }
    }
};

template <class Word>
__global__ void __launch_bounds__(Strip<Word>::Tile.threads,
                                  smp::at_once(Strip<Word>::Tile.threads, Strip<Word>::Tile.blocks))
    down_strips(const Word *__restrict__ in, Word *__restrict__ out, int rows, int columns,
                smp_strip_plan plan, bool streams) {
    using S = Strip<Word>;
    extern __shared__ uint4 pieces[];
    const int row0 = (int)(blockIdx.x % plan.walks * S::Tile.steps) * S::Step;
    const int column0 = (int)(blockIdx.x / plan.walks) * (S::Groups * S::Sector);
    const uint32_t above = (uint32_t)(row0 - S::Sector);
    const uint32_t before = (above * (uint32_t)columns + (uint32_t)column0) % S::Sector;
    const int turn = (int)(threadIdx.x % 32 / plan.turn_lanes * plan.turn_rows % S::Each);
    Walk<Word> walk = {reinterpret_cast<const char *>(in),
                       out,
                       reinterpret_cast<char *>(pieces) + before * S::Bytes,
                       rows,
                       columns,
                       row0,
                       column0,
                       min(S::Groups * S::Sector, columns - column0),
                       (int)plan.pitch,
                       streams,
                       {},
                       0};
#pragma unroll
    for (int i = 0; i < S::Each; i++)
        walk.order[i] = (i + turn) % S::Each;
    /* byte i of the order is byte order[i] of the word */
    walk.pick = turn * S::Bytes == 0   ? 0x5410
                : turn * S::Bytes == 1 ? 0x4105
                : turn * S::Bytes == 2 ? 0x1054
                                       : 0x0541;
    const int left = (rows - row0 + S::Sector - 1 + S::Step - 1) / S::Step;
    const int steps = min((int)S::Tile.steps, left);
    walk.copy_rows(row0 - S::Sector, S::Sector + S::Step, 0);
    smp::end_group();
#pragma unroll
    for (int next = 1; next < S::Ahead; next++) {
        if (next < steps)
            walk.copy_rows(row0 + next * S::Step, S::Step, S::Sector + next * S::Step);
        smp::end_group();
    }
    for (int step = 0, base = 0; step < steps; step++, base = walk.slot(base + S::Step)) {
        smp::wait_for_groups<S::Ahead - 1>(); /* and all have written the previous step */
        if (step + S::Ahead < steps)
            walk.copy_rows(row0 + (step + S::Ahead) * S::Step, S::Step,
                           walk.slot(base + S::Sector + S::Ahead * S::Step));
        smp::end_group();
        if (walk.width == S::Groups * S::Sector)
            walk.template write_columns<true>(row0 + step * S::Step, base);
        else
            walk.template write_columns<false>(row0 + step * S::Step, base);
    }
}

/* An input that fits in L2 stays there if the output is evicted first. */
template <class Word>
smp_status launch(const smp_kernel_launch *run, bool streams, smp_error *error) {
    const smp_kernel_case *problem = run->problem;
    const smp_strip_plan plan = smp_strip_plan_of(problem);
    smp::Grid grid = {(uint64_t)plan.walks * plan.strips, dim3(Strip<Word>::Tile.threads)};
    grid.dynamic_bytes = plan.shared_bytes;
    return smp::launch(run, "anywhere", down_strips<Word>, grid, error,
                       static_cast<const Word *>(run->in), static_cast<Word *>(run->out),
                       (int)problem->rows, (int)problem->columns, plan, streams);
}

} // namespace

smp_status smp_transpose_strips(const smp_kernel_launch *run, bool streams, smp_error *error) {
    return smp_element_info(run->problem->element)->bytes == 1
               ? launch<uint8_t>(run, streams, error)
               : launch<uint16_t>(run, streams, error);
}
