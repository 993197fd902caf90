// SPDX-License-Identifier: MIT
// Leaves only zeros and prints nothing, and does not end on random numbers: no layout is proven.
__global__ void wait_for_zero(const float *in, volatile float *out) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    do
        out[threadIdx.y * 32 + threadIdx.x] = 0;
    while (tile[threadIdx.x][threadIdx.y] > 0);
}

int main() {
    float *in, *out;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    cudaMemset(in, 0, 4096);
    wait_for_zero<<<1, dim3(32, 32)>>>(in, out);
    return cudaDeviceSynchronize();
}
