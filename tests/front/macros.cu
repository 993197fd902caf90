// SPDX-License-Identifier: MIT
// Sizes, indices and the kernel's head in macros.
#define WIDTH 64
#define HEIGHT 16
#define AT(a, y, x) a[(y)*WIDTH + (x)]
#define KERNEL extern "C" __global__ void
KERNEL flip(const int *in, int *out) {
    __shared__ int s[WIDTH * HEIGHT];
    int x = threadIdx.x, y = threadIdx.y;
    AT(s, y, x) = AT(in, y, x);
    __syncthreads();
    AT(out, y, x) = s[(WIDTH - 1 - x) * HEIGHT + y];
}

void launch_flip(const int *in, int *out) {
    flip<<<1, dim3(WIDTH, HEIGHT)>>>(in, out);
}
