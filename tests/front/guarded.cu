// SPDX-License-Identifier: MIT
// Two instances, of which the text launches one: the block is the other's.
template <int SIDE> __global__ void turned(float *out, const float *in, int width) {
    __shared__ float tile[SIDE][SIDE + 1];
    const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    out[x * width + y] = tile[threadIdx.y][threadIdx.x];
}

void turn(float *out, const float *in, int width) {
    int side = 32;
    dim3 block(side, side), grid(width / side, width / side);
    if (side == 16) {
        turned<16><<<grid, block>>>(out, in, width);
    } else {
        turned<32><<<grid, block>>>(out, in, width);
    }
}
