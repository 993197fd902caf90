// SPDX-License-Identifier: MIT
// An index is read before a thread has written it, and leads out of bounds.
#include <cstdio>

__global__ void sorted(const int *in, int *out) {
    __shared__ int place[128];
    const int t = threadIdx.x;
    place[t] = 1 << 20;
    __syncthreads();
    place[t] = 127 - t;
    const int at = place[t ^ 32];
    __syncthreads();
    out[at] = in[t];
}

int main() {
    int *in, *out;
    cudaMallocManaged(&in, 128 * sizeof(int));
    cudaMallocManaged(&out, 128 * sizeof(int));
    for (int i = 0; i < 128; i++)
        in[i] = i;
    sorted<<<1, 128>>>(in, out);
    cudaDeviceSynchronize();
    printf("%d\n", out[0]);
}
