// SPDX-License-Identifier: MIT
// A complete program of the first lesson.
#include <cstdio>

__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main() {
    const int n = 1 << 16;
    float *x, *y;
    float *host = new float[n];
    for (int i = 0; i < n; i++)
        host[i] = 1.0f;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemcpy(x, host, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(y, host, n * sizeof(float), cudaMemcpyHostToDevice);
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(error));
        return 1;
    }
    cudaMemcpy(host, y, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", host[n - 1]);
    return 0;
}
