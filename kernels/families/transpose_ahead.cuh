/* SPDX-License-Identifier: MIT */
/* Prefetches into L2 of what later blocks of a transpose will read. Internal to kernels/. */
#pragma once

#include <cstdint>

#include "launch.cuh"
#include "transpose.h"

namespace smp {

constexpr uint32_t CHUNK = 256; /* bytes; the width of a tile for every element size */

/* Prefetches into L2 the chunks of `in` in which the rows of block `block`'s tile end; where
 * several tiles side by side are a chunk wide, the first prefetches for all. The chunks in which
 * rows begin, if different, are those in which the rows of the tile on the left end. */
template <class Word, uint32_t Rows, uint32_t Columns>
__device__ __forceinline__ void fetch(const Word *in, Size size, uint32_t block, uint32_t length) {
    constexpr uint32_t Wide = CHUNK / sizeof(Word), Beside = Wide / Columns;
    static_assert(Columns * Beside == Wide, "rows of tiles end a chunk after the last");
    if (block >= gridDim.x || block / length % Beside != 0)
        return;
    const uint32_t column = min(block / length * Columns + Wide, size.columns);
    for (uint32_t y = threadIdx.x; y < Rows; y += blockDim.x) {
        const uint32_t row = block % length * Rows + y;
        if (row >= size.rows)
            break;
        const size_t last = ((size_t)row * size.columns + column) * sizeof(Word) - 1;
        const size_t bytes = (size_t)size.rows * size.columns * sizeof(Word);
        const size_t from = last / CHUNK * CHUNK;
        const char *chunk = reinterpret_cast<const char *>(in) + from;
#if __CUDA_ARCH__ >= 900
        const uint32_t count = bytes - from < CHUNK ? (uint32_t)(bytes - from) / 16 * 16 : CHUNK;
        if (count > 0)
            asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(chunk), "r"(count));
#else
        asm volatile("prefetch.global.L2 [%0];" ::"l"(chunk));
        if (bytes - from > CHUNK / 2)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(chunk + CHUNK / 2));
#endif
    }
}

/* Prefetching as many blocks ahead as there are multiprocessors was fastest on an H200 (132). A
 * matrix that fits in L2 gains nothing. */
inline cudaError_t blocks_ahead(const smp_kernel_case *problem, uint32_t *ahead) {
    int device = 0, cached = 0, multiprocessors = 0;
    cudaError_t code = cudaGetDevice(&device);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&cached, cudaDevAttrL2CacheSize, device);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    const uint64_t bytes =
        problem->rows * problem->columns * smp_element_info(problem->element)->bytes;
    *ahead = bytes > (uint64_t)cached ? (uint32_t)multiprocessors : 0;
    return code;
}

} // namespace smp
