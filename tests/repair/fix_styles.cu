// SPDX-License-Identifier: MIT
// Arrays behind an alias of a struct, behind a reference, of three dimensions, filled by a copy of
// the whole group, read as wider words by the row, of a template with a shift among its parameters,
// and reached by strides that double.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdint>

namespace cg = cooperative_groups;
namespace detail {
template <typename T, int R, int C> struct plane {
    T data[R][C];
    __device__ T &operator()(int r, int c) {
        return data[r][c];
    }
};
} // namespace detail
template <typename T, int R, int C> using plane = detail::plane<T, R, C>;

template <typename T, int N = 1 << 5> __global__ void aliased(T *out, const T *in) {
    __shared__ plane<T, N, N> t;
    for (int r = threadIdx.y; r < N; r += blockDim.y)
        t(r, threadIdx.x) = in[r * N + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < N; r += blockDim.y)
        out[r * N + threadIdx.x] = t(threadIdx.x, r);
}
template __global__ void aliased<float>(float *, const float *);

template <int N> struct view {
    float (&t)[N][N];
    __device__ float get(int r, int c) const {
        return t[r][c];
    }
};
__global__ void referred(float *out, const float *in) {
    __shared__ float tile[32][32];
    view<32> v{tile};
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = v.get(threadIdx.x, threadIdx.y);
}

__global__ void middle(float *out, const float *in) {
    __shared__ float c[32][8][4];
    const int x = threadIdx.x, y = threadIdx.y;
    for (int z = 0; z < 4; z++)
        c[x][y][z] = in[(z * 8 + y) * 32 + x];
    __syncthreads();
    float s = 0;
    for (int z = 0; z < 4; z++)
        s += c[x][y][z] * (z + 1);
    out[y * 32 + x] = s;
}

__global__ void copied(float *out, const float *in) {
    __shared__ alignas(16) float list[32][32];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, &list[0][0], in, sizeof(float) * 32 * 32);
    cg::wait(block);
    float s = 0;
    for (int c = 0; c < 32; c++)
        s += list[threadIdx.x][c] * (c + 1);
    out[threadIdx.x] = s;
}

__global__ void wider(int *out, const int *in) {
    __shared__ __align__(16) int8_t w[64][128];
    for (int i = threadIdx.x; i < 64 * 128 / 4; i += blockDim.x)
        reinterpret_cast<int *>(&w[0][0])[i] = in[i];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 128 / 4; k++)
        sum += reinterpret_cast<int *>(w[threadIdx.x])[k] * (k + 1);
    out[threadIdx.x] = sum;
}

__global__ void doubled(float *out, const float *in) {
    __shared__ float temp[512];
    const int t = threadIdx.x;
    temp[2 * t] = in[2 * t];
    temp[2 * t + 1] = in[2 * t + 1];
    for (int offset = 1; offset < 512; offset *= 2) {
        __syncthreads();
        if (t < 256 / offset)
            temp[offset * (2 * t + 2) - 1] += temp[offset * (2 * t + 1) - 1];
    }
    __syncthreads();
    out[t] = temp[2 * t + 1];
}

void launch(float *out, const float *in, int *to, const int *from) {
    aliased<float><<<1, dim3(32, 8)>>>(out, in);
    referred<<<1, dim3(32, 32)>>>(out, in);
    middle<<<1, dim3(32, 8)>>>(out, in);
    copied<<<1, 32>>>(out, in);
    wider<<<1, 64>>>(to, from);
    doubled<<<1, 256>>>(out, in);
}
