/* SPDX-License-Identifier: MIT */
/*
 * copy_pieces.cuh: copies of 16 bytes from global to shared memory, past the registers. Before CC
 * 8.0, which lacks them, they do nothing.
 */
#ifndef SMP_COPY_PIECES_CUH
#define SMP_COPY_PIECES_CUH

#include <cstdint>

namespace smp {

/* Copies 16 bytes: `bytes` are read, the rest is set to 0. */
__device__ __forceinline__ void copy_piece(void *to, const char *from, uint32_t bytes) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     (uint32_t)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
#endif
}

/* Makes a group of the copies since the last group. */
__device__ __forceinline__ void end_group() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until all groups except the last `Later` have arrived, for all threads. */
template <int Later> __device__ __forceinline__ void wait_for_groups() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Later) : "memory");
#endif
    __syncthreads();
}

/* Waits until all copies have arrived, for all threads. */
__device__ __forceinline__ void wait_for_pieces() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncthreads();
}

} // namespace smp
#endif
