# SPDX-License-Identifier: MIT
"""Kernels of Triton and Numba on the CPU: they compute what they should, and cost what they should."""

import linecache
import math
import os
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

warnings.simplefilter("ignore")
import triton
import triton.language as tl
from numba import cuda, float32
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor as GluonDescriptor
from triton.tools.tensor_descriptor import TensorDescriptor

os.environ.update(CUTE_DSL_ARCH="sm_90a", CUTE_DSL_KEEP_CUBIN="1", CUTE_DSL_LINEINFO="1")
try:
    import cutlass
    from cutlass import cute
except ImportError:
    cutlass = None

import smemprobe
from smemprobe import SmemprobeError, emulate


SCRIPT = """
import sys
import numpy as np, triton, triton.language as tl
@triton.jit
def copy(out, x, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, tl.load(x + i))
x = np.arange(int(sys.argv[1]), dtype=np.float32)
out = np.zeros_like(x)
copy[lambda meta: (len(x) // meta["N"],)](out, x, N=4, num_warps=1)
print((out == x).all())
"""


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def scale(x, factor, shift, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * factor + shift, mask=i < n)


@triton.jit
def turn(out, a, n, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    tile = tl.load(a + r[:, None] * n + c[None, :])
    tl.store(out + c[:, None] * n + r[None, :], tl.trans(tile))


@triton.autotune(configs=[triton.Config({"BLOCK": 128}, num_warps=2), triton.Config({"BLOCK": 64}, num_warps=2)], key=["n"])
@triton.heuristics({"EVEN": lambda values: values["n"] % values["BLOCK"] == 0})
@triton.jit
def tuned(out, x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, FACTOR: tl.constexpr = 3):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(out + i, tl.load(x + i) * FACTOR)
    else:
        tl.store(out + i, tl.load(x + i, mask=i < n) * FACTOR, mask=i < n)


@triton.jit
def widen(out, x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(tl.float32))


@triton.jit
def row_sums(out, x, N: tl.constexpr):
    row = tl.program_id(0)
    tl.store(out + row, tl.sum(tl.load(x + row * N + tl.arange(0, N)), 0))


@triton.jit
def double(out, x, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i = tl.program_id(0) * ROWS
    out.store([i, 0], x.load([i, 0]) * 2)


@triton.jit
def product(a, b, out, M, N, K, B: tl.constexpr):
    a = tl.make_tensor_descriptor(a, [M, K], [K, 1], [B, B])
    b = tl.make_tensor_descriptor(b, [N, K], [K, 1], [B, B])
    out = tl.make_tensor_descriptor(out, [M, N], [N, 1], [B, B])
    row, column = tl.program_id(0) * B, tl.program_id(1) * B
    sums = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        sums = tl.dot(a.load([row, k]), b.load([column, k]).T, sums)
    out.store([row, column], sums.to(tl.float16))


@triton.jit
def softmax(out, x, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    row = tl.load(x + at).to(tl.float32)
    row = tl.exp(row - tl.max(row, 0))
    tl.store(out + at, row / tl.sum(row, 0))


@gluon.jit
def double_by_hand(out, x, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 2], [1, 32], [4, 1], [1, 0])
    tile = gl.allocate_shared_memory(x.dtype, [ROWS, COLUMNS], x.layout)
    arrived = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(arrived, count=1)
    mbarrier.expect(arrived, x.block_type.nbytes)
    tma.async_load(x, [gl.program_id(0) * ROWS, 0], arrived, tile)
    mbarrier.wait(arrived, phase=0)
    row = gl.program_id(0) * ROWS + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))
    gl.store(out + row[:, None] * COLUMNS + column[None, :], tile.load(layout) * 2)


@gluon.jit
def turn_by_hand(out, a, B: gl.constexpr, PHASES: gl.constexpr):
    rows: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, PHASES, order=[1, 0])
    i = gl.arange(0, B, layout=gl.SliceLayout(1, rows))
    j = gl.arange(0, B, layout=gl.SliceLayout(0, rows))
    tile = gl.allocate_shared_memory(gl.float32, [B, B], shared)
    tile.store(gl.load(a + i[:, None] * B + j[None, :]))
    gl.store(out + i[:, None] * B + j[None, :], tile.permute([1, 0]).load(rows))


@gluon.jit
def move(out, a, REGISTERS: gl.constexpr, SHARED: gl.constexpr, BACK: gl.constexpr):
    i = gl.arange(0, 32, layout=gl.SliceLayout(1, REGISTERS))
    j = gl.arange(0, 32, layout=gl.SliceLayout(0, REGISTERS))
    tile = gl.allocate_shared_memory(gl.float32, [32, 32], SHARED)
    tile.store(gl.load(a + i[:, None] * 32 + j[None, :]))
    i = gl.arange(0, 32, layout=gl.SliceLayout(1, BACK))
    j = gl.arange(0, 32, layout=gl.SliceLayout(0, BACK))
    gl.store(out + i[:, None] * 32 + j[None, :], tile.load(BACK))


def cute_transpose(width):
    """Compiles the kernel for a tile with rows of this many elements."""

    @cute.kernel
    def kernel(out: cute.Tensor, a: cute.Tensor):
        x, y, _ = cute.arch.thread_idx()
        tile = cutlass.memory.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout((32, 32), stride=(width, 1)), 16)
        tile[y, x] = a[y, x]
        cute.arch.sync_threads()
        out[y, x] = tile[x, y]

    @cute.jit
    def launch(out: cute.Tensor, a: cute.Tensor):
        kernel(out, a).launch(grid=[1, 1, 1], block=[32, 32, 1])

    tensor = cute.runtime.make_fake_compact_tensor(cutlass.Float32, (32, 32), stride_order=(1, 0))
    return cute.compile(launch, tensor, tensor)


def transpose(width):
    @cuda.jit
    def kernel(out, a):
        tile = cuda.shared.array((32, width), float32)
        x = cuda.blockIdx.x * 32 + cuda.threadIdx.x
        y = cuda.blockIdx.y * 32 + cuda.threadIdx.y
        for j in range(0, 32, 8):
            tile[cuda.threadIdx.y + j, cuda.threadIdx.x] = a[y + j, x]
        cuda.syncthreads()
        x = cuda.blockIdx.y * 32 + cuda.threadIdx.x
        y = cuda.blockIdx.x * 32 + cuda.threadIdx.y
        for j in range(0, 32, 8):
            out[y + j, x] = tile[cuda.threadIdx.x, cuda.threadIdx.y + j]

    return kernel


class Triton(unittest.TestCase):
    def test_a_sum(self) -> None:
        x = np.arange(1008, dtype=np.float32)
        y, out = 3 * x, np.zeros_like(x)
        x.setflags(write=False)
        done = emulate(add, 4, arguments=(x, y, out, 1008), constants={"BLOCK": 256})
        np.testing.assert_array_equal(out, x + y)
        # 1008 floats are 126 sectors, read twice and written once, because Triton knows that 16 divides 1008.
        self.assertEqual(done.total("sectors"), 3 * 126)
        self.assertTrue(all(one["file"] == __file__ for one in done.instructions))
        with tempfile.TemporaryDirectory() as folder:
            done.save(Path(folder, "sum.md"))
            head = Path(folder, "sum.md").read_text().splitlines()[0]
        self.assertRegex(head, r"^\*\*0 %\*\* of 378 sectors are excess \(0\)\.$")  # without shared memory

    def test_numbers_of_all_kinds(self) -> None:
        for n in (1, 64, 100):
            x = np.arange(128, dtype=np.float32)
            emulate(scale, 1, (x, 0.5, 3, n), constants={"BLOCK": 128})  # as for sweep
            want = np.arange(128, dtype=np.float32)
            want[:n] = want[:n] * 0.5 + 3
            np.testing.assert_array_equal(x, want)

    def test_views_are_what_they_are_on_a_gpu(self) -> None:
        """Triton takes them for aligned only if they are; arguments share memory."""
        for start, opcode, sectors in ((0, "LDG.E.128", 32), (4, "LDG.E.128", 34), (1, "LDG.E", 34)):
            whole = np.arange(600, dtype=np.float32)
            x, y = whole[start : start + 256], np.zeros(256, np.float32)
            done = emulate(add, 1, arguments=(x, y, x, 256), constants={"BLOCK": 256}, options={"num_warps": 2})
            loads = [(one["opcode"], one["sectors"]) for one in done.instructions if one["op"] == "ld.global"]
            self.assertIn((opcode, sectors), loads)
            np.testing.assert_array_equal(whole, np.arange(600))
            emulate(scale, 2, arguments=(x, 2.0, 0, 256), constants={"BLOCK": 128})
            np.testing.assert_array_equal(x, 2 * np.arange(start, start + 256))
            emulate(add, 1, arguments=(x, x, x, 256), constants={"BLOCK": 256})
            np.testing.assert_array_equal(x, 4 * np.arange(start, start + 256))

    def test_writes_between_the_elements_of_a_view(self) -> None:
        """Triton does not know strides: 31 floats are the memory of 16 elements."""
        for n, kinds in ((31, []), (32, ["out of bounds"])):
            whole = np.ones(33, np.float32)
            done = emulate(scale, 1, arguments=(whole[1:33:2], 2.0, 0, n), constants={"BLOCK": 32})
            self.assertEqual([one.kind for one in done.findings], kinds)
            np.testing.assert_array_equal(whole, [1, *[2 if n == 31 else 1] * 31, 1])

    def test_a_tile_through_shared_memory(self) -> None:
        a = np.random.default_rng(1).random((128, 128), np.float32)
        out = np.zeros_like(a)
        for warps in (4, 8):
            done = emulate(
                turn, (2, 2), arguments=(out, a, 128), constants={"B": 64},
                options={"num_warps": warps},
            )
            np.testing.assert_array_equal(out, a.T)
            self.assertGreater(done.total("wavefronts"), 0)
            out[:] = 0

    def test_configurations_heuristics_defaults(self) -> None:
        """@triton.autotune, @triton.heuristics and default constexprs work as in a launch."""
        x = np.arange(1000, dtype=np.float32)
        for n, constants, config in (
            (1000, {}, "BLOCK=128, num_warps=2, num_stages=3"),
            (1000, {"BLOCK": 512, "FACTOR": 5}, "BLOCK=128, num_warps=2, num_stages=3"),
        ):
            out = np.zeros_like(x)
            grid = lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)  # noqa: E731
            done = emulate(tuned, grid, arguments=(out, x, n), constants=constants, arch="A100")
            np.testing.assert_array_equal(out, constants.get("FACTOR", 3) * x)
            self.assertEqual(done.config, config)
            self.assertEqual(done.data["runs"][0]["device"], "sm_80")
        named = np.zeros_like(x)
        emulate(tuned, 8, arguments={"n": 1000, "out": named, "x": x})
        np.testing.assert_array_equal(named, 3 * x)

    def test_all_configurations_are_ranked(self) -> None:
        a = np.random.default_rng(1).random((128, 128), np.float32)
        out = np.zeros_like(a)
        grid = lambda meta: (128 // meta["B"], 128 // meta["B"])  # noqa: E731
        done = smemprobe.sweep(turn, grid, (out, a, 128), configs=[{"B": 32, "num_warps": 4}, triton.Config({"B": 64}), {"B": 24}])
        self.assertEqual([one.ok for one in done], [True, True, False])
        self.assertEqual(done.named("B=24").verdict, "not compiled")
        assert done.best is not None and done.best_config is not None and done[1].cost is not None
        self.assertLess(done.best.cost, done[1].cost)
        self.assertIn(done.best_config.constants["B"], (32, 64))
        self.assertFalse(out.any())
        tried = smemprobe.sweep(tuned, 8, (np.zeros(1000, np.float32), np.ones(1000, np.float32), 1000))
        # Both know that 1000 is no multiple of 16; eight blocks of 64 leave the rest unchanged.
        self.assertEqual(sorted(one.verdict for one in tried), ["differs", "ok"])
        with self.assertRaisesRegex(SmemprobeError, "configs= is required"):
            smemprobe.sweep(turn, grid, (out, a, 128))

    def test_fix_tries_the_configurations_of_a_script(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "script.py"
            script.write_text(SCRIPT)
            ran = subprocess.run(
                [sys.executable, "-m", "smemprobe", "fix", "--time", "50", str(script), "32"], capture_output=True, text=True, check=False
            )
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        head, *lines, best, printed = ran.stdout.splitlines()
        self.assertRegex(head, r"^copy \(script\.py:\d+\): 2 configurations for sm_90, by cost")
        self.assertEqual(sorted(line[5:].strip().split(":")[0] for line in lines),
                         ["N=4, num_warps=1", "N=4, num_warps=2"])  # stages change nothing
        self.assertEqual([line[0] for line in lines].count(">"), 1)
        self.assertEqual(printed, "True")  # the launch writes into the script's arrays
        self.assertTrue(best.startswith("best: "))

    def test_times_on_a_gpu_rank_configurations(self) -> None:
        from smemprobe._tune import Launch, report

        x = np.ones(1024, np.float32)
        launch = Launch(tuned, lambda meta: (1024 // meta["BLOCK"],), (np.zeros_like(x), x, 1024), {})
        for milliseconds, best in (((0.003, 0.002), "best: BLOCK=64, num_warps=2"), ((0.003, 0.00299), "best: the current one, BLOCK=128")):
            times = [one for _ in range(5) for one in milliseconds]  # in turns
            with (
                mock.patch.object(Launch, "is_on_gpu", True),
                mock.patch("triton.testing.do_bench", side_effect=lambda run, times=times, **how: times.pop(0)),
            ):
                lines = report(launch, "sm_90", 60).splitlines()
            self.assertIn("by time on the GPU", lines[0])
            self.assertRegex(lines[1], r"^   1  BLOCK=64.* 3\.0 us$|^   1  BLOCK=64.* 2\.0 us$")
            self.assertTrue(lines[-1].startswith(best), lines)

    def test_neighbours_of_a_configuration(self) -> None:
        from smemprobe._triton import config_of
        from smemprobe._tune import CONFIGS_MAX, neighbours

        names = [str(one) for one in neighbours(config_of({"B": 64, "EVEN": True, "K": 3, "num_warps": 8}))]
        self.assertEqual(names[:3], ["B=64, EVEN=True, K=3, num_warps=8", "B=32, EVEN=True, K=3, num_warps=8", "B=128, EVEN=True, K=3, num_warps=8"])
        self.assertIn("B=32, EVEN=True, K=3, num_warps=4", names)
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual(len(neighbours(config_of({"M": 64, "N": 64, "K": 32}))), CONFIGS_MAX)

    def test_narrow_types(self) -> None:
        x = (np.arange(128, dtype=np.float32) / 4)
        bits = (x.view(np.uint32) >> 16).astype(np.uint16)
        emulate(scale, 1, arguments=(smemprobe.Tensor(bits, "bfloat16"), 2.0, 1, 128), constants={"BLOCK": 128})
        np.testing.assert_array_equal((bits.astype(np.uint32) << 16).view(np.float32), 2 * x + 1)
        eighths = np.array([0x38, 0x40, 0xB8, 0] * 32, np.uint8)  # 1, 2, -1, 0 as e4m3
        out = np.zeros(128, np.float32)
        emulate(widen, 1, arguments=(out, smemprobe.Tensor(eighths, "float8_e4m3fn")), constants={"N": 128})
        np.testing.assert_array_equal(out, [1, 2, -1, 0] * 32)

    def test_lines_are_the_user_s(self) -> None:
        """A reduction's accesses to shared memory count for the line that calls it."""
        x = np.random.default_rng(1).random((4, 256), np.float32)
        done = emulate(row_sums, 4, arguments=(np.zeros(4, np.float32), x), constants={"N": 256})
        self.assertEqual({one.file for one in done.lines}, {__file__})
        (line,) = (one for one in done.lines if one.wavefronts)
        self.assertIn("tl.sum(", line.source)
        loads = [one["line"] for one in done.instructions if one["opcode"].startswith("LDG")]
        self.assertEqual(loads, [line.line])  # also if Triton loads by assembly of several lines
        self.assertIn("tl.sum", done._repr_html_())

    def test_a_copy_of_a_file_has_its_own_lines(self) -> None:
        """Triton's cache knows the text of a kernel, not its file."""
        text = "import triton, triton.language as tl\n\n@triton.jit\ndef one(x):\n    tl.store(x, 1)\n"
        with tempfile.TemporaryDirectory() as folder:
            for name in ("first", "second"):
                file = Path(folder) / f"{name}.py"
                file.write_text(text)
                made: dict[str, Any] = {"__name__": name}
                linecache.checkcache(str(file))
                exec(compile(text, file, "exec"), made)
                (line,) = emulate(made["one"], 1, (np.zeros(1, np.int32),)).lines
                self.assertEqual((line.file, line.source), (str(file), "tl.store(x, 1)"))

    def test_shared_layouts_lie_as_triton_says(self) -> None:
        """Triton's own layouts as objects."""
        from triton.experimental.gluon import language as gluon

        of = gluon.SwizzledSharedLayout(8, 1, 8, order=[1, 0])
        tile = smemprobe.tile_layout(of, (64, 64), "half")
        self.assertEqual(tile, smemprobe.SwizzledShared((64, 64), 8, 1, 8, (1, 0), "half"))
        padded = gluon.PaddedSharedLayout.with_identity_for([[32, 4]], [32, 32], [1, 0])
        self.assertEqual(
            smemprobe.tile_layout(padded, (32, 32)), smemprobe.PaddedShared((32, 32), ((32, 4),))
        )
        wide = gluon.NVMMASharedLayout(128, 16)
        self.assertEqual(smemprobe.tile_layout(wide, (64, 64), "half"), tile)

    def test_descriptors_of_the_kernel(self) -> None:
        """They lie in scratch memory, or are plain pointers on chips without tensor copies."""
        rng = np.random.default_rng(3)
        a, b = (rng.integers(-4, 4, (128, 128)).astype(np.float16) for _ in range(2))
        for arch in ("sm_80", "sm_90", "sm_120"):
            out = np.zeros_like(a)
            done = emulate(product, (2, 2), (a, b, out, 128, 128, 128), constants={"B": 64}, arch=arch)
            np.testing.assert_array_equal(out, a @ b.T)
            self.assertEqual((done.ok, done.messages), (True, ""))
        done = emulate(product, (2, 2), (a, b, out, 128, 128, 128), constants={"B": 64}, arch="sm_100")
        self.assertIn(" (tcgen05, tensor memory) is not emulated", done.findings[0].message)

    def test_descriptors_of_the_host(self) -> None:
        """Also over columns of a wider array, whose rows have gaps and start behind the array."""
        for arch in ("sm_80", "sm_90"):
            for columns in (slice(0, 64), slice(32, 96)):
                both = np.arange(64 * 128, dtype=np.float32).reshape(64, 128)
                want, out = 2 * both[:, columns], np.zeros((64, 64), np.float32)
                maps = [
                    TensorDescriptor(smemprobe.Tensor(one, "float32"), [64, 64], [one.strides[0] // 4, 1], [32, 64])
                    for one in (out, both[:, columns])
                ]
                done = emulate(double, 2, (*maps,), constants={"ROWS": 32, "COLUMNS": 64}, arch=arch)
                np.testing.assert_array_equal(out, want)
                code = double.fn.__code__
                lines = range(code.co_firstlineno, code.co_firstlineno + 5)
                self.assertLessEqual({one.line for one in done.lines}, set(lines))
        nan = TensorDescriptor(smemprobe.Tensor(out, "float32"), [64, 64], [64, 1], [32, 64], round_f32_to_tf32=True)
        with self.assertRaisesRegex(SmemprobeError, "argument out: of tensor descriptors, .* are not supported"):
            emulate(double, 2, (nan, maps[1]), constants={"ROWS": 32, "COLUMNS": 64})

    def test_clusters(self) -> None:
        x = np.arange(1024, dtype=np.float32)
        out = np.zeros_like(x)
        done = emulate(
            add, 2, arguments=(x, x, out, 1024), constants={"BLOCK": 512}, options={"num_ctas": 2, "num_warps": 4}
        )
        np.testing.assert_array_equal(out, 2 * x)
        self.assertIn("add<<<dim3(4)", done.text)

    def test_reductions_have_no_notes(self) -> None:
        """Several threads write a sum that they all have, which only Triton could change."""
        x = np.random.default_rng(4).random((2, 256)).astype(np.float16)
        e = np.exp(x.astype(np.float32) - x.max(1, keepdims=True))
        for arch in ("sm_90", "sm_100", "sm_120"):  # the last two have instructions for pairs and for halves
            out = np.zeros((2, 256), np.float32)
            done = emulate(softmax, 2, (out, x), constants={"N": 256}, races=True, arch=arch)
            np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=1e-5)
            self.assertEqual((done.findings, done.messages), ((), ""))

    def test_what_is_wrong_is_said(self) -> None:
        x = np.zeros(64, np.float32)
        for words, options, text in (
            ((add, 1), {"arguments": (x, x)}, r"takes 5: x, y, out, n, BLOCK \(BLOCK: by constants=\)"),
            ((add, 1), {"arguments": (x, x, x, 4), "constants": {"BLOK": 64}}, "no argument 'BLOK'; did you mean 'BLOCK'"),
            ((add, 1), {"arguments": (x, x, x, 4), "constants": {"block": 64}}, "did you mean 'BLOCK'"),
            ((add, 1), {"arguments": (x, x, x, 4), "constants": {"BLOCK": 64}, "options": {"num_warp": 4}}, "mean 'num_warps'"),
            ((add,), {"arguments": (x, x, x, 4), "constants": {"BLOCK": 64}}, "grid= is required"),
            ((add, 1, 64), {"arguments": (x,)}, "set by Triton.s num_warps"),
            ((add, 0), {"arguments": (x, x, x, 4), "constants": {"BLOCK": 64}}, "grid=0"),
            ((add, 1), {"arguments": ("x", x, x, 4), "constants": {"BLOCK": 64}}, "x: str is"),
            ((add, 1), {"arguments": (x[::-1], x, x, 4), "constants": {"BLOCK": 64}}, "has strides"),
            ((add, 1), {"arguments": (x, x, x, 4), "arch": "sm_1"}, "unknown architecture"),
            ((3, 1), {}, "3 is neither a kernel"),
            ((len, 1, 32), {}, "neither a kernel"),
            ((add[(1,)],), {"arguments": (x, x, x, 4)}, r"give the kernel itself: emulate\(kernel, grid, "),
        ):
            with self.assertRaisesRegex(SmemprobeError, text):
                emulate(*words, **options)
        with mock.patch("triton.compile", side_effect=RuntimeError("PassManager::run failed")):
            with self.assertRaisesRegex(SmemprobeError, "Triton cannot compile this kernel for sm_90: PassManager"):
                emulate(add, 1, arguments=(x, x, x, 4), constants={"BLOCK": 64})
            ranked = smemprobe.sweep(add, 1, (x, x, x, 4), configs=[{"BLOCK": 64}])
        self.assertEqual([one.why for one in ranked], ["PassManager::run failed"])


class Gluon(unittest.TestCase):
    def test_a_transpose_conflicts_until_it_is_swizzled(self) -> None:
        a = np.arange(1024, dtype=np.float32).reshape(32, 32)
        for phases, ways in ((1, 32), (32, 1)):
            out = np.zeros_like(a)
            done = emulate(turn_by_hand, 1, arguments=(out, a), constants={"B": 32, "PHASES": phases})
            np.testing.assert_array_equal(out, a.T)
            (line,) = (one for one in done.lines if ".load(rows)" in one.source)
            self.assertEqual(line.ways, ways)

    def test_descriptors_of_the_host(self) -> None:
        x = np.arange(64 * 64).reshape(64, 64).astype(np.float16)
        out = np.zeros_like(x)
        layout = gl.NVMMASharedLayout.get_default_for([32, 64], gl.float16)
        tiles = GluonDescriptor(smemprobe.Tensor(x, "float16"), [64, 64], [64, 1], [32, 64], layout)
        done = emulate(double_by_hand, 2, (out, tiles), constants={"ROWS": 32, "COLUMNS": 64}, races=True)
        np.testing.assert_array_equal(out, 2 * x)
        self.assertTrue(done.ok)

    def test_layouts_cost_what_triton_s_code_costs(self) -> None:
        """Layouts of registers and of the tile, compared with Triton's machine code."""
        blocked = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
        columns = gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1])
        linear = gl.DistributedLinearLayout(
            [[0, 1], [8, 0], [16, 0]], [[1, 0], [2, 0], [4, 0], [0, 2], [0, 4]], [[0, 8], [0, 16]], [], [32, 32]
        )
        skewed = gl.SharedLinearLayout([[0, 1 << bit] for bit in range(5)] + [[1 << bit, 1 << bit] for bit in range(5)])
        a = np.arange(1024, dtype=np.float32).reshape(32, 32)
        for registers, shared, back in (
            (blocked, gl.SwizzledSharedLayout(4, 1, 8, order=[1, 0]), columns),
            (blocked, skewed, columns),
            (columns, gl.SwizzledSharedLayout(2, 2, 8, order=[1, 0]), linear),
        ):
            out = np.zeros_like(a)
            done = emulate(move, 1, arguments=(out, a), constants={"REGISTERS": registers, "SHARED": shared, "BACK": back})
            np.testing.assert_array_equal(out, a)
            tile = smemprobe.tile_layout(shared, (32, 32))
            for layout, op, word in ((registers, "st", "tile.store"), (back, "ld", "tile.load")):
                (line,) = (one for one in done.lines if word in one.source)
                cost = smemprobe.tile_access(smemprobe.registers_of(layout, (32, 32)), tile, op)
                self.assertEqual((cost.wavefronts, cost.ideal, cost.ways), (line.wavefronts, line.ideal, line.ways))


@unittest.skipUnless(cutlass, "pip install nvidia-cutlass-dsl")
class CuteDsl(unittest.TestCase):
    def test_a_transpose_conflicts_until_it_is_padded(self) -> None:
        a = np.arange(1024, dtype=np.float32).reshape(32, 32)
        for width, ways in ((32, 32), (33, 1)):
            out = np.zeros_like(a)
            done = emulate(cute_transpose(width), 1, (32, 32), (out, a), shared_bytes=128 * width)
            np.testing.assert_array_equal(out, a.T)
            (line,) = (one for one in done.lines if "tile[x, y]" in one.source)
            self.assertEqual(line.ways, ways)

    def test_what_is_not_compiled_is_refused(self) -> None:
        @cute.jit
        def launch(a: cute.Tensor):
            pass

        with self.assertRaisesRegex(SmemprobeError, "compile a function of the CuTe DSL first: cute.compile"):
            emulate(launch, 1, 32, (np.zeros(4, np.float32),))


class Numba(unittest.TestCase):
    def test_a_transpose_conflicts_until_it_is_padded(self) -> None:
        a = np.random.default_rng(2).random((128, 128), np.float32)
        for width, excess in ((32, 4 * 4 * 8 * 4 * 31), (33, 0)):
            out = np.zeros_like(a)
            done = emulate(transpose(width), (4, 4), (32, 8), (out, a))
            np.testing.assert_array_equal(out, a.T)
            self.assertEqual(done.total("excess"), excess)

    def test_fortran_arrays_and_numbers(self) -> None:
        @cuda.jit
        def fill(out, start, step):
            i = cuda.grid(1)
            if i < out.shape[0]:
                out[i, 1] = start + i * step

        out = np.zeros((40, 3), np.float64, order="F")
        emulate(fill, 2, 32, (out, 5, 0.25))
        np.testing.assert_array_equal(out[:, 1], 5 + 0.25 * np.arange(40))
        self.assertEqual(out[:, [0, 2]].any(), False)

    def test_what_is_wrong_is_said(self) -> None:
        kernel = transpose(32)
        a = np.zeros((32, 32), np.float32)
        with self.assertRaisesRegex(SmemprobeError, "block= is required"):
            emulate(kernel, 1, arguments=(a, a))
        with self.assertRaisesRegex(SmemprobeError, "give the kernel itself"):
            emulate(kernel[1, (32, 32)], arguments=(a, a))
        with self.assertRaisesRegex(SmemprobeError, "for Triton only"):
            emulate(kernel, 1, 32, (a, a), constants={"B": 1})
        for wrong, name in (("a", "str"), ([1, 2], "list"), (None, "NoneType")):
            with self.assertRaisesRegex(SmemprobeError, f"argument a: {name} is neither array nor number"):
                emulate(kernel, 1, 32, (a, wrong))

    def test_names_are_the_sources_own(self) -> None:
        a = np.zeros((32, 32), np.float32)
        done = emulate(transpose(32), 1, (32, 32), (a, a.copy()))
        self.assertEqual(done.data["kernels"][0]["name"], transpose(32).py_func.__name__)

    def test_functions_and_tuples(self) -> None:
        @cuda.jit(device=True)
        def column(tile, i):
            return math.sin(tile[i * 32 % 1024])

        @cuda.jit
        def kernel(out, inputs):
            tile, i = cuda.shared.array(1024, float32), cuda.threadIdx.x
            for j in range(32):
                tile[i + 32 * j] = inputs[0][i + 32 * j]
            cuda.syncthreads()
            out[i] = column(tile, i) + inputs[1][i] * inputs[2]

        x, y, out = np.arange(1024, dtype=np.float32), np.arange(32), np.zeros(32)
        done = emulate(kernel, 1, 32, (out, (x, y, 0.5)))
        np.testing.assert_allclose(out, np.sin(x[::32].astype(np.float64)) + y * 0.5, atol=1e-6)
        (line,) = (one for one in done.lines if "math.sin" in one.source)
        self.assertEqual(line.ways, 32)

    def test_what_numba_links_is_named(self) -> None:
        @cuda.jit
        def square(x):
            x[cuda.grid(1)] *= x[cuda.grid(1)]

        with self.assertRaisesRegex(SmemprobeError, "calls .*half.*, which Numba adds only when it links on a GPU"):
            emulate(square, 1, 32, (np.zeros(32, np.float16),))

    def test_a_kernel_s_own_fault_is_told(self) -> None:
        small = np.zeros((16, 16), np.float32)
        done = emulate(transpose(32), 1, (32, 8), (small, np.zeros((32, 32), np.float32)))
        self.assertRegex(done.messages, "out of bounds: 4 bytes at byte [0-9]+ of out, which has 1024")
        self.assertEqual(done.findings[0].array, "out")


if __name__ == "__main__":
    unittest.main()
