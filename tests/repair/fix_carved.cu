// SPDX-License-Identifier: MIT
// Three arrays in what is sized at the launch, one of which has no rows.
__global__ void columns(const float *in, float *out) {
    extern __shared__ float memory[];
    float *a = memory, *b = a + 32 * 32, *sums = b + 32 * 32;
    const int t = threadIdx.x;
    for (int i = 0; i < 32; i++) {
        a[i * 32 + t] = in[i * 32 + t];
        b[i * 32 + t] = in[i * 32 + t] * 2;
    }
    sums[t] = in[t];
    __syncthreads();
    for (int i = 0; i < 32; i++)
        out[i * 32 + t] = a[t * 32 + i] + b[t * 32 + i] + sums[31 - i];
}

void launch(const float *in, float *out) {
    columns<<<1, 32, (2 * 32 * 32 + 32) * sizeof(float)>>>(in, out);
}
