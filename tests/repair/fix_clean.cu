// SPDX-License-Identifier: MIT
__global__ void reverse(float *data) {
    __shared__ float part[256];
    part[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = part[255 - threadIdx.x];
}

void launch(float *data) {
    reverse<<<1, 256>>>(data);
}
