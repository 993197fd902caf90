// SPDX-License-Identifier: MIT
// A transpose whose tile conflicts, to be profiled and repaired:
//     nvcc -arch=native -lineinfo -o transpose transpose.cu
//     smemprobe profile -- ./transpose
//     nvcc -arch=native -lineinfo -DPAD=1 -o transpose transpose.cu     # what the profile proposes
#include <cstdio>
#include <cstdlib>

#ifndef PAD
#define PAD 0
#endif

constexpr int tile_size = 32, rows_a_step = 8;

__global__ void transpose(float *out, const float *in, int width, int height) {
    __shared__ float tile[tile_size][tile_size + PAD];
    int x = blockIdx.x * tile_size + threadIdx.x, y = blockIdx.y * tile_size + threadIdx.y;
    for (int i = 0; i < tile_size; i += rows_a_step)
        tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * width + x];
    __syncthreads();
    x = blockIdx.y * tile_size + threadIdx.x;
    y = blockIdx.x * tile_size + threadIdx.y;
    for (int i = 0; i < tile_size; i += rows_a_step)
        out[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}

static void check(cudaError_t status) {
    if (status != cudaSuccess) {
        fprintf(stderr, "transpose: %s\n", cudaGetErrorString(status));
        exit(1);
    }
}

int main() {
    constexpr int width = 2048, height = 1024;
    constexpr size_t bytes = sizeof(float) * width * height;
    float *in, *out, *back = static_cast<float *>(malloc(bytes));
    for (int i = 0; i < width * height; i++)
        back[i] = static_cast<float>(i);
    check(cudaMalloc(&in, bytes));
    check(cudaMalloc(&out, bytes));
    check(cudaMemcpy(in, back, bytes, cudaMemcpyHostToDevice));
    dim3 grid(width / tile_size, height / tile_size), block(tile_size, rows_a_step);
    transpose<<<grid, block>>>(out, in, width, height);
    check(cudaGetLastError());
    check(cudaMemcpy(back, out, bytes, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            wrong += back[x * height + y] != static_cast<float>(y * width + x);
    printf("%d of %d elements wrong\n", wrong, width * height);
    return wrong != 0;
}
