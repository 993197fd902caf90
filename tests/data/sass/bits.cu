// SPDX-License-Identifier: MIT
// Rows of a table by the bits of a number, a byte of it at a time as predicates (R2P):
// tests/cli/emulate_command.sh.
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

// A product that is not understood, and what needs it.
extern "C" __global__ void sparse(float *out, const unsigned *in) {
    float c[4] = {0, 0, 0, 0};
    const unsigned *a = in + 8 * threadIdx.x;
    asm volatile("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, "
                 "{%6, %7}, {%0, %1, %2, %3}, %8, 0x0;"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]));
    out[threadIdx.x] = (c[0] + c[1]) * 3;
}
