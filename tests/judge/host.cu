// SPDX-License-Identifier: MIT
/*
 * A candidate whose host code would leave a file behind if it ran.
 */
#include <stdio.h>

__global__ void product(const float *a, const float *b, float *c, int n) {
    const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int k = n - 1; k >= 0; k--)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

static int mark() {
    FILE *file = fopen("host_ran", "w");
    return file ? fclose(file) : 0;
}

static int ran = mark();

int main() {
    float *a = 0, *b = 0, *c = 0;
    const int n = 1024;
    product<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, c, n);
    return mark() + ran;
}
