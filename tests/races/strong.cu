// SPDX-License-Identifier: MIT
// Volatile and relaxed accesses do not race, but order nothing. Blocks that store equal values race
// unless the code has no other value.
#include <cuda/atomic>

__device__ int strong_flag[8], strong_sum[8];

// In a block.
template <bool WAITS> __device__ void mirror(volatile int *to, const int *from) {
    to[threadIdx.x] = from[threadIdx.x]; // mirror_w
    if (WAITS)
        __syncthreads();
    const int got = to[63 - threadIdx.x]; // mirror_r
    __syncthreads();
    to[64 + threadIdx.x] = got;
}
__global__ void strong_mirror_right(int *to, const int *from) {
    mirror<true>(to, from);
}
__global__ void strong_mirror(int *to, const int *from) {
    mirror<false>(to, from);
}

// Between blocks.
__global__ void strong_next(volatile int *to, const int *from) {
    if (threadIdx.x == 0)
        to[blockIdx.x] = from[blockIdx.x]; // next_w
    if (threadIdx.x == 32)
        to[8 + blockIdx.x] = to[(blockIdx.x + gridDim.x - 1) % gridDim.x]; // next_r
}
__global__ void strong_next_atomic(int *to, const int *from) {
    using word = cuda::atomic_ref<int>;
    if (threadIdx.x == 0)
        word(to[blockIdx.x]).store(from[blockIdx.x], cuda::memory_order_relaxed); // ref_w
    if (threadIdx.x == 32)
        to[8 + blockIdx.x] =
            word(to[(blockIdx.x + 1) % 4]).load(cuda::memory_order_relaxed); // ref_r
}

// A value that is only tested may be old.
__global__ void strong_early_exit(int *to, const int *from) {
    volatile int *found = &strong_flag[0];
    for (int i = threadIdx.x; i < 256 && !*found; i += blockDim.x)
        if (from[i] < 1 << 20)
            *found = 1;
    if (*found == 0)
        to[blockIdx.x * 64 + threadIdx.x] = 1;
}
// As may a sum that others still add to.
__global__ void strong_progress(int *to, const int *from) {
    atomicAdd(&strong_sum[0], from[threadIdx.x]);
    if (threadIdx.x == 0)
        to[blockIdx.x] = *(volatile int *)&strong_sum[0];
}

// Clocks.
__global__ void strong_clock(int *to, const int *from) {
    if (threadIdx.x == 0)
        to[0] = (int)clock64(); // clock_at
}
__global__ void strong_span(int *to, const int *from) {
    const int begin = clock();
    const int sum = from[threadIdx.x] + from[threadIdx.x + 64];
    const int end = sum == 12345 ? begin : clock();
    if (threadIdx.x == 0)
        to[0] = end - begin; // span_at
}

// Sums that happen to be equal, and a constant.
__global__ void strong_total(int *to, const int *from) {
    __shared__ int s[64];
    s[threadIdx.x] = from[threadIdx.x] > 1 << 20;
    __syncthreads();
    for (int k = 32; k > 0; k /= 2) {
        if (threadIdx.x < k)
            s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        to[0] = s[0]; // total_at
}
__global__ void strong_first(int *to, const int *from) {
    if (threadIdx.x == 0)
        to[0] = from[0]; // first_at
}
__global__ void strong_constant(int *to, const int *from) {
    if (from[threadIdx.x] < 1 << 20)
        to[0] = 1; // constant_at
}

// In a block: each thread's own element, and what all read at one place.
__global__ void strong_own(int *to, const int *from) {
    to[0] = from[threadIdx.x] >> 24; // own_at
}
__global__ void strong_common(int *to, const int *from) {
    __shared__ int s[2];
    if (threadIdx.x < 2)
        s[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[0] = s[0] + s[1]; // common_at
}

// A flag that some threads raise, in a register that held something else before.
__global__ void strong_flag_in_loop(int *to, const int *from) {
    extern __shared__ int s[];
    __shared__ bool swapped;
    const int t = threadIdx.x;
    s[t] = from[t];
    do {
        __syncthreads();
        if (t == 0)
            swapped = false;
        __syncthreads();
        for (int phase = 0; phase < 2; phase++) {
            const int i = 2 * t + phase;
            if (i + 1 < blockDim.x && s[i] > s[i + 1]) {
                const int x = s[i];
                s[i] = s[i + 1];
                s[i + 1] = x;
                swapped = true; // swapped_at
            }
            __syncthreads();
        }
    } while (swapped);
    to[t] = s[t];
}

void launch_strong(int *to, const int *from) {
    strong_mirror_right<<<1, 64>>>(to, from);       // silent
    strong_mirror<<<1, 64>>>(to, from);             // note mirror_r mirror_w (__syncthreads())
    strong_next<<<4, 64>>>(to, from);               // note next_r next_w (order of the blocks)
    strong_next_atomic<<<4, 64>>>(to, from);        // note ref_r ref_w
    strong_early_exit<<<4, 64>>>(to, from);         // silent
    strong_progress<<<4, 64>>>(to, from);           // silent
    strong_clock<<<4, 64>>>(to, from);              // clock_at clock_at
    strong_span<<<4, 64>>>(to, from);               // span_at span_at
    strong_own<<<1, 64>>>(to, from);                // own_at own_at
    strong_common<<<1, 64>>>(to, from);             // note common_at common_at
    strong_flag_in_loop<<<1, 128, 512>>>(to, from); // note swapped_at swapped_at
    strong_total<<<4, 64>>>(to, from);              // total_at total_at
    strong_first<<<4, 64>>>(to, from);              // first_at first_at
    strong_constant<<<4, 64>>>(to, from);           // note constant_at constant_at
}
