// SPDX-License-Identifier: MIT
// Values that only the program tells, in numbers and in a struct: with others, the kernel reaches
// past its tile.
#include <cstdio>
#include <cstdlib>

struct part {
    const float *from;
    short rows;
    double scale;
};

__global__ void columns(part of, float *out, int count, bool is_far, long long first,
                        float part_of) {
    __shared__ float cell[32][32];
    const int row = is_far || first != -4 || part_of != 0.25f || of.scale != 2 ? 32 : 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        cell[row + i / 32][i % 32] = of.from[i] * of.scale;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < of.rows; i++)
        sum += cell[threadIdx.x][i];
    out[threadIdx.x] = sum;
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 4;
    float *in, *out, host[1024];
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, 128);
    for (int i = 0; i < 1024; i++)
        host[i] = i % 100;
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    const part of = {in, (short)(n * 8), n / 2.0};
    columns<<<1, 32>>>(of, out, n * 256, n < 4, -n, 1.0f / n);
    cudaMemcpy(host, out, 128, cudaMemcpyDeviceToHost);
    printf("%g\n", host[5]);
}
