// SPDX-License-Identifier: MIT
// Flags in shared memory: fences make them right; without one, only what the hardware does anyway.
#include <cuda/atomic>

using cuda_flag = cuda::atomic_ref<int, cuda::thread_scope_block>;

struct volatile_flag {
    volatile int *at;
    bool fences;
    __device__ void leave() {
        if (fences)
            __threadfence_block();
        *at = 1;
    }
    __device__ void take() {
        while (*at == 0)
            continue;
        if (fences)
            __threadfence_block();
    }
};

struct atomic_flag {
    int *at;
    bool releases;
    __device__ void leave() {
        cuda_flag(*at).store(1, releases ? cuda::memory_order_release : cuda::memory_order_relaxed);
    }
    __device__ void take() {
        while (cuda_flag(*at).load(cuda::memory_order_acquire) == 0)
            continue;
    }
};

// A warp to the next.
template <typename FLAG>
__device__ void pass_tile(int *to, const int *from, int *tile, int *at, FLAG flag) {
    if (threadIdx.x == 0)
        *at = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = from[threadIdx.x]; // put
        __syncwarp();
        if (threadIdx.x == 0)
            flag.leave();
    } else {
        flag.take();
        to[threadIdx.x] = tile[threadIdx.x ^ 63]; // get
    }
}

__global__ void shared_flag_right(int *to, const int *from) {
    __shared__ int tile[32], at;
    pass_tile(to, from, tile, &at, volatile_flag{&at, true});
}

__global__ void shared_flag_no_fence(int *to, const int *from) {
    __shared__ int tile[32], at;
    pass_tile(to, from, tile, &at, volatile_flag{&at, false});
}

__global__ void shared_flag_acquire(int *to, const int *from) {
    __shared__ int tile[32], at;
    pass_tile(to, from, tile, &at, atomic_flag{&at, true});
}

__global__ void shared_flag_relaxed(int *to, const int *from) {
    __shared__ int tile[32], at;
    pass_tile(to, from, tile, &at, atomic_flag{&at, false});
}

// The flag is set before what it stands for.
__global__ void shared_flag_early(int *to, const int *from) {
    __shared__ int tile[32], at;
    if (threadIdx.x == 0)
        at = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            cuda_flag(at).store(1, cuda::memory_order_release);
        tile[threadIdx.x] = from[threadIdx.x]; // put_late
    } else {
        while (cuda_flag(at).load(cuda::memory_order_acquire) == 0)
            continue;
        to[threadIdx.x] = tile[threadIdx.x ^ 63]; // get_early
    }
}

void launch_flags(int *to, const int *from) {
    shared_flag_right<<<1, 64>>>(to, from);    // silent
    shared_flag_no_fence<<<1, 64>>>(to, from); // note get put
    shared_flag_acquire<<<1, 64>>>(to, from);  // silent
    shared_flag_relaxed<<<1, 64>>>(to, from);  // note get put
    shared_flag_early<<<1, 64>>>(to, from);    // get_early put_late
}
