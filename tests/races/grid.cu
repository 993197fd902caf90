// SPDX-License-Identifier: MIT
// Blocks of a grid, which nothing orders but what they observe of each other: tickets, flags and
// locks, with fences and scopes that reach as far as the other block.
#include <cuda/atomic>

__device__ int ticket[8], flag[8];

template <cuda::thread_scope SCOPE> __device__ cuda::atomic_ref<int, SCOPE> scoped(int *at) {
    return cuda::atomic_ref<int, SCOPE>(*at);
}

__global__ void grid_apart(int *to, const int *from) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    to[i] = from[255 - i];
    __syncthreads();
    to[256 + i] = to[i ^ 63];
}

__global__ void grid_neighbour(int *to, const int *from) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    to[i] = from[i]; // block_write
    __syncthreads();
    to[256 + i] = to[i ^ 64]; // block_read
}

// Threads of one block race, too: a barrier of the block would not order the blocks.
__global__ void grid_in_place(int *to, const int *from) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    to[i] = to[(i + 1) & 255] + from[i]; // in_place
}

// Blocks meet at one word of a row.
__global__ void grid_halo(int *to, const int *from) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    to[i] = from[i]; // inner
    if (threadIdx.x == 0 && blockIdx.x > 0)
        to[i - 1] = from[i] + 3; // halo
}

__global__ void grid_one_place(int *to, const int *from) {
    if (threadIdx.x == 0)
        *to = from[0] + blockIdx.x; // blocks_place
}

__global__ void grid_same(int *to, const int *from) {
    if (threadIdx.x == 0 && from[blockIdx.x] != -12345)
        *to = 1; // blocks_same
}

__global__ void grid_bytes(int *to, const int *from) {
    char *bytes = reinterpret_cast<char *>(to);
    bytes[4 * threadIdx.x + blockIdx.x] = from[threadIdx.x];
}

__global__ void grid_atomics(int *to, const int *from) {
    atomicAdd(&to[threadIdx.x], from[threadIdx.x] + blockIdx.x);
}

__global__ void grid_atomic_plain(int *to, const int *from) {
    atomicAdd(&to[threadIdx.x], from[threadIdx.x]);            // blocks_add
    to[256 + blockIdx.x * 64 + threadIdx.x] = to[threadIdx.x]; // blocks_plain
}

__global__ void grid_narrow_atomic(int *to, const int *from) {
    atomicAdd_block(&to[threadIdx.x], from[threadIdx.x]); // narrow_add
}

// The last block to come adds up what all have left.
template <bool MEETS, int FENCE, bool ACQUIRES = true>
__device__ void last_block(int *to, const int *from, int *count) {
    __shared__ bool is_last;
    to[blockIdx.x * 64 + threadIdx.x] = from[threadIdx.x] + blockIdx.x; // part
    if (FENCE == 1)
        __threadfence();
    if (FENCE == 2)
        __threadfence_block();
    if (MEETS)
        __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicAdd(count, 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last) {
        if (ACQUIRES)
            __threadfence();
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++)
            sum += to[b * 64 + 63 - threadIdx.x]; // whole
        to[256 + threadIdx.x] = sum;
    }
}

__global__ void grid_last_right(int *to, const int *from) {
    last_block<true, 1>(to, from, &ticket[0]);
}

__global__ void grid_last_no_fence(int *to, const int *from) {
    last_block<true, 0>(to, from, &ticket[1]);
}

__global__ void grid_last_narrow(int *to, const int *from) {
    last_block<true, 2>(to, from, &ticket[2]);
}

__global__ void grid_last_no_barrier(int *to, const int *from) {
    last_block<false, 1>(to, from, &ticket[3]);
}

// As many write it: what was not read before is not in L1.
__global__ void grid_last_no_acquire(int *to, const int *from) {
    last_block<true, 1, false>(to, from, &ticket[6]);
}

// Block 0 passes a row to block 1.
template <typename ORDER> __device__ void pass_row(int *to, const int *from, ORDER order) {
    if (blockIdx.x == 0) {
        to[threadIdx.x] = from[threadIdx.x] + 5; // row
        order.leave();
    } else {
        order.take();
        to[64 + threadIdx.x] = to[63 - threadIdx.x]; // row_read
    }
}

template <cuda::thread_scope SCOPE, bool RELEASES> struct scoped_order {
    int *at;
    __device__ void leave() {
        const auto order = RELEASES ? cuda::memory_order_release : cuda::memory_order_relaxed;
        __syncthreads();
        if (threadIdx.x == 0)
            scoped<SCOPE>(at).store(1, order); // leave
    }
    __device__ void take() {
        if (threadIdx.x == 0)
            while (scoped<SCOPE>(at).load(cuda::memory_order_acquire) == 0) // take
                continue;
        __syncthreads();
    }
};

struct volatile_order {
    volatile int *at;
    __device__ void leave() {
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            *at = 1;
    }
    __device__ void take() {
        while (*at == 0)
            continue;
        __threadfence();
    }
};

__global__ void grid_flag_right(int *to, const int *from) {
    pass_row(to, from, scoped_order<cuda::thread_scope_device, true>{&flag[0]});
}

__global__ void grid_flag_relaxed(int *to, const int *from) {
    pass_row(to, from, scoped_order<cuda::thread_scope_device, false>{&flag[1]});
}

__global__ void grid_flag_narrow(int *to, const int *from) {
    pass_row(to, from, scoped_order<cuda::thread_scope_block, true>{&flag[2]});
}

__global__ void grid_flag_volatile(int *to, const int *from) {
    pass_row(to, from, volatile_order{&flag[3]});
}

// Each block adds to what the one before it has left.
__global__ void grid_chain(int *to, const int *from) {
    __shared__ int before;
    if (threadIdx.x == 0) {
        before = 0;
        if (blockIdx.x > 0) {
            while (scoped<cuda::thread_scope_device>(&flag[4]).load(cuda::memory_order_acquire) !=
                   blockIdx.x)
                continue;
            before = to[blockIdx.x - 1];
        }
        to[blockIdx.x] = before + from[blockIdx.x];
        scoped<cuda::thread_scope_device>(&flag[4]).store(blockIdx.x + 1,
                                                          cuda::memory_order_release);
    }
    __syncthreads();
    to[64 + blockIdx.x * 64 + threadIdx.x] = before;
}

template <bool FENCES> __device__ void locked_sum(int *to, const int *from, int *lock) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            continue;
        if (FENCES)
            __threadfence();
        *to += from[blockIdx.x]; // locked_sum
        if (FENCES)
            __threadfence();
        atomicExch(lock, 0);
    }
}

__global__ void grid_lock_right(int *to, const int *from) {
    locked_sum<true>(to, from, &ticket[4]);
}

__global__ void grid_lock_no_fence(int *to, const int *from) {
    locked_sum<false>(to, from, &ticket[5]);
}

// A block waits for one that comes later.
__global__ void grid_flag_backward(int *to, const int *from) {
    scoped_order<cuda::thread_scope_device, true> order{&flag[5]};
    if (blockIdx.x == 1) {
        to[threadIdx.x] = from[threadIdx.x];
        order.leave();
    } else {
        order.take();
        to[64 + threadIdx.x] = to[63 - threadIdx.x];
    }
}

// All blocks meet, by a count.
template <bool FENCES> __device__ void meet(int *to, const int *from, int *count) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    to[i] = from[i]; // meet_write
    __syncthreads();
    if (threadIdx.x == 0) {
        if (FENCES)
            __threadfence();
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) < gridDim.x)
            continue;
        if (FENCES)
            __threadfence();
    }
    __syncthreads();
    to[256 + i] = to[i ^ 64]; // meet_read
}

__global__ void grid_meet_right(int *to, const int *from) {
    meet<true>(to, from, &flag[6]);
}

__global__ void grid_meet_no_fence(int *to, const int *from) {
    meet<false>(to, from, &flag[7]);
}

// As many as a GPU holds at once.
template <bool FENCES> __device__ void meet_many(int *to, const int *from, int *count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i]; // many_write
    __syncthreads();
    if (threadIdx.x == 0) {
        if (FENCES)
            __threadfence();
        atomicAdd(count, 1);
        while (*const_cast<volatile int *>(count) < gridDim.x)
            continue;
        __threadfence();
    }
    __syncthreads();
    if (blockIdx.x == 0)
        to[i] = to[i + blockDim.x]; // many_read
}

__device__ int many[2];

__global__ void grid_many_right(int *to, const int *from) {
    meet_many<true>(to, from, &many[0]);
}

__global__ void grid_many_no_fence(int *to, const int *from) {
    meet_many<false>(to, from, &many[1]);
}

void launch_grid(int *to, const int *from) {
    grid_apart<<<4, 64>>>(to, from);            // silent
    grid_neighbour<<<4, 64>>>(to, from);        // block_read block_write
    grid_in_place<<<4, 64>>>(to, from);         // in_place in_place (order of the blocks)
    grid_halo<<<4, 64>>>(to, from);             // halo inner
    grid_one_place<<<4, 64>>>(to, from);        // blocks_place blocks_place
    grid_same<<<4, 64>>>(to, from);             // note blocks_same blocks_same
    grid_bytes<<<4, 64>>>(to, from);            // silent
    grid_atomics<<<4, 64>>>(to, from);          // silent
    grid_atomic_plain<<<4, 64>>>(to, from);     // blocks_plain blocks_add
    grid_narrow_atomic<<<4, 64>>>(to, from);    // narrow_add narrow_add
    grid_last_right<<<4, 64>>>(to, from);       // silent
    grid_last_no_fence<<<4, 64>>>(to, from);    // whole part
    grid_last_narrow<<<4, 64>>>(to, from);      // whole part
    grid_last_no_barrier<<<4, 64>>>(to, from);  // whole part
    grid_last_no_acquire<<<4, 64>>>(to, from);  // note whole part
    grid_flag_right<<<2, 64>>>(to, from);       // silent
    grid_flag_relaxed<<<2, 64>>>(to, from);     // row_read row
    grid_flag_narrow<<<2, 64>>>(to, from);      // row_read row, take leave
    grid_flag_volatile<<<2, 64>>>(to, from);    // silent
    grid_chain<<<4, 64>>>(to, from);            // silent
    grid_flag_backward<<<2, 64>>>(to, from);    // silent
    grid_meet_right<<<4, 64>>>(to, from);       // silent
    grid_meet_no_fence<<<4, 64>>>(to, from);    // meet_read meet_write
    grid_many_right<<<132, 256>>>(to, from);    // silent
    grid_many_no_fence<<<132, 256>>>(to, from); // many_read many_write
    grid_lock_right<<<4, 64>>>(to, from);       // silent
    grid_lock_no_fence<<<4, 64>>>(to, from);    // locked_sum locked_sum
}
