/* SPDX-License-Identifier: MIT */
/*
 * transpose_blocks.cuh: how many blocks of a launch bound a multiprocessor can hold. Internal to
 * kernels/.
 */
#pragma once

#include <cstdint>

namespace smp {

/* Threads that a multiprocessor holds, as the table in the CUDA C++ Programming Guide has it. */
#if __CUDA_ARCH__ == 750
constexpr uint32_t RESIDENT = 1024;
#elif __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 880 || \
    __CUDA_ARCH__ == 890 || __CUDA_ARCH__ == 1100 || __CUDA_ARCH__ >= 1200
constexpr uint32_t RESIDENT = 1536;
#else
constexpr uint32_t RESIDENT = 2048;
#endif

constexpr uint32_t at_once(uint32_t threads, uint32_t blocks) {
    return blocks * threads > RESIDENT ? RESIDENT / threads : blocks;
}

} // namespace smp
