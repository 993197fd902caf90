// SPDX-License-Identifier: MIT
// A barrier is missing behind the sum, which the next turn overwrites, and the last reader has none
// in front of its condition; a loop without brackets needs one behind each turn. Two loops in a
// loop without any barrier need one before each.
__global__ void turns(int *out, const int *in) {
    __shared__ int tile[128];
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        tile[threadIdx.x] = in[threadIdx.x] + i;
        __syncthreads();
        sum += tile[127 - threadIdx.x];
    }
    __syncthreads();
    tile[threadIdx.x] = sum;
    if (threadIdx.x < 32) {
        out[threadIdx.x] = tile[threadIdx.x + 64];
    }
}

__global__ void tree(int *out, const int *in) {
    __shared__ int tile[32];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    for (int half = 16; half > 0; half /= 2)
        if (threadIdx.x < half)
            tile[threadIdx.x] += tile[threadIdx.x + half];
    __syncwarp();
    out[threadIdx.x] = tile[0];
}

__global__ void windows(int *out, const int *in, int n) {
    __shared__ int part[80];
    for (int begin = 0; begin < n; begin += 64) {
        for (int i = threadIdx.x; i < 80; i += blockDim.x) {
            part[i] = in[(begin + i) % 128];
        }
        int sum = 0;
        for (int i = 0; i < 16; i++) {
            sum += part[threadIdx.x + i];
        }
        out[begin + threadIdx.x] = sum;
    }
}

void launch(int *out, const int *in) {
    turns<<<1, 128>>>(out, in);
    tree<<<1, 32>>>(out, in);
    windows<<<1, 64>>>(out, in, 128);
}
