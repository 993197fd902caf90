// SPDX-License-Identifier: MIT
// A complete program in C++: a template, a class, a lambda.
#include <cstdio>

template <typename F> __global__ void apply(float *data, int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = f(data[i]);
}

class Buffer {
  public:
    explicit Buffer(int count) : count_(count) {
        cudaMalloc(&data_, count * sizeof(float));
        cudaMemset(data_, 0, count * sizeof(float));
    }
    ~Buffer() {
        cudaFree(data_);
    }
    template <typename F> void map(F f) {
        apply<<<(count_ + 127) / 128, 128>>>(data_, count_, f);
    }

  private:
    float *data_ = nullptr;
    int count_;
};

struct AddOne {
    __device__ float operator()(float x) const {
        return x + 1.0f;
    }
};

int main() {
    Buffer buffer(1000);
    buffer.map(AddOne());
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(error));
        return 1;
    }
    return 0;
}
