// SPDX-License-Identifier: MIT
// Two kernels that use one another's output; a namespace.
namespace image {
__global__ void rows(const float *in, float *out, int width) {
    __shared__ float line[256 + 8];
    int x = blockIdx.x * 256 + threadIdx.x;
    line[threadIdx.x + 4] = in[blockIdx.y * width + x];
    if (threadIdx.x < 4) {
        line[threadIdx.x] = 0;
        line[threadIdx.x + 260] = 0;
    }
    __syncthreads();
    float sum = 0;
    for (int i = 0; i <= 8; i++)
        sum += line[threadIdx.x + i];
    out[blockIdx.y * width + x] = sum / 9;
}

__global__ void columns(const float *in, float *out, int width) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.x][threadIdx.y] = in[y * width + x];
    __syncthreads();
    out[y * width + x] = tile[threadIdx.x][31 - threadIdx.y];
}

void blur(const float *in, float *mid, float *out, int width, int height) {
    rows<<<dim3(width / 256, height), 256>>>(in, mid, width);
    columns<<<dim3(width / 32, height / 32), dim3(32, 32)>>>(mid, out, width);
}
} // namespace image
