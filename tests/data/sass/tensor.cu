// SPDX-License-Identifier: MIT
// Copies of boxes of tensors by a tensor map (PTX: cp.async.bulk.tensor), run on a GPU by
// record_tensor.c, emulated by test_tensor.c. One block of 128 threads each.
//   nvcc -arch=sm_90a -cubin tensor.cu
#include <cuda.h>
#include <stdint.h>

struct place {
    int x[5];
    unsigned words, held; // of the box; with what a swizzle leaves between its rows
};

__device__ static unsigned shared_address(const void *pointer) {
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// Waits, but not for ever: a wrong number of bytes would never arrive.
__device__ static bool arrived(unsigned barrier) {
    unsigned is_over = 0;
    for (unsigned i = 0; i < 100000 && !is_over; i++)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 "
                     "%0, 1, 0, p; }"
                     : "=r"(is_over)
                     : "r"(barrier)
                     : "memory");
    return is_over;
}

#define BAR "mbarrier::complete_tx::bytes [%0], [%1, {"
#define LOAD(name, rank, coordinates, ...)                                                        \
    extern "C" __global__ void name(unsigned *out, const __grid_constant__ CUtensorMap map,       \
                                    const place at) {                                             \
        extern __shared__ __align__(1024) unsigned tile[];                                        \
        __shared__ uint64_t barrier;                                                              \
        const unsigned t = threadIdx.x, bar = shared_address(&barrier);                           \
        for (unsigned i = t; i < at.held + 32; i += 128)                                          \
            tile[i] = 0xdeadbeef;                                                                 \
        if (t == 0)                                                                               \
            asm volatile(                                                                         \
                "mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(   \
                    bar));                                                                        \
        asm volatile("fence.proxy.async;");                                                       \
        __syncthreads();                                                                          \
        if (t == 0) {                                                                             \
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar),          \
                         "r"(at.words * 4));                                                      \
            asm volatile("cp.async.bulk.tensor." rank "d.shared::cluster.global." BAR coordinates \
                         "}], [%2];" ::"r"(shared_address(tile)),                                 \
                         "l"(&map), "r"(bar), __VA_ARGS__                                         \
                         : "memory");                                                             \
        }                                                                                         \
        const bool is_there = arrived(bar);                                                       \
        for (unsigned i = t; i < at.held + 32; i += 128)                                          \
            out[i] = is_there ? tile[i] : 0xbad;                                                  \
    }
LOAD(load1, "1", "%3", "r"(at.x[0]))
LOAD(load2, "2", "%3, %4", "r"(at.x[0]), "r"(at.x[1]))
LOAD(load3, "3", "%3, %4, %5", "r"(at.x[0]), "r"(at.x[1]), "r"(at.x[2]))
LOAD(load4, "4", "%3, %4, %5, %6", "r"(at.x[0]), "r"(at.x[1]), "r"(at.x[2]), "r"(at.x[3]))
LOAD(load5, "5", "%3, %4, %5, %6, %7", "r"(at.x[0]), "r"(at.x[1]), "r"(at.x[2]), "r"(at.x[3]),
     "r"(at.x[4]))

// What is stored is the box's bytes as words that count.
#define STORE(name, what, coordinates, ...)                                                       \
    extern "C" __global__ void name(unsigned *out, const __grid_constant__ CUtensorMap map,       \
                                    const place at) {                                             \
        extern __shared__ __align__(1024) unsigned tile[];                                        \
        const unsigned t = threadIdx.x;                                                           \
        for (unsigned i = t; i < at.held; i += 128)                                               \
            tile[i] = i * 0x01010101u + 0x3c003c01u;                                              \
        asm volatile("fence.proxy.async;");                                                       \
        __syncthreads();                                                                          \
        if (t == 0) {                                                                             \
            asm volatile(what ".bulk_group [%0, {" coordinates "}], [%1];" ::"l"(&map),           \
                         "r"(shared_address(tile)), __VA_ARGS__                                   \
                         : "memory");                                                             \
            asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory"); \
            out[0] = at.words;                                                                    \
        }                                                                                         \
    }
#define TO "d.global.shared::cta"
STORE(store1, "cp.async.bulk.tensor.1" TO, "%2", "r"(at.x[0]))
STORE(store2, "cp.async.bulk.tensor.2" TO, "%2, %3", "r"(at.x[0]), "r"(at.x[1]))
STORE(store3, "cp.async.bulk.tensor.3" TO, "%2, %3, %4", "r"(at.x[0]), "r"(at.x[1]), "r"(at.x[2]))
STORE(store4, "cp.async.bulk.tensor.4" TO, "%2, %3, %4, %5", "r"(at.x[0]), "r"(at.x[1]),
      "r"(at.x[2]), "r"(at.x[3]))
STORE(store5, "cp.async.bulk.tensor.5" TO, "%2, %3, %4, %5, %6", "r"(at.x[0]), "r"(at.x[1]),
      "r"(at.x[2]), "r"(at.x[3]), "r"(at.x[4]))
#define REDUCE(op)                                                                          \
    STORE(reduce2_##op, "cp.reduce.async.bulk.tensor.2" TO "." #op, "%2, %3", "r"(at.x[0]), \
          "r"(at.x[1]))
REDUCE(add)
REDUCE(min)
REDUCE(max)
REDUCE(inc)
REDUCE(dec)
REDUCE(and)
REDUCE(or)
REDUCE(xor)
