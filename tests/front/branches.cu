// SPDX-License-Identifier: MIT
// Launches in several branches: each instance has its own, and a kernel may have two.
template <int BM, typename T> __global__ void tile(const T *in, T *out, int n) {
    __shared__ T s[BM];
    s[threadIdx.x] = in[blockIdx.x * BM + threadIdx.x];
    __syncthreads();
    if (blockIdx.x * BM + threadIdx.x < n)
        out[blockIdx.x * BM + threadIdx.x] = s[BM - 1 - threadIdx.x];
}
__global__ void copy(const float *in, float *out, int n, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        out[y * pitch + x] = in[y * pitch + x];
}
void launch(int which, const float *a, float *b, const double *c, double *d, int n) {
    switch (which) {
    case 0: {
        const int BM = 256;
        tile<BM><<<n / BM, BM>>>(a, b, n);
        break;
    }
    case 1: {
        const int BM = 64;
        tile<BM, float><<<n / BM, BM>>>(a, b, n);
        break;
    }
    case 2: {
        constexpr int BM = 32;
        auto kernel = tile<BM, double>;
        kernel<<<n / BM, BM>>>(c, d, n);
        break;
    }
    case 4:
        copy<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, n, n);
        break;
    case 5:
        copy<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, n, n + 1);
        break;
    case 6:
        copy<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, n, n + 1);
        break;
    }
}
