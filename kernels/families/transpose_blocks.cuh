/* SPDX-License-Identifier: MIT */
/*
 * The number of blocks for __launch_bounds__ that a multiprocessor can hold. Internal to kernels/.
 */
#pragma once

#include <cstdint>

namespace smp {

/* Threads per multiprocessor, from the table in the CUDA C++ Programming Guide. */
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
