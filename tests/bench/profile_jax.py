# SPDX-License-Identifier: MIT
"""Steps of four products, a softmax and a sort in JAX after one that compiles them, as many as the
argument says: prints the seconds of these."""
import os
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
try:
    import jax
    from jax import numpy
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(77)


@jax.jit
def step(a):
    b = a
    for _ in range(4):
        b = b @ a / 2048
    return numpy.sort(jax.nn.softmax(b), axis=1)


a = jax.random.uniform(jax.random.key(1), (2048, 2048))
step(a).block_until_ready()
start = time.time()
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 10):
    a = step(a)
a.block_until_ready()
print(f"steps {time.time() - start:.6f}", flush=True)
