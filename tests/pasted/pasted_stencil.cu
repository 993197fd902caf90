// SPDX-License-Identifier: MIT
// clang-format off
// smemprobe: --block 32x8 --define nx=32 --define ny=8
// launch: stencil<<<dim3(1,1), dim3(32,8)>>>(float[256] = iota, float[256], 32, 8)
#define RADIUS 2
#define TX 32
#define TY 8

// A cross of 4 * RADIUS + 1 points; the halo is loaded by those at the edge.
extern "C" __global__ void stencil(const float *__restrict__ in, float *__restrict__ out, int nx, int ny) {
    __shared__ float s[TY + 2 * RADIUS][TX + 2 * RADIUS];
    int gx = blockIdx.x * blockDim.x + threadIdx.x, gy = blockIdx.y * blockDim.y + threadIdx.y;
    int lx = threadIdx.x + RADIUS, ly = threadIdx.y + RADIUS;
    bool inside = gx < nx && gy < ny;

    s[ly][lx] = inside ? in[gy * nx + gx] : 0.0f;
    if (threadIdx.x < RADIUS) {
        int left = gx - RADIUS, right = gx + TX;
        s[ly][lx - RADIUS] = left >= 0 ? in[gy * nx + left] : 0.0f;
        s[ly][lx + TX] = right < nx ? in[gy * nx + right] : 0.0f;
    }
    if (threadIdx.y < RADIUS) {
        int up = gy - RADIUS, down = gy + TY;
        s[ly - RADIUS][lx] = up >= 0 ? in[up * nx + gx] : 0.0f;
        s[ly + TY][lx] = down < ny ? in[down * nx + gx] : 0.0f;
    }
    __syncthreads();
    if (!inside)
        return;

    float sum = s[ly][lx];
#pragma unroll
    for (int r = 1; r <= RADIUS; r++)
        sum += 0.25f * (s[ly][lx - r] + s[ly][lx + r] + s[ly - r][lx] + s[ly + r][lx]);
    out[gy * nx + gx] = sum;
}
