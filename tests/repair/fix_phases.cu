// SPDX-License-Identifier: MIT
// Phases of mbarriers that never end, each by one number: arrivals, bytes, the parity in a loop.
// Needs sm_90.
#include <cstdint>

__device__ uint32_t place(const void *at) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(at));
}

__device__ void init(uint64_t *at, uint32_t count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place(at)), "r"(count) : "memory");
}

__device__ void arrive(uint64_t *at) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(place(at))
                 : "memory");
}

__device__ void expect(uint64_t *at, uint32_t bytes) {
    asm volatile(
        "{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1; }" ::"r"(place(at)),
        "r"(bytes)
        : "memory");
}

__device__ void wait(uint64_t *at, uint32_t parity) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;"
                 "@!p bra again; }" ::"r"(place(at)),
                 "r"(parity)
                 : "memory");
}

__device__ void copy(void *to, const void *from, uint32_t bytes, uint64_t *at) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1], %2, [%3];" ::"r"(place(to)),
                 "l"(from), "r"(bytes), "r"(place(at))
                 : "memory");
}

__global__ void arrivals(int *to, const int *from) {
    __shared__ int tile[128];
    __shared__ uint64_t ready;
    if (threadIdx.x == 0)
        init(&ready, blockDim.x + 1);
    __syncthreads();
    tile[threadIdx.x] = from[threadIdx.x];
    arrive(&ready);
    wait(&ready, 0);
    to[threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void bytes(int *to, const int *from) {
    __shared__ alignas(128) int tile[256];
    __shared__ uint64_t ready;
    if (threadIdx.x == 0)
        init(&ready, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&ready, sizeof tile);
        copy(tile, from, sizeof tile / 2, &ready);
    }
    wait(&ready, 0);
    to[threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void parity(int *to, const int *from) {
    __shared__ alignas(128) int tile[128];
    __shared__ uint64_t ready;
    if (threadIdx.x == 0)
        init(&ready, 1);
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x == 0) {
            expect(&ready, sizeof tile);
            copy(tile, from + 128 * i, sizeof tile, &ready);
        }
        wait(&ready, 0);
        to[threadIdx.x] += tile[127 - threadIdx.x];
        __syncthreads();
    }
}

void launch(int *to, const int *from) {
    arrivals<<<1, 128>>>(to, from);
    bytes<<<1, 128>>>(to, from);
    parity<<<1, 128>>>(to, from);
}
