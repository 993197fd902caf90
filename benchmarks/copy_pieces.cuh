/* SPDX-License-Identifier: MIT */
/*
 * copy_pieces.cuh: copies of 16 bytes from global to shared memory, past the registers. Before
 * CC 8.0, which has none, they do nothing. Internal to kernels/.
 */
#ifndef SMP_COPY_PIECES_CUH
#define SMP_COPY_PIECES_CUH

#include <cstdint>

namespace smp {

/* 16 bytes, of which `bytes` are read; the rest is set to 0. */
__device__ __forceinline__ void copy_piece(void *to, const char *from, uint32_t bytes) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     (uint32_t)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
#endif
}

/* What was copied since the last is a group. */
__device__ __forceinline__ void end_group() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* All groups but the last `Later` are there, for all threads. */
template <int Later> __device__ __forceinline__ void wait_for_groups() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Later) : "memory");
#endif
    __syncthreads();
}

/* All that was copied is there, for all threads. */
__device__ __forceinline__ void wait_for_pieces() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncthreads();
}

} // namespace smp
#endif
