// SPDX-License-Identifier: MIT
// One warp a row, rows in shared memory.
template <int COLS>
__global__ void softmax(const float *__restrict__ in, float *__restrict__ out, int rows) {
    __shared__ float s[4][COLS];
    const int warp = threadIdx.y, lane = threadIdx.x, row = blockIdx.x * 4 + warp;
    if (row >= rows)
        return;
    float most = -1e30f, sum = 0;
    for (int c = lane; c < COLS; c += 32) {
        s[warp][c] = in[row * COLS + c];
        most = fmaxf(most, s[warp][c]);
    }
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    for (int c = lane; c < COLS; c += 32)
        sum += s[warp][c] = __expf(s[warp][c] - most);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    for (int c = lane; c < COLS; c += 32)
        out[row * COLS + c] = s[warp][c] / sum;
}

void forward(const float *in, float *out, int rows) {
    softmax<256><<<(rows + 3) / 4, dim3(32, 4)>>>(in, out, rows);
}
