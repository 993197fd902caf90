// SPDX-License-Identifier: MIT
// nvcc -arch=sm_90 -cubin limits.cu
#include <stdio.h>

__global__ void huge(int *o) {
    if (threadIdx.x == 0)
        o[0] = 1;
}

__global__ void many() {
    printf("line %d of %d\n", threadIdx.x, blockIdx.x);
}

__global__ void wide(int w, double x) {
    printf("[%*d]", w, 7);
    printf("[%.2000000000f]", x);
    printf("[%2147483646d]", 7);
    printf("[%-*.*s]", -6, 2, "abc");
    printf("[%+05lld][%#x][%5.2f]\n", 12ll, 255, x);
}

__global__ void escapes() {
    printf("a\033[2Jb\r%s\tend\n", "c\a");
}
