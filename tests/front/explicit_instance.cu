// SPDX-License-Identifier: MIT
// Explicit instances, no host code at all.
template <int ROWS, int COLS> __global__ void gather_columns(const float *in, float *out) {
    __shared__ float tile[ROWS][COLS];
    for (int r = threadIdx.y; r < ROWS; r += blockDim.y)
        tile[r][threadIdx.x] = in[r * COLS + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < ROWS; r += blockDim.y)
        out[r * COLS + threadIdx.x] = tile[threadIdx.x][r];
}

template __global__ void gather_columns<32, 32>(const float *, float *);
template __global__ void gather_columns<32, 33>(const float *, float *);
