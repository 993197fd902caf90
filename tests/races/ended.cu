// SPDX-License-Identifier: MIT
// Threads that end before a barrier. The hardware counts them as arrived where the barrier waits
// for all threads; it does not where the barrier has a count of its own.

__device__ void wait_for_half() {
    asm volatile("barrier.sync 1, 64;" ::: "memory");
}

__global__ void ended_idle(int *to, const int *from) {
    __shared__ int tile[64];
    if (threadIdx.x >= 64)
        return;
    tile[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = tile[threadIdx.x ^ 32];
}

__global__ void ended_after(int *to, const int *from) {
    __shared__ int tile[128];
    tile[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= 64)
        return;
    const int other = tile[threadIdx.x + 64];
    __syncthreads();
    to[threadIdx.x] = other + tile[threadIdx.x ^ 32];
}

__global__ void ended_first(int *to, const int *from) {
    __shared__ int tile[64];
    if (threadIdx.x >= 64) {
        tile[threadIdx.x - 64] = from[threadIdx.x]; // first_write
        return;
    }
    __syncthreads();
    to[threadIdx.x] = tile[threadIdx.x]; // first_read
}

__global__ void ended_reader(int *to, const int *from) {
    __shared__ int tile[128];
    tile[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= 64) {
        to[threadIdx.x] = tile[threadIdx.x - 64]; // reader_read
        return;
    }
    for (int i = 0; i < 2; i++) {
        __syncthreads();
        tile[threadIdx.x] = i; // reader_write
    }
}

__global__ void ended_global(int *to, const int *from) {
    if (threadIdx.x >= 64) {
        to[threadIdx.x] = from[threadIdx.x]; // global_write
        return;
    }
    __syncthreads();
    to[threadIdx.x] = to[threadIdx.x + 64]; // global_read
}

// A barrier with a count opens without the others.
__global__ void ended_counted(int *to, const int *from) {
    __shared__ int tile[64];
    if (threadIdx.x < 64) {
        tile[threadIdx.x] = from[threadIdx.x]; // counted_write
        return;
    }
    wait_for_half();
    to[threadIdx.x] = tile[threadIdx.x - 64]; // counted_read
}

// As does one that is passed before the write.
__global__ void ended_late(int *to, const int *from) {
    __shared__ int tile[64];
    __syncthreads();
    if (threadIdx.x >= 64) {
        tile[threadIdx.x - 64] = from[threadIdx.x]; // late_write
        return;
    }
    to[threadIdx.x] = tile[threadIdx.x]; // late_read
}

__global__ void ended_lanes(int *to, const int *from) {
    __shared__ int tile[32];
    if (threadIdx.x >= 16) {
        tile[threadIdx.x] = from[threadIdx.x]; // lanes_write
        return;
    }
    __syncwarp();
    to[threadIdx.x] = tile[threadIdx.x + 16]; // lanes_read
}

// Lanes of a warp end; another warp waits with the rest.
__global__ void ended_some(int *to, const int *from) {
    __shared__ int tile[64];
    if (threadIdx.x % 32 >= 16) {
        tile[threadIdx.x] = 7; // some_write
        return;
    }
    tile[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = tile[threadIdx.x ^ 32];
    to[threadIdx.x + 64] = tile[threadIdx.x + 16]; // some_read
}

void launch_ended(int *to, const int *from) {
    ended_idle<<<1, 128>>>(to, from);    // silent
    ended_after<<<1, 128>>>(to, from);   // silent
    ended_first<<<1, 128>>>(to, from);   // note first_read first_write (before it ends)
    ended_reader<<<1, 128>>>(to, from);  // note reader_write reader_read
    ended_global<<<1, 128>>>(to, from);  // note global_read global_write
    ended_counted<<<1, 128>>>(to, from); // counted_read counted_write
    ended_late<<<1, 128>>>(to, from);    // late_write late_read
    ended_lanes<<<1, 32>>>(to, from);    // note lanes_read lanes_write
    ended_some<<<1, 64>>>(to, from);     // note some_read some_write
}
