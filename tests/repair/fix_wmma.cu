// SPDX-License-Identifier: MIT
// Tensor cores by wmma, from shared memory with a leading dimension.
#include <mma.h>
using namespace nvcuda;

__global__ void wmma_gemm(const half *a, const half *b, float *c, int n) {
    __shared__ half sa[16][64];
    __shared__ half sb[64][16];
    for (int i = threadIdx.x; i < 1024; i += 32) {
        sa[i / 64][i % 64] = a[(blockIdx.y * 16 + i / 64) * n + i % 64];
        sb[i / 16][i % 16] = b[(i / 16) * n + blockIdx.x * 16 + i % 16];
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < 64; k += 16) {
        wmma::load_matrix_sync(fa, &sa[0][k], 64);
        wmma::load_matrix_sync(fb, &sb[k][0], 16);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(&c[blockIdx.y * 16 * n + blockIdx.x * 16], fc, n, wmma::mem_row_major);
}

void launch(const half *a, const half *b, float *c, int n) {
    dim3 grid(n / 16, n / 16);
    wmma_gemm<<<grid, 32>>>(a, b, c, n);
}
