// SPDX-License-Identifier: MIT
// Rows that end in too much padding: less of it is free of conflicts, except where the last column
// is a halo, or none of it and a swizzle.
#include <cstdio>

constexpr int TILE = 32, HALF = 16;

__global__ void turn(const float *in, float *out, int n) {
    __shared__ float tile[TILE][TILE + 2];
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * TILE + threadIdx.y) * n + blockIdx.y * TILE + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}

__global__ void blur(const float *in, float *out, int n) {
    __shared__ float rows[TILE][TILE + 2];
    for (int i = 0; i < TILE; i++)
        for (int k = threadIdx.x; k < TILE + 2; k += TILE)
            rows[i][k] = in[i * n + k];
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < TILE; i++)
        out[i * n + threadIdx.x] = rows[threadIdx.x][i + 2] - in[i];
}

__global__ void turn_halves(const float *in, float *out, int n) {
    __shared__ float small[HALF][HALF + 1];
    const int x = blockIdx.x * HALF + threadIdx.x, y = blockIdx.y * HALF + threadIdx.y;
    small[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * HALF + threadIdx.y) * n + blockIdx.y * HALF + threadIdx.x] =
        small[threadIdx.x][threadIdx.y];
}

int main() {
    const int n = 64;
    float *in, *out;
    cudaMalloc(&in, (n + 2) * n * sizeof(float));
    cudaMalloc(&out, (n + 2) * n * sizeof(float));
    float host[n * n];
    for (int i = 0; i < n * n; i++)
        host[i] = (float)(i % 1000);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    turn<<<dim3(2, 2), dim3(TILE, TILE)>>>(in, out, n);
    blur<<<1, TILE>>>(in, out, n);
    turn_halves<<<dim3(4, 4), dim3(HALF, HALF)>>>(in, out, n);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[n + 5]);
}
