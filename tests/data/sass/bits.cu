// SPDX-License-Identifier: MIT
// Rows of a table by the bits of a number, a byte of it at a time as predicates (R2P):
// tests/emulate.
//   nvcc -arch=sm_90 -cubin bits.cu
extern "C" __global__ void bits(unsigned *out, const unsigned *table) {
    unsigned x = 0, n = threadIdx.x * 0x01234567u;
#pragma unroll
    for (int i = 0; i < 32; i++)
        if (n & (1u << i))
            x ^= table[i];
    out[threadIdx.x] = x;
}
