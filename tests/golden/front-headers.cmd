# Headers are not read: what they would say is asked for.
cat >types.h <<'E'
typedef float real;
#define WIDTH 32
E
cat >k.cu <<'E'
#include <cstdio>
#include "types.h"
#define PAD 1
using std::min;
cudaDeviceProp properties;
cublasHandle_t handle, *other = nullptr;
struct Options { std::string name; int n = 3; };
typedef cub::BlockReduce<float, 128> Reduce;
constexpr int broken = unknown_to_us(3);
__global__ void k(float *out) {
    __shared__ float tile[32][32 + PAD];
    tile[threadIdx.x][0] = out[threadIdx.x * 2];
}
E
cat >asks.cu <<'E'
#include "types.h"
__global__ void k(real *a) { }
E
cat >wide.cu <<'E'
#include "types.h"
__global__ void k(float *a) { a[threadIdx.x * WIDTH] = 0; }
E
cat >slip.cu <<'E'
__global__ void k(float *a) { a[0] = 0; }
expct ways = 1;
E
smemprobe predict k.cu --format csv | cut -d, -f1-6,14
smemprobe fix k.cu --block 32 | head -4
smemprobe check k.cu
for f in asks wide slip; do smemprobe predict $f.cu; echo $?; done
