// SPDX-License-Identifier: MIT
// Structs of 32 bytes in global memory, which the host fills, a kernel changes and another reads.
#include <cstdio>

struct particle {
    float x[3], v[3];
    float mass;
    int charge;
};

__global__ void push(particle *p, float dt, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const particle me = p[i];
    for (int k = 0; k < 3; k++)
        p[i].x[k] = me.x[k] + dt * me.v[k];
}

__global__ void weigh(const particle *__restrict__ p, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = p[i].charge * p[i].mass;
}

static void fill(particle *h, int n) {
    for (int i = 0; i < n; i++)
        h[i] = particle{{(float)i, 1, 2}, {3, 4, (float)(i % 5)}, 0.5f, i % 3};
}

int main() {
    int n = 1000; // no whole groups
    particle *h = new particle[n], *d;
    float *out;
    fill(h, n);
    cudaMalloc(&d, n * sizeof(particle));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(d, h, sizeof(particle) * n, cudaMemcpyHostToDevice);
    push<<<4, 256>>>(d, 0.1f, n);
    weigh<<<4, 256>>>(d, out, n);
    cudaMemcpy(h, d, n * sizeof(particle), cudaMemcpyDeviceToHost);
    printf("%g\n", h[7].x[2]);
    return cudaFree(d) != cudaSuccess;
}
