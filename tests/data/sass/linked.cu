// SPDX-License-Identifier: MIT
// Code of separate compilation: calls of functions in other sections, by name, by a table in
// memory and through registers, and addresses of variables.
//     nvcc -arch=sm_90 -lineinfo -rdc=true -dc linked.cu linked_called.cu
//     nvcc -arch=sm_90 -dlink linked.o linked_called.o -cubin -o linked.cubin
extern __device__ float twice(float x, float *p);
extern __device__ int counter;
typedef float (*changed)(float, float *);

__device__ float thrice(float x, float *) {
    return 3 * x;
}
__device__ changed table[2] = {twice, thrice};
__device__ int *where = &counter;

__global__ void linked(float *out, const float *in, int which) {
    __shared__ float s[64];
    int i = threadIdx.x;
    s[i] = in[i];
    __syncthreads();
    float y = twice(s[i ^ 1], s);
    y += table[(i + which) & 1](y, s); // lanes in turn to one and the other
    out[i] = y + counter + 10 * *where;
}

__device__ changed nothing;

__global__ void called_nothing(float *out, const float *in) {
    out[threadIdx.x] = nothing(in[threadIdx.x], out);
}
