// SPDX-License-Identifier: MIT
// The last value of the wide load lies behind the array, and is used.
__global__ void beyond(const float *in, float *out) {
    __shared__ float __align__(16) w[9];
    if (threadIdx.x < 9)
        w[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    const float4 last = *(const float4 *)&w[(threadIdx.x & 1) * 4 + 4];
    out[threadIdx.x] = last.x + last.y + last.z + last.w;
}
