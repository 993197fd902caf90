// SPDX-License-Identifier: MIT
// A function takes the array.
template <int TILE> __device__ float column(const float (*tile)[TILE], int at) {
    float sum = 0;
    for (int i = 0; i < TILE; i++)
        sum += tile[at][i];
    return sum;
}

__device__ float first(float tile[32][32], int at) {
    return tile[at][0];
}

__global__ void sums(const float *in, float *out) {
    __shared__ float tile[32][32];
    for (int i = 0; i < 32; i++)
        tile[i][threadIdx.x] = in[i * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = column(tile, threadIdx.x) + first(tile, threadIdx.x);
}

void launch(const float *in, float *out) {
    sums<<<1, 32>>>(in, out);
}
