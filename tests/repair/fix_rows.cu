// SPDX-License-Identifier: MIT
// Each thread has a row: nothing that fix tries moves less, and the compiler unrolls the loop.
__global__ void sum_rows(const float *in, float *out, int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int column = 0; column < columns; column++)
        sum += in[row * columns + column];
    out[row] = sum;
}

__global__ void copy(const float *in, float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

void launch(const float *in, float *out) {
    sum_rows<<<1, 128>>>(in, out, 512);
    copy<<<512, 256>>>(in, out);
    copy<<<4, 64>>>(in, out); // only a kernel's first launch proves a repair
    copy<<<512, 256>>>(in, out);
}
