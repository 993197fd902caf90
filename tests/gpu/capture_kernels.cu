// SPDX-License-Identifier: MIT
// capture_kernels.cu: launches that read memory of every kind that profile --capture has to find:
// variables, constants, managed, pinned and stream-ordered memory, pointers in memory, structs,
// another stream's results. All results are the same on any engine.
#include "check_cuda.cuh"

enum { SKIPPED = 77, COUNT = 2048, ROWS = 8 };

struct rows {
    const float *const *list; // COUNT / ROWS floats each
    float scale;
    int add;
};

__device__ unsigned counter = 5;
__device__ float written[256];
__constant__ float factors[64];
__constant__ int shift = 3;

__global__ void with_variables(float *out, const float *in) {
    __shared__ float tile[32][32];
    const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32,
                   at = blockIdx.x * blockDim.x + threadIdx.x;
    tile[y][x] = in[at] * factors[at % 64];
    __syncthreads();
    out[at] = tile[x % 8][y + 8 * (x / 8)] + float(1 << shift);
    if (at < 256)
        written[at] = out[at];
    if (threadIdx.x == 0)
        atomicAdd(&counter, blockIdx.x);
}

__global__ void with_pointers(float *out, rows from, const float *bias) {
    extern __shared__ float line[];
    const float *row = from.list[blockIdx.x];
    line[threadIdx.x * 2] = row[threadIdx.x] * from.scale;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        line[(threadIdx.x + from.add) % blockDim.x * 2] + bias[threadIdx.x] + written[threadIdx.x];
}

__global__ void fill(float *out, float first) {
    for (int i = 0; i < 64; i++)
        out[threadIdx.x + 256 * (i % ROWS)] = first + float(threadIdx.x + i);
}

__global__ void in_place(int *values) {
    __shared__ int own[256];
    own[threadIdx.x * 4 % 256 + threadIdx.x / 64] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] += own[threadIdx.x / 4 * 4];
}

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return SKIPPED;
    float *in, *out, *managed, *pinned, *async, *tables[ROWS], **list, host[64];
    cudaStream_t one, other;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&in, COUNT * sizeof *in));
    CHECK(cudaMalloc(&out, COUNT * sizeof *out));
    CHECK(cudaMallocManaged(&managed, 256 * sizeof *managed));
    CHECK(cudaMallocHost(&pinned, 256 * sizeof *pinned));
    CHECK(cudaMallocAsync(&async, COUNT * sizeof *async, one));
    for (int i = 0; i < 64; i++)
        host[i] = 0.25f * float(i);
    for (int i = 0; i < 256; i++)
        managed[i] = pinned[i] = float(i);
    CHECK(cudaMemcpyToSymbol(factors, host, sizeof host));
    for (int i = 0; i < ROWS; i++)
        tables[i] = async + 256 * i;
    CHECK(cudaMalloc(&list, sizeof tables));
    CHECK(cudaMemcpy(list, tables, sizeof tables, cudaMemcpyHostToDevice));
    fill<<<1, 256, 0, other>>>(in, 1.5f);
    fill<<<1, 256, 0, one>>>(async, 0.5f);
    CHECK(cudaStreamSynchronize(other));
    with_variables<<<COUNT / 256, 256, 0, one>>>(out, in);
    with_pointers<<<ROWS, 256, 2048, one>>>(in, rows{list, 2.0f, 3}, managed);
    with_pointers<<<ROWS, 256, 2048, one>>>(out, rows{list, 2.0f, 5}, pinned);
    in_place<<<1, 256, 0, one>>>(reinterpret_cast<int *>(managed));
    CHECK(cudaStreamSynchronize(one));
    CHECK(cudaGetLastError());
    float sum = 0;
    CHECK(cudaMemcpy(tables, out, sizeof tables, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++)
        sum += reinterpret_cast<float *>(tables)[i];
    printf("sum %g\n", double(sum));
    return 0;
}
