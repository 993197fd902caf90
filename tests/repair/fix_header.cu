// SPDX-License-Identifier: MIT
// The size of its dynamic memory is a constant of a header in another folder.
#include "sizes.h"

__global__ void columns(float *out, const float *in) {
    extern __shared__ float cell[];
    for (int i = threadIdx.x; i < COUNT; i += 32)
        cell[i] = in[i];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 32; i++)
        sum += cell[threadIdx.x * 32 + i] * (i + 1);
    out[threadIdx.x] = sum;
}

void launch(float *out, const float *in) {
    columns<<<1, 32, COUNT * sizeof(float)>>>(out, in);
}
