// SPDX-License-Identifier: MIT
// clang-format off
// smemprobe: --block 256
// launch: bitonic_sort<<<1, 256>>>(int[512] = random:-2147483648:2147483647:3)
// nvcc: 21 22 neighbours in one access of 8 bytes where the stride is 1
#define SIZE 512

// Compare and exchange: which of the two is stored where, data decide; which addresses, they do not.
extern "C" __global__ void bitonic_sort(int *keys) {
    __shared__ int s_key[SIZE];
    const unsigned tid = threadIdx.x;

    s_key[tid] = keys[tid];
    s_key[tid + SIZE / 2] = keys[tid + SIZE / 2];

    for (unsigned size = 2; size <= SIZE; size <<= 1) {
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned pos = 2 * tid - (tid & (stride - 1));
            bool up = ((pos & size) == 0);
            int a = s_key[pos], b = s_key[pos + stride];
            s_key[pos] = (a > b) == up ? b : a;
            s_key[pos + stride] = (a > b) == up ? a : b;
        }
    }
    __syncthreads();
    keys[tid] = s_key[tid];
    keys[tid + SIZE / 2] = s_key[tid + SIZE / 2];
}
