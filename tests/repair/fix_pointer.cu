// SPDX-License-Identifier: MIT
// A pointer goes through the array by a step of its own, which gets longer with the rows.
__global__ void columns(const float *in, float *out) {
    __shared__ float tile[32][32];
    float *cell = tile[0];
    const int t = threadIdx.x, row = threadIdx.y;
    cell[row * 32 + t] = in[row * 32 + t];
    __syncthreads();
    out[row * 32 + t] = tile[t > 30 ? 30 : t][row];
}

void launch(const float *in, float *out) {
    columns<<<1, dim3(32, 32)>>>(in, out);
}
