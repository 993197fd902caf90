// SPDX-License-Identifier: MIT
// With rows of 19, w begins at an odd multiple of 8, and ptxas loads its last three values by one
// load of 16 bytes, which ends behind the block's shared memory: nothing is wrong with that. Two
// rows of 16 threads need an odd multiple of 16.
__global__ void convolve(const float *in, const float *weight, float *out) {
    __shared__ float tile[18][18];
    __shared__ float w[9];
    const int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
    for (int i = t; i < 18 * 18; i += 256)
        tile[i / 18][i % 18] = in[i];
    if (t < 9)
        w[t] = weight[t];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 3; i++)
#pragma unroll
        for (int j = 0; j < 3; j++)
            sum += tile[y + i][x + j] * w[i * 3 + j];
    out[t] = sum;
}
