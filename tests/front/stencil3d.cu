// SPDX-License-Identifier: MIT
// A stencil over a volume, launched with three dimensions.
#define R 2
__global__ void stencil(const float *in, float *out, int nx, int ny, int nz) {
    __shared__ float s[8 + 2 * R][32 + 2 * R];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    for (int z = 0; z < nz; z++) {
        s[threadIdx.y + R][threadIdx.x + R] = in[(z * ny + y) * nx + x];
        if (threadIdx.x < R) {
            s[threadIdx.y + R][threadIdx.x] = x >= R ? in[(z * ny + y) * nx + x - R] : 0;
            s[threadIdx.y + R][threadIdx.x + 32 + R] =
                x + 32 < nx ? in[(z * ny + y) * nx + x + 32] : 0;
        }
        __syncthreads();
        float sum = 0;
        for (int d = -R; d <= R; d++)
            sum += s[threadIdx.y + R][threadIdx.x + R + d];
        out[(z * ny + y) * nx + x] = sum;
        __syncthreads();
    }
}

inline int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

void launch(const float *in, float *out, int nx, int ny, int nz) {
    const dim3 block(32, 8, 1);
    stencil<<<dim3(ceil_div(nx, block.x), ceil_div(ny, block.y)), block>>>(in, out, nx, ny, 4);
}
