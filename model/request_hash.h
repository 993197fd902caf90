/* SPDX-License-Identifier: MIT */
/*
 * A number for one request, the same on the host and in device code: of two requests that cost the
 * same, both engines keep the one of the larger hash.
 */
#pragma once

#include <stdint.h>

#if defined(__CUDACC__)
#define SMP_HASH_CALL __host__ __device__ static inline
#else
#define SMP_HASH_CALL static inline
#endif

/* One lane's share: `lane` 0 to 31, its offset as in smp_request (smp_access for shared memory).
 * The hash of a request is the sum (modulo 2^32) over its active lanes, so that a warp can add it
 * up in any order. */
SMP_HASH_CALL uint32_t smp_lane_hash(uint32_t lane, uint64_t offset_bytes) {
    uint64_t x = (offset_bytes + 1) * 0x9e3779b97f4a7c15u + lane * 0xc2b2ae3d27d4eb4fu;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(x >> 32);
}
