// SPDX-License-Identifier: MIT
// A matrix product in four steps, of which two conflict in shared memory:
//     nvcc -arch=native -lineinfo -o sgemm sgemm.cu
//     smemprobe profile -- ./sgemm
// Steps: one output a thread; A stored by columns, which conflicts; the same with padded rows;
// eight by eight outputs a thread with 16-byte loads.
#include <cstdio>
#include <cstdlib>

constexpr int n = 512;

__global__ void product_tiled(float *c, const float *a, const float *b) {
    __shared__ float as[32][32], bs[32][32];
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        as[threadIdx.y][threadIdx.x] = a[row * n + k0 + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 32; k++)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

template <int pad> __global__ void product_columns(float *c, const float *a, const float *b) {
    __shared__ float as[32][32 + pad], bs[32][32];
    int row = blockIdx.y * 32 + threadIdx.x, column = blockIdx.x * 32 + threadIdx.y;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        as[threadIdx.y][threadIdx.x] = a[(blockIdx.y * 32 + threadIdx.y) * n + k0 + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 32; k++)
            sum += as[threadIdx.x][k] * bs[k][threadIdx.y];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void product_wide(float *c, const float *a, const float *b) {
    __shared__ __align__(16) float as[8][128], bs[8][128];
    int row = threadIdx.x / 16 * 8, column = threadIdx.x % 16 * 8;
    float sum[8][8] = {};
    const float *from_a = a + (blockIdx.y * 128 + threadIdx.x / 2) * n + threadIdx.x % 2 * 4;
    const float *from_b = b + threadIdx.x / 32 * n + blockIdx.x * 128 + threadIdx.x % 32 * 4;
    for (int k0 = 0; k0 < n; k0 += 8) {
        float4 left = *reinterpret_cast<const float4 *>(from_a + k0);
        float4 right = *reinterpret_cast<const float4 *>(from_b + k0 * n);
        as[threadIdx.x % 2 * 4 + 0][threadIdx.x / 2] = left.x;
        as[threadIdx.x % 2 * 4 + 1][threadIdx.x / 2] = left.y;
        as[threadIdx.x % 2 * 4 + 2][threadIdx.x / 2] = left.z;
        as[threadIdx.x % 2 * 4 + 3][threadIdx.x / 2] = left.w;
        *reinterpret_cast<float4 *>(&bs[threadIdx.x / 32][threadIdx.x % 32 * 4]) = right;
        __syncthreads();
        for (int k = 0; k < 8; k++)
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++)
                    sum[i][j] += as[k][row + i] * bs[k][column + j];
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            c[(blockIdx.y * 128 + row + i) * n + blockIdx.x * 128 + column + j] = sum[i][j];
}

static void check(cudaError_t status) {
    if (status != cudaSuccess) {
        fprintf(stderr, "sgemm: %s\n", cudaGetErrorString(status));
        exit(1);
    }
}

static int wrong_elements(const float *c, const float *a, const float *b) {
    static float back[n * n];
    int wrong = 0;
    check(cudaMemcpy(back, c, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i += 37)
        for (int j = 0; j < n; j += 41) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            wrong += back[i * n + j] != sum; // small whole numbers: exact
        }
    return wrong;
}

int main() {
    static float a[n * n], b[n * n];
    float *on_a, *on_b, *on_c;
    for (int i = 0; i < n * n; i++) {
        a[i] = static_cast<float>(i % 7 - 3);
        b[i] = static_cast<float>(i % 5 - 2);
    }
    check(cudaMalloc(&on_a, sizeof a));
    check(cudaMalloc(&on_b, sizeof b));
    check(cudaMalloc(&on_c, sizeof a));
    check(cudaMemcpy(on_a, a, sizeof a, cudaMemcpyHostToDevice));
    check(cudaMemcpy(on_b, b, sizeof b, cudaMemcpyHostToDevice));
    dim3 grid(n / 32, n / 32), block(32, 32);
    int wrong = 0;
    product_tiled<<<grid, block>>>(on_c, on_a, on_b);
    wrong += wrong_elements(on_c, a, b);
    product_columns<0><<<grid, block>>>(on_c, on_a, on_b);
    wrong += wrong_elements(on_c, a, b);
    product_columns<1><<<grid, block>>>(on_c, on_a, on_b);
    wrong += wrong_elements(on_c, a, b);
    product_wide<<<dim3(n / 128, n / 128), 256>>>(on_c, on_a, on_b);
    wrong += wrong_elements(on_c, a, b);
    printf("%d elements wrong\n", wrong);
    return wrong != 0;
}
