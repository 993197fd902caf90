// SPDX-License-Identifier: MIT
// A product of matrices in flat shared arrays.
#define TILE 16
__global__ void matmul(const float *A, const float *B, float *C, int M, int N, int K) {
    __shared__ float As[TILE * TILE], Bs[TILE * TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int k = 0; k < K; k += TILE) {
        As[ty * TILE + tx] = A[row * K + k + tx];
        Bs[ty * TILE + tx] = B[(k + ty) * N + col];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += As[ty * TILE + i] * Bs[i * TILE + tx];
        __syncthreads();
    }
    C[row * N + col] = sum;
}

void matmul_host(const float *A, const float *B, float *C, int M, int N, int K) {
    dim3 threads(TILE, TILE);
    dim3 blocks(N / TILE, M / TILE);
    matmul<<<blocks, threads>>>(A, B, C, M, N, K);
}
