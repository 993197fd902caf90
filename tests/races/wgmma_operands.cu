// SPDX-License-Identifier: MIT
// wgmma: its operands in shared memory must be behind a proxy fence and a barrier, and stay until
// it was waited for. Needs sm_90a.
#include <cstdint>

#define CLOSE() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define FINISH() asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory")
#define PROXY() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define MULTIPLY(d, a, b)                                                                       \
    asm volatile("wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " \
                 "{%0, %1, %2, %3}, %4, %5, "                                                   \
                 "1, 1, 1, 0, 0;"                                                               \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                               \
                 : "l"(described(a, 128, 256)), "l"(described(b, 128, 256)))

__device__ uint64_t described(const int *at, unsigned leading, unsigned stride) {
    const unsigned place = (unsigned)__cvta_generic_to_shared(at);
    return place >> 4 | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32;
}

// 2048 bytes of A, then 256 of B.
__device__ void fill(int *tile, const int *from) {
    for (int i = threadIdx.x; i < 576; i += 128)
        tile[i] = from[i]; // fill
}

__device__ void put(int *to, const float *d) {
    for (int i = 0; i < 4; i++)
        to[4 * threadIdx.x + i] = (int)d[i];
}

__global__ void wgmma_right(int *to, const int *from) {
    __shared__ alignas(128) int tile[576];
    float d[4] = {};
    for (int i = 0; i < 2; i++) {
        fill(tile, from);
        PROXY();
        __syncthreads();
        MULTIPLY(d, tile, tile + 512);
        CLOSE();
        FINISH();
        __syncthreads();
    }
    put(to, d);
}

__global__ void wgmma_no_fence(int *to, const int *from) {
    __shared__ alignas(128) int tile[576];
    float d[4] = {};
    fill(tile, from);
    __syncthreads();
    MULTIPLY(d, tile, tile + 512); // unfenced
    CLOSE();
    FINISH();
    put(to, d);
}

__global__ void wgmma_no_barrier(int *to, const int *from) {
    __shared__ alignas(128) int tile[576];
    float d[4] = {};
    fill(tile, from);
    PROXY();
    MULTIPLY(d, tile, tile + 512); // unordered
    CLOSE();
    FINISH();
    put(to, d);
}

__global__ void wgmma_refilled(int *to, const int *from) {
    __shared__ alignas(128) int tile[576];
    float d[4] = {};
    fill(tile, from);
    PROXY();
    __syncthreads();
    MULTIPLY(d, tile, tile + 512); // reads_still
    CLOSE();
    __syncthreads();
    tile[threadIdx.x] = from[threadIdx.x]; // refilled
    FINISH();
    put(to, d);
}

void launch_wgmma(int *to, const int *from) {
    wgmma_right<<<1, 128>>>(to, from);      // silent
    wgmma_no_fence<<<1, 128>>>(to, from);   // unfenced fill
    wgmma_no_barrier<<<1, 128>>>(to, from); // unordered fill
    wgmma_refilled<<<1, 128>>>(to, from);   // refilled reads_still
}
