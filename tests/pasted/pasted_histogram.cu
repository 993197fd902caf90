// SPDX-License-Identifier: MIT
// clang-format off
// smemprobe: --block 256 --define n=2048 --data data=@bytes.npy
// launch: histogram<<<1, 256>>>(unsigned char[2048] = @bytes.npy, unsigned[256], 2048)
#define BINS 256
typedef unsigned char byte;

// A histogram a block in shared memory, added to the one in global memory.
extern "C" __global__ void histogram(const byte *data, unsigned *bins, int n) {
    __shared__ unsigned local[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        const byte value = data[i];
        atomicAdd(&local[value], 1 + (i & 1));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) {
        if (true)
            atomicAdd(&bins[i], local[i]);
    }
}
