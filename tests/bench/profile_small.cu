// SPDX-License-Identifier: MIT
// profile_small.cu: programs for bench_profile: profile_small product|tiled|small|graph|print
// TIMES. One product of 4096 by 4096 after the other, without a tile or with one; small launches in
// a row, of three kernels in turns; a graph of 300 of these; launches that print a line each.
// Prints "steps SECONDS" of all launches.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

enum { SIZE = 4096, SIDE = 32, SMALL = 256, NODES = 300 };

__global__ void naive(const float *a, const float *b, float *c, int n) {
    const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

__global__ void tiled(const float *a, const float *b, float *c, int n) {
    __shared__ float p[SIDE][SIDE], q[SIDE][SIDE];
    const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += SIDE) {
        p[threadIdx.x][threadIdx.y] = a[y * n + k + threadIdx.x];
        q[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < SIDE; i++)
            sum += p[i][threadIdx.y] * q[i][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

__global__ void scale(float *a, float by) {
    a[blockIdx.x * blockDim.x + threadIdx.x] *= by;
}

template <int STRIDE> __global__ void turn(float *a) {
    __shared__ float tile[SMALL * STRIDE];
    tile[threadIdx.x * STRIDE] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = tile[(SMALL - 1 - threadIdx.x) * STRIDE];
}

__global__ void say(const float *a, int number) {
    __shared__ float tile[SMALL];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        printf("launch %d: %g\n", number, tile[SMALL - 1]);
}

static void launch(const char *what, float *const m[3], int number, cudaStream_t stream) {
    const dim3 blocks(SIZE / SIDE, SIZE / SIDE), threads(SIDE, SIDE);
    if (strcmp(what, "product") == 0)
        naive<<<blocks, threads, 0, stream>>>(m[0], m[1], m[2], SIZE);
    else if (strcmp(what, "tiled") == 0)
        tiled<<<blocks, threads, 0, stream>>>(m[0], m[1], m[2], SIZE);
    else if (strcmp(what, "print") == 0)
        say<<<1, SMALL, 0, stream>>>(m[0], number);
    else if (number % 3 == 0)
        scale<<<8, SMALL, 0, stream>>>(m[0], 1.5f);
    else if (number % 3 == 1)
        turn<1><<<1, SMALL, 0, stream>>>(m[0]);
    else
        turn<8><<<1, SMALL, 0, stream>>>(m[0]);
}

static cudaGraphExec_t graph_of(float *const m[3], cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphExec_t made = nullptr;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int i = 0; i < NODES; i++)
        launch("small", m, i, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&made, graph, 0);
    return made;
}

int main(int count, char **words) {
    const int times = count > 2 ? atoi(words[2]) : 1;
    float *m[3];
    if (count < 2)
        return 2;
    for (float *&one : m) {
        cudaMalloc(&one, sizeof(float) * SIZE * SIZE);
        cudaMemset(one, 0, sizeof(float) * SIZE * SIZE);
    }
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    const bool is_graph = strcmp(words[1], "graph") == 0;
    const cudaGraphExec_t graph = is_graph ? graph_of(m, stream) : nullptr;
    cudaDeviceSynchronize();
    timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < times; i++)
        if (is_graph)
            cudaGraphLaunch(graph, stream);
        else
            launch(words[1], m, i, stream);
    const cudaError_t error = cudaDeviceSynchronize();
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("steps %.6f\n",
           (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec));
    if (error != cudaSuccess)
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
