# SPDX-License-Identifier: MIT
"""Kernels of Triton, Numba and NVRTC (as CuPy uses it), with arguments and what they should compute.

`cases()` returns them all; test_foreign.py runs them on the CPU. `python foreign_kernels.py FOLDER`
keeps each launch in a folder of its own there, for a GPU (tests/gpu/replay_kept.c).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

warnings.simplefilter("ignore")
import triton
import triton.language as tl
from numba import cuda, float32, float64, int32


@dataclass(frozen=True)
class Case:
    """check(arguments) raises if the arguments are wrong after the launch."""

    name: str
    kernel: Any
    grid: Any
    arguments: Sequence[Any]
    check: Callable[..., None]
    block: Any = None
    constants: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


def random(*shape: int, seed: int = 1, dtype: Any = np.float32) -> Any:
    return (np.random.default_rng(seed).random(shape) - 0.5).astype(dtype)


def near(tolerance: float) -> Callable[[Any, Any], None]:
    return lambda got, want: np.testing.assert_allclose(
        got.astype(np.float64), want.astype(np.float64), rtol=tolerance, atol=tolerance
    )


equal = np.testing.assert_array_equal


# ---- Triton ----


@triton.jit
def t_softmax(out, x, columns, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, WIDTH)
    a = tl.load(x + row * columns + at, mask=at < columns, other=float("-inf"))
    e = tl.exp(a - tl.max(a, 0))
    tl.store(out + row * columns + at, e / tl.sum(e, 0), mask=at < columns)


@triton.jit
def t_layer_norm(out, x, weight, bias, columns, eps, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, WIDTH)
    inside = at < columns
    a = tl.load(x + row * columns + at, mask=inside, other=0.0)
    mean = tl.sum(a, 0) / columns
    centred = tl.where(inside, a - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, 0) / columns + eps)
    w = tl.load(weight + at, mask=inside)
    b = tl.load(bias + at, mask=inside)
    tl.store(out + row * columns + at, centred * scale * w + b, mask=inside)


@triton.jit
def t_matmul(
    c, a, b, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, EXACT: tl.constexpr
):
    r = tl.program_id(0) * M + tl.arange(0, M)
    s = tl.program_id(1) * N + tl.arange(0, N)
    t = tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for step in range(0, k, K):
        x = tl.load(a + r[:, None] * k + (step + t)[None, :])
        y = tl.load(b + (step + t)[:, None] * n + s[None, :])
        total = tl.dot(x, y, total, input_precision=EXACT)
    tl.store(c + r[:, None] * n + s[None, :], total.to(c.dtype.element_ty))


@triton.jit
def t_matmul_int8(c, a, b, n, k, M: tl.constexpr, K: tl.constexpr):
    r = tl.program_id(0) * M + tl.arange(0, M)
    s = tl.program_id(1) * M + tl.arange(0, M)
    t = tl.arange(0, K)
    total = tl.zeros((M, M), tl.int32)
    for step in range(0, k, K):
        x = tl.load(a + r[:, None] * k + (step + t)[None, :])
        y = tl.load(b + s[None, :] * k + (step + t)[:, None])
        total = tl.dot(x, y, total)
    tl.store(c + r[:, None] * n + s[None, :], total)


@triton.jit
def t_attention(out, q, k, v, length, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    r = tl.program_id(0) * M + tl.arange(0, M)
    d = tl.arange(0, D)
    query = tl.load(q + r[:, None] * D + d[None, :])
    most = tl.full((M,), float("-inf"), tl.float32)
    weight = tl.zeros((M,), tl.float32)
    total = tl.zeros((M, D), tl.float32)
    for start in range(0, length, N):
        s = start + tl.arange(0, N)
        key = tl.load(k + s[None, :] * D + d[:, None])
        score = tl.dot(query, key) * scale
        high = tl.maximum(most, tl.max(score, 1))
        p = tl.exp(score - high[:, None])
        keep = tl.exp(most - high)
        weight = weight * keep + tl.sum(p, 1)
        value = tl.load(v + s[:, None] * D + d[None, :])
        total = total * keep[:, None] + tl.dot(p.to(value.dtype), value)
        most = high
    tl.store(out + r[:, None] * D + d[None, :], total / weight[:, None])


@triton.jit
def t_cumsum(out, x, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + at, tl.cumsum(tl.load(x + at), 0))


@triton.jit
def t_sort(out, x, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + at, tl.sort(tl.load(x + at)))


@triton.jit
def t_histogram(counts, x, N: tl.constexpr, BINS: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.atomic_add(counts + tl.arange(0, BINS), tl.histogram(tl.load(x + at), BINS))


@triton.jit
def t_transpose(out, a, n, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    tile = tl.load(a + r[:, None] * n + c[None, :])
    tl.store(out + c[:, None] * n + r[None, :], tl.trans(tile))


@triton.jit
def t_argmax(out, x, n, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    tl.store(out + row, tl.argmax(tl.load(x + row * n + tl.arange(0, WIDTH)), 0))


@triton.jit
def t_dropout(out, x, seed, p, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    keep = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(keep, tl.load(x + at) / (1 - p), 0.0))


def softmax_of(x: Any) -> Any:
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def triton_rows() -> Iterator[Case]:
    x = random(16, 1000)
    yield Case(
        "triton-softmax", t_softmax, 16, (np.zeros_like(x), x, 1000),
        lambda out, x, _: near(1e-6)(out, softmax_of(x)), constants={"WIDTH": 1024},
    )
    weight, bias = random(1000, seed=2), random(1000, seed=3)

    def normed(out: Any, x: Any, w: Any, b: Any, _: int, eps: float) -> None:
        centred = x - x.mean(1, keepdims=True, dtype=np.float64)
        want = centred / np.sqrt((centred**2).mean(1, keepdims=True) + eps) * w + b
        near(1e-5)(out, want)

    yield Case(
        "triton-layer-norm", t_layer_norm, 16, (np.zeros_like(x), x, weight, bias, 1000, 1e-5),
        normed, constants={"WIDTH": 1024}, options={"num_warps": 8},
    )
    yield Case(
        "triton-argmax", t_argmax, 16, (np.zeros(16, np.int32), random(16, 1024), 1024),
        lambda out, x, _: equal(out, x.argmax(1)), constants={"WIDTH": 1024},
    )


def triton_products() -> Iterator[Case]:
    def product(tolerance: float) -> Callable[..., None]:
        return lambda c, a, b, *_: near(tolerance)(c, a.astype(np.float64) @ b.astype(np.float64))

    for name, dtype, precision, warps, stages, tolerance in (
        ("half", np.float16, "tf32", 4, 3, 2e-3),
        ("half-8-warps", np.float16, "tf32", 8, 4, 2e-3),
        ("float", np.float32, "ieee", 4, 2, 1e-5),
        ("tf32", np.float32, "tf32", 4, 3, 5e-3),
    ):
        a, b = random(128, 128, dtype=dtype), random(128, 128, seed=2, dtype=dtype)
        yield Case(
            f"triton-matmul-{name}", t_matmul, (2, 2),
            (np.zeros((128, 128), np.float32), a, b, 128, 128, 128), product(tolerance),
            constants={"M": 64, "N": 64, "K": 32, "EXACT": precision},
            options={"num_warps": warps, "num_stages": stages},
        )
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-128, 128, (128, 128)).astype(np.int8) for _ in range(2))
    yield Case(
        "triton-matmul-int8", t_matmul_int8, (2, 2), (np.zeros((128, 128), np.int32), a, b, 128, 128),
        lambda c, a, b, *_: equal(c, a.astype(np.int32) @ b.astype(np.int32).T),
        constants={"M": 64, "K": 32},
    )
    q, k, v = (random(128, 64, seed=s, dtype=np.float16) for s in (4, 5, 6))

    def attended(out: Any, q: Any, k: Any, v: Any, _: int, scale: float) -> None:
        q, k, v = (one.astype(np.float64) for one in (q, k, v))
        near(2e-3)(out, softmax_of(q @ k.T * scale) @ v)

    yield Case(
        "triton-attention", t_attention, 2, (np.zeros((128, 64), np.float32), q, k, v, 128, 0.125),
        attended, constants={"M": 64, "N": 64, "D": 64}, options={"num_stages": 2},
    )


def triton_others() -> Iterator[Case]:
    rng = np.random.default_rng(7)
    x = rng.integers(0, 1000, 4 * 512).astype(np.int32)
    zeros = np.zeros_like(x)
    rows = (4, 512)
    yield Case(
        "triton-cumsum", t_cumsum, 4, (zeros.copy(), x),
        lambda out, x: equal(out.reshape(rows), x.reshape(rows).cumsum(1)), constants={"N": 512},
    )
    yield Case(
        "triton-sort", t_sort, 4, (zeros.copy(), x),
        lambda out, x: equal(out.reshape(rows), np.sort(x.reshape(rows), 1)), constants={"N": 512},
    )
    small = (x % 64).astype(np.int32)
    yield Case(
        "triton-histogram", t_histogram, 4, (np.zeros(64, np.int32), small),
        lambda out, x: equal(out, np.bincount(x, minlength=64)), constants={"N": 512, "BINS": 64},
    )
    a = random(128, 128)
    for warps in (4, 8):
        yield Case(
            f"triton-transpose-{warps}", t_transpose, (2, 2), (np.zeros_like(a), a, 128),
            lambda out, a, _: equal(out, a.T), constants={"B": 64}, options={"num_warps": warps},
        )
    b = random(2048)

    def dropped(out: Any, x: Any, _: int, p: float) -> None:
        kept = out != 0
        near(1e-6)(out[kept], x[kept] / (1 - p))
        assert 0.6 < kept.mean() < 0.8, kept.mean()

    yield Case(
        "triton-dropout", t_dropout, 4, (np.zeros_like(b), b, 42, 0.3), dropped, constants={"N": 512}
    )


# ---- Numba ----


@cuda.jit
def n_sum(out, x):
    part = cuda.shared.array(256, float64)
    i = cuda.grid(1)
    part[cuda.threadIdx.x] = x[i] if i < x.size else 0.0
    step = 128
    while step > 0:
        cuda.syncthreads()
        if cuda.threadIdx.x < step:
            part[cuda.threadIdx.x] += part[cuda.threadIdx.x + step]
        step //= 2
    if cuda.threadIdx.x == 0:
        out[cuda.blockIdx.x] = part[0]


@cuda.jit
def n_matmul(c, a, b):
    left = cuda.shared.array((16, 16), float32)
    right = cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0.0)
    for i in range(a.shape[1] // 16):
        left[ty, tx] = a[y, i * 16 + tx]
        right[tx, ty] = b[i * 16 + ty, x]
        cuda.syncthreads()
        for j in range(16):
            total += left[ty, j] * right[tx, j]
        cuda.syncthreads()
    c[y, x] = total


@cuda.jit
def n_histogram(counts, x):
    own = cuda.shared.array(64, int32)
    if cuda.threadIdx.x < 64:
        own[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(own, x[i], 1)
    cuda.syncthreads()
    if cuda.threadIdx.x < 64:
        cuda.atomic.add(counts, cuda.threadIdx.x, own[cuda.threadIdx.x])


@cuda.jit
def n_stencil(out, x):
    tile = cuda.shared.array((18, 34), float32)
    col, row = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    for y in range(ty, 18, 16):
        for c in range(tx, 34, 32):
            r = cuda.blockIdx.y * 16 + y - 1
            s = cuda.blockIdx.x * 32 + c - 1
            inside = 0 <= r < x.shape[0] and 0 <= s < x.shape[1]
            tile[y, c] = x[r, s] if inside else 0.0
    cuda.syncthreads()
    out[row, col] = (
        tile[ty, tx + 1] + tile[ty + 2, tx + 1] + tile[ty + 1, tx] + tile[ty + 1, tx + 2]
    )


@cuda.jit
def n_escape(out, low, high, limit):
    col, row = cuda.grid(2)
    c = complex(low + (high - low) * col / out.shape[1], -1.0 + 2.0 * row / out.shape[0])
    z = 0j
    count = 0
    while count < limit and z.real * z.real + z.imag * z.imag < 4.0:
        z = z * z + c
        count += 1
    out[row, col] = count


def escape_counts(out: Any, low: float, high: float, limit: int) -> None:
    col, row = np.meshgrid(np.arange(out.shape[1]), np.arange(out.shape[0]))
    c = low + (high - low) * col / out.shape[1] + 1j * (-1.0 + 2.0 * row / out.shape[0])
    z, count = np.zeros_like(c), np.zeros(out.shape, np.int32)
    for _ in range(limit):
        inside = np.abs(z) < 2
        z[inside] = z[inside] ** 2 + c[inside]
        count[inside] += 1
    assert (out != count).mean() < 0.02  # at the edge, rounding decides


def padded_sum(out: Any, x: Any) -> None:
    p = np.pad(x, 1)
    near(1e-6)(out, p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:])


def numba() -> Iterator[Case]:
    x = random(2000, dtype=np.float64)
    yield Case(
        "numba-sum", n_sum, 8, (np.zeros(8), x),
        lambda out, x: near(1e-12)(out.sum(), x.sum()), block=256,
    )
    a, b = random(64, 96), random(96, 64, seed=2)
    yield Case(
        "numba-matmul", n_matmul, (4, 4), (np.zeros((64, 64), np.float32), a, b),
        lambda c, a, b: near(1e-5)(c, a @ b), block=(16, 16),
    )
    bins = np.random.default_rng(5).integers(0, 64, 5000).astype(np.int32)
    yield Case(
        "numba-histogram", n_histogram, 4, (np.zeros(64, np.int32), bins),
        lambda out, x: equal(out, np.bincount(x, minlength=64)), block=128,
    )
    field = random(64, 128)
    yield Case(
        "numba-stencil", n_stencil, (4, 4), (np.zeros_like(field), field), padded_sum, block=(32, 16)
    )
    yield Case(
        "numba-escape", n_escape, (2, 4), (np.zeros((32, 64), np.int32), -2.0, 1.0, 50),
        escape_counts, block=(32, 8),
    )


def cases() -> Iterator[Case]:
    yield from triton_rows()
    yield from triton_products()
    yield from triton_others()
    yield from numba()


def run(case: Case, **more: Any) -> Any:
    import smemprobe

    extra = {"constants": case.constants, "options": case.options} if case.block is None else {}
    done = smemprobe.emulate(
        case.kernel, case.grid, case.block, case.arguments, **extra, **more
    )
    case.check(*case.arguments)
    return done


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for one in cases():
        if len(sys.argv) > 2 and one.name not in sys.argv[2:]:
            continue
        try:
            result = run(one, capture=folder / one.name)
            print(f"{one.name}: right, {len(result.instructions)} instructions {result.messages}")
        except (AssertionError, Exception) as problem:
            print(f"{one.name}: {type(problem).__name__} {str(problem)[:300]}")
