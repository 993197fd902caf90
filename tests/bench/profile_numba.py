# SPDX-License-Identifier: MIT
"""Steps of a product, a histogram and a reduction in Numba after one that compiles them, as many as
the argument says: prints the seconds of these."""
import sys
import time

try:
    import numpy

    if not hasattr(numpy, "row_stack"):
        numpy.row_stack = numpy.vstack  # removed in NumPy 2.4; numba-cuda needs it
    from numba import cuda, float32, int32
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(77)
if not cuda.is_available():
    sys.exit(77)
SIZE, TILE, BINS = 512, 16, 256


@cuda.jit
def product(a, b, c):
    p, q = cuda.shared.array((TILE, TILE), float32), cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.grid(2)
    i, j = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(SIZE // TILE):
        p[i, j] = a[y, k * TILE + i]
        q[i, j] = b[k * TILE + j, x]
        cuda.syncthreads()
        for m in range(TILE):
            total += p[m, j] * q[i, m]
        cuda.syncthreads()
    c[y, x] = total


@cuda.jit
def histogram(values, counts):
    part = cuda.shared.array(BINS, int32)
    part[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    for at in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(part, int(values[at] * BINS) % BINS, 1)
    cuda.syncthreads()
    cuda.atomic.add(counts, cuda.threadIdx.x, part[cuda.threadIdx.x])


add = cuda.reduce(lambda x, y: x + y)
host = numpy.random.default_rng(1).random((SIZE, SIZE), dtype=numpy.float32)
a, b, c = cuda.to_device(host), cuda.to_device(host), cuda.device_array_like(host)
values, counts = cuda.to_device(host.ravel()), cuda.to_device(numpy.zeros(BINS, dtype=numpy.int32))


def step():
    product[(SIZE // TILE, SIZE // TILE), (TILE, TILE)](a, b, c)
    histogram[64, BINS](values, counts)
    return add(values)


step()
cuda.synchronize()
start = time.time()
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 30):
    step()
cuda.synchronize()
print(f"steps {time.time() - start:.6f}", flush=True)
