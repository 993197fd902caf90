// SPDX-License-Identifier: MIT
// mbarriers: an arrival releases what its one thread did; who waits for the phase has it behind.
// Needs sm_90.
#include <cstdint>

__device__ uint32_t place(const void *at) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(at));
}

#define SET_UP(at, count)                                                               \
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place(at)), "r"(count) \
                 : "memor"                                                              \
                   "y")
#define ARRIVE(at)                                                                            \
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(place(at)) \
                 : "memory")
#define EXPECT(at, bytes)                                                                         \
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1; }" ::"r"( \
                     place(at)),                                                                  \
                 "r"(bytes)                                                                       \
                 : "memory")
#define WAIT(at, parity)                                                                        \
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;" \
                 "@!p bra again; }" ::"r"(place(at)),                                           \
                 "r"(parity)                                                                    \
                 : "memory")
#define COPY_IN(to, from, bytes, at)                                                 \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes" \
                 " [%0], [%1], %2, [%3];" ::"r"(place(to)),                          \
                 "l"(from), "r"(bytes), "r"(place(at))                               \
                 : "memory")

__global__ void phase_right(int *to, const int *from) {
    __shared__ int tile[128];
    __shared__ uint64_t ready;
    if (threadIdx.x == 0)
        SET_UP(&ready, 128);
    __syncthreads();
    for (int i = 0; i < 2; i++) {
        tile[threadIdx.x] = from[threadIdx.x] + i;
        ARRIVE(&ready);
        WAIT(&ready, 0);
        to[threadIdx.x] = tile[127 - threadIdx.x];
        ARRIVE(&ready);
        WAIT(&ready, 1);
    }
}

__global__ void phase_no_wait(int *to, const int *from) {
    __shared__ int tile[128];
    __shared__ uint64_t ready;
    if (threadIdx.x == 0)
        SET_UP(&ready, 128);
    __syncthreads();
    tile[threadIdx.x] = from[threadIdx.x]; // phase_write
    ARRIVE(&ready);
    to[threadIdx.x] = tile[127 - threadIdx.x]; // phase_read
    WAIT(&ready, 0);
}

__global__ void phase_wrong(int *to, const int *from) {
    __shared__ int tile[128];
    __shared__ uint64_t ready;
    if (threadIdx.x == 0)
        SET_UP(&ready, 256);
    __syncthreads();
    tile[threadIdx.x] = from[threadIdx.x]; // parity_write
    ARRIVE(&ready);
    WAIT(&ready, 1);
    to[threadIdx.x] = tile[127 - threadIdx.x]; // parity_read
}

// One lane arrives for its warp: its arrival does not release what the others stored.
template <bool SYNCS>
__device__ void elected(int *to, const int *from, int *tile, uint64_t *ready) {
    if (threadIdx.x == 0)
        SET_UP(ready, 4);
    __syncthreads();
    tile[threadIdx.x] = from[threadIdx.x]; // elected_write
    if (SYNCS)
        __syncwarp();
    if (threadIdx.x % 32 == 0)
        ARRIVE(ready);
    WAIT(ready, 0);
    to[threadIdx.x] = tile[127 - threadIdx.x]; // elected_read
}

__global__ void phase_elected(int *to, const int *from) {
    __shared__ int tile[128];
    __shared__ uint64_t ready;
    elected<true>(to, from, tile, &ready);
}

__global__ void phase_elected_early(int *to, const int *from) {
    __shared__ int tile[128];
    __shared__ uint64_t ready;
    elected<false>(to, from, tile, &ready);
}

__global__ void phase_not_set_up(int *to, const int *from) {
    __shared__ int tile[128];
    __shared__ uint64_t ready;
    if (threadIdx.x == 64)
        SET_UP(&ready, 64); // init
    if (threadIdx.x >= 64) {
        ARRIVE(&ready);  // use_of
        WAIT(&ready, 0); // test_of
    }
    to[threadIdx.x] = 1;
}

__global__ void bulk_right(int *to, const int *from) {
    __shared__ alignas(128) int tile[256];
    __shared__ uint64_t ready;
    if (threadIdx.x == 0) {
        SET_UP(&ready, 1);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x == 0) {
            EXPECT(&ready, 1024);
            COPY_IN(tile, from, 1024, &ready);
        }
        WAIT(&ready, i % 2);
        to[threadIdx.x] = tile[127 - threadIdx.x];
        __syncthreads();
    }
}

__global__ void bulk_no_wait(int *to, const int *from) {
    __shared__ alignas(128) int tile[256];
    __shared__ uint64_t ready;
    if (threadIdx.x == 0)
        SET_UP(&ready, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        EXPECT(&ready, 1024);
        COPY_IN(tile, from, 1024, &ready); // bulk_copy
        WAIT(&ready, 0);
    }
    if (threadIdx.x >= 32)
        to[threadIdx.x] = tile[127 - threadIdx.x]; // bulk_read
}

__global__ void bulk_reused(int *to, const int *from) {
    __shared__ alignas(128) int tile[256];
    __shared__ uint64_t ready[2];
    if (threadIdx.x == 0) {
        SET_UP(&ready[0], 1);
        SET_UP(&ready[1], 1);
    }
    __syncthreads();
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x == 0) {
            EXPECT(&ready[i], 1024);
            COPY_IN(tile, from, 1024, &ready[i]); // again
        }
        WAIT(&ready[i], 0);
        to[threadIdx.x] = tile[127 - threadIdx.x]; // read_before
    }
}

__global__ void bulk_two(int *to, const int *from) {
    __shared__ alignas(128) int tile[2][128];
    __shared__ uint64_t ready[2];
    if (threadIdx.x == 0) {
        SET_UP(&ready[0], 1);
        SET_UP(&ready[1], 1);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; i++) {
            EXPECT(&ready[i], 512);
            COPY_IN(tile[i], from, 512, &ready[i]); // two_copy
        }
    WAIT(&ready[0], 0);
    to[threadIdx.x] = tile[1][127 - threadIdx.x]; // two_read
    WAIT(&ready[1], 0);
}

// Bytes of one copy are expected, and two come: the second one ends the phase behind.
__global__ void bulk_bytes(int *to, const int *from) {
    __shared__ alignas(128) int tile[256];
    __shared__ uint64_t ready;
    if (threadIdx.x == 0)
        SET_UP(&ready, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        EXPECT(&ready, 512);
        COPY_IN(tile, from, 512, &ready);
        COPY_IN(tile + 128, from + 128, 512, &ready); // late_copy
    }
    WAIT(&ready, 0);
    to[threadIdx.x] = tile[128 + threadIdx.x]; // early_read
}

// Phases that never end: one arrival too few, fewer bytes than are expected, the wrong parity.
__global__ void stuck_count(int *to, const int *from) {
    __shared__ uint64_t ready;
    if (threadIdx.x == 0)
        SET_UP(&ready, 129);
    __syncthreads();
    ARRIVE(&ready);
    WAIT(&ready, 0); // stuck_by_count
    to[threadIdx.x] = from[threadIdx.x];
}

__global__ void stuck_bytes(int *to, const int *from) {
    __shared__ alignas(128) int tile[256];
    __shared__ uint64_t ready;
    if (threadIdx.x == 0)
        SET_UP(&ready, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        EXPECT(&ready, 1024);
        COPY_IN(tile, from, 512, &ready);
    }
    WAIT(&ready, 0); // stuck_by_bytes
    to[threadIdx.x] = tile[127 - threadIdx.x];
}

// All but one warp go on, and wait at the barrier of the block for the last one.
__global__ void stuck_parity(int *to, const int *from) {
    __shared__ uint64_t ready;
    if (threadIdx.x == 0)
        SET_UP(&ready, 128);
    __syncthreads();
    ARRIVE(&ready);
    WAIT(&ready, 1); // stuck_by_parity
    __syncthreads();
    to[threadIdx.x] = from[threadIdx.x];
}

void launch_mbarrier(int *to, const int *from) {
    phase_right<<<1, 128>>>(to, from);         // silent
    phase_no_wait<<<1, 128>>>(to, from);       // phase_read phase_write
    phase_wrong<<<1, 128>>>(to, from);         // parity_read parity_write
    phase_elected<<<1, 128>>>(to, from);       // silent
    phase_elected_early<<<1, 128>>>(to, from); // elected_read elected_write
    phase_not_set_up<<<1, 128>>>(to, from);    // use_of init, test_of init
    bulk_right<<<1, 128>>>(to, from);          // silent
    bulk_no_wait<<<1, 128>>>(to, from);        // bulk_read bulk_copy
    bulk_reused<<<1, 128>>>(to, from);         // again read_before
    bulk_two<<<1, 128>>>(to, from);            // two_read two_copy
    bulk_bytes<<<1, 128>>>(to, from);          // early_read late_copy (expect_tx without its bytes)
    stuck_count<<<1, 128>>>(to, from);         // barrier stuck_by_count (or a count of 128)
    stuck_bytes<<<1, 128>>>(to, from);  // barrier stuck_by_bytes (expect_tx of 512 bytes less)
    stuck_parity<<<1, 128>>>(to, from); // barrier stuck_by_parity (a wait for parity 0)
}
