// SPDX-License-Identifier: MIT
// Lanes of a warp, between which __syncwarp() is missing or lacks a lane.
#include <cstdio>

__global__ void warp_right(int *to, const int *from) {
    __shared__ int tile[64];
    tile[threadIdx.x] = from[threadIdx.x];
    __syncwarp();
    to[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void warp_wrong(int *to, const int *from) {
    __shared__ int tile[64];
    tile[threadIdx.x] = from[threadIdx.x];   // warp_write
    to[threadIdx.x] = tile[threadIdx.x ^ 1]; // warp_read
}

__global__ void warp_tree(int *to, const int *from) {
    __shared__ int tile[32];
    tile[threadIdx.x] = from[threadIdx.x];
    __syncwarp();
    for (int half = 16; half > 0; half /= 2) {
        if (threadIdx.x < half)
            tile[threadIdx.x] += tile[threadIdx.x + half];
        __syncwarp();
    }
    to[threadIdx.x] = tile[0];
}

__global__ void warp_tree_wrong(int *to, const int *from) {
    __shared__ int tile[32];
    tile[threadIdx.x] = from[threadIdx.x];
    __syncwarp();
    for (int half = 16; half > 0; half /= 2)
        if (threadIdx.x < half)
            tile[threadIdx.x] += tile[threadIdx.x + half]; // tree_write tree_read
    __syncwarp();
    to[threadIdx.x] = tile[0];
}

// Tiles of eight lanes, each with a mask of its own.
__device__ unsigned mask_of_eight() {
    return 0xffu << (threadIdx.x & 24);
}

__global__ void warp_tiles(int *to, const int *from) {
    __shared__ int tile[32];
    tile[threadIdx.x] = from[threadIdx.x];
    __syncwarp(mask_of_eight());
    to[threadIdx.x] = tile[threadIdx.x ^ 7];
}

__global__ void warp_tiles_wrong(int *to, const int *from) {
    __shared__ int tile[32];
    tile[threadIdx.x] = from[threadIdx.x]; // tiles_write
    __syncwarp(mask_of_eight());
    to[threadIdx.x] = tile[threadIdx.x ^ 8]; // tiles_read
}

// Each lane stores everything, and reads what it stored itself.
__global__ void warp_redundant(int *to, const int *from) {
    __shared__ int tile[4];
    for (int i = 0; i < 4; i++)
        tile[i] = from[i] + i; // redundant
    to[threadIdx.x] = tile[from[4] & 3];
}

// A shuffle orders no memory, and the assembler reads before it.
__global__ void warp_shuffle(int *to, const int *from) {
    __shared__ int tile[32];
    tile[threadIdx.x] = from[threadIdx.x]; // shuffle_write
    const int other = __shfl_xor_sync(0xffffffff, from[threadIdx.x], 4);
    to[threadIdx.x] = tile[threadIdx.x ^ 1] + other; // shuffle_read
}

// Lanes that make unequal numbers of turns do not arrive at a barrier in the loop.
__global__ void warp_turns(int *to, const int *from) {
    for (int i = 0; i < from[threadIdx.x] % 5; i++) {
        const int other = to[threadIdx.x + i]; // turns_read
        to[threadIdx.x] = other + i;           // turns_write
    }
}

// Where it stays between the two, the hardware has them in order.
__global__ void warp_shuffle_between(int *to, const int *from) {
    __shared__ int tile[32];
    tile[threadIdx.x] = from[threadIdx.x]; // between_write
    const int own = *const_cast<volatile int *>(tile + threadIdx.x);
    const int other = __shfl_xor_sync(0xffffffff, own, 4);
    to[threadIdx.x] = tile[(threadIdx.x ^ 1) + (other & 4096)]; // between_read
}

__global__ void warp_divided(int *to, const int *from) {
    __shared__ int tile[32];
    if (threadIdx.x % 2)
        tile[threadIdx.x] = from[threadIdx.x];
    else
        tile[threadIdx.x] = from[threadIdx.x] * from[threadIdx.x + 32] + 7;
    __syncwarp();
    to[threadIdx.x] = tile[threadIdx.x ^ 1];
}

// Two lanes read, one after the other, and the second one writes: the first is not forgotten.
__global__ void warp_two_reads(int *to, const int *from) {
    __shared__ volatile int tile[32];
    tile[threadIdx.x] = from[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 3)
        to[0] = tile[0]; // two_first
    if (threadIdx.x == 5) {
        to[1] = tile[0];
        tile[0] = 7; // two_write
    }
}

// A call between, whose return address code for 8.0 makes from that of an instruction.
__global__ void warp_prints(int *to, const int *from) {
    __shared__ int tile[32];
    tile[threadIdx.x] = from[threadIdx.x];
    if (threadIdx.x == 3) {
        printf("%d\n", tile[3]);
        printf("%d\n", from[3]);
    }
    __syncwarp();
    to[threadIdx.x] = tile[threadIdx.x ^ 1];
}

void launch_warp(int *to, const int *from) {
    warp_right<<<1, 64>>>(to, from);           // silent
    warp_wrong<<<1, 64>>>(to, from);           // warp_read warp_write
    warp_tree<<<1, 32>>>(to, from);            // silent
    warp_tree_wrong<<<1, 32>>>(to, from);      // tree_read tree_write (between the two accesses)
    warp_tiles<<<1, 32>>>(to, from);           // silent
    warp_tiles_wrong<<<1, 32>>>(to, from);     // tiles_read tiles_write; 7.x: silent
    warp_redundant<<<1, 32>>>(to, from);       // note redundant redundant
    warp_shuffle<<<1, 32>>>(to, from);         // shuffle_read shuffle_write
    warp_turns<<<1, 32>>>(to, from);           // turns_read turns_write (in each turn of the loop)
    warp_shuffle_between<<<1, 32>>>(to, from); // note between_read between_write
    warp_divided<<<1, 32>>>(to, from);         // silent
    warp_prints<<<1, 32>>>(to, from);          // silent
    warp_two_reads<<<1, 32>>>(to, from);       // two_write two_first
}
