// SPDX-License-Identifier: MIT
// A layout removes the conflicts of `tile`; `row` has a race, which no layout orders.
__global__ void turn(float *out, const float *in) {
    __shared__ float tile[32][32];
    __shared__ float row[32];
    tile[threadIdx.x][threadIdx.y] = in[threadIdx.y * 32 + threadIdx.x];
    if (threadIdx.y == 0)
        row[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x] + row[threadIdx.x];
    if (threadIdx.y == 31)
        row[threadIdx.x] = 2;
}

void launch(float *out, const float *in) {
    turn<<<1, dim3(32, 32)>>>(out, in);
}
