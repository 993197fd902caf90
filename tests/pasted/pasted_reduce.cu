// SPDX-License-Identifier: MIT
// clang-format off
// smemprobe: --block 256 --grid 1 --define n=5000
// launch: reduce<<<1, 256>>>(float[5000] = iota, float[1], 5000)
// Sums with a grid-stride loop, a tree in shared memory, and shuffles for the last warp.
extern "C" __global__ void reduce(const float *g_idata, float *g_odata, unsigned int n) {
    __shared__ float sdata[256];
    unsigned int tid = threadIdx.x;
    float mySum = 0;

    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        mySum += g_idata[i];
    sdata[tid] = mySum;
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s) {
            sdata[tid] = mySum = mySum + sdata[tid + s];
        }
        __syncthreads();
    }

    if (tid < 32) {
        mySum += sdata[tid + 32];
        for (int offset = warpSize / 2; offset > 0; offset /= 2)
            mySum += __shfl_down_sync(0xffffffff, mySum, offset);
    }
    if (tid == 0) g_odata[blockIdx.x] = mySum;
}
