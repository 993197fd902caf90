// SPDX-License-Identifier: MIT
// One dimension, a column of which is read at a time.
__global__ void __launch_bounds__(256) columns(const float *in, float *out) {
    __shared__ float cell[32 * 32];
    for (int i = threadIdx.x; i < 1024; i += 256)
        cell[i] = in[blockIdx.x * 1024 + i];
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 256)
        out[blockIdx.x * 1024 + i] = cell[i % 32 * 32 + i / 32];
}

void launch(const float *in, float *out) {
    columns<<<8, 256>>>(in, out);
}
