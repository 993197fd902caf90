// SPDX-License-Identifier: MIT
// What bench_emulate runs: integer and single-precision code with full warps, and the plain
// product.

__global__ void integers(unsigned *out, const unsigned *in, int rounds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, a = in[i], b = i, c = 0x9e3779b9u;
#pragma unroll 8
    for (int k = 0; k < rounds; k++) {
        a = a * 1664525u + 1013904223u;
        b ^= (a << 5) + (a >> 3);
        c = (a & b) | (c & ~b);
        a += max(b, c) - k;
        b = __popc(c) + (a > c ? b : a ^ c);
    }
    out[i] = a ^ b ^ c;
}

__global__ void floats(float *out, const float *in, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], y = 0.5f * x, z = 1.0f - x, w = x * x;
#pragma unroll 8
    for (int k = 0; k < rounds; k++) {
        x = fmaf(x, 0.999f, y);
        y = fmaf(y, 0.5f, 0.75f - z); // without it all comes to nothing, by denormal numbers
        z = z * 0.25f + w;
        w = x > y ? w - 0.125f * x : w + 0.0625f * y;
        x -= 0.5f * y;
    }
    out[i] = x + y + z + w;
}

__global__ void product(float *c, const float *a, const float *b, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
