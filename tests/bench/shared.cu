// SPDX-License-Identifier: MIT
// Kernels that do all of their work in shared memory: what --races costs there alone.

// Each round a tile is written, and read 32 times.
__global__ void tiles(float *to, int rounds) {
    __shared__ float a[32][32], b[32][33];
    float sum = threadIdx.x, other = threadIdx.y;
    for (int k = 0; k < rounds; k++) {
        a[threadIdx.y][threadIdx.x] = sum;
        b[threadIdx.y][threadIdx.x] = other;
        __syncthreads();
        for (int i = 0; i < 32; i++) {
            sum += a[threadIdx.y][i] * b[i][threadIdx.x];
            other += a[i][threadIdx.x];
        }
        __syncthreads();
    }
    to[(blockIdx.x * 32 + threadIdx.y) * 32 + threadIdx.x] = sum + other;
}

// Three accesses a barrier.
__global__ void exchanges(float *to, int rounds) {
    __shared__ float a[512];
    a[threadIdx.x] = a[threadIdx.x + 256] = threadIdx.x;
    __syncthreads();
    for (int k = 0; k < rounds; k++) {
        const float x = a[threadIdx.x ^ 32] + a[(threadIdx.x + 17) & 511];
        __syncthreads();
        a[threadIdx.x + (k & 1) * 256] = x * 0.5f;
        __syncthreads();
    }
    to[blockIdx.x * 256 + threadIdx.x] = a[threadIdx.x];
}
