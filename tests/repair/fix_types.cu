// SPDX-License-Identifier: MIT
// Arrays whose extents are in their type: a typedef, an alias template, a class template, a base
// class, and a struct around an array.
#include <cstdio>

typedef float edge[32];
typedef edge square[32];
template <int N> using row = double[N];

template <typename T, int R, int C> class grid {
    T cells[R][C];

  public:
    __device__ T &at(int r, int c) {
        return cells[r][c];
    }
};

template <class T, unsigned N> struct sequence {
    T items[N];
    __device__ T &operator[](unsigned i) {
        return items[i];
    }
};

struct storage {
    float cells[32 * 32];
};
struct matrix : storage {
    __device__ float &cell(int r, int c) {
        return cells[r * 32 + c];
    }
};

__global__ void by_typedef(const float *in, float *out) {
    __shared__ square tile;
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void by_alias(const float *in, float *out) {
    __shared__ row<16> stage[32];
    for (int k = 0; k < 16; k++)
        stage[threadIdx.x][k] = in[k * 32 + threadIdx.x];
    __syncthreads();
    double sum = 0;
    for (int k = 0; k < 16; k++)
        sum += stage[threadIdx.x][k] * (k + 1);
    out[threadIdx.x] = (float)sum;
}

__global__ void by_class(const float *in, float *out) {
    __shared__ grid<float, 32, 32> tile;
    tile.at(threadIdx.y, threadIdx.x) = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile.at(threadIdx.x, threadIdx.y);
}

__global__ void by_struct(const float *in, float *out) {
    __shared__ sequence<sequence<float, 32>, 32> list;
    list[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = list[threadIdx.x][threadIdx.y];
}

__global__ void by_base(const float *in, float *out) {
    __shared__ matrix m;
    m.cell(threadIdx.y, threadIdx.x) = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = m.cell(threadIdx.x, threadIdx.y);
}

int main() {
    float *in, *out;
    cudaMallocManaged(&in, 4096);
    cudaMallocManaged(&out, 4096);
    for (int i = 0; i < 1024; i++)
        in[i] = i;
    by_typedef<<<1, dim3(32, 32)>>>(in, out);
    by_alias<<<1, 32>>>(out, in);
    by_class<<<1, dim3(32, 32)>>>(in, out);
    by_struct<<<1, dim3(32, 32)>>>(out, in);
    by_base<<<1, dim3(32, 32)>>>(in, out);
    cudaDeviceSynchronize();
    printf("%g\n", out[33]);
    return 0;
}
