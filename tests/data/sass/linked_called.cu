// SPDX-License-Identifier: MIT
// What linked.cu calls.
__device__ int counter = 7;

__device__ float twice(float x, float *p) {
    return 2 * x + p[32 * (threadIdx.x & 1)];
}
