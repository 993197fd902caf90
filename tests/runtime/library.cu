// SPDX-License-Identifier: MIT
// Libraries of NVIDIA's that have the runtime inside: a product of cuBLAS, and one of cuBLASLt in
// BF16, whose factors are small integers, against the host's. Prints "N wrong".
#include <cstdio>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>

constexpr int n = 64;
static float a[n * n], b[n * n], c[n * n];
static __nv_bfloat16 narrow[2][n * n];

static int count_wrong() {
    int wrong = 0;
    for (int column = 0; column < n; column++)
        for (int row = 0; row < n; row++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[k * n + row] * b[column * n + k];
            wrong += c[column * n + row] != sum;
        }
    return wrong;
}

// Of what it has for these sizes, the first: a kernel of warpgroups and tensor maps.
static int multiply_narrow(void *x, void *y, float *z) {
    const size_t work_bytes = 1 << 20;
    const float one = 1, zero = 0;
    void *work;
    int found = 0;
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t how;
    cublasLtMatrixLayout_t factor, result;
    cublasLtMatmulPreference_t wish;
    cublasLtMatmulHeuristicResult_t first;
    cudaMalloc(&work, work_bytes);
    cublasLtCreate(&handle);
    cublasLtMatmulDescCreate(&how, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatrixLayoutCreate(&factor, CUDA_R_16BF, n, n, n);
    cublasLtMatrixLayoutCreate(&result, CUDA_R_32F, n, n, n);
    cublasLtMatmulPreferenceCreate(&wish);
    cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                         &work_bytes, sizeof work_bytes);
    if (cublasLtMatmulAlgoGetHeuristic(handle, how, factor, factor, result, result, wish, 1, &first,
                                       &found) != CUBLAS_STATUS_SUCCESS ||
        found == 0)
        return 1;
    return cublasLtMatmul(handle, how, &one, x, factor, y, factor, &zero, z, result, z, result,
                          &first.algo, work, work_bytes, nullptr);
}

int main() {
    float *on_device, one = 1, zero = 0;
    cublasHandle_t handle;
    for (int i = 0; i < n * n; i++) {
        narrow[0][i] = a[i] = i % 7 - 3;
        narrow[1][i] = b[i] = i % 5 - 2;
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
    int wrong = count_wrong();
    cudaMemset(z, 0, sizeof c);
    cudaMemcpy(x, narrow[0], sizeof narrow[0], cudaMemcpyHostToDevice);
    cudaMemcpy(y, narrow[1], sizeof narrow[1], cudaMemcpyHostToDevice);
    if (multiply_narrow(x, y, z) != 0)
        return 3;
    cudaMemcpy(c, z, sizeof c, cudaMemcpyDeviceToHost);
    wrong += count_wrong();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
