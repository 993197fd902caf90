// SPDX-License-Identifier: MIT
// A kernel that accesses no memory: nvcc -arch=sm_90 -lineinfo -cubin -o idle.cubin idle.cu
__global__ void idle() {
}
