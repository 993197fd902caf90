// SPDX-License-Identifier: MIT
// Barriers of a block by number: some threads arrive, others wait; counts are of both.

template <int ID, int COUNT> __device__ void barrier_sync() {
    asm volatile("barrier.sync %0, %1;" ::"n"(ID), "n"(COUNT) : "memory");
}

template <int ID, int COUNT> __device__ void barrier_arrive() {
    asm volatile("barrier.arrive %0, %1;" ::"n"(ID), "n"(COUNT) : "memory");
}

// The first half produces, the second consumes; two buffers.
template <bool IS_RIGHT> __device__ void produce(int *to, const int *from, int (*tile)[64]) {
    const int lane = threadIdx.x % 64;
    for (int i = 0; i < 4; i += 2) {
        if (threadIdx.x < 64) {
            if (IS_RIGHT || i == 0)
                barrier_sync<3, 128>();
            tile[0][lane] = from[lane] + i; // produced
            barrier_arrive<1, 128>();
            barrier_sync<4, 128>();
            tile[1][lane] = from[lane] + i;
            barrier_arrive<2, 128>();
        } else {
            if (IS_RIGHT || i == 0)
                barrier_arrive<3, 128>();
            barrier_sync<1, 128>();
            to[lane] += tile[0][63 - lane]; // consumed
            barrier_arrive<4, 128>();
            barrier_sync<2, 128>();
            to[lane] += tile[1][63 - lane];
        }
    }
}

__global__ void named_right(int *to, const int *from) {
    __shared__ int tile[2][64];
    produce<true>(to, from, tile);
}

__global__ void named_halves(int *to, const int *from) {
    __shared__ int tile[128];
    tile[threadIdx.x] = from[threadIdx.x];
    if (threadIdx.x < 64)
        barrier_sync<1, 64>();
    else
        barrier_sync<2, 64>();
    to[threadIdx.x] = tile[threadIdx.x ^ 32];
}

__global__ void named_across(int *to, const int *from) {
    __shared__ int tile[128];
    tile[threadIdx.x] = from[threadIdx.x]; // half_write
    if (threadIdx.x < 64)
        barrier_sync<1, 64>();
    else
        barrier_sync<2, 64>();
    to[threadIdx.x] = tile[threadIdx.x ^ 64]; // half_read
}

// An arrival is no wait.
__global__ void named_arrive_only(int *to, const int *from) {
    __shared__ int tile[128];
    tile[threadIdx.x] = from[threadIdx.x]; // one_write
    if (threadIdx.x < 64) {
        barrier_arrive<1, 128>();
        to[threadIdx.x] = tile[threadIdx.x + 64]; // one_read
    } else {
        barrier_sync<1, 128>();
        to[threadIdx.x] = 3 * tile[(threadIdx.x - 64) ^ 5];
    }
}

__global__ void named_red(int *to, const int *from) {
    __shared__ int tile[128];
    tile[threadIdx.x] = from[threadIdx.x];
    const int some = __syncthreads_or(from[threadIdx.x] == 77);
    to[threadIdx.x] = tile[threadIdx.x ^ 64] + some;
}

void launch_named_barrier(int *to, const int *from) {
    named_right<<<1, 128>>>(to, from);       // silent
    named_halves<<<1, 128>>>(to, from);      // silent
    named_across<<<1, 128>>>(to, from);      // half_read half_write
    named_arrive_only<<<1, 128>>>(to, from); // one_read one_write
    named_red<<<1, 128>>>(to, from);         // silent
}
