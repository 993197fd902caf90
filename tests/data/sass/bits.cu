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

struct table {
    int rows[8188];
};

extern "C" __global__ void large(const __grid_constant__ table p, int *out) {
    int sum = 0;
    for (int i = threadIdx.x; i < 8188; i += 32)
        sum += p.rows[i];
    out[threadIdx.x] = sum;
}
