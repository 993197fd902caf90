// SPDX-License-Identifier: MIT
// nvcc -arch=sm_90 -lineinfo -cubin two.cu; nvdisasm -gi -c two.cubin > two.sass
#define TILE 32

__device__ __forceinline__ int at(int row, int column, int width) {
    return row * width + column;
}

__global__ void transpose(float *out, const float *in, int width, int height) {
    __shared__ float tile[TILE][TILE];
    __shared__ double total;
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (threadIdx.x + threadIdx.y == 0)
        total = in[width];
    for (int j = 0; j < TILE; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[at(y + j, x, width)];
    __syncthreads();
    for (int j = 0; j < TILE; j += 8)
        out[at(y + j, x, height)] = tile[threadIdx.x][threadIdx.y + j] + (float)total;
}

template <class T> __global__ void __launch_bounds__(256) reduce(T *out, const T *in, int n) {
    extern __shared__ T sums[];
    unsigned i = threadIdx.x;
    sums[i] = i < n ? in[i] : T(0);
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        __syncthreads();
        if (i < d)
            sums[i] += sums[i + d];
    }
    if (i == 0)
        *out = sums[0];
}

template __global__ void reduce<float>(float *, const float *, int);
