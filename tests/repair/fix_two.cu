// SPDX-License-Identifier: MIT
// Two kernels, and an array in each; the second has two.
#define WIDTH 64

__global__ void first(const float *in, float *out) {
    __shared__ float a[WIDTH][32];
    for (int i = threadIdx.y; i < WIDTH; i += 4)
        a[i][threadIdx.x] = in[i * 32 + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < 32; i += 4)
        out[i * 32 + threadIdx.x] = a[threadIdx.x][i] + a[threadIdx.x + 32][i];
}

__global__ void second(const double *in, float *out) {
    __shared__ double b[32][32];
    __shared__ float c[32][WIDTH];
    for (int i = threadIdx.y; i < 32; i += 4) {
        b[i][threadIdx.x] = in[i * 32 + threadIdx.x];
        c[i][threadIdx.x] = c[i][threadIdx.x + 32] = (float)i;
    }
    __syncthreads();
    for (int i = threadIdx.y; i < 32; i += 4)
        out[i * 32 + threadIdx.x] = (float)b[threadIdx.x][i] + c[threadIdx.x][i];
}

void launch(const float *in, const double *wide, float *out) {
    first<<<1, dim3(32, 4)>>>(in, out);
    second<<<1, dim3(32, 4)>>>(wide, out);
}
