// SPDX-License-Identifier: MIT
// clang-format off
// smemprobe: --block 128 --define cols=500
// launch: softmax<<<1, 128>>>(float[500] = iota, float[500], 500)
#include <math_constants.h>

// One row a block: maximum, sum, and the quotient.
extern "C" __global__ void softmax(const float *__restrict__ x, float *__restrict__ y, int cols) {
    __shared__ float red[32];
    const float *row = x + (size_t)blockIdx.x * cols;
    const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5, warps = blockDim.x >> 5;

    float m = -1e30f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        m = fmaxf(m, row[c]);
    for (int o = 16; o; o >>= 1)
        m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    if (lane == 0) red[wid] = m;
    __syncthreads();
    m = lane < warps ? red[lane] : -1e30f;
    for (int o = 16; o; o >>= 1)
        m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    __syncthreads();

    float s = 0.f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        s += __expf(row[c] - m);
    for (int o = 16; o; o >>= 1)
        s += __shfl_xor_sync(0xffffffff, s, o);
    if (lane == 0) { red[wid] = s; }
    __syncthreads();
    s = lane < warps ? red[lane] : 0.f;
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);

    const float inv = 1.0f / s;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[(size_t)blockIdx.x * cols + c] = __expf(row[c] - m) * inv;
}
