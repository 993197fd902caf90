// SPDX-License-Identifier: MIT
// Threads of a block, between whose warps a __syncthreads() is missing.

__global__ void barrier_right(int *to, const int *from) {
    __shared__ int tile[128];
    for (int i = 0; i < 3; i++) {
        tile[threadIdx.x] = from[threadIdx.x] + i;
        __syncthreads();
        to[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
        __syncthreads();
    }
}

__global__ void barrier_raw(int *to, const int *from) {
    __shared__ int tile[128];
    tile[threadIdx.x] = from[threadIdx.x];    // raw_write
    to[threadIdx.x] = tile[threadIdx.x ^ 32]; // read
}

__global__ void barrier_war(int *to, const int *from) {
    __shared__ int tile[128];
    for (int i = 0; i < 2; i++) {
        tile[threadIdx.x] = from[threadIdx.x] + i; // war_write
        __syncthreads();
        to[threadIdx.x] += tile[127 - threadIdx.x]; // war_read
    }
}

__global__ void barrier_waw(int *to, const int *from) {
    __shared__ int tile[128];
    tile[threadIdx.x] = from[threadIdx.x];       // waw_first
    tile[threadIdx.x ^ 32] = threadIdx.x + 1000; // waw_last
    __syncthreads();
    to[threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void barrier_same(int *to, const int *from) {
    __shared__ int found;
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    if (from[threadIdx.x] != -12345)
        found = 1; // same
    __syncthreads();
    to[threadIdx.x] = found;
}

__global__ void barrier_one_place(int *to, const int *from) {
    __shared__ int found;
    found = threadIdx.x; // place
    __syncthreads();
    to[threadIdx.x] = found;
}

// Bytes beside each other of one word.
__global__ void barrier_bytes(int *to, const int *from) {
    __shared__ char tile[128];
    tile[threadIdx.x] = from[threadIdx.x];
    tile[threadIdx.x] += 3;
    __syncthreads();
    to[threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void barrier_atomics(int *to, const int *from) {
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, from[threadIdx.x]);
    __syncthreads();
    to[threadIdx.x] = sum;
}

__global__ void barrier_atomic_plain(int *to, const int *from) {
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, from[threadIdx.x] + threadIdx.x); // atomic_add
    to[threadIdx.x] = sum;                            // plain_read
}

__global__ void barrier_vector(int *to, const int *from) {
    __shared__ alignas(16) int tile[132];
    tile[threadIdx.x] = from[threadIdx.x]; // vector_write
    if (threadIdx.x < 32) {
        const int4 four = reinterpret_cast<int4 *>(tile)[threadIdx.x]; // vector_read
        to[threadIdx.x] = four.x + four.y + four.z + four.w;
    }
}

// A lane that reads alone, not the first of its warp; the other place is as far from it as the lane
// from the first.
template <int AT> __device__ void alone(int *to, const int *from) {
    __shared__ int tile[128];
    tile[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 31)
        to[0] = tile[64]; // alone_read
    if (threadIdx.x == 40)
        tile[AT] = 1; // alone_write
    __syncthreads();
    to[threadIdx.x + 1] = tile[127 - threadIdx.x];
}

__global__ void barrier_alone(int *to, const int *from) {
    alone<64 + 31>(to, from);
}

__global__ void barrier_alone_wrong(int *to, const int *from) {
    alone<64>(to, from);
}

void launch_block_barrier(int *to, const int *from) {
    barrier_right<<<2, 128>>>(to, from);        // silent
    barrier_raw<<<1, 128>>>(to, from);          // read raw_write
    barrier_war<<<1, 128>>>(to, from);          // war_write war_read
    barrier_waw<<<1, 128>>>(to, from);          // waw_last waw_first
    barrier_same<<<1, 128>>>(to, from);         // note same same
    barrier_one_place<<<1, 128>>>(to, from);    // place place
    barrier_bytes<<<1, 128>>>(to, from);        // silent
    barrier_atomics<<<1, 128>>>(to, from);      // silent
    barrier_atomic_plain<<<1, 128>>>(to, from); // plain_read atomic_add
    barrier_vector<<<1, 128>>>(to, from);       // vector_read vector_write
    barrier_alone<<<1, 128>>>(to, from);        // silent
    barrier_alone_wrong<<<1, 128>>>(to, from);  // alone_write alone_read
}
