// SPDX-License-Identifier: MIT
// clang-format off
// smemprobe: --block 16x16 --define W=16 --define H=16 --define C=2
// launch: conv2d<16, 3><<<dim3(1,1), dim3(16,16)>>>(float[512] = iota, float[18] = iota, float[256], 16, 16, 2)
// nvcc: 26 28 one store for both, behind the condition
// nvcc: 38 weights and neighbours two and four at a time
// A convolution over channels: the tile with its halo is loaded by all threads of the block, in turns.
template <int TILE = 16, int KS = 3>
__global__ void conv2d(const float *input, const float *weight, float *output, int W, int H, int C)
{
    constexpr int PAD = KS / 2;
    constexpr int SIDE = TILE + 2 * PAD;
    __shared__ float tile[SIDE][SIDE];
    __shared__ float w[KS * KS];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int ox = blockIdx.x * TILE + tx, oy = blockIdx.y * TILE + ty;
    const int tid = ty * TILE + tx;
    float acc = 0.f;

    for (int c = 0; c < C; ++c) {
        for (int i = tid; i < SIDE * SIDE; i += TILE * TILE) {
            const int y = i / SIDE, x = i % SIDE;
            const int iy = blockIdx.y * TILE + y - PAD, ix = blockIdx.x * TILE + x - PAD;
            if (iy >= 0 && iy < H && ix >= 0 && ix < W) {
                tile[y][x] = input[(c * H + iy) * W + ix];
            } else {
                tile[y][x] = 0.f;
            }
        }
        if (tid < KS * KS) w[tid] = weight[c * KS * KS + tid];
        __syncthreads();

        #pragma unroll
        for (int ky = 0; ky < KS; ++ky)
            #pragma unroll
            for (int kx = 0; kx < KS; ++kx)
                acc += tile[ty + ky][tx + kx] * w[ky * KS + kx];
        __syncthreads();
    }
    if (ox < W && oy < H) output[oy * W + ox] = acc;
}
template __global__ void conv2d<16, 3>(const float *, const float *, float *, int, int, int);
