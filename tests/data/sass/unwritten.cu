// SPDX-License-Identifier: MIT
// Memory that is read before it is written, and memory that is not: test_features.c says which.
//   nvcc -arch=sm_90 -cubin unwritten.cu
extern "C" {
__global__ void unwritten_shared(unsigned *out, const unsigned *in) {
    __shared__ unsigned tile[128];
    if (threadIdx.x != 7)
        tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[127 - threadIdx.x];
}

// Thread 5 writes none of its words, but reads one.
__global__ void unwritten_local(unsigned *out, const unsigned *in) {
    volatile unsigned words[200];
    const unsigned t = threadIdx.x;
    for (unsigned i = 0; i < (t == 5 ? 0 : 200); i++)
        words[(i * 7 + in[t]) % 200] = i;
    out[t] = words[in[t] % 200];
}

// A byte is enough where words are moved whole; each block writes its own.
__global__ void written_local(unsigned *out, const unsigned *in) {
    volatile unsigned char bytes[256];
    volatile unsigned words[200];
    const unsigned t = threadIdx.x;
    for (unsigned i = 0; i < 64; i++)
        bytes[(in[t] + 4 * i) & 255] = (unsigned char)i;
    for (unsigned i = 0; i < 200; i++)
        words[(i * 7 + in[t]) % 200] = t ^ i;
    out[blockIdx.x * 128 + t] = words[in[t] % 200] + bytes[in[t] & 255];
}

// Three words of four are written, and three are used; so of halves and bytes.
__global__ void written_parts(unsigned *out, const unsigned *in) {
    __shared__ uint4 tile[128];
    __shared__ unsigned char bytes[512];
    unsigned *words = (unsigned *)tile;
    const unsigned t = threadIdx.x;
    for (unsigned i = 0; i < 3; i++)
        words[4 * t + i] = in[t] + i;
    bytes[4 * t] = (unsigned char)t, bytes[4 * t + 3] = (unsigned char)in[t];
    __syncthreads();
    uint4 all;
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(all.x), "=r"(all.y), "=r"(all.z), "=r"(all.w)
                 : "r"((unsigned)__cvta_generic_to_shared(&tile[127 - t])));
    const unsigned word = *(volatile unsigned *)&bytes[4 * (127 - t)];
    out[t] = all.x + all.y + all.z + (word & 0xff) + (word >> 24);
}

// What nobody needs may be read, moved, computed with and put away.
__global__ void written_moved(unsigned *out, const unsigned *in) {
    __shared__ volatile unsigned tile[128], other[128];
    volatile unsigned local[4];
    const unsigned t = threadIdx.x;
    if (t < 64)
        tile[t] = in[t];
    __syncthreads();
    other[127 - t] = tile[t] * 3 + 1;
    local[t & 3] = __shfl_xor_sync(~0u, tile[t], 1);
    __syncthreads();
    unsigned sum = other[127 - t] + local[t & 3];
    if (t >= 64 || sum == 7)
        sum = in[t];
    out[t] = sum;
}

// The same, needed: by a branch, an address, through memory and lanes, by a sum.
__global__ void unwritten_branch(unsigned *out, const unsigned *in) {
    __shared__ volatile unsigned tile[128];
    const unsigned t = threadIdx.x;
    if (t != 9)
        tile[t] = in[t];
    __syncthreads();
    if (tile[t] & 1)
        __nanosleep(20);
    out[t] = t;
}

__global__ void unwritten_address(unsigned *out, const unsigned *in) {
    __shared__ volatile unsigned tile[128];
    const unsigned t = threadIdx.x;
    if (t != 9)
        tile[t] = in[t];
    __syncthreads();
    out[t] = in[tile[t] & 127];
}

__global__ void unwritten_moved(unsigned *out, const unsigned *in) {
    __shared__ volatile unsigned tile[128], other[128];
    const unsigned t = threadIdx.x;
    volatile unsigned local[4];
    if (t != 9)
        tile[t] = in[t];
    __syncthreads();
    local[t & 3] = tile[t];
    other[t ^ 1] = local[t & 3] ^ 5;
    __syncthreads();
    out[t] = __shfl_xor_sync(~0u, other[t], 3) >> 3;
}

__global__ void unwritten_byte(unsigned *out, const unsigned *in) {
    __shared__ unsigned char bytes[512];
    const unsigned t = threadIdx.x;
    bytes[4 * t] = (unsigned char)t, bytes[4 * t + 3] = (unsigned char)in[t];
    __syncthreads();
    const unsigned word = *(volatile unsigned *)&bytes[4 * (127 - t)];
    out[t] = t == 9 ? word >> 8 & 0xff : word & 0xff;
}

__global__ void unwritten_sum(unsigned *out, const unsigned *in) {
    __shared__ volatile unsigned tile[128];
    const unsigned t = threadIdx.x;
    if (t != 9)
        tile[t] = in[t];
    __syncthreads();
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i < 128; i++)
        sum += tile[(i + t) & 127];
    out[t] = sum;
}

// One load, of which three words of four are unwritten: each is put into memory, and twice.
__global__ void unwritten_rows(unsigned *out, const unsigned *in) {
    __shared__ uint4 tile[128];
    const unsigned t = threadIdx.x;
    ((unsigned *)tile)[4 * t] = in[t];
    __syncthreads();
    uint4 all;
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(all.x), "=r"(all.y), "=r"(all.z), "=r"(all.w)
                 : "r"((unsigned)__cvta_generic_to_shared(&tile[t])));
    __syncthreads(); // all have loaded before the first of them uses it
    volatile unsigned *to = out;
    to[t] = all.x, to[t] = all.y, to[t] = all.z, to[t] = all.w, to[t] = all.y, to[t] = all.z;
}
}
