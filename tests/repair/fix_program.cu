// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>

constexpr int N = 64;

__global__ void transpose(const float *in, float *out) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * N + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * N + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
    static float host[N * N];
    float *in, *out;
    for (int i = 0; i < N * N; i++)
        host[i] = (float)i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    transpose<<<dim3(N / 32, N / 32), dim3(32, 8)>>>(in, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N * N; i++)
        if (host[i] != (float)(i % N * N + i / N))
            return 1;
    printf("right\n");
    return 0;
}
