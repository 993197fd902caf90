// SPDX-License-Identifier: MIT
// Behind the loop, a barrier would order the second write; then the first one races, in a loop
// where none may stand.
__global__ void uncovered(int *out, const int *in, int at) {
    __shared__ int a[64];
    int sum = in[threadIdx.x];
    a[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned i = 0; i <= threadIdx.x / 32; i++) {
        if (threadIdx.x == at)
            a[at] = sum + i;
        if (threadIdx.x < 32)
            sum += a[at];
    }
    a[threadIdx.x] = sum;
    __syncthreads();
    out[threadIdx.x] = a[63 - threadIdx.x];
}

void launch(int *out, const int *in) {
    uncovered<<<1, 64>>>(out, in, 32);
}
