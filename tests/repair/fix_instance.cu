// SPDX-License-Identifier: MIT
// A template of two types, one of which stays 2-way with a row that is longer by one.
template <typename T, int TILE> __global__ void transpose(const T *in, T *out) {
    __shared__ T tile[TILE][TILE + 0];
    for (int i = threadIdx.y; i < TILE; i += blockDim.y)
        tile[i][threadIdx.x] = in[i * TILE + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < TILE; i += blockDim.y)
        out[i * TILE + threadIdx.x] = tile[threadIdx.x][i];
}

void launch(const float *a, float *b, const double *c, double *d) {
    transpose<float, 32><<<1, dim3(32, 8)>>>(a, b);
    transpose<double, 32><<<1, dim3(32, 8)>>>(c, d);
}
