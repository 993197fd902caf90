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
}
