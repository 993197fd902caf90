// SPDX-License-Identifier: MIT
// A library of NVIDIA's that has the runtime inside: a product of cuBLAS, whose factors are small
// integers, against the host's. Prints "N wrong".
#include <cstdio>
#include <cublas_v2.h>

constexpr int n = 64;
static float a[n * n], b[n * n], c[n * n];

int main() {
    float *on_device, one = 1, zero = 0;
    cublasHandle_t handle;
    for (int i = 0; i < n * n; i++) {
        a[i] = i % 7 - 3;
        b[i] = i % 5 - 2;
    }
    cudaMalloc(&on_device, 3 * sizeof a);
    float *x = on_device, *y = x + n * n, *z = y + n * n;
    cudaMemcpy(x, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(y, b, sizeof b, cudaMemcpyHostToDevice);
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS ||
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, x, n, y, n, &zero, z, n) !=
            CUBLAS_STATUS_SUCCESS)
        return 2;
    cudaMemcpy(c, z, sizeof c, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int column = 0; column < n; column++)
        for (int row = 0; row < n; row++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[k * n + row] * b[column * n + k];
            wrong += c[column * n + row] != sum;
        }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
