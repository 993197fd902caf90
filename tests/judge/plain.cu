// SPDX-License-Identifier: MIT
/*
 * What the candidates of product.cu must compute.
 */
__global__ void product(const float *a, const float *b, float *c, int n) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y,
              column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

void launch(const float *a, const float *b, float *c, int n) {
    product<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, c, n);
}
