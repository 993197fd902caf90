// SPDX-License-Identifier: MIT
// Two arrays carved out of one dynamic one, by pointers.
__global__ void normalize(const float *in, float *out, int cols) {
    extern __shared__ float memory[];
    float *row = memory;
    float *partial = memory + cols;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        row[c] = in[blockIdx.x * cols + c];
        sum += row[c] * row[c];
    }
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    float scale = rsqrtf(partial[0] / cols + 1e-5f);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[blockIdx.x * cols + c] = row[c] * scale;
}

void run(const float *in, float *out, int rows, int cols, cudaStream_t stream) {
    const int threads = 128;
    normalize<<<rows, threads, (cols + threads) * sizeof(float), stream>>>(in, out, cols);
}
