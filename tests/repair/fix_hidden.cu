// SPDX-License-Identifier: MIT
// Two barriers are missing. Each alone leaves as many races: a write hides what the one before it
// races with.
__global__ void hidden(int *out, const int *in) {
    __shared__ int a[64];
    a[threadIdx.x] = in[threadIdx.x];
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            a[threadIdx.x] += a[threadIdx.x + half];
    }
    const int sum = a[0];
    a[threadIdx.x] = sum + (int)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = a[63 - threadIdx.x];
}

void launch(int *out, const int *in) {
    hidden<<<1, 64>>>(out, in);
}
