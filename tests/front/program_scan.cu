// SPDX-License-Identifier: MIT
// A complete program: a scan with bank conflicts, as a course shows it.
#include <cstdio>

__global__ void scan(float *out, const float *in, int n) {
    extern __shared__ float temp[];
    int t = threadIdx.x, offset = 1;
    temp[2 * t] = in[2 * t];
    temp[2 * t + 1] = in[2 * t + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d)
            temp[offset * (2 * t + 2) - 1] += temp[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0)
        temp[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            float v = temp[offset * (2 * t + 1) - 1];
            temp[offset * (2 * t + 1) - 1] = temp[offset * (2 * t + 2) - 1];
            temp[offset * (2 * t + 2) - 1] += v;
        }
    }
    __syncthreads();
    out[2 * t] = temp[2 * t];
    out[2 * t + 1] = temp[2 * t + 1];
}

int main() {
    const int n = 512;
    float host[n], *in, *out;
    for (int i = 0; i < n; i++)
        host[i] = 1.0f;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    scan<<<1, n / 2, sizeof host>>>(out, in, n);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(error));
        return 1;
    }
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[n - 1]);
    return 0;
}
