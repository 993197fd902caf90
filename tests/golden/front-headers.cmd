mkdir parts
cat >types.h <<'E'
#pragma once
#include <vector>
#include "parts/tile.h"
#include "not_here.h"
typedef float real;
#define WIDTH 32
inline int host_only(std::vector<int> &v) { return v.size(); }
E
cat >parts/tile.h <<'E'
#include "../types.h"
const int PAD = 1;
__device__ float first(const float *p) { return p[threadIdx.x * 2]; }
E
cat >k.cu <<'E'
#include <cstdio>
#include "types.h"
using std::min;
cudaDeviceProp properties;
cublasHandle_t handle, *other = nullptr;
struct Options { std::string name; int n = 3; };
typedef cub::BlockReduce<float, 128> Reduce;
constexpr int broken = unknown_to_us(3);
__global__ void k(real *out) {
    __shared__ real tile[WIDTH][WIDTH + PAD];
    tile[threadIdx.x][0] = first(out);
}
E
cat >asks.cu <<'E'
#include "types.h"
__global__ void k(Options o) { }
E
cat >wrong.h <<'E'
__device__ int f(int i) { return i + ; }
E
cat >wrong.cu <<'E'
#include "wrong.h"
__global__ void k(float *a) { a[f(1)] = 0; }
E
cat >slip.cu <<'E'
__global__ void k(float *a) { a[0] = 0; }
expct ways = 1;
E
smemprobe predict k.cu --format csv | cut -d, -f1-6,14
smemprobe fix k.cu | head -4
smemprobe check k.cu
for f in asks wrong slip; do smemprobe predict $f.cu; echo $?; done
smemprobe predict - <k.cu; echo $?
