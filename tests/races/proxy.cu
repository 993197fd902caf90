// SPDX-License-Identifier: MIT
// What was written by plain stores needs a proxy fence before a bulk copy reads it; what a bulk
// copy reads may be written again when its group was waited for. Needs sm_90.

#define STORE_BULK(to, from, bytes)                                                       \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), \
                 "r"(static_cast<unsigned>(__cvta_generic_to_shared(from))), "r"(bytes)   \
                 : "memory")
#define COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define WAIT_READ(left) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(left) : "memory")
#define FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")

__global__ void store_right(int *to, const int *from) {
    __shared__ alignas(128) int tile[128];
    for (int i = 0; i < 3; i++) {
        tile[threadIdx.x] = from[threadIdx.x] + i;
        FENCE();
        __syncthreads();
        if (threadIdx.x == 0) {
            STORE_BULK(to + 128 * i, tile, 512);
            COMMIT();
            WAIT_READ(0);
        }
        __syncthreads();
    }
}

__global__ void store_no_fence(int *to, const int *from) {
    __shared__ alignas(128) int tile[128];
    tile[threadIdx.x] = from[threadIdx.x]; // plain_write
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE_BULK(to, tile, 512); // bulk_store
        COMMIT();
        WAIT_READ(0);
    }
}

// By the thread that issues the copy, behind the barrier.
__global__ void store_fence_behind(int *to, const int *from) {
    __shared__ alignas(128) int tile[128];
    tile[threadIdx.x] = from[threadIdx.x]; // behind_write
    __syncthreads();
    if (threadIdx.x == 0) {
        FENCE();
        STORE_BULK(to, tile, 512); // behind_store
        COMMIT();
        WAIT_READ(0);
    }
}

__global__ void store_some_fence(int *to, const int *from) {
    __shared__ alignas(128) int tile[128];
    tile[threadIdx.x] = from[threadIdx.x]; // some_write
    if (threadIdx.x < 64)
        FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE_BULK(to, tile, 512); // some_store
        COMMIT();
        WAIT_READ(0);
    }
}

__global__ void store_fence_before(int *to, const int *from) {
    __shared__ alignas(128) int tile[128];
    FENCE();
    tile[threadIdx.x] = from[threadIdx.x]; // late_write
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE_BULK(to, tile, 512); // early_store
        COMMIT();
        WAIT_READ(0);
    }
}

__global__ void store_no_barrier(int *to, const int *from) {
    __shared__ alignas(128) int tile[128];
    tile[threadIdx.x] = from[threadIdx.x]; // nobar_write
    FENCE();
    if (threadIdx.x == 0) {
        STORE_BULK(to, tile, 512); // nobar_store
        COMMIT();
        WAIT_READ(0);
    }
}

__global__ void store_no_wait(int *to, const int *from) {
    __shared__ alignas(128) int tile[128];
    for (int i = 0; i < 2; i++) {
        tile[threadIdx.x] = from[threadIdx.x] + i; // again_write
        FENCE();
        __syncthreads();
        if (threadIdx.x == 0) {
            STORE_BULK(to + 128 * i, tile, 512); // again_store
            COMMIT();
        }
        __syncthreads();
    }
    WAIT_READ(0);
}

template <int LEFT> __device__ void two_stores(int *to, const int *from, int (*tile)[128]) {
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x == 0)
            WAIT_READ(LEFT);
        __syncthreads();
        tile[i % 2][threadIdx.x] = from[threadIdx.x] + i; // two_write
        FENCE();
        __syncthreads();
        if (threadIdx.x == 0) {
            STORE_BULK(to + 128 * i, tile[i % 2], 512); // two_store
            COMMIT();
        }
    }
    WAIT_READ(0);
}

__global__ void store_two(int *to, const int *from) {
    __shared__ alignas(128) int tile[2][128];
    two_stores<1>(to, from, tile);
}

__global__ void store_two_early(int *to, const int *from) {
    __shared__ alignas(128) int tile[2][128];
    two_stores<2>(to, from, tile);
}

// Groups of cp.async and of bulk copies have waits of their own in PTX and one in machine code
// (DEPBAR.LE SB0), which covers both.
template <bool WAITS> __device__ void two_groups(int *to, const int *from, int *tile) {
    tile[threadIdx.x] = from[threadIdx.x];
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE_BULK(to, tile, 512);
        COMMIT();
    }
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 4; cp.async.commit_group; cp.async.wait_group 0;" ::
            "r"(static_cast<unsigned>(__cvta_generic_to_shared(tile + 128 + threadIdx.x))),
        "l"(from + threadIdx.x)
        : "memory");
    if (WAITS)
        WAIT_READ(0);
    __syncthreads();
    tile[threadIdx.x] = tile[128 + (threadIdx.x ^ 1)];
    WAIT_READ(0);
}

__global__ void store_groups(int *to, const int *from) {
    __shared__ alignas(128) int tile[256];
    two_groups<true>(to, from, tile);
}

__global__ void store_other_group(int *to, const int *from) {
    __shared__ alignas(128) int tile[256];
    two_groups<false>(to, from, tile);
}

void launch_proxy(int *to, const int *from) {
    store_right<<<1, 128>>>(to, from);        // silent
    store_no_fence<<<1, 128>>>(to, from);     // bulk_store plain_write
    store_fence_behind<<<1, 128>>>(to, from); // note behind_store behind_write
    store_some_fence<<<1, 128>>>(to, from);   // some_store some_write
    store_fence_before<<<1, 128>>>(to, from); // early_store late_write
    store_no_barrier<<<1, 128>>>(to, from);   // nobar_store nobar_write
    store_no_wait<<<1, 128>>>(to, from);      // again_write again_store
    store_two<<<1, 128>>>(to, from);          // silent
    store_two_early<<<1, 128>>>(to, from);    // two_write two_store
    store_groups<<<1, 128>>>(to, from);       // silent
    store_other_group<<<1, 128>>>(to, from);  // silent
}
