// SPDX-License-Identifier: MIT
// A kernel that launches another, not linked: nvcc -rdc=true -arch=sm_90 -cubin -o nested.cubin
// nested.cu
__global__ void inner(int *out) {
    *out = 1;
}

__global__ void outer(int *out) {
    inner<<<1, 1>>>(out);
}
