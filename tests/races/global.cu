// SPDX-License-Identifier: MIT
// Global memory between the threads of a block: barriers order it; so does a flag with its fences.

__global__ void global_right(int *to, const int *from) {
    to[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[128 + threadIdx.x] = to[127 - threadIdx.x];
}

__global__ void global_wrong(int *to, const int *from) {
    to[threadIdx.x] = from[threadIdx.x];           // far_write
    to[128 + threadIdx.x] = to[127 - threadIdx.x]; // far_read
}

__global__ void global_write_read(int *to, const int *from) {
    to[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    const int got = to[127 - threadIdx.x]; // war_far_read
    to[threadIdx.x] = got;                 // war_far_write
}

// What is read and written is one place, or two.
__global__ void global_counts(int *to, const int *from) {
    to[from[threadIdx.x] & 15]++; // far_counts
}

__global__ void global_turns(int *to, const int *from) {
    for (int i = 0; i < from[0] % 3 + 2; i++)
        to[(threadIdx.x + 32 * i) & 127]++; // far_turns
}

__global__ void global_shifts(int *to, const int *from) {
    to[threadIdx.x] += to[threadIdx.x + from[0] % 64 + 32]; // far_shifts
}

__global__ void global_one_place(int *to, const int *from) {
    if (from[threadIdx.x] != -12345)
        *to = threadIdx.x; // far_place
}

__global__ void global_atomics(int *to, const int *from) {
    if (threadIdx.x == 0)
        *to = 0;
    __syncthreads();
    atomicAdd(to, from[threadIdx.x]);
    __syncthreads();
    to[1 + threadIdx.x] = *to;
}

__global__ void global_atomic_plain(int *to, const int *from) {
    if (threadIdx.x == 0)
        *to = 0;
    __syncthreads();
    atomicAdd(to, from[threadIdx.x]); // far_add
    to[1 + threadIdx.x] = *to;        // far_plain
}

template <bool FENCES> __device__ void pass(int *to, const int *from) {
    volatile int *flag = to + 200;
    if (threadIdx.x == 0)
        *flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        to[0] = from[0] + 5; // passed
        if (FENCES)
            __threadfence();
        *flag = 1;
    } else if (threadIdx.x == 64) {
        while (*flag == 0)
            continue;
        __threadfence();
        to[64] = to[0]; // taken
    }
}

__global__ void flag_right(int *to, const int *from) {
    pass<true>(to, from);
}

__global__ void flag_no_fence(int *to, const int *from) {
    pass<false>(to, from);
}

// Each fences what it wrote, all meet, one sets the flag for all.
__global__ void flag_of_all(int *to, const int *from) {
    volatile int *flag = to + 200;
    if (threadIdx.x == 0)
        *flag = 0;
    __syncthreads();
    if (threadIdx.x < 64) {
        to[threadIdx.x] = from[threadIdx.x];
        __threadfence();
        asm volatile("barrier.sync 1, 64;" ::: "memory");
        if (threadIdx.x == 0)
            *flag = 1;
    } else {
        while (*flag == 0)
            continue;
        __threadfence();
        to[64 + threadIdx.x] = to[127 - threadIdx.x];
    }
}

__global__ void lock_right(int *to, const int *from) {
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0)
            continue;
        __threadfence_block();
        sum += from[threadIdx.x];
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    to[threadIdx.x] = sum;
}

__global__ void lock_no_fence(int *to, const int *from) {
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0)
            continue;
        sum += from[threadIdx.x]; // locked
        atomicExch(&lock, 0);
    }
    __syncthreads();
    to[threadIdx.x] = sum;
}

void launch_global(int *to, const int *from) {
    global_right<<<1, 128>>>(to, from);      // silent
    global_wrong<<<1, 128>>>(to, from);      // far_read far_write
    global_write_read<<<1, 128>>>(to, from); // war_far_write war_far_read
    global_counts<<<1, 128>>>(to, from);    // far_counts far_counts (an atomic update; atomicAdd())
    global_turns<<<1, 128>>>(to, from);     // far_turns far_turns (or __syncthreads() in each turn)
    global_shifts<<<1, 128>>>(to, from);    // far_shifts far_shifts (of line 33 would order them.)
    global_one_place<<<1, 128>>>(to, from); // far_place far_place (one writer; several threads)
    global_atomics<<<1, 128>>>(to, from);   // silent
    global_atomic_plain<<<1, 128>>>(to, from); // far_plain far_add
    flag_right<<<1, 128>>>(to, from);          // silent
    flag_no_fence<<<1, 128>>>(to, from);       // taken passed
    flag_of_all<<<1, 128>>>(to, from);         // silent
    lock_right<<<1, 128>>>(to, from);          // silent
    lock_no_fence<<<1, 128>>>(to, from);       // locked locked
}
