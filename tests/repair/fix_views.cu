// SPDX-License-Identifier: MIT
// Arrays that are reached through structs with a pointer and a row length, through a lambda that
// carves memory, through pointers that are exchanged, and as (&tile[0][0])[i].
#include <cstdio>

struct matrix {
    float *p;
    int pitch;
    __device__ float &operator()(int r, int c) {
        return p[r * pitch + c];
    }
};

template <typename T> class window {
  public:
    __device__ window(T *data, int pitch) : data_(data), pitch_(pitch) {
    }
    __device__ T &operator()(int r, int c) const {
        return data_[r * pitch_ + c];
    }

  private:
    T *data_;
    int pitch_;
};

__global__ void by_aggregate(const float *in, float *out) {
    __shared__ float first[32 * 32];
    matrix m{first, 32};
    m(threadIdx.y, threadIdx.x) = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = m(threadIdx.x, threadIdx.y);
}

__global__ void by_constructor(const float *in, float *out) {
    __shared__ float second[32 * 32];
    window<float> v(second, 32);
    v(threadIdx.y, threadIdx.x) = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = v(threadIdx.x, threadIdx.y);
}

__global__ void by_lambda(const float *in, float *out) {
    extern __shared__ __align__(16) unsigned char pool[];
    size_t used = 0;
    auto take = [&](size_t bytes) {
        unsigned char *p = pool + used;
        used += bytes;
        return p;
    };
    float *x = reinterpret_cast<float *>(take(32 * 32 * sizeof(float)));
    float *y = reinterpret_cast<float *>(take(32 * sizeof(float)));
    for (int i = 0; i < 32; i++)
        x[i * 32 + threadIdx.x] = in[i * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 32; i++)
        sum += x[threadIdx.x * 32 + i];
    y[threadIdx.x] = sum;
    __syncthreads();
    out[threadIdx.x] = y[31 - threadIdx.x];
}

__global__ void by_exchange(const float *in, float *out) {
    __shared__ float a[32 * 32], b[32 * 32];
    float *from = a, *to = b;
    const int t = threadIdx.x;
    for (int r = 0; r < 32; r++)
        from[r * 32 + t] = in[r * 32 + t];
    __syncwarp();
    for (int d = 1; d < 32; d *= 2) {
        for (int r = 0; r < 32; r++)
            to[t * 32 + r] = from[t * 32 + r] + (r >= d ? from[t * 32 + r - d] : 0);
        __syncwarp();
        float *last = from;
        from = to;
        to = last;
    }
    for (int r = 0; r < 32; r++)
        out[r * 32 + t] = from[r * 32 + t];
}

__global__ void by_address(const float *in, float *out) {
    __shared__ float flat[32][32];
    for (int i = threadIdx.x; i < 1024; i += 32)
        (&flat[0][0])[i] = in[i];
    __syncthreads();
    float sum = 0;
    for (int c = 0; c < 32; c++)
        sum = sum * 0.5f + flat[threadIdx.x][c];
    out[threadIdx.x] = sum;
}

int main() {
    float *in, *out;
    cudaMallocManaged(&in, 4096);
    cudaMallocManaged(&out, 4096);
    for (int i = 0; i < 1024; i++)
        in[i] = i % 37;
    by_aggregate<<<1, dim3(32, 32)>>>(in, out);
    by_constructor<<<1, dim3(32, 32)>>>(out, in);
    const size_t bytes = (32 * 32 + 32) * sizeof(float);
    by_lambda<<<1, 32, bytes>>>(in, out);
    by_exchange<<<1, 32>>>(in, out);
    by_address<<<1, 32>>>(out, in);
    cudaDeviceSynchronize();
    printf("%g\n", in[31]);
    return 0;
}
