// SPDX-License-Identifier: MIT
// Templates that nothing in the file instantiates.
template <int N> __global__ void k(float *p) {
    __shared__ float s[N];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[N - 1 - threadIdx.x];
}
template <typename T> __global__ void j(T *p, int n) {
    if (threadIdx.x < n)
        p[threadIdx.x] += 1;
}
template <typename T, int TILE, bool ROUND> __global__ void m(const T *a, T *b, int n) {
    __shared__ T s[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    s[threadIdx.y][threadIdx.x] = a[y * n + x];
    __syncthreads();
    b[y * n + x] = s[threadIdx.x][threadIdx.y];
}
