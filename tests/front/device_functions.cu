// SPDX-License-Identifier: MIT
// Device functions that take pointers to shared memory.
__device__ void load(float *to, const float *from, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        to[i] = from[i];
}

__device__ __noinline__ float dot(const float *a, const float *b, int stride, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i * stride] * b[i];
    return sum;
}

__global__ void rows_times_vector(const float *m, const float *v, float *out) {
    __shared__ float sm[32 * 32], sv[32];
    load(sm, m, 1024);
    load(sv, v, 32);
    __syncthreads();
    out[threadIdx.x] = dot(sm + threadIdx.x * 32, sv, 1, 32);
}

void launch(const float *m, const float *v, float *out) {
    rows_times_vector<<<1, 32>>>(m, v, out);
}
