# SPDX-License-Identifier: MIT
"""Kernels of Triton, Numba and CUDA C++ on the CPU: compiled here, run by the program's emulator.

No GPU is needed: Triton, Numba and nvcc compile for one, and `smemprobe emulate` runs the machine code
with arrays of this process.
"""

from __future__ import annotations

import inspect
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import _cute, _triton
from ._arrays import Arguments, tensor_of
from ._library import Arch, SmemprobeError, find_arch
from ._profile import Profile, load
from ._program import run

Grid = int | Sequence[int] | Callable[[dict[str, Any]], int | Sequence[int]]


@dataclass(frozen=True, repr=False)
class Emulation(Profile):
    """What a launch costs, instruction by instruction, and what was found in it.

    config: of a kernel of @triton.autotune, the configuration that ran.
    """

    config: str | None = None


@dataclass(frozen=True)
class Code:
    """What is launched: machine code or PTX, by a launch that `launch_text` writes."""

    path: Path
    kernel: str
    block: tuple[int, ...]
    shared_bytes: int
    arguments: list[str]

    def launch_text(self, grid: tuple[int, ...], shared_bytes: int = 0) -> str:
        return (
            f"{self.kernel}<<<{_dim3_text(grid)}, {_dim3_text(self.block)}, "
            f"{self.shared_bytes or shared_bytes}>>>({', '.join(self.arguments)})"
        )


def _dim3_text(numbers: tuple[int, ...]) -> str:
    return f"dim3({','.join(map(str, numbers))})"


# ---- Triton ----


def triton_code(bound: _triton.Bound, arch: Arch, given: Arguments, name: str = "kernel") -> Code:
    built = _triton.build(bound, cc_of(arch), given)
    path = given.folder / f"{name}.cubin"
    path.write_bytes(built.cubin)
    return Code(path, built.name, (built.threads,), built.shared_bytes, built.arguments)


def cc_of(arch: Arch) -> int:
    """90 of "9.0"."""
    return int(arch.cc.replace(".", ""))


# ---- Numba ----


def _numba_values(function: Any, arguments: Sequence[Any]) -> list[tuple[str, Any]]:
    """The arguments as NumPy has them, by their names."""
    names = inspect.getfullargspec(function).args
    if len(names) != len(arguments):
        raise SmemprobeError(
            f"{len(arguments)} arguments, but the kernel takes {len(names)}: {', '.join(names)}"
        )
    out: list[tuple[str, Any]] = []
    for name, value in zip(names, arguments, strict=True):
        tensor = tensor_of(value, name)
        if tensor is not None and tensor.element != tensor.data.dtype.name:
            raise SmemprobeError(f"argument {name}: Numba has no type for {tensor.element}")
        out.append((name, value if tensor is None else tensor.data))
    return out


def _numba_flatten(name: str, value: Any, given: Arguments) -> list[str]:
    """An array as Numba passes it: two pointers of its own, size, item size, data, shape, strides."""
    if isinstance(value, np.ndarray):
        words = [value.size, value.itemsize]
        tensor = tensor_of(value, name)
        assert tensor is not None
        return [
            "nullptr",
            "nullptr",
            *(given.number(word, "i8") for word in words),
            given.array(tensor),
            *(given.number(word, "i8") for word in (*value.shape, *value.strides)),
        ]
    dtype = np.asarray(value).dtype
    if dtype.kind not in "biufc":
        raise SmemprobeError(f"argument {name}: {type(value).__name__} is neither array nor number")
    return [given.number(value, dtype.str)]


def _numba_compile(
    kernel: Any, arguments: Sequence[Any], block: tuple[int, ...], arch: Arch, given: Arguments
) -> Code:
    from numba import cuda, typeof

    function = getattr(kernel, "py_func", kernel)
    cc = cc_of(arch)
    values = _numba_values(function, arguments)
    types = tuple(typeof(value) for _, value in values)
    options = dict(getattr(kernel, "targetoptions", {}))
    text, result = cuda.compile(
        function,
        types,
        debug=False,
        lineinfo=True,
        device=False,
        fastmath=bool(options.get("fastmath", False)),
        cc=(cc // 10, cc % 10),
        abi="numba",
        output="ptx",
    )
    if str(result) not in ("none", "void"):
        raise SmemprobeError(f"a kernel returns nothing, this one {result}")
    if isinstance(text, bytes):
        text = text.decode()
    # Lines alone make it debug code, not optimised, where Numba compiles functions of its own along.
    text = text.replace(", debug\n", "\n", 1)
    path = given.folder / "kernel.ptx"
    path.write_text(text)
    name = text.split(".visible .entry", 1)[1].split("(", 1)[0].strip()
    texts = [word for one, value in values for word in _numba_flatten(one, value, given)]
    return Code(path, name, block, 0, texts)


# ---- The CuTe DSL ----


def _cute_code(kernel: Any, arguments: Sequence[Any], block: tuple[int, ...], given: Arguments) -> Code:
    code, name = _cute.cubin(kernel)
    path = given.folder / "kernel.cubin"
    path.write_bytes(code)
    return Code(path, name, block, 0, _cute.texts(arguments, given))


# ---- All ----


def dim3(value: Any, what: str) -> tuple[int, ...]:
    numbers = (value,) if isinstance(value, (int, np.integer)) else tuple(value)
    if not 1 <= len(numbers) <= 3 or any(number < 1 for number in numbers):
        raise SmemprobeError(f"{what}={value}: one to three numbers from 1 on")
    return tuple(int(number) for number in numbers)


def grid_of(grid: Grid | None, values: dict[str, Any]) -> tuple[int, ...]:
    """Of Triton's `lambda meta: (...)`, too."""
    if grid is None:
        raise SmemprobeError("grid= is needed, the blocks of the grid")
    return dim3(grid(values) if callable(grid) else grid, "grid")


def _is_file(kernel: Any) -> bool:
    return isinstance(kernel, (str, os.PathLike))


def emulate(
    kernel: Any,
    grid: Grid | None = None,
    block: int | Sequence[int] | None = None,
    arguments: Sequence[Any] | Mapping[str, Any] = (),
    *,
    constants: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    shared_bytes: int = 0,
    arch: str | Arch = "sm_90",
    launch: str | None = None,
    races: bool = False,
    capture: str | os.PathLike[str] | None = None,
    raise_on_finding: bool = False,
) -> Emulation:
    """Runs one launch of a kernel on the CPU and says what its accesses cost.

    kernel: a function of @triton.jit (also below @triton.autotune and @triton.heuristics) or
        @numba.cuda.jit (or a plain function that Numba compiles); what cute.compile of the CuTe DSL
        gave, with CUTE_DSL_KEEP_CUBIN=1; or a file, .cu, .ptx or .cubin.
    grid, block: blocks of the grid, threads of a block; one to three numbers, for Triton also a
        function of the arguments. Triton's block follows from num_warps.
    arguments: numbers and arrays (NumPy, PyTorch on the CPU, JAX, whatever has DLPack or the array
        interface), for Triton also by name. The kernel writes into the arrays, but not into one that
        is not writeable.
    constants: Triton's constexpr arguments by name; those that are not given follow from the first
        configuration of autotune (`sweep` runs all), heuristics and defaults. options: of Triton's
        compiler (num_warps, num_stages). shared_bytes: dynamic shared memory, for Numba and CuTe.
    arch: "sm_90", "A100", "hopper": compiled for it, judged by its rules.
    launch: of a file, "kernel<<<grid, block>>>(arguments)" as on the command line; without it the
        kernels of the file run as its text says, or as is assumed (`messages` tells).
    races: also look for accesses that nothing orders.
    capture: a new folder that keeps the launch, for `smemprobe emulate FOLDER`.
    raise_on_finding: raise FindingError where the kernel has a fault; the arrays hold what it wrote
        until then. Without it, `findings` and `ok` of the result tell.

    ptxas (for Numba), nvcc (for .cu) and nvdisasm are needed, no GPU. Triton brings its own.
    """
    row = find_arch(arch)
    more = ["--races"] if races else []
    more += [] if capture is None else ["--capture", os.fspath(capture)]
    with tempfile.TemporaryDirectory(prefix="smemprobe-") as name:
        given = Arguments(Path(name))
        config: str | None = None
        if _is_file(kernel):
            if grid is not None or block is not None or len(arguments) > 0:
                raise SmemprobeError("of a file, launch='kernel<<<grid, block>>>(arguments)' says the launch")
            words = [] if launch is None else ["--launch", launch]
            done = _emulate(Path(kernel), [*words, *more], row, Path(name), None)
        else:
            if launch is not None:
                raise SmemprobeError("launch= is of files; grid, block and arguments say it here")
            code, blocks, config = _compile(
                kernel, grid, block, arguments, constants, options, shared_bytes, row, given
            )
            text = code.launch_text(blocks, shared_bytes)
            done = _emulate(code.path, ["--launch", text, *more], row, Path(name), config)
        given.restore()
        if raise_on_finding:
            done.check()
        return done


def _compile(
    kernel: Any,
    grid: Grid | None,
    block: int | Sequence[int] | None,
    arguments: Sequence[Any] | Mapping[str, Any],
    constants: Mapping[str, Any] | None,
    options: Mapping[str, Any] | None,
    shared_bytes: int,
    arch: Arch,
    given: Arguments,
) -> tuple[Code, tuple[int, ...], str | None]:
    """Code, grid, and the configuration that was chosen, if there are some."""
    if _triton.is_triton(kernel):
        if block is not None or shared_bytes:
            raise SmemprobeError("Triton's block and shared memory follow from its options")
        tuned = _triton.configs_of(kernel)
        first = tuned[0] if tuned else _triton.Config()
        config = _triton.Config(first.constants, {**first.options, **(options or {})})
        bound = _triton.bind(kernel, arguments, constants or {}, config)
        blocks = grid_of(grid, bound.values)
        return triton_code(bound, arch, given), blocks, str(config) if tuned else None
    is_cute = _cute.is_cute(kernel)
    if not is_cute and not callable(getattr(kernel, "py_func", kernel)):
        raise SmemprobeError(f"{kernel!r} is no kernel of Triton, Numba or the CuTe DSL, and no file")
    if constants or options:
        raise SmemprobeError("constants and options are Triton's")
    if isinstance(arguments, Mapping):
        raise SmemprobeError("arguments by name are Triton's; give Numba's in their order")
    if callable(grid):
        raise SmemprobeError("a grid that is a function is Triton's")
    if block is None:
        raise SmemprobeError("block= is needed, the threads of a block")
    blocks = grid_of(grid, {})
    if is_cute:
        return _cute_code(kernel, arguments, dim3(block, "block"), given), blocks, None
    return _numba_compile(kernel, arguments, dim3(block, "block"), arch, given), blocks, None


def _emulate(
    path: Path, words: Sequence[str], arch: Arch, folder: Path, config: str | None
) -> Emulation:
    profile = folder / "launch.smprof"
    ran = run(["emulate", path, *words, "--arch", arch.name, "-o", os.fspath(profile)])
    if ran.returncode not in (0, 1) or not profile.exists():
        raise SmemprobeError(ran.stderr.strip() or f"emulate ended with {ran.returncode}")
    data, text, smprof = load(profile)
    messages = [line for line in ran.stderr.splitlines() if os.fspath(profile) not in line]
    return Emulation(data, text, "\n".join(messages), smprof, is_own=True, config=config)
