// SPDX-License-Identifier: MIT
// Which address each lane wants is what the data say: no layout helps.
__global__ void count(const int *in, int *bins) {
    __shared__ int bin[256];
    bin[threadIdx.x] = 0;
    __syncthreads();
    for (int i = 0; i < 16; i++)
        atomicAdd(&bin[in[i * 256 + threadIdx.x] & 255], 1);
    __syncthreads();
    bins[threadIdx.x] = bin[threadIdx.x];
}

void launch(const int *in, int *bins) {
    count<<<1, 256>>>(in, bins);
}
