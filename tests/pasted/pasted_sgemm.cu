// SPDX-License-Identifier: MIT
// clang-format off
// smemprobe: --block 256 --define M=128 --define N=128 --define K=16 --define alpha=1 --define beta=0
// launch: sgemm<<<1, 256>>>(128, 128, 16, 1.0, float[2048] = iota, float[2048] = iota, 0.0, float[16384] = iota)
#include <cuda_runtime.h>

#define BM 128
#define BN 128
#define BK 8
#define TM 8
#define TN 8

// C = alpha * A * B + beta * C, a tile of 128 x 128 a block, 8 x 8 results a thread.
extern "C" __global__ void __launch_bounds__(256) sgemm(int M, int N, int K, float alpha, const float *A, const float *B,
                                             float beta, float *C) {
    __shared__ float As[BK * BM];
    __shared__ float Bs[BK * BN];

    const int cRow = blockIdx.y;
    const int cCol = blockIdx.x;
    const int threadCol = threadIdx.x % (BN / TN);
    const int threadRow = threadIdx.x / (BN / TN);

    A += cRow * BM * K;
    B += cCol * BN;
    C += cRow * BM * N + cCol * BN;

    const unsigned innerRowA = threadIdx.x / BK;
    const unsigned innerColA = threadIdx.x % BK;
    const unsigned strideA = 256 / BK;
    const unsigned innerRowB = threadIdx.x / BN;
    const unsigned innerColB = threadIdx.x % BN;
    const unsigned strideB = 256 / BN;

    float threadResults[TM * TN] = {0.0f};
    float regM[TM] = {0.0f};
    float regN[TN] = {0.0f};

    for (unsigned bkIdx = 0; bkIdx < K; bkIdx += BK) {
        for (unsigned loadOffset = 0; loadOffset < BM; loadOffset += strideA)
            As[innerColA * BM + innerRowA + loadOffset] = A[(innerRowA + loadOffset) * K + innerColA];
        for (unsigned loadOffset = 0; loadOffset < BK; loadOffset += strideB) {
            Bs[(innerRowB + loadOffset) * BN + innerColB] = B[(innerRowB + loadOffset) * N + innerColB];
        }
        __syncthreads();

        A += BK;
        B += BK * N;

        for (unsigned dotIdx = 0; dotIdx < BK; ++dotIdx) {
            for (unsigned i = 0; i < TM; ++i)
                regM[i] = As[dotIdx * BM + threadRow + i * (BM / TM)];
            for (unsigned i = 0; i < TN; ++i)
                regN[i] = Bs[dotIdx * BN + threadCol + i * (BN / TN)];
            for (unsigned resIdxM = 0; resIdxM < TM; ++resIdxM) {
                for (unsigned resIdxN = 0; resIdxN < TN; ++resIdxN) {
                    threadResults[resIdxM * TN + resIdxN] += regM[resIdxM] * regN[resIdxN];
                }
            }
        }
        __syncthreads();
    }

    for (unsigned i = 0; i < TM; ++i) {
        for (unsigned j = 0; j < TN; ++j) {
            const unsigned at = (threadRow + i * (BM / TM)) * N + threadCol + j * (BN / TN);
            C[at] = alpha * threadResults[i * TN + j] + beta * C[at];
        }
    }
}
