# SPDX-License-Identifier: MIT
"""Steps of a product, a softmax and a sort in CuPy after one that loads code, as many as the argument
says: prints the seconds of these."""
import sys
import time

try:
    import cupy
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(77)
a = cupy.random.rand(1024, 1024, dtype=cupy.float32)


def step():
    b = a @ a
    c = cupy.exp(b - b.max(1, keepdims=True))
    c /= c.sum(1, keepdims=True)
    return cupy.sort(c, 1)


step()
cupy.cuda.Device().synchronize()
start = time.time()
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 200):
    step()
cupy.cuda.Device().synchronize()
print(f"steps {time.time() - start:.6f}", flush=True)
