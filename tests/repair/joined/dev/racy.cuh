// SPDX-License-Identifier: MIT
#pragma once
__global__ void turn(float *out, const float *in) {
    __shared__ float row[256];
    row[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = row[255 - threadIdx.x];
}
