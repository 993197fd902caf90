// SPDX-License-Identifier: MIT
// Dynamic bytes in the configuration of cudaLaunchKernelEx() and -ExC(), and of a macro's call. The
// shapes of these launches also serve the comparison on random numbers.
#include <cstdio>

#define RUN(kernel, block, bytes, ...) kernel<<<1, (block), (bytes)>>>(__VA_ARGS__)

__global__ void rows_of(const int *in, int *out, int rows) {
    extern __shared__ int first[];
    for (int i = threadIdx.x; i < rows * 32; i += blockDim.x)
        first[i] = in[i];
    __syncthreads();
    int sum = 0;
    for (int c = 0; c < 32; c++)
        sum = sum * 3 + first[threadIdx.x * 32 + c];
    out[threadIdx.x] = sum;
}

__global__ void columns_of(const int *in, int *out) {
    extern __shared__ int second[];
    for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x)
        second[i] = in[i];
    __syncthreads();
    int sum = 0;
    for (int c = 0; c < 32; c++)
        sum = sum * 5 + second[threadIdx.x * 32 + c];
    out[threadIdx.x] = sum;
}

__global__ void turn(const int *in, int *out) {
    extern __shared__ int third[];
    for (int i = threadIdx.x; i < 64 * 32; i += blockDim.x)
        third[i] = in[i];
    __syncthreads();
    int sum = 0;
    for (int c = 0; c < 32; c++)
        sum = sum * 7 + third[threadIdx.x * 32 + c];
    out[threadIdx.x] = sum;
}

int main() {
    int rows = 64, h[2048], *in, *out;
    for (int i = 0; i < 2048; i++)
        h[i] = i * 7 % 31;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);

    void *arguments[] = {&in, &out, &rows};
    cudaLaunchConfig_t config{};
    config.gridDim = 1;
    config.blockDim = 64;
    config.dynamicSmemBytes = 64 * 32 * sizeof(int);
    cudaLaunchKernelExC(&config, (const void *)rows_of, arguments);

    const size_t bytes = 32 * 32 * sizeof(int);
    cudaLaunchConfig_t other = {.gridDim = 1, .blockDim = 32, .dynamicSmemBytes = bytes};
    cudaLaunchKernelEx(&other, columns_of, (const int *)in, out + 64);

    RUN(turn, 64, 64 * 32 * sizeof(int), in, out + 128);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", h[1], h[65], h[129]);
}
