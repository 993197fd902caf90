# SPDX-License-Identifier: MIT
"""Steps of many kernels in CuPy after one that loads code, as many as the argument says: a transpose
of its own, reductions, FFTs, sorts and a histogram. Prints the seconds of these."""
import sys
import time

try:
    import cupy
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(77)
SIZE = 1024
transpose = cupy.RawKernel(r"""
extern "C" __global__ void transpose(float *out, const float *in, int n) {
    __shared__ float tile[32][32];
    const int x = blockIdx.x * 32, y = blockIdx.y * 32;
    tile[threadIdx.y][threadIdx.x] = in[(y + threadIdx.y) * n + x + threadIdx.x];
    __syncthreads();
    out[(x + threadIdx.y) * n + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
""", "transpose", options=("-lineinfo",))
cupy.random.seed(1)
a = cupy.random.rand(SIZE, SIZE, dtype=cupy.float32)
b = cupy.empty_like(a)


def step():
    transpose((SIZE // 32, SIZE // 32), (32, 32), (b, a, cupy.int32(SIZE)))
    sums = [b.sum(), b.sum(0), b.mean(1), b.max(0), b.min(), b.argmax(1), b.std(0), b.var(), b.prod(1), (b > 0.5).any(1)]
    waves = cupy.fft.irfft2(cupy.fft.rfft2(b)) + cupy.fft.fft(b, axis=0).real
    ordered = cupy.sort(b, 1)[cupy.argsort(sums[1])]
    counts, _ = cupy.histogram(b, 64)
    both = cupy.where(waves > ordered, waves, ordered).cumsum(1)
    return cupy.dot(both, b).trace() + counts.sum() + cupy.unique(b[0]).sum() + cupy.median(b[1])


step()
cupy.cuda.Device().synchronize()
start = time.time()
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 50):
    step()
cupy.cuda.Device().synchronize()
print(f"steps {time.time() - start:.6f}", flush=True)
