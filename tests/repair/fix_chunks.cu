// SPDX-License-Identifier: MIT
// Each thread has a chunk of elements: counted in a loop, by values, and, which must stay, with a
// sum of its own.
#define PER 8

__global__ void loop(const float *in, float *out, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * PER;
    for (int k = 0; k < PER; k++)
        if (i + k < n)
            out[i + k] = in[i + k] + 1;
}

__global__ void values(const float *in, float *out) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    out[4 * i] = in[4 * i] * 2;
    out[4 * i + 1] = in[4 * i + 1] * 3;
    out[4 * i + 2] = in[4 * i + 2] * 4;
    out[4 * i + 3] = in[4 * i + 3] * 5;
}

__global__ void sums(const float *in, float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < PER; k++)
        sum += in[i * PER + k];
    out[i] = sum;
}

void launch(const float *in, float *out) {
    loop<<<2, 64>>>(in, out, 1000);
    values<<<2, 64>>>(in, out);
    sums<<<2, 64>>>(in, out);
}
