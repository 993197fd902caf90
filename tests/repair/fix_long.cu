// SPDX-License-Identifier: MIT
// Takes seconds, so that Ctrl-C meets a run.
__global__ void turn(float *out, int times) {
    __shared__ float tile[32][32];
    __shared__ float other[32][32];
    float sum = 0;
    for (int i = 0; i < times; i++) {
        tile[threadIdx.y][threadIdx.x] = sum + i;
        other[threadIdx.y][threadIdx.x] = sum + i;
        __syncthreads();
        sum += tile[threadIdx.x][threadIdx.y] + other[threadIdx.x][31 - threadIdx.y];
        __syncthreads();
    }
    out[threadIdx.x + 32 * threadIdx.y] = sum;
}

int main() {
    float *out;
    cudaMalloc(&out, 4096);
    turn<<<1, dim3(32, 32)>>>(out, 6000);
    return cudaDeviceSynchronize() != cudaSuccess;
}
