# SPDX-License-Identifier: MIT
"""Kernels that Python compiles: instrument_python.py cupy|numba|triton|compile. 77: not installed, or
no GPU. The first two print what their kernel `walk` costs, as instrument_many.cu does."""
import sys

BLOCKS, ROUNDS = 16, 32

WALK = r"""
extern "C" __global__ void walk(unsigned *out, unsigned stride) {
    __shared__ volatile unsigned tile[1024];
    unsigned sum = 0;
    for (unsigned round = 0; round < 32; round++)
        sum += tile[threadIdx.x * stride + round];
    if (sum == 0x12345678)
        out[threadIdx.x] = sum;
}
"""


def expect(strides):
    print("expect", len(strides), BLOCKS * ROUNDS * len(strides), BLOCKS * ROUNDS * sum(strides))


def with_cupy():
    import cupy

    if cupy.cuda.runtime.getDeviceCount() == 0:
        sys.exit(77)
    walk = cupy.RawKernel(WALK, "walk", options=("-lineinfo",))
    out = cupy.zeros(32, dtype=cupy.uint32)
    strides = [1, 2, 4, 8, 16, 32]
    for stride in strides:
        walk((BLOCKS,), (32,), (out, cupy.uint32(stride)))
    cupy.cuda.Device().synchronize()
    expect(strides)


def with_numba():
    import numpy

    if not hasattr(numpy, "row_stack"):
        numpy.row_stack = numpy.vstack  # removed in NumPy 2.4; numba-cuda needs it
    from numba import cuda, uint32

    if not cuda.is_available():
        sys.exit(77)

    # One store and one load per thread, with the same stride.
    def walk(out, stride):
        tile = cuda.shared.array(1024, uint32)
        at = cuda.threadIdx.x * stride
        tile[at] = at
        cuda.syncthreads()
        out[cuda.threadIdx.x] = tile[at]

    compiled = cuda.jit(walk)
    out = cuda.to_device(numpy.zeros(32, dtype=numpy.uint32))
    for stride in (1, 2, 4, 8, 16, 32):
        compiled[BLOCKS, 32](out, uint32(stride))
    cuda.synchronize()


def with_triton():
    import torch
    import triton
    import triton.language as tl

    if not torch.cuda.is_available():
        sys.exit(77)

    @triton.jit
    def product(a, b, c, n: tl.constexpr):
        rows, columns = tl.arange(0, n)[:, None], tl.arange(0, n)[None, :]
        x = tl.load(a + rows * n + columns)
        y = tl.load(b + rows * n + columns)
        tl.store(c + rows * n + columns, tl.dot(x, tl.trans(y)))

    a, b = (torch.randn(64, 64, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.zeros(64, 64, device="cuda", dtype=torch.float32)
    for _ in range(3):
        product[(1,)](a, b, c, 64)
    torch.cuda.synchronize()
    if not torch.allclose(c, (a @ b.t()).float(), atol=0.1):
        sys.exit("the product is wrong")


def with_compile():
    import torch

    if not torch.cuda.is_available():
        sys.exit(77)

    @torch.compile
    def step(x):
        return torch.softmax(torch.nn.functional.gelu(x), dim=-1).sum(dim=0)

    x = torch.randn(512, 1000, device="cuda")
    for _ in range(3):
        y = step(x)
    torch.cuda.synchronize()
    if not torch.isfinite(y).all():
        sys.exit("the sum is not finite")


def main():
    try:
        {"cupy": with_cupy, "numba": with_numba, "triton": with_triton, "compile": with_compile}[sys.argv[1]]()
    except ImportError as missing:
        print(missing, file=sys.stderr)
        sys.exit(77)


main()
