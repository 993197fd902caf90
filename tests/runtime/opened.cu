// SPDX-License-Identifier: MIT
// A library that has the CUDA runtime inside and is opened while the program runs; WITH_MAIN: the
// program itself.
#include <cstdio>

__global__ void turn(float *p) {
    __shared__ float s[1024];
    s[threadIdx.x * 32 % 1024 + threadIdx.x / 32] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x] + 1;
}

extern "C" int work() {
    float host[1024] = {2}, *p;
    cudaMalloc(&p, sizeof host);
    cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
    turn<<<1, 1024>>>(p);
    const cudaError_t status = cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d, %g\n", (int)status, host[0]);
    return host[0] != 3;
}

#ifdef WITH_MAIN
int main() {
    return work();
}
#endif
