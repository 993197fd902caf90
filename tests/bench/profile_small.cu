// SPDX-License-Identifier: MIT
// profile_small.cu: programs for bench_profile: profile_small
// product|tiled|tensor|small|graph|print TIMES. Products of 4096 by 4096, one after the other:
// without a tile, with one, on tensor cores. Small launches in a row, of three kernels that take
// turns; a graph of 300 of these; launches that print a line each. Prints "steps SECONDS" of all
// launches.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <mma.h>

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

// Each of four warps multiplies 16 of 64 rows by 64 columns.
__global__ void tensor(const float *a, const float *b, float *c, int n) {
    using namespace nvcuda::wmma;
    enum { TILE = 64, PART = 16, DEEP = 32 };
    __shared__ half p[TILE][DEEP], q[DEEP][TILE];
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE, part = threadIdx.x / 32 * PART;
    fragment<accumulator, PART, PART, PART, float> sums[TILE / PART];
    for (auto &sum : sums)
        fill_fragment(sum, 0);
    for (int k = 0; k < n; k += DEEP) {
        for (int i = threadIdx.x; i < TILE * DEEP; i += blockDim.x) {
            p[i / DEEP][i % DEEP] = __float2half(a[(row + i / DEEP) * n + k + i % DEEP]);
            q[i / TILE][i % TILE] = __float2half(b[(k + i / TILE) * n + column + i % TILE]);
        }
        __syncthreads();
        for (int d = 0; d < DEEP; d += PART) {
            fragment<matrix_a, PART, PART, PART, half, row_major> left;
            load_matrix_sync(left, &p[part][d], DEEP);
            for (int i = 0; i < TILE / PART; i++) {
                fragment<matrix_b, PART, PART, PART, half, row_major> right;
                load_matrix_sync(right, &q[d][i * PART], TILE);
                mma_sync(sums[i], left, right, sums[i]);
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < TILE / PART; i++)
        store_matrix_sync(&c[(row + part) * n + column + i * PART], sums[i], n, mem_row_major);
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
    else if (strcmp(what, "tensor") == 0)
        tensor<<<dim3(SIZE / 64, SIZE / 64), 128, 0, stream>>>(m[0], m[1], m[2], SIZE);
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
