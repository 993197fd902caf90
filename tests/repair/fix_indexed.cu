// SPDX-License-Identifier: MIT
// Places come from memory. Random numbers up to 31 do for the first kernel. None do for the second,
// which is compared on the program's data alone.
#include <cstdio>
#ifndef FIRST
#define FIRST 0
#endif

template <int FROM> __global__ void pick(const float *in, const int *place, float *out) {
    __shared__ float tile[32][32];
    for (int row = 0; row < 32; row++)
        tile[row][threadIdx.x] = in[row * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 32; i++)
        sum = sum * 0.5f + tile[place[threadIdx.x] - FROM][i];
    out[threadIdx.x] = sum;
}

int main() {
    float h[1024], *in, *out;
    int places[32], *place;
    for (int i = 0; i < 1024; i++)
        h[i] = i % 17;
    for (int i = 0; i < 32; i++)
        places[i] = i * 5 % 32 + FIRST;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMalloc(&place, sizeof places);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(place, places, sizeof places, cudaMemcpyHostToDevice);
    pick<FIRST><<<1, 32>>>(in, place, out);
    cudaMemcpy(h, out, sizeof places, cudaMemcpyDeviceToHost);
    printf("%g\n", h[3]);
}
