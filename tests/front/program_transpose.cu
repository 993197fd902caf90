// SPDX-License-Identifier: MIT
// A complete program: a naive transpose, checked.
#include <cstdio>

#define N 256
__global__ void transpose(const float *in, float *out) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * N + x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * N + blockIdx.y * 32 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}

int main() {
    float *in, *out;
    cudaMallocManaged(&in, N * N * sizeof(float));
    cudaMallocManaged(&out, N * N * sizeof(float));
    for (int i = 0; i < N * N; i++)
        in[i] = (float)i;
    transpose<<<dim3(N / 32, N / 32), dim3(32, 32)>>>(in, out);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(error));
        return 1;
    }
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            if (out[x * N + y] != in[y * N + x])
                return 2;
    printf("right\n");
    return 0;
}
