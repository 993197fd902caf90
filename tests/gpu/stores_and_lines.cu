// SPDX-License-Identifier: MIT
// stores_and_lines.cu: columns are summed over many rows, and the sums stored in shared memory
// while other warps still wait for their rows; or behind a barrier, when no lines arrive in L1 any
// more. `profile --exact --verify` of it shows what these lines do to the stores' wavefronts.
#include "check_cuda.cuh"

enum { SIDE = 32, ROWS = 8192, COLUMNS = 768, DEEP = 8, SKIPPED = 77 };

__device__ float sum_column(const float *from) {
    float sum = 0;
    for (int row = threadIdx.y * DEEP; row < ROWS; row += SIDE * DEEP)
        for (int i = 0; i < DEEP; i++)
            sum += from[(row + i) * COLUMNS + blockIdx.x * SIDE + threadIdx.x];
    return sum;
}

__device__ void put(const float (*tile)[SIDE + 1], float *to) {
    __syncthreads();
    atomicAdd(&to[blockIdx.x * SIDE + threadIdx.y], tile[threadIdx.x][threadIdx.y]);
}

__global__ void while_lines_arrive(const float *from, float *to) {
    __shared__ float tile[SIDE][SIDE + 1];
    tile[threadIdx.y][threadIdx.x] = sum_column(from);
    put(tile, to);
}

__global__ void behind_a_barrier(const float *from, float *to) {
    __shared__ float tile[SIDE][SIDE + 1];
    const float sum = sum_column(from);
    __syncthreads();
    tile[threadIdx.y][threadIdx.x] = sum;
    put(tile, to);
}

int main() {
    float *from, *to;
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0)
        return SKIPPED;
    CHECK(cudaMalloc(&from, sizeof *from * ROWS * COLUMNS));
    CHECK(cudaMalloc(&to, sizeof *to * COLUMNS));
    CHECK(cudaMemset(from, 0, sizeof *from * ROWS * COLUMNS));
    CHECK(cudaMemset(to, 0, sizeof *to * COLUMNS));
    while_lines_arrive<<<COLUMNS / SIDE, dim3(SIDE, SIDE)>>>(from, to);
    behind_a_barrier<<<COLUMNS / SIDE, dim3(SIDE, SIDE)>>>(from, to);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
