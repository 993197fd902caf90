// SPDX-License-Identifier: MIT
// Prints a time, which is another one in each run, and with SPEAKS a place in the array, which
// padding moves; with EVENTS also the time between two events.
#include <cassert>
#include <cstdio>
#include <ctime>

#ifndef SPEAKS
#define SPEAKS false
#endif

__global__ void columns(const float *in, float *out, bool speaks) {
    __shared__ float tile[32][32];
    const int t = threadIdx.x;
    assert(blockDim.x == 32);
    for (int i = 0; i < 32; i++)
        tile[i][t] = in[i * 32 + t];
    __syncthreads();
    for (int i = 0; i < 32; i++)
        out[i * 32 + t] = tile[t][i];
    if (speaks && t == 1)
        printf("%d\n", (int)((char *)&tile[t][0] - (char *)&tile[0][0]));
}

int main() {
    static float host[1024];
    float *in, *out;
    timespec now;
    for (int i = 0; i < 1024; i++)
        host[i] = (float)i;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("begun at %ld.%09ld s\n", (long)now.tv_sec, now.tv_nsec);
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    columns<<<1, 32>>>(in, out, SPEAKS);
#ifdef EVENTS
    float ms = 0;
    cudaEvent_t from, to;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    cudaEventRecord(from);
    columns<<<1, 32>>>(in, out, SPEAKS);
    cudaEventRecord(to);
    cudaEventElapsedTime(&ms, from, to);
    printf("%.7f\n", ms);
#endif
#ifdef ENDLESS
    while (cudaDeviceSynchronize() == cudaSuccess)
        continue;
#endif
    return cudaDeviceSynchronize() != cudaSuccess;
}
