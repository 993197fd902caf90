// SPDX-License-Identifier: MIT
// Of two races in one line, __syncwarp() orders one and __syncthreads() both.
__global__ void both(int *out, const int *in) {
    __shared__ int a[128], b[128];
    a[threadIdx.x] = in[threadIdx.x];
    b[threadIdx.x] = in[threadIdx.x] + 1;
    out[threadIdx.x] = a[threadIdx.x ^ 1] + b[threadIdx.x ^ 64];
}

void launch(int *out, const int *in) {
    both<<<1, 128>>>(out, in);
}
